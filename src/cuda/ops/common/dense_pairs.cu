// A linear layer in bf16: rows and weights that are in bf16 already are read as they are, others
// are rounded in the node's scratch memory, and products run at the tensor cores' full speed. Sums
// are in float32; results are rounded once, where their rows are in bf16. The sum over rows that is
// the bias's gradient comes with the rounding of dy, where that has one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/pairs.cuh"
#include "ops/common/op_inputs.h"

// factors in bf16
typedef struct {
    slt_cuda_view x, dy, w;
    bool x_bf16, y_bf16; // the node's rows are
    int rows, in, out;
    int64_t used; // of `shared`
} layout;

// false: not at this size or precision
static bool fits(const slt_cuda_args *args, layout *l) {
    *l = {};
    l->rows = args->in_rows[SLT_DENSE_X];
    l->in = args->in_width[SLT_DENSE_X];
    l->out = args->out_width[0];
    l->x_bf16 = slt_in_bf16(args, SLT_DENSE_X);
    l->y_bf16 = slt_out_bf16(args, 0);
    if (l->x_bf16 || l->y_bf16) return true; // nothing else can
    return slt_cuda_is_bf16(args->cuda) && args->n[0] == SLT_LINEAR && l->in % 8 == 0 &&
           l->out % 8 == 0 && l->rows >= SLT_PAIRS_MANY;
}

static void take_factors(const slt_cuda_args *args, layout *l, slt_rounding *r) {
    l->x = slt_factor(args, r, 0, args->in[SLT_DENSE_X], l->x_bf16, (int64_t)l->rows * l->in,
                      args->shared, &l->used);
    l->w = slt_factor(args, r, 1, args->in[SLT_DENSE_W], false, (int64_t)l->in * l->out,
                      args->shared, &l->used);
}

// y = x·W + c
static void add_bias(const slt_cuda_args *args, const layout *l, slt_cuda_view c) {
    if (l->y_bf16)
        slt_cuda_bias_pairs(args, args->out[0], l->rows, l->out, c, false);
    else
        slt_cuda_bias_activate(args, args->out[0], l->rows, l->out, c, SLT_LINEAR);
}

bool slt_cuda_dense_pairs_forward(const slt_cuda_args *args) {
    layout l;
    slt_rounding r = {};
    if (!fits(args, &l)) return false;
    take_factors(args, &l, &r);
    slt_launch_rounding(args, &r);
    // the library adds a bias of the result's type
    slt_cuda_view c = args->in[SLT_DENSE_C], own = l.y_bf16 ? slt_rounded_weights(args, c) : c;
    if (own.at && slt_cuda_fused_pairs(args, l.rows, l.out, l.in, l.x, l.w, own, false, l.y_bf16,
                                       args->out[0]))
        return true;
    slt_cuda_gemm_pairs(args, false, false, l.rows, l.out, l.in, l.x, l.in, l.w, l.out, false,
                        args->out[0], l.out, l.y_bf16);
    add_bias(args, &l, c);
    return true;
}

// dy as a factor, and dc; rounded with others or, where there is a sum, on its way there
static void take_gradient(const slt_cuda_args *args, layout *l, slt_rounding *r) {
    slt_cuda_view dy = args->out_grad[0], dc = args->in_grad[SLT_DENSE_C];
    int64_t count = (int64_t)l->rows * l->out;
    bool summed = !l->y_bf16 && dc.at;
    l->dy = summed ? slt_take_pairs(args->shared, &l->used, count)
                   : slt_factor(args, r, 2, dy, l->y_bf16, count, args->shared, &l->used);
    slt_launch_rounding(args, r);
    if (summed) slt_round_gradient(args, dy, l->dy, l->rows, l->out, dc, args->add[SLT_DENSE_C]);
}

bool slt_cuda_dense_pairs_backward(const slt_cuda_args *args) {
    layout l;
    slt_rounding r = {};
    slt_cuda_view dx = args->in_grad[SLT_DENSE_X], dw = args->in_grad[SLT_DENSE_W];
    if (!fits(args, &l)) return false;
    take_factors(args, &l, &r);
    take_gradient(args, &l, &r);
    if (dx.at) slt_input_gradient(args, l.rows, l.in, l.out, l.dy, l.w, l.x_bf16);
    slt_cuda_args side = slt_cuda_on_weight_stream(args);
    if (dw.at)
        slt_cuda_gemm_pairs(&side, true, false, l.in, l.out, l.rows, l.x, l.in, l.dy, l.out,
                            args->add[SLT_DENSE_W], dw, l.out, false);
    if (l.y_bf16)
        slt_cuda_bias_gradient_pairs(&side, l.dy, l.rows, l.out, args->in_grad[SLT_DENSE_C],
                                     args->add[SLT_DENSE_C]);
    return true;
}
