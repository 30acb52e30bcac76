// Linear chains: densities of every law, the exact forward-backward recursion, the likeliest path.
//
//   alpha_t(k) = p_stay(t,k) [alpha_{t-1}(k) (1-q_k) + sum_j alpha_{t-1}(j) q_j change_jk]
//              + p_fresh(t,k) sum_j alpha_{t-1}(j) q_j fresh_jk
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <float.h>
#include <math.h>
#include <string.h>
#include "engine/gemm.h"
#include "engine/wide.h"
#include "switching/linear_impl.h"

slt_status slt_linear_tables_init(slt_linear_tables *t, slt_arena *arena,
                                  const slt_linear_chain *chain, int64_t longest) {
    size_t T = (size_t)longest, K = (size_t)chain->K, KA = K * (size_t)chain->A;
    t->length = longest;
    SLT_TRY(SLT_NEW(arena, &t->inputs, T * (size_t)(chain->D + chain->A)));
    SLT_TRY(SLT_NEW(arena, &t->stay, T * KA));
    SLT_TRY(SLT_NEW(arena, &t->fresh, T * KA));
    SLT_TRY(SLT_NEW(arena, &t->p_stay, T * K));
    SLT_TRY(SLT_NEW(arena, &t->p_fresh, T * K));
    SLT_TRY(SLT_NEW(arena, &t->alpha, T * K));
    SLT_TRY(SLT_NEW(arena, &t->scale, T));
    SLT_TRY(SLT_NEW(arena, &t->half, 2 * (size_t)chain->A));
    return SLT_NEW(arena, &t->offset, T);
}

// ---- densities

void slt_linear_fill(const slt_linear_chain *chain, const slt_motion *motion, int64_t first,
                     int64_t length, float *inputs) {
    int D = chain->D, A = chain->A, X = slt_linear_inputs(chain);
    for (int64_t t = 0; t < length; t++) {
        float *row = inputs + t * X;
        memcpy(row, motion->features + (first + t) * D, sizeof *row * (size_t)D);
        if (X > D)
            memcpy(row + D, motion->actions + (first + (t ? t - 1 : 0)) * A,
                   sizeof *row * (size_t)A);
    }
}

// a - clip(prediction): outside the range of actions a prediction moves at a twentieth of its speed
static void to_residuals(const slt_linear_chain *chain, const float *actions, int64_t length,
                         float *prediction) {
    int K = chain->K, A = chain->A;
    for (int64_t t = 0; t < length; t++)
        for (int k = 0; k < K; k++)
            for (int i = 0; i < A; i++) {
                float *p = prediction + (t * K + k) * A + i;
                float low = (float)chain->low[i], high = (float)chain->high[i], x = *p;
                x = x > high ? high + .05f * (x - high) : x < low ? low + .05f * (x - low) : x;
                *p = actions[t * A + i] - x;
            }
}

void slt_linear_residuals(const slt_linear_chain *chain, const slt_motion *motion, int64_t first,
                          int64_t length, slt_linear_tables *t) {
    int KA = chain->K * chain->A, X = slt_linear_inputs(chain), D = chain->D;
    const float *actions = motion->actions + first * chain->A;
    slt_linear_fill(chain, motion, first, length, t->inputs);
    slt_gemm(false, false, (int)length, KA, X, t->inputs, X, chain->W, KA, false, t->stay, KA);
    to_residuals(chain, actions, length, t->stay);
    if (chain->family != SLT_LAW_BOTH) return;
    slt_gemm(false, false, (int)length, KA, D, motion->features + first * D, D, chain->V, KA, false,
             t->fresh, KA);
    to_residuals(chain, actions, length, t->fresh);
}

static double log_normal(const float *residual, const double *half_precision, double constant,
                         int A) {
    double sum = constant;
    for (int i = 0; i < A; i++) sum -= (double)residual[i] * residual[i] * half_precision[i];
    return sum;
}

