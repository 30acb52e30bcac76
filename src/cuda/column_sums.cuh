// Sums over rows, column by column: out_i[c] (+)= Σ_r term_i(r, c) for one or two terms. Blocks
// take chunks of rows; the block that comes last adds the chunks in order, so the bits do not
// depend on who was faster.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_COLUMN_SUMS_CUH
#define SLT_CUDA_COLUMN_SUMS_CUH

#include "cuda/kernel.cuh"

enum { SLT_SUM_COLUMNS = 32, SLT_SUM_LANES = 8 };

typedef struct {
    slt_space space;
    int rows, width; // rows of the launch
    slt_cuda_view out[2];
    bool add[2];
} slt_sums;

template <class Term>
static __global__ void slt_sum_columns(const slt_cuda_args a, const Term term, const slt_sums s) {
    __shared__ float2 lanes[SLT_SUM_LANES][SLT_SUM_COLUMNS];
    int c = (int)(blockIdx.x * SLT_SUM_COLUMNS + threadIdx.x), chunks = (int)gridDim.y;
    int rows = slt_count(a, s.space, s.rows);
    float2 sum = {0, 0};
#pragma unroll 4
    for (int r = (int)(blockIdx.y * SLT_SUM_LANES + threadIdx.y); r < rows && c < s.width;
         r += chunks * SLT_SUM_LANES) {
        float2 x = term(a, r, c);
        sum.x += x.x;
        sum.y += x.y;
    }
    lanes[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    float *partial = slt_at(a.partials);
    if (threadIdx.y == 0 && c < s.width) {
        for (int i = 1; i < SLT_SUM_LANES; i++) {
            sum.x += lanes[i][threadIdx.x].x;
            sum.y += lanes[i][threadIdx.x].y;
        }
        partial[(2 * blockIdx.y) * s.width + c] = sum.x;
        partial[(2 * blockIdx.y + 1) * s.width + c] = sum.y;
    }
    if (!slt_last_block(slt_counter(a, (int)blockIdx.x), chunks)) return;
    if (threadIdx.y >= 2 || c >= s.width || !s.out[threadIdx.y].at) return;
    float total = 0;
    for (int i = 0; i < chunks; i++) total += partial[(2 * i + (int)threadIdx.y) * s.width + c];
    slt_put(&slt_at(s.out[threadIdx.y])[c], s.add[threadIdx.y], total);
}

template <class Term>
static inline void slt_launch_sums(const slt_cuda_args *args, Term term, slt_sums sums) {
    int chunks = slt_pieces(sums.rows, 8 * SLT_SUM_LANES);
    if (chunks > SLT_CUDA_CHUNKS) chunks = SLT_CUDA_CHUNKS;
    dim3 grid((unsigned)slt_pieces(sums.width, SLT_SUM_COLUMNS),
              (unsigned)(chunks < 1 ? 1 : chunks), (unsigned)args->members);
    SLT_LAUNCH(args, slt_sum_columns<Term>, grid, dim3(SLT_SUM_COLUMNS, SLT_SUM_LANES, 1), 0, term,
               sums);
}

#endif
