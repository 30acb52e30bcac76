// Forward and backward of symbol chains (switching/symbol_chain.c has the equations). Not told the
// number of segments, a thread walks an episode and a block has episodes of one member; told, a
// block walks an episode and each thread has a count of segments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/chains/symbol_view.cuh"

#define LEAST_CHANCE 1e-90
#define MOST_BETA    1e100

// out_k = sum_j from_j table_jk
template <int P>
SLT_DEVICE_INLINE void times(const double *from, const double *table, double *out) {
    for (int k = 0; k < P; k++) out[k] = 0;
    for (int j = 0; j < P; j++)
        for (int k = 0; k < P; k++) out[k] += from[j] * table[j * P + k];
}

// out_j += sum_k table_jk from_k
template <int P>
SLT_DEVICE_INLINE void add_times_back(const double *from, const double *table, double *out) {
    for (int j = 0; j < P; j++)
        for (int k = 0; k < P; k++) out[j] += table[j * P + k] * from[k];
}

// alpha of the next row, before it is scaled; leaves what came over a boundary in `enter`
template <int P, bool TOLD>
SLT_DEVICE_INLINE void advance(const slt_symbol_args &a, const slt_symbol_law *law,
                               const slt_move_tables<P> *t, const slt_symbol_walker &w, int row,
                               const double *p, double *alpha) {
    double entered[P], stayed[P];
    const double *f = p + a.laws;
    if (law->crosses)
        times<P>(alpha, t->across, entered);
    else
        for (int k = 0; k < P; k++) entered[k] = 0;
    slt_symbol_shift<P, TOLD>(w, entered, -w.step, 0);
    if (law->changes)
        times<P>(alpha, t->inside, stayed);
    else
        for (int k = 0; k < P; k++) stayed[k] = alpha[k] * t->same[k];
    bool possible = slt_symbol_possible(w, row);
    int64_t at = slt_symbol_cell(a, w, row);
    for (int k = 0; k < P; k++) {
        alpha[k] = possible ? stayed[k] * p[k] + entered[k] * f[k] : 0;
        a.enter[at + k] = entered[k];
    }
}