// residuals less what the residual before explains
static double log_smooth(const float *residual, const float *before, const double *rho,
                         const double *half_precision, double constant, int A) {
    double sum = constant;
    for (int i = 0; i < A; i++) {
        double x = residual[i] - rho[i] * before[i];
        sum -= x * x * half_precision[i];
    }
    return sum;
}

static void law_densities(const slt_linear_chain *chain, int k, int64_t length,
                          slt_linear_tables *t, double *half_v, double *half_u) {
    int K = chain->K, A = chain->A;
    double constant_v, constant_u;
    slt_linear_normal(chain->v + k * A, A, half_v, &constant_v);
    slt_linear_normal(chain->u + k * A, A, half_u, &constant_u);
    for (int64_t s = 0; s < length; s++) {
        const float *stay = t->stay + (s * K + k) * A;
        double *out = t->p_stay + s * K + k, *fresh = t->p_fresh + s * K + k;
        switch (chain->family) {
        case SLT_LAW_SMOOTH:
            *fresh = log_normal(stay, half_u, constant_u, A);
            *out = s ? log_smooth(stay, stay - K * A, chain->rho, half_v, constant_v, A)
                     : log_normal(stay, half_v, constant_v, A);
            break;
        case SLT_LAW_INERTIA:
            *fresh = *out = log_normal(stay, half_v, constant_v, A);
            break;
        case SLT_LAW_BOTH:
            *out = log_normal(stay, half_v, constant_v, A);
            *fresh = log_normal(t->fresh + (s * K + k) * A, half_u, constant_u, A);
            break;
        }
    }
}

void slt_linear_densities(const slt_linear_chain *chain, int64_t length, slt_linear_tables *t) {
    double *half = t->half;
    for (int k = 0; k < chain->K; k++) law_densities(chain, k, length, t, half, half + chain->A);
}

// ---- forward and backward

// log densities become densities over the greatest of their step
static void scale_densities(const slt_linear_chain *chain, int64_t length, slt_linear_tables *t) {
    int K = chain->K;
    for (int64_t s = 0; s < length; s++) {
        double *p = t->p_stay + s * K, *f = t->p_fresh + s * K, most = -DBL_MAX;
        for (int k = 0; k < K; k++) most = fmax(most, fmax(p[k], f[k]));
        t->offset[s] = most;
        for (int k = 0; k < K; k++) {
            p[k] = exp(p[k] - most);
            f[k] = exp(f[k] - most);
        }
    }
}

// ---- the recursions. K is a constant wherever they are inlined

#define INLINE static inline __attribute__((always_inline))

INLINE void enter(const double from[], const double table[][SLT_MOST_LAWS], double out[], int K) {
    double sum[SLT_MOST_LAWS] = {0};
    for (int j = 0; j < K; j++)
        for (int k = 0; k < K; k++) sum[k] += from[j] * table[j][k];
    for (int k = 0; k < K; k++) out[k] = sum[k];
}

INLINE double forward(const slt_linear_chain *chain, const slt_linear_moves *m, int64_t length,
                      slt_linear_tables *t, int K) {
    double sum = 0, product = 1, change[SLT_MOST_LAWS], fresh[SLT_MOST_LAWS];
    for (int64_t s = 0; s < length; s++) {
        double *alpha = t->alpha + s * K, total = 0;
        const double *before = alpha - K, *p = t->p_stay + s * K, *f = t->p_fresh + s * K;
        if (s) {
            enter(before, m->change, change, K);
            enter(before, m->fresh, fresh, K);
        }
        for (int k = 0; k < K; k++) {
            alpha[k] = 1e-300 + (s ? (before[k] * m->stay[k] + change[k]) * p[k] + fresh[k] * f[k]
                                   : chain->start[k] * f[k]);
            total += alpha[k];
        }
        double over = 1 / total;
        for (int k = 0; k < K; k++) alpha[k] *= over;
        t->scale[s] = total;
        sum += t->offset[s];
        product *= total;
        if (product < 1e-150) sum += log(product), product = 1;
    }
    return sum + log(product);
}

