// OMPN step by step: the memory of the step before and an observation give the next memory and p̂,
// by the equations of ops/ompn/ompn_forward.c and ompn_cell.c.
//
// Step s ends a segment where it writes above the leaf: with a probability above `threshold`, or,
// where that is 0, with a level on the lower side of the cut that parts the levels best. Offline
// these are the levels of the whole trajectory, here those of the steps so far.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "engine/wide.h"
#include "models/ompn_model.h"
#include "ops/common/vecmath.h"
#include "ops/ompn/ompn_chance.h"
#include "stream/stream_impl.h"
#include "train/inference/model_api.h"

typedef struct {
    int n, d, O;
    bool bits, alias;
    slt_real epsilon, slope;
    double threshold;
    slt_real *w;             // all weights of the recurrence (ompn_layout.h)
    slt_real *kernel, *bias; // [O][d], [d] of observations
    const slt_channel_scale *observed;
    const slt_calibration *calibration;
} plan;

// of a step: the probability to stay at the leaf, and the bin of its level
typedef struct {
    slt_real leaf;
    int bin;
} mark;

typedef struct {
    const plan *plan;
    int lag;
    int64_t steps, segment; // pushed; final boundaries
    slt_real *x;            // [d]
    slt_real *memory;       // [n][d] of the step before
    slt_real *candidate;    // [n][d]
    slt_real *child;        // [n][d] of Decom
    slt_real *parent;       // [d]
    slt_real *hidden;       // [4d]
    slt_real *gates;        // [4d]
    slt_real chance[2 * SLT_OMPN_DEPTH + 1];
    mark *marks; // [room] the last steps, by their number modulo room
    int room;
    int bins[SLT_OMPN_BINS];
    slt_stream_boundary *ends; // [lag + 2]
} state;

// ---- the plan

static slt_status copy(slt_arena *arena, const slt_store *store, const char *name, slt_real **out) {
    int at = slt_store_find(store, name);
    if (at < 0) SLT_FAIL(SLT_INTERNAL, "ompn: no weights '%s'", name);
    size_t count = (size_t)store->parameters[at].rows * (size_t)store->parameters[at].columns;
    SLT_TRY(SLT_NEW(arena, out, count));
    memcpy(*out, slt_store_at(store, store->value, at, 0), count * sizeof **out);
    return SLT_OK;
}

static slt_status make_plan(slt_model *model, plan **out) {
    const slt_checkpoint *c = slt_model_checkpoint(model);
    const slt_ompn_options *o = (const slt_ompn_options *)c->setup.model;
    slt_arena *arena = slt_model_arena(model);
    plan *p;
    slt_learner *learner;
    SLT_TRY(SLT_NEW(arena, &p, 1));
    *p = (plan){.n = (int)o->depth,
                .d = (int)o->hidden,
                .O = c->data.observation,
                .bits = c->data.observation_type == SLT_BITS,
                .alias = o->ompn_alias,
                .epsilon = (slt_real)o->ln_eps,
                .slope = (slt_real)o->leaky_slope,
                .threshold = o->threshold,
                .observed = c->data.observed,
                .calibration = &c->calibration};
    SLT_TRY(slt_model_read_weights(model, &learner));
    slt_status status = copy(arena, learner->store, "com0.l1.kernel", &p->w);
    if (status == SLT_OK) status = copy(arena, learner->store, "obs.kernel", &p->kernel);
    if (status == SLT_OK) status = copy(arena, learner->store, "obs.bias", &p->bias);
    slt_learner_destroy(learner);
    if (status == SLT_OK) *out = p;
    return status;
}

// ---- the equations of a step

static void add_product(const slt_real *x, const slt_real *restrict w, int n, int m,
                        slt_real *restrict out) {
    for (int i = 0; i < n; i++) {
        const slt_real *restrict row = w + (size_t)i * (size_t)m;
        for (int j = 0; j < m; j++) out[j] += x[i] * row[j];
    }
}

static void normalise(slt_real *restrict x, int width, slt_real epsilon) {
    slt_real mean = 0, square = 0;
    for (int i = 0; i < width; i++) mean += x[i];
    mean /= (slt_real)width;
    for (int i = 0; i < width; i++) x[i] -= mean;
    for (int i = 0; i < width; i++) square += x[i] * x[i];
    slt_real inverse = 1 / slt_sqrt(square / (slt_real)width + epsilon);
    for (int i = 0; i < width; i++) x[i] *= inverse;
}

