// Symbol chains: the exact forward-backward recursion and the likeliest path.
//
//   alpha_t(n,k) = inside_t(k) sum_j alpha_{t-1}(n,j) I_jk + fresh_t(k) sum_j alpha_{t-1}(n-1,j)
//   X_jk
//
//   events  inside_t(k) = (1 - h) B_k[a_{t-1}][a_t], I = 1; fresh_t(k) = h S_k[a_t], X = T
//   phases  inside_t(k) = fresh_t(k) = S_k[a_t]; I + X = T, I between laws of one group
//
// n counts segments; not told, there is one n for all.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "switching/symbol_impl.h"

static const double LEAST_CHANCE = 1e-90, MOST_BETA = 1e100;

slt_status slt_symbol_tables_init(slt_symbol_tables *t, slt_arena *arena,
                                  const slt_symbol_chain *chain, int64_t longest) {
    size_t states = (size_t)((chain->N ? chain->N : 1) * chain->K), cells;
    if (!slt_size_mul((size_t)longest, states, &cells))
        SLT_FAIL(SLT_RANGE, "an episode of %lld steps is too long", (long long)longest);
    SLT_TRY(SLT_NEW(arena, &t->alpha, cells));
    SLT_TRY(SLT_NEW(arena, &t->entered, cells));
    SLT_TRY(SLT_NEW(arena, &t->scale, (size_t)longest));
    SLT_TRY(SLT_NEW(arena, &t->beta, states));
    SLT_TRY(SLT_NEW(arena, &t->inside, states));
    SLT_TRY(SLT_NEW(arena, &t->fresh, states));
    SLT_TRY(SLT_NEW(arena, &t->leave, states));
    return SLT_NEW(arena, &t->end, states);
}

void slt_symbol_moves_of(const slt_symbol_chain *c, slt_symbol_moves *out) {
    out->crosses = out->changes = false;
    for (int j = 0; j < c->K; j++)
        for (int k = 0; k < c->K; k++) {
            bool cross = c->family == SLT_CHAIN_EVENTS || c->group[j] != c->group[k];
            double T = c->T[j * c->K + k];
            out->across[j * c->K + k] = out->across_to[k * c->K + j] = cross ? T : 0;
            out->inside[j * c->K + k] = out->inside_to[k * c->K + j] = cross ? 0 : T;
            out->crosses |= cross;
            out->changes |= !cross && j != k;
            if (j == k) out->same[k] = cross ? 1 : T;
        }
}

void slt_symbol_end_weights(const slt_symbol_chain *c, int64_t length, double *end) {
    double sum = 0;
    if (!c->N) end[0] = 1;
    for (int n = 0; n < c->N; n++) sum += end[n] = n < length ? c->count_prior[n] : 0;
    if (c->N && !(sum > 0)) end[length < c->N ? length - 1 : c->N - 1] = 1;
}

// ---- forward and backward. K is a constant wherever these are inlined

#define INLINE static inline __attribute__((always_inline))

// out_nk = sum_j from_nj table_jk, two counts at a time
INLINE void times(const double *from, int counts, const double *restrict table,
                  double *restrict out, int K) {
    for (int n = 0; n < counts; n += 2, from += 2 * K, out += 2 * K) {
        double one[SLT_MOST_LAWS] = {0}, two[SLT_MOST_LAWS] = {0};
        bool both = n + 1 < counts;
        const double *second = both ? from + K : from;
        for (int j = 0; j < K; j++)
            for (int k = 0; k < K; k++) {
                one[k] += from[j] * table[j * K + k];
                two[k] += second[j] * table[j * K + k];
            }
        for (int k = 0; k < K; k++) out[k] = one[k];
        for (int k = 0; both && k < K; k++) out[K + k] = two[k];
    }
}

// the same inside a segment
INLINE void times_inside(const slt_symbol_moves *m, const double *from, int counts,
                         const double *table, double *restrict out, int K) {
    if (m->changes)
        times(from, counts, table, out, K);
    else
        for (int n = 0; n < counts; n++)
            for (int k = 0; k < K; k++) out[n * K + k] = from[n * K + k] * m->same[k];
}

// sums_jk += before_nj after_nk for every count
INLINE void count_moves(const double *before, const double *after, int counts,
                        double *restrict sums, int K) {
    for (int j = 0; j < K; j++) {
        double row[SLT_MOST_LAWS];
        for (int k = 0; k < K; k++) row[k] = sums[j * K + k];
        for (int n = 0; n < counts; n++)
            for (int k = 0; k < K; k++) row[k] += before[n * K + j] * after[n * K + k];
        for (int k = 0; k < K; k++) sums[j * K + k] = row[k];
    }
}

// the counts that step t can have: 0 ... most
static inline int most_at(int64_t t, int N) { return t < N - 1 ? (int)t : N - 1; }