// pairs[j][k] += before[j] after[k]
INLINE void add_pairs(double pairs[][SLT_MOST_LAWS], const double before[], const double after[],
                      int K) {
    for (int j = 0; j < K; j++)
        for (int k = 0; k < K; k++) pairs[j][k] += before[j] * after[k];
}

// What one step adds to the sums, of moves before they are weighted with their chances; returns the
// chance that it begins a segment.
INLINE double tally(const slt_linear_moves *m, const double *before, const double *bp,
                    const double *bf, float *stay, float *fresh, slt_linear_sums *sums, int K) {
    double change[SLT_MOST_LAWS], new[SLT_MOST_LAWS], cut = 0;
    enter(before, m->change, change, K);
    enter(before, m->fresh, new, K);
    for (int k = 0; k < K; k++) {
        double remains = before[k] * m->stay[k] * bp[k], enters = new[k] * bf[k];
        cut += change[k] * bp[k] + enters;
        if (stay) stay[k] = (float)(remains + change[k] * bp[k]);
        if (fresh) fresh[k] = (float)enters;
    }
    if (!sums) return cut;
    add_pairs(sums->change, before, bp, K);
    add_pairs(sums->fresh, before, bf, K);
    return cut;
}

INLINE void backward(const slt_linear_moves *m, int64_t length, slt_linear_tables *t, float *stay,
                     float *fresh, float *chance, slt_linear_sums *sums, int K) {
    double beta[SLT_MOST_LAWS], bp[SLT_MOST_LAWS], bf[SLT_MOST_LAWS];
    for (int k = 0; k < K; k++) beta[k] = 1;
    for (int64_t s = length - 1; s > 0; s--) {
        double over = 1 / t->scale[s];
        for (int k = 0; k < K; k++) {
            bp[k] = t->p_stay[s * K + k] * beta[k] * over;
            bf[k] = t->p_fresh[s * K + k] * beta[k] * over;
        }
        double cut = tally(m, t->alpha + (s - 1) * K, bp, bf, stay ? stay + s * K : NULL,
                           fresh ? fresh + s * K : NULL, sums, K);
        if (chance) chance[s] = (float)cut;
        for (int j = 0; j < K; j++) {
            double sum = m->stay[j] * bp[j];
            for (int k = 0; k < K; k++) sum += m->change[j][k] * bp[k] + m->fresh[j][k] * bf[k];
            beta[j] = sum;
        }
    }
    double total = 0;
    for (int k = 0; k < K; k++) total += t->alpha[k] * beta[k];
    for (int k = 0; k < K; k++) {
        double first = t->alpha[k] * beta[k] / total;
        if (stay) stay[k] = 0;
        if (fresh) fresh[k] = (float)first;
        if (sums) sums->start[k] += first;
    }
}

typedef struct {
    const slt_linear_chain *chain;
    int64_t length;
    slt_linear_tables *t;
    float *stay, *fresh, *chance; // may be NULL
    slt_linear_sums *sums;        // may be NULL
    double nats;
} passes;

INLINE void both_passes(passes *p, int K) {
    slt_linear_moves m = slt_linear_moves_of(p->chain);
    p->nats = forward(p->chain, &m, p->length, p->t, K);
    if (p->stay || p->chance || p->sums)
        backward(&m, p->length, p->t, p->stay, p->fresh, p->chance, p->sums, K);
}

// a function for each number of laws: compilers take long over one that holds them all
#ifndef SLT_SANITIZED // which sees the same lines below
static void passes_8(passes *p) { both_passes(p, 8); }
static void passes_12(passes *p) { both_passes(p, 12); }
SLT_WIDE(passes_8, (passes * p), (p));
SLT_WIDE(passes_12, (passes * p), (p));
#endif
static void passes_any(passes *p) { both_passes(p, p->chain->K); }
SLT_WIDE(passes_any, (passes * p), (p));

static void run_passes(passes *p) {
    switch (p->chain->K) {
#ifndef SLT_SANITIZED
    case 8:
        SLT_WIDEST(passes_8)(p);
        break;
    case 12:
        SLT_WIDEST(passes_12)(p);
        break;
#endif
    default:
        SLT_WIDEST(passes_any)(p);
    }
}

