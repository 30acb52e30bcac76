// The MLP in bf16: the wide middle and its gradient are numbers of 16 bits in memory, which halves
// what moves most, and all factors are, so that products run at the tensor cores' full speed. The
// middle's gradient is one launch where there are many rows (gated_pairs.cu). Sums
// and gradients of weights are float32; rows of x and y are as the tape has them. What is not in
// bf16 already is rounded once, forward, and kept for backward after the middle, in the room that
// it leaves.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/pairs.cuh"
#include "ops/common/op_inputs.h"

// factors in bf16
typedef struct {
    slt_cuda_view middle, x, w1, w2, c1; // in aux, but for what is in bf16 elsewhere
    slt_cuda_view dmiddle, dy;           // in shared, the same
    slt_cuda_view sums;                  // of dmiddle, float32, in shared
    bool x_bf16, y_bf16;                 // the node's rows are
    int rows, in, wide, out;
} layout;

// room for weights is there next to the middle's (ops/common/mlp.c)
static int64_t room_of(const layout *l) {
    return (int64_t)l->rows * l->wide + ((int64_t)(l->in + l->out) * l->wide + l->wide) / 2 + 64;
}
static int64_t shared_room_of(const layout *l) {
    int64_t blocks = slt_pieces(l->rows, SLT_GATED_ROWS);
    return (int64_t)l->rows * l->wide + blocks * (l->wide + l->out);
}

// what is to be rounded, forward; false: not at this size or precision
static bool lay_out(const slt_cuda_args *args, layout *l, slt_rounding *r) {
    int64_t aux = 0, shared = 0;
    *l = {};
    l->rows = args->in_rows[SLT_MLP_X];
    l->in = args->in_width[SLT_MLP_X];
    l->wide = args->in_width[SLT_MLP_W1];
    l->out = args->out_width[0];
    l->x_bf16 = slt_in_bf16(args, SLT_MLP_X);
    l->y_bf16 = slt_out_bf16(args, 0);
    int64_t rows = l->rows, wide = l->wide;
    l->middle = slt_take_pairs(args->aux, &aux, rows * wide);
    l->x = slt_factor(args, r, 0, args->in[SLT_MLP_X], l->x_bf16, rows * l->in, args->aux, &aux);
    l->w1 = slt_factor(args, r, 1, args->in[SLT_MLP_W1], false, l->in * wide, args->aux, &aux);
    l->w2 = slt_factor(args, r, 2, args->in[SLT_MLP_W2], false, wide * l->out, args->aux, &aux);
    l->c1 = slt_factor(args, r, 3, args->in[SLT_MLP_C1], false, wide, args->aux, &aux);
    l->dmiddle = slt_take_pairs(args->shared, &shared, rows * wide);
    l->dy = l->y_bf16 ? args->out_grad[0] : slt_take_pairs(args->shared, &shared, rows * l->out);
    l->sums = slt_take_pairs(args->shared, &shared, 2 * wide * slt_pieces(rows, SLT_GATED_ROWS));
    return slt_cuda_is_bf16(args->cuda) && l->in % 8 == 0 && l->wide % 8 == 0 && l->out % 8 == 0 &&
           aux <= room_of(l) && shared <= shared_room_of(l) &&
           (l->x_bf16 || rows >= SLT_PAIRS_MANY);
}

// ---- forward

bool slt_cuda_mlp_pairs_forward(const slt_cuda_args *args) {
    layout l;
    slt_rounding r = {};
    if (!lay_out(args, &l, &r)) return false;
    slt_launch_rounding(args, &r);
    if (!slt_cuda_fused_pairs(args, l.rows, l.wide, l.in, l.x, l.w1, l.c1, true, true, l.middle)) {
        slt_cuda_gemm_pairs(args, false, false, l.rows, l.wide, l.in, l.x, l.in, l.w1, l.wide,
                            false, l.middle, l.wide, true);
        slt_cuda_bias_pairs(args, l.middle, l.rows, l.wide, args->in[SLT_MLP_C1], true);
    }
    slt_cuda_view c = args->in[SLT_MLP_C2], own = l.y_bf16 ? slt_rounded_weights(args, c) : c;
    if (own.at && slt_cuda_fused_pairs(args, l.rows, l.out, l.wide, l.middle, l.w2, own, false,
                                       l.y_bf16, args->out[0]))
        return true;
    slt_cuda_gemm_pairs(args, false, false, l.rows, l.out, l.wide, l.middle, l.wide, l.w2, l.out,
                        false, args->out[0], l.out, l.y_bf16);
    if (l.y_bf16)
        slt_cuda_bias_pairs(args, args->out[0], l.rows, l.out, c, false);
    else
        slt_cuda_bias_activate(args, args->out[0], l.rows, l.out, c, SLT_LINEAR);
    return true;
}

