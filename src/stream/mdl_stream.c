// slottar-mdl step by step (docs/mdl.md). The boundary probability b_l needs step l and, where it
// knows effects, the observation after it; the masks follow by m_k(l+1) = m_k(l)(1-b_l) +
// m_{k-1}(l)·b_l.
//
// Offline the segment of l is argmax_{k<n} m_k(l), n - 1 = argmax_k m_k(T-1). m(l) is the
// distribution of a sum of independent ends: it has one peak, and one more end moves the peak by 0
// or 1, so argmax_k m_k(l) <= n - 1 and the segment of l does not depend on what follows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "engine/wide.h"
#include "models/slottar_mdl.h"
#include "ops/common/vecmath.h"
#include "stream/stream_impl.h"
#include "train/inference/model_api.h"

static const slt_real EPSILON = (slt_real)1e-6; // as in end_probability.c

enum { LEAST_ENDLESS = 16 }; // slots that move along

// weights in the order in which a step reads them
typedef struct {
    int A, d, H, K, O;       // symbols, width, width of the boundary's layer, slots, observation
    bool bits, effects;      // of observations
    bool from_action;        // the boundary is predicted from the action alone: `own` says all
    slt_real epsilon;        // of layer norms
    slt_real *entries;       // [A][d] the action's half of the joint embedding
    slt_real *kernel, *bias; // [O][d], [d] the observation's half, gated
    slt_real *gamma, *beta;  // [d] of the layer norm
    slt_real *w1, *c1, *w2;  // [d][H], [H], [H]
    slt_real *own, *effect;  // [A], [2A] numbers of the symbol's own
    const slt_calibration *calibration;
} plan;

typedef struct {
    const plan *plan;
    bool endless;
    int K;                       // slots that are counted
    int lag;                     // 0, or 1: the confidence of a boundary knows the step after it
    int64_t steps, segment;      // pushed; the present one
    int32_t action;              // of the step before
    slt_real logit;              // of a boundary after the step before, without its effect
    float *observation;          // [O] before
    int64_t base;                // endless: segment of slot 0
    slt_real *masks;             // [K]
    slt_real *joint;             // [d]
    slt_real *hidden;            // [H]
    slt_real ends[2];            // b of the last two steps
    slt_stream_boundary waiting; // for its confidence
    slt_stream_boundary last;    // the list of finish
} state;

// ---- the plan

typedef struct {
    slt_arena *arena;
    const slt_store *store;
} source;

// a copy of a parameter, or NULL where the model has none; a missing one is not an error
static slt_status copy(const source *from, const char *name, slt_real **out) {
    int at = slt_store_find(from->store, name);
    *out = NULL;
    if (at < 0) return SLT_OK;
    size_t count =
        (size_t)from->store->parameters[at].rows * (size_t)from->store->parameters[at].columns;
    SLT_TRY(SLT_NEW(from->arena, out, count));
    memcpy(*out, slt_store_at(from->store, from->store->value, at, 0), count * sizeof **out);
    return SLT_OK;
}

// out = x·w (+ out), x [n], w [n][m]
static void add_product(const slt_real *x, const slt_real *restrict w, int n, int m,
                        slt_real *restrict out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) out[j] += x[i] * w[(size_t)i * (size_t)m + (size_t)j];
}

// w2·relu(x·W1 + c1)
static slt_real boundary_mlp(const plan *p, const slt_real *x, slt_real *restrict hidden) {
    slt_real sum = 0;
    memcpy(hidden, p->c1, (size_t)p->H * sizeof *hidden);
    add_product(x, p->w1, p->d, p->H, hidden);
    for (int i = 0; i < p->H; i++) sum += (hidden[i] > 0 ? hidden[i] : 0) * p->w2[i];
    return sum;
}

// what a symbol adds to the joint embedding, or all that it says of boundaries
static slt_status prepare_symbols(plan *p, const source *from) {
    slt_real *table, *kernel, *bias, *hidden;
    size_t d = (size_t)p->d;
    SLT_TRY(copy(from, "end.embedding", &table));
    SLT_TRY(copy(from, "joint.action.kernel", &kernel));
    SLT_TRY(copy(from, "joint.bias", &bias));
    SLT_TRY(SLT_NEW(from->arena, &p->entries, (size_t)p->A * d));
    SLT_TRY(SLT_NEW(from->arena, &hidden, (size_t)p->H));
    for (int a = 0; a < p->A; a++) {
        const slt_real *row = table + (size_t)a * d;
        if (p->from_action) {
            p->own[a] += boundary_mlp(p, row, hidden);
            continue;
        }
        memcpy(p->entries + (size_t)a * d, bias, d * sizeof *bias);
        add_product(row, kernel, p->d, p->d, p->entries + (size_t)a * d);
    }
    return SLT_OK;
}

static slt_status prepare_effects(plan *p, const source *from, slt_real gate) {
    slt_real *table, *kernel;
    SLT_TRY(copy(from, "end.effect", &table));
    SLT_TRY(copy(from, "end.effect.kernel", &kernel));
    p->effects = table != NULL;
    SLT_TRY(SLT_NEW(from->arena, &p->effect, 2 * (size_t)p->A));
    for (int a = 0; p->effects && a < 2 * p->A; a++)
        for (int i = 0; i < p->H; i++) p->effect[a] += gate * table[a * p->H + i] * kernel[i];
    return SLT_OK;
}

