// y = LN(x + residual), z = y·SLT_DENSE_W + c with a narrow z, in one launch: a warp per row, four
// numbers of it a lane, whose rows of SLT_DENSE_W are in registers. Backward makes dy of a row from
// the few numbers of dz on the way to the norm's own gradient: it is never written. T: the numbers
// of the norm's rows in memory, float or slt_bf16.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/output/fused_output.h"

#include "cuda/kernels/narrow.cuh"
#include "cuda/kernels/norm_row.cuh"
#include "ops/common/op_inputs.h"

static_assert(sizeof(slt_fused_output) <= 4096, "a kernel takes so many bytes of arguments");

enum { WARPS = SLT_NORM_WARPS, OUT = SLT_OUTPUT_MOST, ROWS = 4 }; // ROWS: of a warp, on their way

// the lane's four rows of SLT_DENSE_W; nobody but Adam writes it, so it comes before the kernel in
// front ends
SLT_DEVICE_INLINE void load_weights(const slt_cuda_args &a, float (*own)[OUT]) {
    int c = slt_lane_column(), out = a.out_width[0];
    const float *w = slt_at(a.in[SLT_DENSE_W]);
#pragma unroll
    for (int i = 0; i < 4 * OUT; i++) {
        int j = i / OUT, o = i % OUT;
        own[j][o] = o < out && c < a.in_width[SLT_DENSE_X] ? w[(c + j) * out + o] : 0;
    }
}

// z of a row: lane `place` has the sum of one column, and its bias
SLT_DEVICE_INLINE void put_head(const slt_cuda_args &a, int r, float4 y, const float (*own)[OUT],
                                float bias) {
    int lane = (int)(threadIdx.x % SLT_WARP), place = slt_narrow_place<OUT>(lane);
    float sum[OUT];
#pragma unroll
    for (int o = 0; o < OUT; o++)
        sum[o] = (y.x * own[0][o] + y.y * own[1][o]) + (y.z * own[2][o] + y.w * own[3][o]);
    float mine = slt_narrow_sums<OUT>(sum);
    if (lane < OUT && place < a.out_width[0])
        slt_at(a.out[0])[(int64_t)r * a.out_width[0] + place] = mine + bias;
}

SLT_DEVICE_INLINE float bias_of(const slt_cuda_args &a) {
    int place = slt_narrow_place<OUT>((int)(threadIdx.x % SLT_WARP));
    const float *c = slt_at(a.in[SLT_DENSE_C]);
    return c && place < a.out_width[0] ? c[place] : 0;
}

template <class T>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP)
    forward(const __grid_constant__ slt_fused_output run) {
    const slt_cuda_args &norm = run.norm;
    float own[4][OUT], bias = bias_of(run.dense);
    load_weights(run.dense, own);
    slt_begin();
    int width = norm.in_width[SLT_DENSE_X], rows = norm.in_rows[SLT_DENSE_X], c = slt_lane_column();
    int first = (int)blockIdx.x * WARPS * ROWS + (int)threadIdx.x / SLT_WARP;
    int count = slt_count(norm, norm.in_space[SLT_DENSE_X], rows);
    float4 x[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        int r = slt_least(first + i * WARPS, rows - 1);
        x[i] = slt_load4(slt_rows_at<T>(norm.in[SLT_DENSE_X]) + (int64_t)r * width, c, width);
        x[i] = slt_norm_input<T>(norm, r, x[i]);
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        int r = first + i * WARPS;
        if (r >= rows) break;
        float4 y = slt_norm_row_forward<T>(norm, r, r < count, x[i]);
        put_head(run.dense, r, y, own, bias);
    }
}

// ---- backward

typedef struct {
    float dz[OUT];
    slt_norm_kept kept;
} head_row;

template <class T>
SLT_DEVICE_INLINE head_row row_of(const slt_fused_output &run, int r, bool there) {
    int out = run.dense.out_width[0];
    const float *dz = slt_at(run.dense.out_grad[0]) + (int64_t)r * out;
    head_row row;
#pragma unroll
    for (int o = 0; o < OUT; o++) row.dz[o] = o < out ? dz[o] : 0;
    row.kept = slt_norm_kept_of<T>(run.norm, r, there);
    return row;
}

SLT_DEVICE_INLINE float4 row_gradient(const head_row &row, const float (*own)[OUT]) {
    float d[4] = {0};
#pragma unroll
    for (int i = 0; i < 4 * OUT; i++) d[i / OUT] += row.dz[i % OUT] * own[i / OUT][i % OUT];
    return slt_four(d[0], d[1], d[2], d[3]);
}

template <class T>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP)
    backward(const __grid_constant__ slt_fused_output run, int each) {
    const slt_cuda_args &norm = run.norm;
    alignas(16) __shared__ float parts[WARPS * SLT_NORM_PARTS];
    float own[4][OUT], sums[8] = {0};
    load_weights(run.dense, own);
    slt_begin();
    int rows = norm.in_rows[SLT_DENSE_X], count = slt_count(norm, norm.in_space[SLT_DENSE_X], rows);
    int first = (int)blockIdx.x * WARPS * each + (int)threadIdx.x / SLT_WARP;
    int end = slt_least(first + WARPS * each, rows);
    float4 gamma = slt_norm_gamma(norm);
    for (int r = first; r < end; r += ROWS * WARPS) {
        head_row row[ROWS];
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            int at = slt_least(r + i * WARPS, end - 1);
            row[i] = row_of<T>(run, at, at < count);
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            int at = r + i * WARPS;
            if (at >= end) break;
            float4 dy = row_gradient(row[i], own);
            slt_norm_row_put<T>(
                norm, at, slt_norm_row_backward(norm, at < count, gamma, dy, row[i].kept, sums));
        }
    }
    slt_norm_put_parts(norm, sums, WARPS, parts);
}

// ---- launches

void slt_cuda_output_forward(const slt_fused_output *run) {
    dim3 grid = slt_grid(&run->norm, run->norm.in_rows[SLT_DENSE_X], WARPS * ROWS);
    if (slt_out_bf16(&run->norm, 0))
        SLT_LAUNCH(run, forward<slt_bf16>, grid, WARPS * SLT_WARP, 0);
    else
        SLT_LAUNCH(run, forward<float>, grid, WARPS * SLT_WARP, 0);
}

int slt_cuda_output_blocks(const slt_fused_output *run) {
    const slt_cuda_args *norm = &run->norm;
    return (int)slt_grid(norm, norm->in_rows[SLT_DENSE_X], WARPS * slt_norm_rows_each(norm)).x;
}

void slt_cuda_output_backward(const slt_fused_output *run) {
    dim3 grid((unsigned)slt_cuda_output_blocks(run), 1, (unsigned)run->norm.members);
    int each = slt_norm_rows_each(&run->norm);
    if (slt_out_bf16(&run->norm, 0))
        SLT_LAUNCH(run, backward<slt_bf16>, grid, WARPS * SLT_WARP, 0, each);
    else
        SLT_LAUNCH(run, backward<float>, grid, WARPS * SLT_WARP, 0, each);
}
