// A linear layer of many rows in bf16: x, dy and the weights are rounded in the node's scratch
// memory, and products run at the tensor cores' full speed. Results are float32; the sum over rows
// that is the bias's gradient comes with the rounding of dy.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/pairs.cuh"
#include "ops/common/op_inputs.h"

// arrays of bf16 in `shared`
typedef struct {
    slt_cuda_view x, dy, w;
    int rows, in, out;
} layout;

// rows from which rounding costs less than it saves
#ifdef SLT_EMULATED
enum { MANY = 16 };
#else
enum { MANY = 4096 };
#endif

// false: not at this size or precision
static bool lay_out(const slt_cuda_args *args, layout *l) {
    int64_t used = 0;
    l->rows = args->in_rows[SLT_DENSE_X];
    l->in = args->in_width[SLT_DENSE_X];
    l->out = args->out_width[0];
    l->x = slt_take_pairs(args->shared, &used, (int64_t)l->rows * l->in);
    l->dy = slt_take_pairs(args->shared, &used, (int64_t)l->rows * l->out);
    l->w = slt_take_pairs(args->shared, &used, (int64_t)l->in * l->out);
    return slt_cuda_is_bf16(args->cuda) && args->n[0] == SLT_LINEAR && l->in % 8 == 0 &&
           l->out % 8 == 0 && l->rows >= MANY;
}

bool slt_cuda_dense_pairs_forward(const slt_cuda_args *args) {
    layout l;
    slt_rounding r = {};
    slt_cuda_view c = args->in[SLT_DENSE_C];
    if (!lay_out(args, &l)) return false;
    slt_add_rounding(&r, 0, args->in[SLT_DENSE_X], l.x, (int64_t)l.rows * l.in);
    slt_add_rounding(&r, 1, args->in[SLT_DENSE_W], l.w, (int64_t)l.in * l.out);
    slt_launch_rounding(args, &r);
    if (c.at &&
        slt_cuda_fused_pairs(args, l.rows, l.out, l.in, l.x, l.w, c, false, false, args->out[0]))
        return true;
    slt_cuda_gemm_pairs(args, false, false, l.rows, l.out, l.in, l.x, l.in, l.w, l.out, false,
                        args->out[0], l.out, false);
    slt_cuda_bias_activate(args, args->out[0], l.rows, l.out, c, SLT_LINEAR);
    return true;
}

bool slt_cuda_dense_pairs_backward(const slt_cuda_args *args) {
    layout l;
    slt_rounding r = {};
    slt_cuda_view dx = args->in_grad[SLT_DENSE_X], dw = args->in_grad[SLT_DENSE_W];
    if (!lay_out(args, &l)) return false;
    slt_add_rounding(&r, 0, args->in[SLT_DENSE_X], l.x, (int64_t)l.rows * l.in);
    slt_add_rounding(&r, 1, args->in[SLT_DENSE_W], l.w, (int64_t)l.in * l.out);
    if (!args->in_grad[SLT_DENSE_C].at)
        slt_add_rounding(&r, 2, args->out_grad[0], l.dy, (int64_t)l.rows * l.out);
    slt_launch_rounding(args, &r);
    if (args->in_grad[SLT_DENSE_C].at)
        slt_round_gradient(args, args->out_grad[0], l.dy, l.rows, l.out, args->in_grad[SLT_DENSE_C],
                           args->add[SLT_DENSE_C]);
    if (dx.at)
        slt_cuda_gemm_pairs(args, false, true, l.rows, l.in, l.out, l.dy, l.out, l.w, l.out,
                            args->add[SLT_DENSE_X], dx, l.in, false);
    slt_cuda_args side = slt_cuda_on_weight_stream(args);
    if (dw.at)
        slt_cuda_gemm_pairs(&side, true, false, l.in, l.out, l.rows, l.x, l.in, l.dy, l.out,
                            args->add[SLT_DENSE_W], dw, l.out, false);
    return true;
}