static void observe(state *s, const float *observation) {
    const plan *p = s->plan;
    memcpy(s->x, p->bias, (size_t)p->d * sizeof *s->x);
    for (int i = 0; i < p->O; i++) {
        const slt_channel_scale *scale = p->observed ? &p->observed[i] : NULL;
        slt_real value = observation[i];
        if (scale)
            value = scale->scale > 0
                        ? (slt_real)((observation[scale->column] - scale->mean) / scale->scale)
                        : 0;
        if (value == 0) continue;
        const slt_real *restrict row = p->kernel + (size_t)i * (size_t)p->d;
        for (int j = 0; j < p->d; j++) s->x[j] += value * row[j];
    }
}

// out = norm(Σ_j g_j∘in_j + g_{k+1}∘cell) of a cell with k inputs
static void cell(state *s, slt_ompn_cell at, const slt_real *const in[2], slt_real *restrict out) {
    const plan *p = s->plan;
    int d = p->d, k = at.inputs, wide = (k + 1) * d;
    const slt_real *w1 = p->w + at.w1, *gamma = p->w + at.gamma, *beta = p->w + at.beta;
    size_t block = (size_t)d * 4 * (size_t)d;
    memcpy(s->hidden, p->w + at.c1, 4 * (size_t)d * sizeof *s->hidden);
    for (int j = 0; j < k; j++) add_product(in[j], w1 + (size_t)j * block, d, 4 * d, s->hidden);
    add_product(s->x, w1 + (size_t)k * block, d, 4 * d, s->hidden);
    for (int i = 0; i < 4 * d; i++) s->hidden[i] = s->hidden[i] > 0 ? s->hidden[i] : 0;
    memcpy(s->gates, p->w + at.c2, (size_t)(wide + d) * sizeof *s->gates);
    add_product(s->hidden, p->w + at.w2, 4 * d, wide + d, s->gates);
    normalise(s->gates, wide, p->epsilon);
    for (int i = 0; i < wide; i++) s->gates[i] = slt_sigmoid(gamma[i] * s->gates[i] + beta[i]);
    for (int i = 0; i < d; i++) {
        out[i] = s->gates[k * d + i] * s->gates[wide + i];
        for (int j = 0; j < k; j++) out[i] += s->gates[j * d + i] * in[j][i];
    }
    normalise(out, d, p->epsilon);
}

// β of a level
static slt_real gate(state *s, int level) {
    const plan *p = s->plan;
    int d = p->d;
    slt_ompn_gate at = slt_ompn_gate_at(p->n, d);
    const slt_real *w1 = p->w + at.w1, *w2 = p->w + at.w2;
    size_t block = (size_t)d * (size_t)d, row = (size_t)level * (size_t)d;
    slt_real sum = p->w[at.c2];
    memcpy(s->hidden, p->w + at.c1, (size_t)d * sizeof *s->hidden);
    add_product(s->x, w1, d, d, s->hidden);
    add_product(s->memory + row, w1 + 2 * block, d, d, s->hidden);
    add_product(s->candidate + row, w1 + 3 * block, d, d, s->hidden);
    for (int i = 0; i < d; i++)
        sum += (s->hidden[i] > 0 ? s->hidden[i] : p->slope * s->hidden[i]) * w2[i];
    return slt_sigmoid(sum);
}

static void combine(state *s) {
    const plan *p = s->plan;
    size_t d = (size_t)p->d;
    for (int i = p->n - 1; i >= 0; i--) {
        const slt_real *child = i + 1 < p->n ? s->candidate + (size_t)(i + 1) * d : s->x;
        const slt_real *const in[2] = {child, s->memory + (size_t)i * d};
        cell(s, slt_ompn_com(p->d, i), in, s->candidate + (size_t)i * d);
    }
    for (int i = 0; i < p->n; i++) s->chance[i] = gate(s, i);
}

// children from root to leaf, then the new memory
static void decompose(state *s) {
    const plan *p = s->plan;
    int d = p->d;
    slt_ompn_shares share = slt_ompn_share(s->chance, p->n);
    memset(s->child, 0, (size_t)d * sizeof *s->child);
    for (int i = 0; i + 1 < p->n; i++) {
        const slt_real *candidate = s->candidate + i * d, *child = s->child + i * d;
        for (int c = 0; c < d; c++)
            s->parent[c] = share.rcp[i] * candidate[c] + (1 - share.rcp[i]) * child[c];
        const slt_real *const in[2] = {s->parent, NULL};
        cell(s, slt_ompn_decom(p->n, d, i), in, s->child + (i + 1) * d);
    }
    for (int i = 0; i < p->n; i++)
        for (int c = i * d; c < (i + 1) * d; c++) {
            slt_real before = p->alias ? s->candidate[c] : s->memory[c];
            s->memory[c] = before * (1 - share.cp[i]) + s->candidate[c] * share.p[i] +
                           s->child[c] * (1 - share.rcp[i]);
        }
}

