// The likeliest path of every episode, by logs (switching/symbol_path.c): threads as in
// symbol_smooth.cu. Only sums of two numbers: the same path as on the CPU.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/chains/symbol_view.cuh"

enum { CUT = 128 };

// the best law to come from
template <int P>
SLT_DEVICE_INLINE double best_from(const double *value, const double *moves, int k, int *from) {
    double best = -INFINITY;
    *from = k;
    for (int j = 0; j < P; j++)
        if (value[j] + moves[j * P + k] > best) {
            best = value[j] + moves[j * P + k];
            *from = j;
        }
    return best;
}

template <int P, bool TOLD>
SLT_DEVICE_INLINE void best_step(const slt_symbol_args &a, const slt_symbol_law *law,
                                 const slt_move_tables<P> *t, const slt_symbol_walker &w, int row,
                                 double *value) {
    const double *p = slt_symbol_densities(a, w, row), *f = p + a.laws;
    int64_t at = slt_symbol_cell(a, w, row);
    double fewer[P], next[P];
    for (int k = 0; k < P; k++) fewer[k] = value[k];
    slt_symbol_shift<P, TOLD>(w, fewer, -w.step, -INFINITY);
    for (int k = 0; k < P; k++) {
        int from = k, left;
        double stay = value[k] + t->same[k];
        if (law->changes) stay = best_from<P>(value, t->inside, k, &from);
        next[k] = stay + p[k];
        if (law->crosses) {
            double enter = best_from<P>(fewer, t->across, k, &left);
            if (enter + f[k] > next[k]) {
                next[k] = enter + f[k];
                from = left | CUT;
            }
        }
        a.back[at + k] = (uint8_t)from;
    }
    for (int k = 0; k < P; k++) value[k] = next[k];
}

// the best count and law at the last row
template <int P, bool TOLD>
SLT_DEVICE_INLINE void best_end(const slt_symbol_args &a, const slt_symbol_walker &w,
                                const double *value, int *count, int *law) {
    double end = TOLD ? slt_symbol_end(a, w, -INFINITY, 0) : 0, most = -INFINITY;
    int best = 0;
    for (int k = 0; k < P; k++)
        if (value[k] + end > most) {
            most = value[k] + end;
            best = k;
        }
    *count = 0;
    *law = best;
    if (!TOLD) return;
    int threads = (int)blockDim.x;
    __syncthreads();
    w.shared[w.n] = most;
    w.shared[threads + w.n] = best;
    __syncthreads();
    most = -INFINITY;
    *law = 0;
    for (int n = 0; n < w.N; n++)
        if (w.shared[n] > most) {
            most = w.shared[n];
            *count = n;
            *law = (int)w.shared[threads + n];
        }
}

template <int P, bool TOLD>
SLT_DEVICE_INLINE void walk(const slt_symbol_args &a, const slt_symbol_law *law,
                            const slt_move_tables<P> *t, slt_symbol_walker w) {
    double value[P];
    int best, count;
    const double *f = slt_symbol_densities(a, w, w.first) + a.laws;
    for (int k = 0; k < P; k++) value[k] = w.n ? -INFINITY : f[k];
    for (int row = w.first + 1; row < w.end; row++) {
        slt_symbol_read_again();
        best_step<P, TOLD>(a, law, t, w, row, value);
    }
    best_end<P, TOLD>(a, w, value, &count, &best);
    if (w.n) return;
    w.n = count;
    int64_t flat = w.m * a.room;
    a.cut[flat + w.end - 1] = 0;
    for (int row = w.end - 1; row >= w.first; row--) {
        a.path[flat + row] = law->group[best];
        if (row == w.first) break;
        uint8_t from = a.back[slt_symbol_cell(a, w, row) + best];
        a.cut[flat + row - 1] = from >> 7;
        best = from & (CUT - 1);
        if (from & CUT) w.n -= w.step;
    }
}

template <int P, bool TOLD> SLT_KERNEL paths(const slt_symbol_args a) {
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
        SLT_LAUNCH(args, (paths<P, false>), blocks, SLT_SYMBOL_WALKERS, 0);
        return;
    }
    size_t bytes = sizeof(double) * P * (size_t)args->states;
    SLT_LAUNCH(args, (paths<P, true>), dim3(sequences, 1, members), (unsigned)args->states, bytes);
}

extern "C" void slt_cuda_symbol_paths(const slt_symbol_args *args) {
    launch<4>(args);
    launch<8>(args);
    launch<12>(args);
    launch<16>(args);
}