// moves alpha one step on: `next` has room for all counts
INLINE double advance(const slt_symbol_moves *m, slt_symbol_view v, int most, int step,
                      const double *alpha, double *restrict next, double *restrict entered, int K) {
    double total = 0;
    int counts = most + 1, ends = m->crosses ? counts - step : 0;
    times_inside(m, alpha, counts, m->inside, next, K);
    for (int n = 0; n < counts; n++)
        for (int k = 0; k < K; k++) next[n * K + k] = next[n * K + k] * v.go * v.inside[k];
    for (int i = 0; i < (counts - ends) * K; i++) entered[i] = 0;
    times(alpha, ends, m->across, entered + step * K, K);
    for (int n = counts - ends; n < counts; n++)
        for (int k = 0; k < K; k++) next[n * K + k] += entered[n * K + k] * v.cut * v.fresh[k];
    for (int i = 0; i < counts * K; i++) total += next[i];
    return total;
}

// alpha of all steps; gives their log likelihood
INLINE double forward(const slt_symbol_chain *c, const slt_symbol_moves *m, slt_symbol_episode e,
                      slt_symbol_tables *t, int N, int step, int K) {
    int states = N * K;
    double sum = 0, product = 1;
    for (int64_t s = 0; s < e.length; s++) {
        double *alpha = t->alpha + s * states, total = 0;
        int most = most_at(s, N);
        memset(alpha + most * K, 0, sizeof *alpha * (size_t)(states - most * K));
        if (s)
            total = advance(m, slt_symbol_view_at(c, e, s, K), most, step, alpha - states, alpha,
                            t->entered + s * states, K);
        else
            for (int k = 0; k < K; k++) total += alpha[k] = c->pi[k] * c->S[e.action[0] * K + k];
        double over = 1 / total;
        for (int i = 0; i < (most + 1) * K; i++) alpha[i] *= over;
        t->scale[s] = total;
        product *= total;
        if (product < 1e-150) sum += log(product), product = 1;
    }
    return sum + log(product);
}

static double end_chance(const slt_symbol_tables *t, int64_t length, int N, int K) {
    const double *last = t->alpha + (length - 1) * N * K;
    double sum = 0;
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++) sum += last[n * K + k] * t->end[n];
    return sum;
}

// What a move to step s adds to the sums: x, y are beta times the view of the step, inside a
// segment and over a boundary. Gives the chance of a boundary.
INLINE double tally(const slt_symbol_chain *c, slt_symbol_episode e, int64_t s, int most,
                    const double *before, const double *entered, const double *x, const double *y,
                    slt_symbol_sums *sums, int K) {
    double cut = 0, stay[SLT_MOST_LAWS] = {0}, enter[SLT_MOST_LAWS] = {0}, stays = 0;
    for (int n = 0; n <= most; n++)
        for (int k = 0; k < K; k++) {
            stay[k] += before[n * K + k] * x[n * K + k];
            enter[k] += entered[n * K + k] * y[n * K + k];
        }
    for (int k = 0; k < K; k++) cut += enter[k], stays += stay[k];
    if (!sums || c->family != SLT_CHAIN_EVENTS) return cut;
    double *B = sums->B + ((size_t)e.action[s - 1] * (size_t)c->A + e.action[s]) * (size_t)K;
    double *S = sums->S + e.action[s] * K;
    for (int k = 0; k < K; k++) B[k] += stay[k], S[k] += enter[k];
    sums->h[e.symbol[s - 1]] += cut;
    sums->stays[e.symbol[s - 1]] += stays;
    return cut;
}

// beta of step s becomes that of the step before; x and y as in tally
INLINE void retreat(const slt_symbol_moves *m, int most, int step, const double *x, const double *y,
                    double *restrict leave, double *restrict beta, int K) {
    int counts = most + 1, ends = m->crosses ? counts - step : 0;
    times_inside(m, x, counts, m->inside_to, beta, K);
    times(y + step * K, ends, m->across_to, leave, K);
    for (int i = 0; i < ends * K; i++) beta[i] += leave[i];
    for (int i = 0; i < counts * K; i++) beta[i] = beta[i] < MOST_BETA ? beta[i] : MOST_BETA;
}

// expected moves from one step to the next, before they are weighted with T
INLINE void count_all_moves(const slt_symbol_chain *c, const slt_symbol_moves *m, int most,
                            int step, const double *before, const double *x, const double *y,
                            slt_symbol_sums *sums, int K) {
    if (m->crosses) count_moves(before, y + step * K, most + 1 - step, sums->across, K);
    if (c->family == SLT_CHAIN_EVENTS) return;
    if (m->changes) {
        count_moves(before, x, most + 1, sums->inside, K);
        return;
    }
    for (int n = 0; n <= most; n++)
        for (int k = 0; k < K; k++) sums->inside[k * K + k] += before[n * K + k] * x[n * K + k];
}

// sum over counts of alpha * beta; gives the sum of all
INLINE double posterior(const double *alpha, const double *beta, int most, double *out, int K) {
    double total = 0;
    for (int k = 0; k < K; k++) out[k] = 0;
    for (int n = 0; n <= most; n++)
        for (int k = 0; k < K; k++) out[k] += alpha[n * K + k] * beta[n * K + k];
    for (int k = 0; k < K; k++) total += out[k];
    double over = total > LEAST_CHANCE ? 1 / total : 0;
    for (int k = 0; k < K; k++) out[k] *= over;
    return total;
}