static slt_status prepare_observations(plan *p, const source *from) {
    slt_real *gate;
    SLT_TRY(copy(from, "joint.eyes", &gate));
    SLT_TRY(copy(from, "joint.observation.kernel", &p->kernel));
    SLT_TRY(copy(from, "joint.observation.bias", &p->bias));
    slt_real open = gate ? *gate : 1;
    for (size_t i = 0; p->kernel && i < (size_t)p->O * (size_t)p->d; i++) p->kernel[i] *= open;
    for (int i = 0; p->bias && i < p->d; i++) p->bias[i] *= open;
    return prepare_effects(p, from, open);
}

static slt_status fill(plan *p, const source *from) {
    SLT_TRY(copy(from, "joint.ln.gamma", &p->gamma));
    SLT_TRY(copy(from, "joint.ln.beta", &p->beta));
    SLT_TRY(copy(from, "end.hidden.kernel", &p->w1));
    SLT_TRY(copy(from, "end.hidden.bias", &p->c1));
    SLT_TRY(copy(from, "end.out.kernel", &p->w2));
    SLT_TRY(copy(from, "end.symbol", &p->own));
    SLT_TRY(prepare_observations(p, from));
    return prepare_symbols(p, from);
}

static slt_status make_plan(slt_model *model, plan **out) {
    const slt_checkpoint *c = slt_model_checkpoint(model);
    const slt_mdl_options *o = (const slt_mdl_options *)c->setup.model;
    plan *p;
    slt_learner *learner;
    SLT_TRY(SLT_NEW(slt_model_arena(model), &p, 1));
    SLT_TRY(slt_model_read_weights(model, &learner));
    source from = {slt_model_arena(model), learner->store};
    p->A = c->data.symbols;
    p->d = (int)o->hidden;
    p->K = (int)o->slots;
    p->O = slt_mdl_sees(o) ? c->data.observation : 0;
    p->bits = c->data.observation_type == SLT_BITS;
    p->from_action = o->boundary_input == SLT_BOUNDARY_FROM_ACTION;
    p->epsilon = (slt_real)o->ln_eps;
    p->calibration = &c->calibration;
    int out_kernel = slt_store_find(learner->store, "end.out.kernel");
    p->H = learner->store->parameters[out_kernel].rows;
    slt_status status = fill(p, &from);
    slt_learner_destroy(learner);
    if (status == SLT_OK) *out = p;
    return status;
}

// ---- a step

static void add_observation(const plan *p, const float *x, slt_real *restrict out) {
    size_t d = (size_t)p->d;
    for (size_t j = 0; j < d; j++) out[j] += p->bias[j];
    for (int i = 0; i < p->O; i++) {
        const slt_real *restrict row = p->kernel + (size_t)i * d;
        slt_real value = x[i];
        if (value == 0) continue;
        for (size_t j = 0; j < d; j++) out[j] += value * row[j];
    }
}

static void normalise(const plan *p, slt_real *restrict x) {
    slt_real mean = 0, square = 0;
    for (int i = 0; i < p->d; i++) mean += x[i];
    mean /= (slt_real)p->d;
    for (int i = 0; i < p->d; i++) x[i] -= mean;
    for (int i = 0; i < p->d; i++) square += x[i] * x[i];
    slt_real inverse = 1 / slt_sqrt(square / (slt_real)p->d + p->epsilon);
    for (int i = 0; i < p->d; i++) x[i] = p->gamma[i] * (x[i] * inverse) + p->beta[i];
}

// log-odds of a boundary after this step, as far as they do not depend on its effect
static void find_logit(state *s, const slt_stream_step *step) {
    const plan *p = s->plan;
    s->logit = p->own[step->action];
    if (p->from_action) return;
    memcpy(s->joint, p->entries + (size_t)step->action * (size_t)p->d,
           (size_t)p->d * sizeof *s->joint);
    if (p->O) add_observation(p, step->observation, s->joint);
    for (int i = 0; i < p->d; i++) s->joint[i] = s->joint[i] > 0 ? s->joint[i] : 0;
    normalise(p, s->joint);
    s->logit += boundary_mlp(p, s->joint, s->hidden);
}
SLT_WIDE(find_logit, (state * s, const slt_stream_step *step), (s, step));

// b of the step before, now that what it did is seen
static slt_real end_before(const state *s, const slt_stream_step *step) {
    const plan *p = s->plan;
    slt_real x = s->logit;
    if (p->effects) {
        bool changed = memcmp(s->observation, step->observation,
                              (size_t)p->O * sizeof *step->observation) != 0;
        x += p->effect[s->action + (changed ? p->A : 0)];
    }
    slt_real b = slt_sigmoid(x);
    return b < EPSILON ? EPSILON : b > 1 - EPSILON ? 1 - EPSILON : b;
}

