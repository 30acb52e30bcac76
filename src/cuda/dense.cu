// y = act(x·W + c): products by cuBLAS, bias and activation in one pass behind them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/activation.cuh"
#include "cuda/column_sums.cuh"

enum { X, W, C };

SLT_KERNEL bias_activate(const slt_cuda_args a, slt_cuda_view y_view, slt_cuda_view c_view,
                         int rows, int width, int activation) {
    float *y = slt_at(y_view);
    const float *c = slt_at(c_view);
    for (int64_t i = slt_thread(); i < (int64_t)rows * width; i += slt_stride())
        y[i] = slt_activated(c ? y[i] + c[i % width] : y[i], activation);
}

void slt_cuda_bias_activate(const slt_cuda_args *args, slt_cuda_view y, int rows, int width,
                            slt_cuda_view c, int activation) {
    if (!c.at && activation == SLT_LINEAR) return;
    int64_t count = (int64_t)rows * width;
    SLT_LAUNCH(args, bias_activate, slt_grid(args, count, 4 * SLT_THREADS), SLT_THREADS, 0, y, c,
               rows, width, activation);
}

struct plain_term {
    slt_cuda_view x;
    int width;
    __device__ float2 operator()(const slt_cuda_args &a, int r, int c) const {
        float2 term = {slt_at(x)[(int64_t)r * width + c], 0};
        return term;
    }
};

// the tail of a gradient is zero: all rows of the launch may take part
void slt_cuda_bias_gradient(const slt_cuda_args *args, slt_cuda_view x, int rows, int width,
                            slt_cuda_view out, bool add) {
    if (!out.at) return;
    slt_sums sums = {SLT_FIXED, rows, width, {out, {NULL, 0}}, {add, false}};
    plain_term term = {x, width};
    slt_launch_sums(args, term, sums);
}

// dp = dy∘act'(y) into shared
SLT_KERNEL before_activation(const slt_cuda_args a) {
    const float *dy = slt_at(a.out_grad[0]), *y = slt_at(a.out[0]);
    float *dp = slt_at(a.shared);
    int64_t count = (int64_t)a.out_rows[0] * a.out_width[0];
    for (int64_t i = slt_thread(); i < count; i += slt_stride())
        dp[i] = slt_activation_slope(dy[i], y[i], a.n[0]);
}

void slt_cuda_dense_forward(const slt_cuda_args *args) {
    int rows = args->in_rows[X], in = args->in_width[X], out = args->out_width[0];
    slt_cuda_gemm(args, false, false, rows, out, in, args->in[X], in, args->in[W], out, false,
                  args->out[0], out);
    slt_cuda_bias_activate(args, args->out[0], rows, out, args->in[C], args->n[0]);
}

void slt_cuda_dense_backward(const slt_cuda_args *args) {
    int rows = args->in_rows[X], in = args->in_width[X], out = args->out_width[0];
    slt_cuda_view dp = args->out_grad[0];
    if (args->n[0] != SLT_LINEAR) {
        SLT_LAUNCH(args, before_activation, slt_grid(args, (int64_t)rows * out, 4 * SLT_THREADS),
                   SLT_THREADS, 0);
        dp = args->shared;
    }
    if (args->in_grad[X].at)
        slt_cuda_gemm(args, false, true, rows, in, out, dp, out, args->in[W], out, args->add[X],
                      args->in_grad[X], in);
    if (args->in_grad[W].at)
        slt_cuda_gemm(args, true, false, in, out, rows, args->in[X], in, dp, out, args->add[W],
                      args->in_grad[W], out);
    slt_cuda_bias_gradient(args, dp, rows, out, args->in_grad[C], args->add[C]);
}

void slt_cuda_dense_active_forward(const slt_cuda_args *args) { slt_cuda_dense_forward(args); }
void slt_cuda_dense_active_backward(const slt_cuda_args *args) { slt_cuda_dense_backward(args); }