static void advance(state *s, const float *observation) {
    size_t size = (size_t)s->plan->n * (size_t)s->plan->d;
    observe(s, observation);
    if (s->steps == 0) {
        memset(s->memory, 0, size * sizeof *s->memory);
        memset(s->candidate, 0, size * sizeof *s->candidate);
        slt_ompn_stick_start(s->chance, s->plan->n);
    } else {
        combine(s);
        slt_ompn_stick(s->chance, s->plan->n);
    }
    decompose(s);
}
SLT_WIDE(advance, (state * s, const float *observation), (s, observation));

// ---- boundaries

static mark *mark_of(const state *s, int64_t step) { return &s->marks[step % s->room]; }

static bool ends_here(const state *s, int64_t step, int cut) {
    if (step == 0) return false;
    if (s->plan->threshold > 0) return 1 - (double)mark_of(s, step)->leaf > s->plan->threshold;
    return mark_of(s, step)->bin <= cut;
}

static int cut_of(const state *s) {
    return s->plan->threshold > 0 ? -1 : slt_ompn_best_cut(s->bins, (int)s->steps - 1);
}

static slt_stream_boundary boundary_at(const state *s, int64_t step) {
    double none = 1;
    for (int64_t t = step > 1 ? step - 1 : 1; t <= step + 1 && t < s->steps; t++)
        none *= (double)mark_of(s, t)->leaf;
    double confidence = slt_calibrate(s->plan->calibration, (double)(float)(1 - none));
    return (slt_stream_boundary){.step = step, .confidence = (float)confidence, .type = -1};
}

static void begin(void *user) {
    state *s = user;
    s->steps = s->segment = 0;
    memset(s->bins, 0, sizeof s->bins);
}

static void push(void *user, const slt_stream_step *step, slt_stream_event *event) {
    state *s = user;
    int64_t now = s->steps, final = now - 1 - s->lag;
    const slt_real *p_hat = s->chance + s->plan->n;
    SLT_WIDEST(advance)(s, step->observation);
    *mark_of(s, now) = (mark){p_hat[s->plan->n], slt_ompn_bin(p_hat, s->plan->n)};
    if (now) s->bins[mark_of(s, now)->bin]++;
    s->steps++;
    if (now > 1) event->probability = 1 - (double)mark_of(s, now - 1)->leaf;
    int cut = cut_of(s);
    event->segment = s->segment;
    for (int64_t t = final < 0 ? 0 : final; t < now; t++) event->segment += ends_here(s, t, cut);
    if (final < 0) return;
    event->decided = final;
    if (!ends_here(s, final, cut)) return;
    event->boundary = boundary_at(s, final);
    s->segment++;
}

static void finish(void *user, slt_stream_end *end) {
    state *s = user;
    int cut = cut_of(s);
    int64_t first = s->steps - 1 - s->lag;
    for (int64_t t = first < 0 ? 0 : first; t + 1 < s->steps; t++)
        if (ends_here(s, t, cut)) s->ends[end->boundary_count++] = boundary_at(s, t);
    s->segment += end->boundary_count;
    end->segments = s->segment + 1;
    end->boundaries = s->ends;
}

static const slt_stream_kind kind = {begin, push, finish};

// ---- opening

static slt_status reserve(slt_arena *arena, const plan *p, state *s) {
    size_t d = (size_t)p->d, n = (size_t)p->n;
    s->room = s->lag + 4;
    SLT_TRY(SLT_NEW(arena, &s->x, d));
    SLT_TRY(SLT_NEW(arena, &s->memory, n * d));
    SLT_TRY(SLT_NEW(arena, &s->candidate, n * d));
    SLT_TRY(SLT_NEW(arena, &s->child, n * d));
    SLT_TRY(SLT_NEW(arena, &s->parent, d));
    SLT_TRY(SLT_NEW(arena, &s->hidden, 4 * d));
    SLT_TRY(SLT_NEW(arena, &s->gates, 4 * d));
    SLT_TRY(SLT_NEW(arena, &s->ends, (size_t)s->lag + 2));
    return SLT_NEW(arena, &s->marks, (size_t)s->room);
}

slt_status slt_ompn_stream_open(slt_stream *stream, slt_model *model,
                                const slt_stream_options *options) {
    const slt_model_info *about = slt_model_about(model);
    plan **shared = (plan **)slt_model_stream_plan(model);
    state *s;
    if (!*shared) SLT_TRY(make_plan(model, shared));
    SLT_TRY(SLT_NEW(&stream->arena, &s, 1));
    s->plan = *shared;
    s->lag = options->lag;
    SLT_TRY(reserve(&stream->arena, *shared, s));
    stream->kind = &kind;
    stream->state = s;
    stream->info = (slt_stream_info){.model = "ompn",
                                     .actions = about->actions,
                                     .action_size = about->action_size,
                                     .observation = about->observation,
                                     .bits = (*shared)->bits,
                                     .lag = options->lag};
    return SLT_OK;
}
