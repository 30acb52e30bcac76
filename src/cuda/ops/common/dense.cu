// y = act(x·SLT_DENSE_W + c): products by cuBLAS, bias and activation in one pass after them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/narrow_pairs.cuh"
#include "ops/common/op_inputs.h"

// dp = dy∘act'(y) into shared
SLT_KERNEL before_activation(const slt_cuda_args a) {
    slt_begin();
    const float *dy = slt_at(a.out_grad[0]), *y = slt_at(a.out[0]);
    float *dp = slt_at(a.shared);
    unsigned count = (unsigned)(a.out_rows[0] * a.out_width[0]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride())
        dp[i] = slt_activation_slope(dy[i], y[i], a.n[0]);
}

static slt_narrow narrow_of(const slt_cuda_args *args, slt_cuda_view x, slt_cuda_view y) {
    slt_narrow n = {x,
                    args->in[SLT_DENSE_W],
                    args->in[SLT_DENSE_C],
                    y,
                    args->in_rows[SLT_DENSE_X],
                    args->in_width[SLT_DENSE_X],
                    args->out_width[0],
                    args->n[0],
                    0,
                    !(~args->stored &
                      (1u << SLT_DENSE_W | (args->in[SLT_DENSE_C].at ? 1u << SLT_DENSE_C : 0)))};
    return n;
}

void slt_cuda_dense_forward(const slt_cuda_args *args) {
    int rows = args->in_rows[SLT_DENSE_X], in = args->in_width[SLT_DENSE_X],
        out = args->out_width[0];
    if (slt_is_narrow(in, out)) {
        slt_narrow n = narrow_of(args, args->in[SLT_DENSE_X], args->out[0]);
        (slt_in_bf16(args, SLT_DENSE_X) ? slt_launch_narrow_pairs : slt_launch_narrow)(args, n);
        return;
    }
    if (slt_cuda_dense_pairs_forward(args)) return;
    slt_cuda_dense_product(args, rows, out, in, args->in[SLT_DENSE_X], args->in[SLT_DENSE_W],
                           args->in[SLT_DENSE_C], args->n[0], args->out[0]);
}

void slt_cuda_dense_weights(const slt_cuda_args *args) {
    slt_cuda_weight_gradient(args, args->in_width[SLT_DENSE_X], args->out_width[0],
                             args->in_rows[SLT_DENSE_X], args->in[SLT_DENSE_X], args->out_grad[0],
                             args->in_grad[SLT_DENSE_W], args->add[SLT_DENSE_W],
                             args->in_grad[SLT_DENSE_C], args->add[SLT_DENSE_C]);
}

// ---- a few rows of a table: all gradients in one launch, a warp per row of SLT_DENSE_W

enum { TABLE_ROWS = 32, TABLE_WARPS = 4, TABLE_AHEAD = 8 };

// columns c .. c+3 of dW's row i, of dc, and their share of dx's column i; lane r has x of row r
SLT_DEVICE_INLINE void table_columns(const slt_cuda_args &a, const float *dp, int i, int c,
                                     float mine, float4 w) {
    int in = a.in_width[SLT_DENSE_X], out = a.out_width[0], rows = a.in_rows[SLT_DENSE_X];
    float *dx = slt_at(a.in_grad[SLT_DENSE_X]), weight[4] = {0}, bias[4] = {0};
    float *dw = slt_at(a.in_grad[SLT_DENSE_W]), *dc = slt_at(a.in_grad[SLT_DENSE_C]);
    bool add = a.add[SLT_DENSE_X] || c >= 4 * SLT_WARP; // what earlier columns brought
    for (int first = 0; first < rows; first += TABLE_AHEAD) {
        float4 d[TABLE_AHEAD];
#pragma unroll
        for (int k = 0; k < TABLE_AHEAD; k++)
            d[k] =
                slt_load4(dp + slt_least(first + k, rows - 1) * out, c, first + k < rows ? out : 0);
#pragma unroll
        for (int k = 0; k < TABLE_AHEAD; k++) {
            slt_add4(weight, slt_warp_lane(mine, (first + k) % SLT_WARP), d[k]);
            slt_add4(bias, 1, d[k]);
            if (!dx || first + k >= rows) continue;
            float dot = slt_warp_sum((d[k].x * w.x + d[k].y * w.y) + (d[k].z * w.z + d[k].w * w.w));
            if (threadIdx.x % SLT_WARP == 0) slt_put(&dx[(first + k) * in + i], add, dot);
        }
    }
    if (dw)
        slt_store4(dw + (int64_t)i * out, c, out, a.add[SLT_DENSE_W],
                   slt_four(weight[0], weight[1], weight[2], weight[3]));
    if (dc && i == 0)
        slt_store4(dc, c, out, a.add[SLT_DENSE_C], slt_four(bias[0], bias[1], bias[2], bias[3]));
}

