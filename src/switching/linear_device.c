// Linear chains on a device: it makes sums over steps, the host what follows from them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/linear_device.h"
#include <math.h>
#include <string.h>
#include "core/parallel_for.h"
#include "engine/device.h"
#include "switching/linear_impl.h"
#include "switching/solve.h"

_Static_assert((int)SLT_MOST_LAWS == (int)SLT_CHAIN_LAWS, "tables of moves have one size");
static const double MOST_BYTES = 8e9; // of rows on the device; more chains come in turn

typedef struct {
    slt_context *context;
    const slt_chain_device *kind;
    slt_device *device;
    const slt_motion *motion;
    slt_arena arena;
    slt_chain_pass *pass;
    int count, X; // members, most inputs of a law
    slt_linear_job *jobs;
    const slt_linear_chain **chains;
    slt_chain_member *members;
    slt_chain_values values;
    slt_chain_sums *sums;
    double *stay, *fresh, *squares; // equations; sums of residuals
    double *last;                   // nats of the sweep before
    bool both, smooth;              // whether there are members of these families
} group;

slt_status slt_linear_on_device(slt_context *context, bool *out) {
    slt_device *device;
    SLT_TRY(slt_device_open(context, &device));
    *out = device && device->kind->chains;
    return SLT_OK;
}

// ---- what the device is told

static slt_status reserve(group *g) {
    size_t n = (size_t)g->count;
    int A = g->motion->A, D = g->motion->D;
    g->X = D + A;
    SLT_TRY(SLT_NEW(&g->arena, &g->chains, n));
    SLT_TRY(SLT_NEW(&g->arena, &g->members, n));
    SLT_TRY(SLT_NEW(&g->arena, &g->values.law, n));
    SLT_TRY(SLT_NEW(&g->arena, &g->values.W, n * slt_chain_w_size(A, D)));
    SLT_TRY(SLT_NEW(&g->arena, &g->values.V, n * slt_chain_v_size(A, D)));
    return SLT_NEW(&g->arena, &g->values.numbers, n * slt_chain_numbers(A));
}

// episodes as sequences; those without steps are left out
static slt_status set_member(group *g, int i, const slt_linear_chain *chain,
                             const int64_t *episodes, int64_t count) {
    const slt_motion *m = g->motion;
    int64_t *first, *length;
    int sequences = 0;
    SLT_TRY(SLT_NEW(&g->arena, &first, 2 * (size_t)count));
    length = first + count;
    for (int64_t n = 0; n < count; n++) {
        int64_t e = episodes ? episodes[n] : n, T = m->offsets[e + 1] - m->offsets[e];
        if (!T) continue;
        first[sequences] = m->offsets[e];
        length[sequences++] = T;
    }
    g->chains[i] = chain;
    g->members[i] = (slt_chain_member){(int)chain->family, chain->K, sequences, first, length};
    g->both |= chain->family == SLT_LAW_BOTH;
    g->smooth |= chain->family == SLT_LAW_SMOOTH;
    return SLT_OK;
}

static void fill_law(const slt_linear_chain *c, bool paths, double *numbers, slt_chain_law *law) {
    slt_linear_moves m = paths ? slt_linear_log_moves(c) : slt_linear_moves_of(c);
    int A = c->A;
    law->family = (int32_t)c->family;
    law->K = c->K;
    memcpy(law->stay, m.stay, sizeof m.stay);
    memcpy(law->change, m.change, sizeof m.change);
    memcpy(law->fresh, m.fresh, sizeof m.fresh);
    for (int k = 0; k < c->K; k++) {
        slt_linear_regression r = slt_linear_regression_of(c, SLT_ROWS_BOTH, k);
        law->start[k] = paths ? log(c->start[k] + 1e-300) : c->start[k];
        law->weight_v[k] = 1 / r.v;
        law->weight_u[k] = 1 / r.u;
        law->rho = r.rho;
        slt_linear_normal(c->v + k * A, A, numbers + k * A, &law->constant_v[k]);
        slt_linear_normal(c->u + k * A, A, numbers + (SLT_CHAIN_LAWS + k) * A, &law->constant_u[k]);
    }
    numbers += 2 * SLT_CHAIN_LAWS * A;
    memcpy(numbers, c->rho, sizeof *numbers * (size_t)A);
    memcpy(numbers + A, c->low, sizeof *numbers * (size_t)A);
    memcpy(numbers + 2 * A, c->high, sizeof *numbers * (size_t)A);
}

static slt_status load(group *g, bool paths) {
    size_t A = (size_t)g->motion->A, D = (size_t)g->motion->D;
    for (int i = 0; i < g->count; i++) {
        const slt_linear_chain *c = g->chains[i];
        size_t n = (size_t)i, KA = (size_t)c->K * A;
        fill_law(c, paths, g->values.numbers + n * slt_chain_numbers((int)A), &g->values.law[i]);
        memcpy(g->values.W + n * slt_chain_w_size((int)A, (int)D), c->W,
               sizeof(float) * (size_t)slt_linear_inputs(c) * KA);
        memcpy(g->values.V + n * slt_chain_v_size((int)A, (int)D), c->V, sizeof(float) * D * KA);
    }
    return g->kind->load(g->pass, &g->values);
}

