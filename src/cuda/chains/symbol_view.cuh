// How the kernels of symbol chains read a member, and how the threads of an episode, one per count
// of segments, exchange numbers. Not told, there is one thread, and nothing to exchange.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SYMBOL_VIEW_CUH
#define SLT_CUDA_SYMBOL_VIEW_CUH

#include "cuda/chains/cuda_symbols.h"
#include "cuda/kernels/kernel.cuh"

enum { SLT_SYMBOL_WALKERS = 64 }; // episodes of a block, where nothing is told

// a member's moves in shared memory; [law before][law]
template <int P> struct slt_move_tables { double same[P], inside[P * P], across[P * P]; };

template <int P>
SLT_DEVICE_INLINE void slt_symbol_load(const slt_symbol_law *law, slt_move_tables<P> *t) {
    for (int i = (int)threadIdx.x; i < P * P; i += (int)blockDim.x) {
        t->inside[i] = law->inside[i];
        t->across[i] = law->across[i];
    }
    for (int i = (int)threadIdx.x; i < P; i += (int)blockDim.x) t->same[i] = law->same[i];
    __syncthreads();
}

// who walks: count n of N of a sequence, a boundary adds `step` to the count
typedef struct {
    int m, n, N, step;
    int first, end; // rows
    const int32_t *key;
    double *shared; // [laws][threads]
} slt_symbol_walker;

// whether there is such an episode; the same for all threads of a block where counts are told
template <bool TOLD>
SLT_DEVICE_INLINE bool slt_symbol_walk_begin(const slt_symbol_args &a, const slt_symbol_law *law,
                                             float *shared, slt_symbol_walker *w) {
    int sequence = (int)(TOLD ? blockIdx.x : blockIdx.x * blockDim.x + threadIdx.x);
    if (sequence >= a.size[4 * law->list + 1]) return false;
    const int32_t *place = a.sequence + law->list * (a.sequence_room + 1) + sequence;
    w->m = (int)blockIdx.z;
    w->n = TOLD ? (int)threadIdx.x : 0;
    w->N = TOLD ? a.states : 1;
    w->step = TOLD;
    w->first = place[0];
    w->end = place[1];
    w->key = a.key + law->list * a.room;
    w->shared = (double *)shared;
    return true;
}

// a walker's cells of a row
SLT_DEVICE_INLINE int64_t slt_symbol_cell(const slt_symbol_args &a, const slt_symbol_walker &w,
                                          int64_t row) {
    return ((w.m * a.room + row) * a.states + w.n) * a.laws;
}
SLT_DEVICE_INLINE const double *slt_symbol_densities(const slt_symbol_args &a,
                                                     const slt_symbol_walker &w, int row) {
    int32_t key = w.key[row];
    return a.tables + (w.m * a.key_room + (key < 0 ? ~key : key)) * 2 * a.laws;
}
// so many segments have begun by this row at most
SLT_DEVICE_INLINE bool slt_symbol_possible(const slt_symbol_walker &w, int row) {
    return w.n < w.N && w.n <= row - w.first;
}

// the numbers of the count that is `by` away, `none` where there is none
template <int P, bool TOLD>
SLT_DEVICE_INLINE void slt_symbol_shift(const slt_symbol_walker &w, double *values, int by,
                                        double none) {
    if (!TOLD) return;
    int threads = (int)blockDim.x, from = w.n + by;
    __syncthreads();
    for (int k = 0; k < P; k++) w.shared[k * threads + w.n] = values[k];
    __syncthreads();
    for (int k = 0; k < P; k++)
        values[k] = from >= 0 && from < threads ? w.shared[k * threads + from] : none;
}

// the sum over all counts, in order
template <bool TOLD> SLT_DEVICE_INLINE double slt_symbol_sum(const slt_symbol_walker &w, double x) {
    if (!TOLD) return x;
    double sum = 0;
    __syncthreads();
    w.shared[w.n] = x;
    __syncthreads();
    for (int n = 0; n < w.N; n++) sum += w.shared[n];
    return sum;
}

// Weight of this count at the last row; an episode too short for all of them takes the most. prior:
// chances or their logs; none, one: what these call 0 and 1.
SLT_DEVICE_INLINE double slt_symbol_end(const slt_symbol_args &a, const slt_symbol_walker &w,
                                        double none, double one) {
    int length = w.end - w.first, least = 0;
    while (least < a.states && a.prior[least] == none) least++;
    if (length <= least) return w.n == length - 1 ? one : none;
    return w.n < length ? a.prior[w.n] : none;
}

// tables in shared memory are read again from here on (chain_view.cuh)
SLT_DEVICE_INLINE void slt_symbol_read_again(void) { asm volatile("" ::: "memory"); }

#endif
