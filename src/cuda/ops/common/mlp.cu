// y = relu(x·SLT_MLP_W1 + c1)·SLT_MLP_W2 + c2; the middle is kept (aux) for backward.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/column_sums.cuh"
#include "ops/common/op_inputs.h"

void slt_cuda_mlp_forward(const slt_cuda_args *args) {
    if (slt_cuda_mlp_pairs_forward(args)) return;
    int rows = args->in_rows[SLT_MLP_X], wide = args->in_width[SLT_MLP_W1];
    slt_cuda_dense_product(args, rows, wide, args->in_width[SLT_MLP_X], args->in[SLT_MLP_X],
                           args->in[SLT_MLP_W1], args->in[SLT_MLP_C1], SLT_RELU, args->aux);
    slt_cuda_dense_product(args, rows, args->out_width[0], wide, args->aux, args->in[SLT_MLP_W2],
                           args->in[SLT_MLP_C2], SLT_LINEAR, args->out[0]);
}

// dh∘[h>0] in place, and its sum over rows on the way
struct relu_term {
    enum { SUMS = 1, WIDTH = 4 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        int width = a.in_width[SLT_MLP_W1];
        float *dh = slt_at(a.shared) + (int64_t)r * width;
        float4 d = slt_load4(dh, c, width),
               h = slt_load4(slt_at(a.aux) + (int64_t)r * width, c, width);
        d = slt_four(h.x > 0 ? d.x : 0, h.y > 0 ? d.y : 0, h.z > 0 ? d.z : 0, h.w > 0 ? d.w : 0);
        slt_store4(dh, c, width, false, d);
        slt_add4(sum, 1, d);
    }
};

// dh = (dy·W2ᵀ)∘[h>0]; true: the sum over its rows came along
static bool middle_gradient(const slt_cuda_args *args, int rows, int wide, int out) {
    slt_cuda_view dy = args->out_grad[0];
    slt_gated gated = {dy, args->in[SLT_MLP_W2], args->aux, args->shared, rows, wide, out};
    if (slt_cuda_gated_gradient(args, &gated)) return false;
    slt_cuda_gemm(args, false, true, rows, wide, out, dy, out, args->in[SLT_MLP_W2], out, false,
                  args->shared, wide);
    slt_column_sums sums = {SLT_FIXED,
                            rows,
                            wide,
                            {args->in_grad[SLT_MLP_C1], {NULL, 0}},
                            {args->add[SLT_MLP_C1], false},
                            0};
    slt_launch_sums(args, relu_term(), sums);
    return true;
}

static void weights(const slt_cuda_args *args, bool summed) {
    int rows = args->in_rows[SLT_MLP_X], in = args->in_width[SLT_MLP_X],
        wide = args->in_width[SLT_MLP_W1];
    int out = args->out_width[0];
    slt_cuda_view none = {NULL, 0};
    slt_cuda_weight_gradient(args, in, wide, rows, args->in[SLT_MLP_X], args->shared,
                             args->in_grad[SLT_MLP_W1], args->add[SLT_MLP_W1],
                             summed ? none : args->in_grad[SLT_MLP_C1], args->add[SLT_MLP_C1]);
    slt_cuda_weight_gradient(args, wide, out, rows, args->aux, args->out_grad[0],
                             args->in_grad[SLT_MLP_W2], args->add[SLT_MLP_W2],
                             args->in_grad[SLT_MLP_C2], args->add[SLT_MLP_C2]);
}

void slt_cuda_mlp_weights(const slt_cuda_args *args) { weights(args, false); }

// what others wait for comes first
void slt_cuda_mlp_backward(const slt_cuda_args *args) {
    if (slt_cuda_mlp_pairs_backward(args)) return;
    int rows = args->in_rows[SLT_MLP_X], in = args->in_width[SLT_MLP_X],
        wide = args->in_width[SLT_MLP_W1];
    bool summed = middle_gradient(args, rows, wide, args->out_width[0]);
    slt_cuda_input_gradient(args, rows, in, wide, args->shared, args->in[SLT_MLP_W1],
                            args->add[SLT_MLP_X], args->in_grad[SLT_MLP_X]);
    weights(args, summed);
}