// a warp per row of W, which is there before the previous kernel has ended, as x is
SLT_KERNEL table_backward(const slt_cuda_args a, slt_cuda_view dp_view) {
    int in = a.in_width[SLT_DENSE_X], out = a.out_width[0], lane = (int)(threadIdx.x % SLT_WARP);
    int i = (int)(blockIdx.x * TABLE_WARPS + threadIdx.x / SLT_WARP), own = slt_least(i, in - 1);
    const float *w = slt_at(a.in[SLT_DENSE_W]) + (int64_t)own * out;
    const float *x = slt_at(a.in[SLT_DENSE_X]), *dp = slt_at(dp_view);
    float mine = lane < a.in_rows[SLT_DENSE_X] ? x[lane * in + own] : 0;
    float4 next = slt_load4(w, 4 * lane, out);
    slt_begin();
    if (i >= in) return;
    for (int c = 4 * lane; c - 4 * lane < out; c += 4 * SLT_WARP) {
        table_columns(a, dp, i, c, mine, next);
        next = slt_load4(w, c + 4 * SLT_WARP, out);
    }
}

static bool is_table(const slt_cuda_args *args) {
    return args->in_space[SLT_DENSE_X] == SLT_FIXED && args->in_rows[SLT_DENSE_X] <= TABLE_ROWS;
}

// dx = dp·Wᵀ, dW = xᵀ·dp
static void wide_products(const slt_cuda_args *args, slt_cuda_view dp) {
    int rows = args->in_rows[SLT_DENSE_X], in = args->in_width[SLT_DENSE_X],
        out = args->out_width[0];
    if (is_table(args)) {
        SLT_LAUNCH(args, table_backward, slt_grid(args, in, TABLE_WARPS), TABLE_WARPS * SLT_WARP, 0,
                   dp);
        return;
    }
    slt_cuda_input_gradient(args, rows, in, out, dp, args->in[SLT_DENSE_W], args->add[SLT_DENSE_X],
                            args->in_grad[SLT_DENSE_X]);
    slt_cuda_weight_gradient(args, in, out, rows, args->in[SLT_DENSE_X], dp,
                             args->in_grad[SLT_DENSE_W], args->add[SLT_DENSE_W],
                             args->in_grad[SLT_DENSE_C], args->add[SLT_DENSE_C]);
}

static void narrow_weights(const slt_cuda_args *args, slt_cuda_view dp) {
    slt_column_sums sums = {SLT_FIXED,
                            args->in_rows[SLT_DENSE_X],
                            args->in_width[SLT_DENSE_X] + 1,
                            {args->in_grad[SLT_DENSE_W], args->in_grad[SLT_DENSE_C]},
                            {args->add[SLT_DENSE_W], args->add[SLT_DENSE_C]},
                            args->out_width[0]};
    // of one member in tf32 it would find no room next to a group's products
    bool bf16 = slt_in_bf16(args, SLT_DENSE_X), held = args->members > 1 || bf16;
    slt_cuda_args side = held ? slt_cuda_on_weight_stream(args) : slt_cuda_on_sum_stream(args);
    slt_narrow n = narrow_of(args, args->in[SLT_DENSE_X], dp);
    (bf16 ? slt_launch_narrow_weights<slt_bf16> : slt_launch_narrow_weights<float>)(&side, n, sums);
}

void slt_cuda_narrow_weights(const slt_cuda_args *args) { narrow_weights(args, args->out_grad[0]); }

static void narrow_products(const slt_cuda_args *args, slt_cuda_view dp) {
    slt_narrow n = narrow_of(args, args->in_grad[SLT_DENSE_X], dp);
    if (args->in_grad[SLT_DENSE_X].at)
        (slt_in_bf16(args, SLT_DENSE_X) ? slt_launch_narrow_pairs_input
                                        : slt_launch_narrow_input)(args, n, args->add[SLT_DENSE_X]);
    narrow_weights(args, dp);
}

void slt_cuda_dense_backward(const slt_cuda_args *args) {
    int rows = args->in_rows[SLT_DENSE_X], in = args->in_width[SLT_DENSE_X],
        out = args->out_width[0];
    slt_cuda_view dp = args->out_grad[0];
    if (args->n[0] != SLT_LINEAR) {
        SLT_LAUNCH(args, before_activation, slt_grid(args, (int64_t)rows * out, 4 * SLT_THREADS),
                   SLT_THREADS, 0);
        dp = args->shared;
    }
    bool narrow = slt_is_narrow(in, out);
    if (!narrow && slt_cuda_dense_pairs_backward(args)) return;
    (narrow ? narrow_products : wide_products)(args, dp);
}

void slt_cuda_dense_active_forward(const slt_cuda_args *args) { slt_cuda_dense_forward(args); }
void slt_cuda_dense_active_backward(const slt_cuda_args *args) { slt_cuda_dense_backward(args); }