// ---- backward

// dh∘[h>0] in place, and its sum over rows on the way
struct gate_term {
    layout l;
    enum { SUMS = 1, WIDTH = 4 };
    static __device__ __forceinline__ uint32_t open(uint32_t d, uint32_t h) {
        return d & ((h & 0x7fffu ? 0xffffu : 0) | (h & 0x7fff0000u ? 0xffff0000u : 0));
    }
    __device__ void add(const slt_cuda_args &, int r, int c, float *sum) const {
        int64_t at = ((int64_t)r * l.wide + c) / 4;
        uint2 *dh = (uint2 *)slt_at(l.dmiddle) + at, d = *dh;
        uint2 h = ((const uint2 *)slt_at(l.middle))[at];
        d.x = open(d.x, h.x);
        d.y = open(d.y, h.y);
        *dh = d;
        slt_add4(sum, 1, slt_four(slt_low(d.x), slt_high(d.x), slt_low(d.y), slt_high(d.y)));
    }
};

// the rows of sums that it leaves; 0: it has added them up itself
static int middle_gradient(const slt_cuda_args *args, const layout *l) {
    slt_gated gated = {l->dy, l->w2, l->middle, l->dmiddle, l->rows, l->wide, l->out};
    int parts = slt_cuda_gated_gradient_pairs(args, &gated, l->sums);
    if (parts) return parts;
    slt_column_sums sums = {SLT_FIXED,
                            l->rows,
                            l->wide,
                            {args->in_grad[SLT_MLP_C1], {NULL, 0}},
                            {args->add[SLT_MLP_C1], false},
                            0};
    gate_term term = {*l};
    slt_cuda_gemm_pairs(args, false, true, l->rows, l->wide, l->out, l->dy, l->out, l->w2, l->out,
                        false, l->dmiddle, l->wide, true);
    slt_launch_sums(args, term, sums);
    return 0;
}

static void weights(const slt_cuda_args *args, const layout *l, int parts) {
    slt_cuda_args side = slt_cuda_on_weight_stream(args);
    if (parts)
        slt_cuda_bias_gradient(&side, l->sums, parts, l->wide, args->in_grad[SLT_MLP_C1],
                               args->add[SLT_MLP_C1]);
    if (args->in_grad[SLT_MLP_W1].at)
        slt_cuda_gemm_pairs(&side, true, false, l->in, l->wide, l->rows, l->x, l->in, l->dmiddle,
                            l->wide, args->add[SLT_MLP_W1], args->in_grad[SLT_MLP_W1], l->wide,
                            false);
    if (args->in_grad[SLT_MLP_W2].at)
        slt_cuda_gemm_pairs(&side, true, false, l->wide, l->out, l->rows, l->middle, l->wide, l->dy,
                            l->out, args->add[SLT_MLP_W2], args->in_grad[SLT_MLP_W2], l->out,
                            false);
    if (l->y_bf16)
        slt_cuda_bias_gradient_pairs(&side, l->dy, l->rows, l->out, args->in_grad[SLT_MLP_C2],
                                     args->add[SLT_MLP_C2]);
}

bool slt_cuda_mlp_pairs_backward(const slt_cuda_args *args) {
    layout l;
    slt_rounding r = {}; // was done forward
    if (!lay_out(args, &l, &r)) return false;
    if (!l.y_bf16)
        slt_round_gradient(args, args->out_grad[0], l.dy, l.rows, l.out, args->in_grad[SLT_MLP_C2],
                           args->add[SLT_MLP_C2]);
    int parts = middle_gradient(args, &l);
    if (args->in_grad[SLT_MLP_X].at)
        slt_input_gradient(args, l.rows, l.in, l.wide, l.dmiddle, l.w1, l.x_bf16);
    weights(args, &l, parts);
    return true;
}