static slt_status open_pass(group *g, bool same, bool paths) {
    const slt_motion *m = g->motion;
    slt_chain_task task = {.A = m->A,
                           .D = m->D,
                           .steps = m->steps,
                           .actions = m->actions,
                           .features = m->features,
                           .count = g->count,
                           .same = same,
                           .paths = paths,
                           .members = g->members};
    return g->kind->open(g->device, &task, &g->pass);
}

// ---- learning

static slt_status begin_one(void *user, int i) {
    group *g = user;
    slt_linear_job *job = &g->jobs[i];
    slt_arena scratch;
    slt_arena_init(&scratch, &g->context->allocator, 0);
    slt_status status = slt_linear_begin(job->out, g->motion, job->episodes, job->count,
                                         job->options.seed, &scratch);
    slt_arena_deinit(&scratch);
    return status;
}

// the law that solves equations as the device gives them
static void solve_law(const slt_linear_chain *c, slt_linear_chain *out, slt_linear_rows rows, int k,
                      const double *sums, double *gram, double *moment) {
    slt_linear_regression r = slt_linear_regression_of(c, rows, k);
    int X = r.inputs;
    for (int i = 0; i < X; i++)
        for (int j = 0; j <= i; j++) gram[i * X + j] = *sums++;
    memcpy(moment, sums, sizeof *moment * (size_t)(X * c->A));
    slt_solve_ridge(gram, X, moment, c->A, r.ridge);
    slt_linear_take_law(out, rows, k, moment);
}

static slt_status solve_one(void *user, int i) {
    group *g = user;
    slt_linear_chain *c = g->jobs[i].out;
    size_t X = (size_t)g->X, A = (size_t)c->A;
    size_t stay = slt_chain_equations(g->X, c->A), fresh = slt_chain_equations(c->D, c->A);
    double *gram;
    if (g->values.law[i].idle) return SLT_OK;
    SLT_TRY(SLT_ALLOC(&g->context->allocator, &gram, X * X + X * A));
    for (int k = 0; k < c->K; k++) {
        size_t place = (size_t)i * SLT_CHAIN_LAWS + (size_t)k;
        bool smooth = c->family == SLT_LAW_SMOOTH;
        solve_law(c, c, smooth ? SLT_ROWS_BOTH : SLT_ROWS_STAY, k, g->stay + place * stay, gram,
                  gram + X * X);
        if (c->family == SLT_LAW_BOTH)
            solve_law(c, c, SLT_ROWS_FRESH, k, g->fresh + place * fresh, gram, gram + X * X);
    }
    slt_free(&g->context->allocator, gram);
    return SLT_OK;
}

static slt_status update_memory(group *g) {
    int A = g->motion->A;
    SLT_TRY(g->kind->memory(g->pass, g->squares));
    for (int m = 0; m < g->count; m++) {
        slt_linear_chain *c = g->jobs[m].out;
        const double *sums = g->squares + (size_t)m * 2 * SLT_CHAIN_LAWS * (size_t)A;
        if (g->values.law[m].idle || c->family != SLT_LAW_SMOOTH) continue;
        for (int i = 0; i < A; i++) {
            double both = 0, square = 0;
            for (int k = 0; k < c->K; k++)
                both += sums[2 * (k * A + i)], square += sums[2 * (k * A + i) + 1];
            slt_linear_take_memory(c, i, both, square);
        }
    }
    return load(g, false);
}

static void take_spread(slt_linear_chain *c, const double *sums) {
    double wv[SLT_MOST_LAWS], wu[SLT_MOST_LAWS];
    for (int n = 0; n < c->K * c->A; n++) {
        c->v[n] = sums[4 * n], c->u[n] = sums[4 * n + 1];
        wv[n / c->A] = sums[4 * n + 2], wu[n / c->A] = sums[4 * n + 3];
    }
    slt_linear_take_spread(c, c->v, c->u, wv, wu);
}

// what is left of a sweep after the laws; members that have settled become idle
static slt_status finish_sweep(group *g, int sweep, int *busy) {
    SLT_TRY(g->kind->spread(g->pass, g->squares));
    *busy = 0;
    for (int i = 0; i < g->count; i++) {
        slt_linear_job *job = &g->jobs[i];
        slt_linear_chain *c = job->out;
        slt_linear_sums sums = {0};
        if (g->values.law[i].idle) continue;
        take_spread(c, g->squares + (size_t)i * 4 * SLT_CHAIN_LAWS * (size_t)c->A);
        memcpy(sums.start, g->sums[i].start, sizeof sums.start);
        memcpy(sums.change, g->sums[i].change, sizeof sums.change);
        memcpy(sums.fresh, g->sums[i].fresh, sizeof sums.fresh);
        slt_linear_weigh(c, &sums);
        slt_linear_take_moves(c, &sums);
        double nats = g->sums[i].nats / (double)g->values.law[i].rows;
        c->sweeps = sweep;
        job->done = slt_linear_settled(c, nats, g->last[i]) || sweep == job->options.sweeps;
        g->values.law[i].idle = job->done;
        g->last[i] = nats;
        *busy += !job->done;
    }
    return load(g, false);
}