// endless, the slots move along with the number of boundaries: the least number is forgotten
static void move_slots(state *s) {
    slt_real *m = s->masks, sum = 0;
    memmove(m, m + 1, (size_t)(s->K - 1) * sizeof *m);
    m[s->K - 1] = 0;
    s->base++;
    for (int k = 0; k < s->K; k++) sum += m[k];
    for (int k = 0; k < s->K; k++) m[k] /= sum;
}

// the distribution of the number of boundaries so far
static void count(state *s, slt_real b) {
    int K = s->K;
    slt_real *m = s->masks;
    if (s->endless && s->segment - s->base >= K / 2) move_slots(s);
    for (int k = K - 1; k >= 0; k--) m[k] = m[k] * (1 - b) + (k ? m[k - 1] * b : 0);
    int64_t now = s->base + slt_mdl_count(m, K);
    s->segment = now > s->segment ? now : s->segment;
}

static float confidence_of(const state *s, const slt_real *ends, int count_of) {
    slt_real none = 1;
    for (int i = 0; i < count_of; i++) none *= 1 - ends[i];
    return (float)slt_calibrate(s->plan->calibration, (double)(float)(1 - none));
}

static void begin(void *user) {
    state *s = user;
    s->steps = s->segment = s->base = 0;
    s->waiting.step = -1;
    memset(s->masks, 0, (size_t)s->K * sizeof *s->masks);
    s->masks[0] = 1;
}

// boundaries of the step before; with a lag they wait one step for their confidence
static void decide(state *s, slt_real b, bool boundary, slt_stream_event *event) {
    slt_real ends[3] = {s->ends[0], s->ends[1], b};
    int known = s->steps < 3 ? (int)s->steps : 3; // of `ends`, from its end
    if (s->lag) {
        if (s->waiting.step >= 0) {
            s->waiting.confidence = confidence_of(s, ends + 3 - known, known);
            event->boundary = s->waiting;
        }
        s->waiting.step = boundary ? s->steps - 1 : -1;
    } else if (boundary) {
        known = known < 2 ? known : 2;
        event->boundary.step = s->steps - 1;
        event->boundary.confidence = confidence_of(s, ends + 3 - known, known);
    }
    s->ends[0] = s->ends[1];
    s->ends[1] = b;
}

static void push(void *user, const slt_stream_step *step, slt_stream_event *event) {
    state *s = user;
    if (s->steps) {
        int64_t before = s->segment;
        slt_real b = end_before(s, step);
        count(s, b);
        event->probability = (double)b;
        decide(s, b, s->segment != before, event);
        event->decided = s->steps - 1 - s->lag;
    }
    event->segment = s->segment;
    SLT_WIDEST(find_logit)(s, step);
    s->action = step->action;
    if (s->plan->effects)
        memcpy(s->observation, step->observation, (size_t)s->plan->O * sizeof *s->observation);
    s->steps++;
}

static void finish(void *user, slt_stream_end *end) {
    state *s = user;
    end->segments = s->segment + 1;
    if (s->waiting.step < 0) return;
    int known = s->steps < 3 ? 1 : 2; // the last step does not count
    s->last = s->waiting;
    s->last.confidence = confidence_of(s, s->ends + 2 - known, known);
    end->boundaries = &s->last;
    end->boundary_count = 1;
}

static const slt_stream_kind kind = {begin, push, finish};

// ---- opening

static slt_status reserve(slt_arena *arena, const plan *p, state *s) {
    SLT_TRY(SLT_NEW(arena, &s->observation, (size_t)p->O + 1));
    SLT_TRY(SLT_NEW(arena, &s->masks, (size_t)s->K));
    SLT_TRY(SLT_NEW(arena, &s->joint, (size_t)p->d));
    return SLT_NEW(arena, &s->hidden, (size_t)p->H);
}

slt_status slt_mdl_stream_open(slt_stream *stream, slt_model *model,
                               const slt_stream_options *options) {
    const slt_checkpoint *c = slt_model_checkpoint(model);
    const slt_mdl_options *o = (const slt_mdl_options *)c->setup.model;
    state *s;
    if (o->boundary_input == SLT_BOUNDARY_FROM_CONTEXT)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: boundary_input=context predicts boundaries from the whole trajectory and "
                 "cannot stream; train with boundary_input=joint",
                 slt_model_path(model));
    plan **shared = (plan **)slt_model_stream_plan(model);
    if (!*shared) SLT_TRY(make_plan(model, shared));
    const plan *p = *shared;
    SLT_TRY(SLT_NEW(&stream->arena, &s, 1));
    s->plan = p;
    s->endless = options->endless;
    s->K = s->endless && p->K < LEAST_ENDLESS ? LEAST_ENDLESS : p->K;
    SLT_TRY(reserve(&stream->arena, p, s));
    s->lag = options->lag > 0;
    s->waiting.type = -1;
    stream->kind = &kind;
    stream->state = s;
    stream->info = (slt_stream_info){.model = "slottar-mdl",
                                     .actions = p->A - 1,
                                     .observation = p->O,
                                     .bits = p->bits,
                                     .lag = options->lag};
    return SLT_OK;
}
