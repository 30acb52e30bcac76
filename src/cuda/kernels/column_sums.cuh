// Sums over rows, column by column: out_i[c] (+)= Σ_r term_i(r, c). A thread has Term::SUMS sums of
// Term::WIDTH columns next to each other. Blocks take chunks of rows; the block that comes last
// adds the chunks in a fixed order, so the bits do not depend on who was faster.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_COLUMN_SUMS_CUH
#define SLT_CUDA_COLUMN_SUMS_CUH

#include "cuda/kernels/kernel.cuh"

enum { SLT_SUM_COLUMNS = 32, SLT_SUM_LANES = 8, SLT_SUM_CHUNKS = 128 };

typedef struct {
    slt_space space;
    int rows, width;      // rows of the launch
    slt_cuda_view out[2]; // sum i goes to row i; either may be absent
    bool add[2];
    int across; // > 0: all sums of column c go to row c of out[0], so many of them; those of the
                // last column to out[1]
} slt_column_sums;

SLT_DEVICE_INLINE void slt_put_sum(const slt_column_sums &s, int i, int c, float sum) {
    if (s.across > 0) {
        bool last = c == s.width - 1;
        float *to = slt_at(s.out[last]);
        if (i < s.across && to) slt_put(&to[last ? i : c * s.across + i], s.add[last], sum);
    } else if (s.out[i].at)
        slt_put(&slt_at(s.out[i])[c], s.add[i], sum);
}

template <class Term>
static __global__ void slt_sum_columns(const slt_cuda_args a, const Term term,
                                       const __grid_constant__ slt_column_sums s) {
    slt_wait_for_last();
    enum {
        W = Term::WIDTH,
        N = Term::SUMS * W,
        GROUPS = N < SLT_SUM_LANES ? SLT_SUM_LANES / N : 1
    };
    __shared__ float lanes[SLT_SUM_LANES][N][SLT_SUM_COLUMNS];
    int x = (int)threadIdx.x, lane = (int)threadIdx.y, chunks = (int)gridDim.y;
    int c = (int)blockIdx.x * SLT_SUM_COLUMNS + x, columns = (s.width + W - 1) / W;
    int rows = slt_count(a, s.space, s.rows);
    float sum[N] = {0}, *partial = slt_at(a.partials);
    int first = c < columns ? (int)blockIdx.y * SLT_SUM_LANES + lane : rows;
#pragma unroll 4
    for (int r = first; r < rows; r += chunks * SLT_SUM_LANES) term.add(a, r, c * W, sum);
    slt_let_next(); // sums are on the side: who waits there would hold room that the chain lacks
#pragma unroll
    for (int i = 0; i < N; i++) lanes[lane][i][x] = sum[i];
    __syncthreads();
    for (int i = lane; i < N && c < columns; i += SLT_SUM_LANES) {
        float all = 0;
        for (int j = 0; j < SLT_SUM_LANES; j++) all += lanes[j][i][x];
        partial[((int)blockIdx.y * N + i) * columns + c] = all;
    }
    if (!slt_last_block(slt_counter(a, (int)blockIdx.x), chunks)) return;
    for (int w = lane; w < N * GROUPS && c < columns; w += SLT_SUM_LANES) {
        int i = w % N, group = w / N;
        float all = 0;
#pragma unroll 32
        for (int j = group; j < chunks; j += GROUPS) all += partial[(j * N + i) * columns + c];
        lanes[group][i][x] = all;
    }
    __syncthreads();
    for (int i = lane; i < N && c < columns; i += SLT_SUM_LANES) {
        float all = 0;
        for (int group = 0; group < GROUPS; group++) all += lanes[group][i][x];
        if (c * W + i % W < s.width) slt_put_sum(s, i / W, c * W + i % W, all);
    }
}

static inline int slt_least_of(int a, int b) { return a < b ? a : b; }

template <class Term>
static inline void slt_launch_sums(const slt_cuda_args *args, Term term, slt_column_sums sums) {
    int columns = slt_pieces(sums.width, Term::WIDTH);
    int blocks = slt_pieces(columns, SLT_SUM_COLUMNS);
    int room = (int)(args->partials.stride / ((int64_t)Term::SUMS * Term::WIDTH * columns));
    int chunks = slt_least_of(slt_pieces(sums.rows, 4 * SLT_SUM_LANES), room);
    // enough blocks to fill the device, not many more
    chunks = slt_least_of(chunks, slt_pieces(8 * SLT_SUM_CHUNKS, blocks * args->members));
    // the last block adds all of them up: fewer where a chunk has many sums
    chunks = slt_least_of(chunks, Term::SUMS > 4 ? SLT_SUM_CHUNKS / 2 : SLT_SUM_CHUNKS);
    dim3 grid((unsigned)blocks, (unsigned)(chunks < 1 ? 1 : chunks), (unsigned)args->members);
    SLT_LAUNCH(args, slt_sum_columns<Term>, grid, dim3(SLT_SUM_COLUMNS, SLT_SUM_LANES, 1), 0, term,
               sums);
}

#endif