double slt_linear_smooth(const slt_linear_chain *chain, int64_t length, slt_linear_tables *t,
                         float *stay, float *fresh, float *chance, slt_linear_sums *sums) {
    passes p = {chain, length, t, stay, fresh, chance, sums, 0};
    if (!length) return 0;
    scale_densities(chain, length, t);
    run_passes(&p);
    return p.nats;
}

// ---- the likeliest path

// numbers of laws are doubles until the end, so that the loop over k is one of vectors
void slt_linear_best_step(const slt_linear_moves *logs, int K, const double *stay,
                          const double *fresh, double *value, uint8_t *back) {
    double best[SLT_MOST_LAWS], from[SLT_MOST_LAWS];
    for (int k = 0; k < K; k++) {
        best[k] = value[k] + logs->stay[k] + stay[k];
        from[k] = k;
    }
    for (int j = 0; j < K; j++)
        for (int k = 0; k < K; k++) {
            double change = logs->change[j][k] + stay[k], start = logs->fresh[j][k] + fresh[k];
            double enters = value[j] + (change > start ? change : start);
            from[k] = enters > best[k] ? j + SLT_CHAIN_CUT : from[k];
            best[k] = enters > best[k] ? enters : best[k];
        }
    memcpy(value, best, sizeof *value * (size_t)K);
    for (int k = 0; k < K; k++) back[k] = (uint8_t)from[k];
}

// back[s][k]: the law before, plus SLT_CHAIN_CUT where a segment begins
static void likeliest(const slt_linear_chain *chain, int64_t length, const slt_linear_tables *t,
                      uint8_t *back, double value[]) {
    int K = chain->K;
    slt_linear_moves logs = slt_linear_log_moves(chain);
    for (int k = 0; k < K; k++) value[k] = log(chain->start[k] + 1e-300) + t->p_fresh[k];
    for (int64_t s = 1; s < length; s++)
        slt_linear_best_step(&logs, K, t->p_stay + s * K, t->p_fresh + s * K, value, back + s * K);
}

static void follow_back(int K, int64_t length, const uint8_t *back, int law, slt_chain_path *out) {
    out->cut[length - 1] = 0;
    for (int64_t s = length - 1; s >= 0; s--) {
        out->law[s] = (uint8_t)law;
        if (!s) break;
        uint8_t from = back[s * K + law];
        out->cut[s - 1] = (from & SLT_CHAIN_CUT) != 0;
        law = from & (SLT_CHAIN_CUT - 1);
    }
}

slt_status slt_linear_segment(slt_arena *scratch, const slt_linear_chain *chain,
                              const slt_motion *motion, int64_t episode, slt_chain_path *out) {
    int64_t first = motion->offsets[episode], length = motion->offsets[episode + 1] - first;
    slt_arena_mark mark = slt_arena_now(scratch);
    slt_linear_tables t;
    uint8_t *back;
    double value[SLT_MOST_LAWS];
    int law = 0;
    SLT_TRY(slt_linear_tables_init(&t, scratch, chain, length));
    SLT_TRY(SLT_NEW(scratch, &back, (size_t)(length * chain->K)));
    slt_linear_residuals(chain, motion, first, length, &t);
    slt_linear_densities(chain, length, &t);
    likeliest(chain, length, &t, back, value);
    for (int k = 1; k < chain->K; k++)
        if (value[k] > value[law]) law = k;
    follow_back(chain->K, length, back, law, out);
    if (out->chance) {
        // the chance before a step becomes that of a boundary after the one before
        out->nats = -slt_linear_smooth(chain, length, &t, NULL, NULL, out->chance, NULL);
        memmove(out->chance, out->chance + 1, sizeof *out->chance * (size_t)(length - 1));
        out->chance[length - 1] = 0;
    }
    slt_arena_reset(scratch, mark);
    return SLT_OK;
}