static slt_status sweep_all(group *g) {
    int busy = g->count;
    SLT_TRY(load(g, false));
    SLT_TRY(g->kind->measure(g->pass));
    for (int sweep = 1; busy && !slt_context_is_cancelled(g->context); sweep++) {
        SLT_TRY(g->kind->expect(g->pass, g->sums, g->stay, g->both ? g->fresh : NULL));
        SLT_TRY(slt_parallel_for(g->context, g->count, solve_one, g));
        SLT_TRY(load(g, false));
        SLT_TRY(g->kind->measure(g->pass));
        if (g->smooth) SLT_TRY(update_memory(g));
        SLT_TRY(finish_sweep(g, sweep, &busy));
    }
    return SLT_OK;
}

static slt_status learn(group *g) {
    size_t n = (size_t)g->count, A = (size_t)g->motion->A;
    SLT_TRY(reserve(g));
    SLT_TRY(SLT_NEW(&g->arena, &g->sums, n));
    SLT_TRY(SLT_NEW(&g->arena, &g->last, n));
    SLT_TRY(
        SLT_NEW(&g->arena, &g->stay, n * SLT_CHAIN_LAWS * slt_chain_equations(g->X, g->motion->A)));
    SLT_TRY(SLT_NEW(&g->arena, &g->fresh,
                    n * SLT_CHAIN_LAWS * slt_chain_equations(g->motion->D, g->motion->A)));
    SLT_TRY(SLT_NEW(&g->arena, &g->squares, n * 4 * SLT_CHAIN_LAWS * A));
    for (int i = 0; i < g->count; i++) {
        slt_linear_job *job = &g->jobs[i];
        SLT_TRY(slt_linear_prepare(job->arena, g->motion, job->count, &job->options, job->out));
        SLT_TRY(set_member(g, i, job->out, job->episodes, job->count));
        g->last[i] = -INFINITY;
    }
    SLT_TRY(slt_parallel_for(g->context, g->count, begin_one, g));
    SLT_TRY(open_pass(g, false, false));
    return sweep_all(g);
}

// ---- groups that fit

static slt_status with_device(group *g, slt_status (*work)(group *g)) {
    SLT_TRY(slt_device_open(g->context, &g->device));
    g->kind = g->device->kind->chains;
    slt_arena_init(&g->arena, &g->context->allocator, 0);
    slt_status status = work(g);
    if (g->pass) g->kind->close(g->pass);
    slt_arena_deinit(&g->arena);
    return status;
}

// how many members of so many rows fit at once
static int members_at_once(const slt_motion *m, int64_t rows) {
    double each = (double)rows * SLT_CHAIN_LAWS * (8. * m->A + 56);
    double fit = MOST_BYTES / (each + 1);
    return fit < 1 ? 1 : fit > 256 ? 256 : (int)fit;
}

slt_status slt_linear_fit_all(slt_context *context, const slt_motion *motion, slt_linear_job *jobs,
                              int count) {
    int64_t most = 0;
    for (int i = 0; i < count; i++) {
        int64_t rows = 0;
        for (int64_t e = 0; e < jobs[i].count; e++)
            rows += motion->offsets[jobs[i].episodes[e] + 1] - motion->offsets[jobs[i].episodes[e]];
        most = rows > most ? rows : most;
    }
    int each = members_at_once(motion, most);
    for (int i = 0; i < count; i += each) {
        group g = {.context = context,
                   .motion = motion,
                   .jobs = jobs + i,
                   .count = count - i < each ? count - i : each};
        SLT_TRY(with_device(&g, learn));
    }
    return SLT_OK;
}

// ---- likeliest paths

typedef struct {
    group group; // first
    const slt_linear_chain *const *chains;
    uint8_t *cut, *law;
} finding;

static slt_status find_paths(group *g) {
    finding *f = (finding *)g;
    SLT_TRY(reserve(g));
    SLT_TRY(set_member(g, 0, f->chains[0], NULL, g->motion->episodes));
    for (int i = 1; i < g->count; i++) {
        g->chains[i] = f->chains[i];
        g->members[i] =
            (slt_chain_member){(int)f->chains[i]->family, f->chains[i]->K, 0, NULL, NULL};
    }
    SLT_TRY(open_pass(g, true, true));
    SLT_TRY(load(g, true));
    SLT_TRY(g->kind->measure(g->pass));
    return g->kind->paths(g->pass, f->cut, f->law);
}

slt_status slt_linear_segment_all(slt_context *context, const slt_motion *motion,
                                  const slt_linear_chain *const *chains, int count, uint8_t *cut,
                                  uint8_t *law) {
    int each = members_at_once(motion, motion->steps);
    for (int i = 0; i < count && motion->steps; i += each) {
        finding f = {.group = {.context = context,
                               .motion = motion,
                               .count = count - i < each ? count - i : each},
                     .chains = chains + i,
                     .cut = cut + i * motion->steps,
                     .law = law + i * motion->steps};
        SLT_TRY(with_device(&f.group, find_paths));
    }
    return SLT_OK;
}
