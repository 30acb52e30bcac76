// y_r = table[id_r], and the gradient of tables that join_tokens shares: a block per entry and 8
// columns walks all rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { IDS, TABLE };
enum { COLUMNS = 8, FOURS = COLUMNS / 4, WARPS = 8, ROWS = WARPS * SLT_WARP / FOURS, AHEAD = 8 };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const int32_t *ids = slt_ints(a.in[IDS]);
    const float *table = slt_at(a.in[TABLE]);
    float *y = slt_at(a.out[0]);
    int width = a.out_width[0], count = slt_count(a, a.in_space[IDS], a.in_rows[IDS]);
    for (unsigned i = slt_thread(); i < (unsigned)(count * width); i += slt_stride())
        y[i] = table[(int64_t)ids[i / (unsigned)width] * width + i % (unsigned)width];
    slt_clear_tail(y, count, a.in_rows[IDS], width);
}

// lanes next to each other have the columns of a row, four each
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP)
    table_gradient(const slt_cuda_args a, slt_cuda_view dy_view, slt_cuda_view id_view,
                   slt_space space, int rows, int width, slt_cuda_view table, bool add) {
    slt_begin();
    alignas(16) __shared__ float parts[WARPS][COLUMNS];
    int entry = (int)blockIdx.x, place = (int)threadIdx.x % FOURS * 4;
    int first = (int)blockIdx.y * COLUMNS, count = slt_count(a, space, rows);
    const int32_t *ids = slt_ints(id_view);
    const float *dy = slt_at(dy_view);
    float sum[4] = {0};
    for (int r = (int)threadIdx.x / FOURS; r < count; r += AHEAD * ROWS) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) { // all that is asked for is on its way at once
            int own = slt_least(r + i * ROWS, count - 1);
            bool there = r + i * ROWS < count && ids[own] == entry;
            slt_add4(sum, there ? 1 : 0,
                     slt_load4(dy + (int64_t)own * width, first + place, width));
        }
    }
    for (int i = 0; i < 4; i++)
        for (int d = FOURS; d < SLT_WARP; d *= 2) sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], d);
    if (threadIdx.x % SLT_WARP < FOURS)
        *(float4 *)&parts[threadIdx.x / SLT_WARP][place] = slt_four(sum[0], sum[1], sum[2], sum[3]);
    __syncthreads();
    int c = (int)threadIdx.x;
    float all = 0;
    if (c >= COLUMNS || first + c >= width) return;
    for (int i = 0; i < WARPS; i++) all += parts[i][c];
    slt_put(&slt_at(table)[(int64_t)entry * width + first + c], add, all);
}

void slt_cuda_table_gradient(const slt_cuda_args *args, slt_cuda_view dy, slt_cuda_view ids,
                             slt_space space, int rows, int width, slt_cuda_view table, bool add,
                             int entries) {
    dim3 grid((unsigned)entries, (unsigned)slt_pieces(width, COLUMNS), (unsigned)args->members);
    SLT_LAUNCH(args, table_gradient, grid, WARPS * SLT_WARP, 0, dy, ids, space, rows, width, table,
               add);
}

void slt_cuda_embed_forward(const slt_cuda_args *args) {
    int64_t count = (int64_t)args->in_rows[IDS] * args->out_width[0];
    SLT_LAUNCH(args, forward, slt_grid(args, count, SLT_THREADS), SLT_THREADS, 0);
}
void slt_cuda_embed_backward(const slt_cuda_args *args) {
    slt_cuda_table_gradient(args, args->out_grad[0], args->in[IDS], args->in_space[IDS],
                            args->in_rows[IDS], args->out_width[0], args->in_grad[TABLE],
                            args->add[TABLE], args->in_rows[TABLE]);
}