// gives the log likelihood
template <int P, bool TOLD>
SLT_DEVICE_INLINE double forward(const slt_symbol_args &a, const slt_symbol_law *law,
                                 const slt_move_tables<P> *t, const slt_symbol_walker &w) {
    double alpha[P], sum = 0, product = 1;
    for (int row = w.first; row < w.end; row++) {
        slt_symbol_read_again();
        const double *p = slt_symbol_densities(a, w, row);
        double total = 0;
        if (row > w.first)
            advance<P, TOLD>(a, law, t, w, row, p, alpha);
        else
            for (int k = 0; k < P; k++) alpha[k] = w.n ? 0 : p[a.laws + k];
        for (int k = 0; k < P; k++) total += alpha[k];
        total = slt_symbol_sum<TOLD>(w, total);
        double over = 1 / total;
        int64_t at = slt_symbol_cell(a, w, row);
        for (int k = 0; k < P; k++) a.alpha[at + k] = alpha[k] *= over;
        if (w.n == 0) a.scale[w.m * a.room + row] = total;
        product *= total;
        if (product < 1e-150) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}

// the law at a row, not yet divided by the sum over all of them, which it gives
template <int P, bool TOLD>
SLT_DEVICE_INLINE double posterior(const slt_symbol_args &a, const slt_symbol_walker &w, int row,
                                   const double *beta, double *law) {
    int64_t at = slt_symbol_cell(a, w, row);
    bool possible = slt_symbol_possible(w, row);
    double total = 0;
    for (int k = 0; k < P; k++) total += law[k] = possible ? a.alpha[at + k] * beta[k] : 0;
    return slt_symbol_sum<TOLD>(w, total);
}

// what a row adds to the sums; x, y: beta times the densities, inside a segment and at its start;
// y becomes that of the count that a boundary leads to
template <int P, bool TOLD>
SLT_DEVICE_INLINE void tally(const slt_symbol_args &a, const slt_symbol_law *law,
                             const slt_symbol_walker &w, int row, const double *here,
                             const double *x, double *y) {
    int64_t at = slt_symbol_cell(a, w, row), before = slt_symbol_cell(a, w, row - 1);
    double cut = 0;
    for (int k = 0; k < P; k++) {
        double enters = a.enter[at + k] * y[k];
        cut += enters;
        a.stay[at + k] = a.alpha[before + k] * x[k];
        a.enter[at + k] = law->phases ? here[k] : enters;
    }
    if (!TOLD) a.chance[w.m * a.room + row] = (float)(cut < 1 ? cut : 1);
    slt_symbol_shift<P, TOLD>(w, y, w.step, 0);
    for (int k = 0; k < P; k++) a.next[at + k] = y[k];
}

template <int P, bool TOLD>
SLT_DEVICE_INLINE void backward(const slt_symbol_args &a, const slt_symbol_law *law,
                                const slt_move_tables<P> *t, const slt_symbol_walker &w,
                                double end) {
    double beta[P], x[P], y[P], here[P];
    for (int k = 0; k < P; k++) beta[k] = end;
    for (int row = w.end - 1; row > w.first; row--) {
        slt_symbol_read_again();
        double total = posterior<P, TOLD>(a, w, row, beta, here);
        bool reached = total > LEAST_CHANCE, possible = slt_symbol_possible(w, row);
        double over = reached ? 1 / total : 0;
        double by = reached && possible ? 1 / (total * a.scale[w.m * a.room + row]) : 0;
        const double *p = slt_symbol_densities(a, w, row), *f = p + a.laws;
        for (int k = 0; k < P; k++) {
            here[k] *= over;
            x[k] = possible ? by * p[k] * beta[k] : 0;
            y[k] = possible ? by * f[k] * beta[k] : 0;
        }
        tally<P, TOLD>(a, law, w, row, here, x, y);
        for (int k = 0; k < P; k++) beta[k] = law->changes ? 0 : x[k] * t->same[k];
        if (law->changes) add_times_back<P>(x, t->inside, beta);
        if (law->crosses) add_times_back<P>(y, t->across, beta);
        for (int k = 0; k < P; k++) beta[k] = beta[k] < MOST_BETA ? beta[k] : MOST_BETA;
    }
    double total = posterior<P, TOLD>(a, w, w.first, beta, here);
    double over = total > LEAST_CHANCE ? 1 / total : 0;
    int64_t at = slt_symbol_cell(a, w, w.first);
    for (int k = 0; k < P; k++) {
        a.stay[at + k] = a.next[at + k] = 0;
        a.enter[at + k] = here[k] * over;
    }
    if (!TOLD) a.chance[w.m * a.room + w.first] = 0;
}

template <int P, bool TOLD>
SLT_DEVICE_INLINE void walk(const slt_symbol_args &a, const slt_symbol_law *law,
                            const slt_move_tables<P> *t, slt_symbol_walker w) {
    double nats = forward<P, TOLD>(a, law, t, w), end = 1, chance = 1;
    if (TOLD) {
        int64_t at = slt_symbol_cell(a, w, w.end - 1);
        double last = 0;
        end = slt_symbol_end(a, w, 0, 1);
        for (int k = 0; k < P; k++) last += a.alpha[at + k] * end;
        chance = slt_symbol_sum<TOLD>(w, last);
        if (!(chance > LEAST_CHANCE)) {
            // the counts are out of reach of these numbers: as if not told
            w.N = 1;
            w.step = 0;
            chance = end = 1;
            nats = forward<P, TOLD>(a, law, t, w);
        }
    }
    int sequence = (int)(TOLD ? blockIdx.x : blockIdx.x * blockDim.x + threadIdx.x);
    if (w.n == 0) a.nats[w.m * a.sequence_room + sequence] = nats + log(chance);
    backward<P, TOLD>(a, law, t, w, end);
}

template <int P, bool TOLD> SLT_KERNEL smooth(const slt_symbol_args a) {
    slt_begin();
    __shared__ slt_move_tables<P> t;
    SLT_DYNAMIC_SHARED(shared);
    const slt_symbol_law *law = a.law + blockIdx.z;
    slt_symbol_walker w;
    if (law->idle || law->laws != P) return;
    slt_symbol_load<P>(law, &t);
    if (slt_symbol_walk_begin<TOLD>(a, law, shared, &w)) walk<P, TOLD>(a, law, &t, w);
}

template <int P> static void launch(const slt_symbol_args *args) {
    unsigned sequences = (unsigned)args->sequence_room, members = (unsigned)args->count;
    dim3 blocks((unsigned)slt_pieces(sequences, SLT_SYMBOL_WALKERS), 1, members);
    if (P > args->laws) return;
    if (!args->told) {
        SLT_LAUNCH(args, (smooth<P, false>), blocks, SLT_SYMBOL_WALKERS, 0);
        return;
    }
    size_t bytes = sizeof(double) * P * (size_t)args->states;
    SLT_LAUNCH(args, (smooth<P, true>), dim3(sequences, 1, members), (unsigned)args->states, bytes);
}

extern "C" void slt_cuda_symbol_smooth(const slt_symbol_args *args) {
    launch<4>(args);
    launch<8>(args);
    launch<12>(args);
    launch<16>(args);
}