// out_nk = by view_k beta_nk
INLINE void weigh(double by, const double *view, const double *beta, int most, double *restrict out,
                  int K) {
    double each[SLT_MOST_LAWS];
    for (int k = 0; k < K; k++) each[k] = by * view[k];
    for (int n = 0; n <= most; n++)
        for (int k = 0; k < K; k++) out[n * K + k] = each[k] * beta[n * K + k];
}

INLINE void backward(const slt_symbol_chain *c, const slt_symbol_moves *m, slt_symbol_episode e,
                     slt_symbol_tables *t, float *chance, slt_symbol_sums *sums, int N, int step,
                     int K) {
    int states = N * K;
    bool phases = c->family == SLT_CHAIN_PHASES;
    double law[SLT_MOST_LAWS], *x = t->inside, *y = t->fresh;
    for (int i = 0; i < states; i++) t->beta[i] = t->end[i / K];
    for (int64_t s = e.length - 1; s > 0; s--) {
        const double *alpha = t->alpha + s * states;
        int most = most_at(s, N);
        slt_symbol_view v = slt_symbol_view_at(c, e, s, K);
        double total = posterior(alpha, t->beta, most, law, K);
        double over = total > LEAST_CHANCE ? 1 / (total * t->scale[s]) : 0;
        weigh(over * v.go, v.inside, t->beta, most, x, K);
        weigh(over * v.cut, v.fresh, t->beta, most, y, K);
        for (int k = 0; phases && sums && k < K; k++) sums->S[e.action[s] * K + k] += law[k];
        if (chance || !phases) {
            double *in = t->entered + s * states;
            double cut = tally(c, e, s, most, alpha - states, in, x, y, sums, K);
            if (chance) chance[s - 1] = (float)(cut < 1 ? cut : 1);
        }
        if (sums) count_all_moves(c, m, most, step, alpha - states, x, y, sums, K);
        retreat(m, most, step, x, y, t->leave, t->beta, K);
    }
    if (chance) chance[e.length - 1] = 0;
    if (!sums) return;
    posterior(t->alpha, t->beta, 0, law, K);
    for (int k = 0; k < K; k++) sums->pi[k] += law[k], sums->S[e.action[0] * K + k] += law[k];
    if (!phases) sums->h[e.symbol[e.length - 1]] += 1;
}

INLINE double smooth(const slt_symbol_chain *c, const slt_symbol_moves *m, slt_symbol_episode e,
                     slt_symbol_tables *t, float *chance, slt_symbol_sums *sums, int K) {
    int N = c->N ? c->N : 1, step = c->N > 0;
    slt_symbol_end_weights(c, e.length, t->end);
    double nats = forward(c, m, e, t, N, step, K), end = end_chance(t, e.length, N, K);
    if (step && !(end > LEAST_CHANCE)) {
        // the counts are out of reach of these numbers: as if not told
        N = 1, step = 0, t->end[0] = 1;
        nats = forward(c, m, e, t, N, step, K), end = 1;
    }
    if (chance || sums) backward(c, m, e, t, chance, sums, N, step, K);
    if (c->family == SLT_CHAIN_EVENTS) end *= c->h[e.symbol[e.length - 1]];
    return nats + log(end);
}

// A function for each number of laws: compilers take long over one that holds them all.
#define SMOOTH(name, laws)                                                                         \
    static __attribute__((noinline)) double name(                                                  \
        const slt_symbol_chain *c, const slt_symbol_moves *m, slt_symbol_episode e,                \
        slt_symbol_tables *t, float *chance, slt_symbol_sums *sums) {                              \
        return smooth(c, m, e, t, chance, sums, laws);                                             \
    }
#ifndef SLT_SANITIZED // which takes long to compile, and sees the same lines below
SMOOTH(smooth_1, 1)
SMOOTH(smooth_2, 2)
SMOOTH(smooth_4, 4)
SMOOTH(smooth_8, 8)
SMOOTH(smooth_10, 10)
SMOOTH(smooth_12, 12)
#endif
SMOOTH(smooth_any, c->K)

double slt_symbol_smooth(const slt_symbol_chain *chain, const slt_symbol_moves *moves,
                         slt_symbol_episode episode, slt_symbol_tables *t, float *chance,
                         slt_symbol_sums *sums) {
    switch (chain->K) {
#ifndef SLT_SANITIZED
    case 1:
        return smooth_1(chain, moves, episode, t, chance, sums);
    case 2:
        return smooth_2(chain, moves, episode, t, chance, sums);
    case 4:
        return smooth_4(chain, moves, episode, t, chance, sums);
    case 8:
        return smooth_8(chain, moves, episode, t, chance, sums);
    case 10:
        return smooth_10(chain, moves, episode, t, chance, sums);
    case 12:
        return smooth_12(chain, moves, episode, t, chance, sums);
#endif
    default:
        return smooth_any(chain, moves, episode, t, chance, sums);
    }
}
