// The MLP in bf16: the wide middle and its gradient are numbers of 16 bits in memory, which halves
// what moves most, and all factors are, so that products run at the tensor cores' full speed. Sums,
// the output and gradients of weights are float32. x and the weights are rounded once, forward, and
// kept for backward after the middle, in the room that it leaves.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/column_sums.cuh"
#include "cuda/kernels/tensor_core.cuh"
#include "ops/common/op_inputs.h"

// arrays of bf16
typedef struct {
    slt_cuda_view middle, x, w1, w2, c1; // in aux
    slt_cuda_view dmiddle, dy;           // in shared
    int rows, in, wide, out;
} layout;

// room for so many numbers of 16 bits, in floats: a multiple of 64 bytes
static int64_t room_of(int64_t count) { return (count + 31) / 32 * 16; }

static slt_cuda_view take(slt_cuda_view from, int64_t *used, int64_t count) {
    slt_cuda_view view = {from.at ? from.at + *used : NULL, from.stride};
    *used += room_of(count);
    return view;
}

// false: they do not fit
static bool lay_out(const slt_cuda_args *args, layout *l) {
    int64_t aux = 0, shared = 0;
    l->rows = args->in_rows[SLT_MLP_X];
    l->in = args->in_width[SLT_MLP_X];
    l->wide = args->in_width[SLT_MLP_W1];
    l->out = args->out_width[0];
    int64_t rows = l->rows, room = rows * l->wide;
    l->middle = take(args->aux, &aux, room);
    l->x = take(args->aux, &aux, rows * l->in);
    l->w1 = take(args->aux, &aux, (int64_t)l->in * l->wide);
    l->w2 = take(args->aux, &aux, (int64_t)l->wide * l->out);
    l->c1 = take(args->aux, &aux, l->wide);
    l->dmiddle = take(args->shared, &shared, room);
    l->dy = take(args->shared, &shared, rows * l->out);
    return slt_cuda_is_bf16(args->cuda) && l->in % 8 == 0 && l->wide % 8 == 0 && l->out % 8 == 0 &&
           aux <= room && shared <= room;
}

// ---- rounding

enum { ARRAYS = 4 };
typedef struct {
    struct {
        slt_cuda_view from, to;
        unsigned fours;
    } of[ARRAYS];
} rounding;

SLT_DEVICE_INLINE uint2 pairs_of(float4 x) {
    uint2 pairs = {slt_pair(x.x, x.y), slt_pair(x.z, x.w)};
    return pairs;
}

SLT_KERNEL round_arrays(const slt_cuda_args a, const __grid_constant__ rounding r) {
    slt_begin();
    unsigned i = slt_thread();
    for (int k = 0; k < ARRAYS; i -= r.of[k++].fours) {
        if (i >= r.of[k].fours) continue;
        ((uint2 *)slt_at(r.of[k].to))[i] = pairs_of(((const float4 *)slt_at(r.of[k].from))[i]);
        return;
    }
}

static void add_array(rounding *r, int k, slt_cuda_view from, slt_cuda_view to, int64_t count) {
    r->of[k].from = from;
    r->of[k].to = to;
    r->of[k].fours = (unsigned)(count / 4);
}

static void launch_rounding(const slt_cuda_args *args, const rounding *r) {
    int64_t fours = 0;
    for (int k = 0; k < ARRAYS; k++) fours += r->of[k].fours;
    SLT_LAUNCH(args, round_arrays, slt_grid(args, fours, SLT_THREADS), SLT_THREADS, 0, *r);
}

// ---- forward

SLT_DEVICE_INLINE float low(uint32_t pair) { return __uint_as_float(pair << 16); }
SLT_DEVICE_INLINE float high(uint32_t pair) { return __uint_as_float(pair & 0xffff0000u); }

// middle = relu(middle + c1), where the library does not
SLT_KERNEL bias_relu(const slt_cuda_args a, const __grid_constant__ layout l) {
    slt_begin();
    const float *c1 = slt_at(a.in[SLT_MLP_C1]);
    uint2 *middle = (uint2 *)slt_at(l.middle);
    unsigned count = (unsigned)((int64_t)l.rows * l.wide / 4);
    for (unsigned i = slt_thread(); i < count; i += slt_stride()) {
        uint2 h = middle[i];
        float4 c = *(const float4 *)(c1 + i % (unsigned)(l.wide / 4) * 4);
        float4 x = {fmaxf(low(h.x) + c.x, 0), fmaxf(high(h.x) + c.y, 0), fmaxf(low(h.y) + c.z, 0),
                    fmaxf(high(h.y) + c.w, 0)};
        middle[i] = pairs_of(x);
    }
}

bool slt_cuda_mlp_pairs_forward(const slt_cuda_args *args) {
    layout l;
    rounding r;
    if (!lay_out(args, &l)) return false;
    add_array(&r, 0, args->in[SLT_MLP_X], l.x, (int64_t)l.rows * l.in);
    add_array(&r, 1, args->in[SLT_MLP_W1], l.w1, (int64_t)l.in * l.wide);
    add_array(&r, 2, args->in[SLT_MLP_W2], l.w2, (int64_t)l.wide * l.out);
    add_array(&r, 3, args->in[SLT_MLP_C1], l.c1, l.wide);
    launch_rounding(args, &r);
    if (!slt_cuda_fused_pairs(args, l.rows, l.wide, l.in, l.x, l.w1, l.c1, true, true, l.middle)) {
        slt_cuda_gemm_pairs(args, false, false, l.rows, l.wide, l.in, l.x, l.in, l.w1, l.wide,
                            false, l.middle, l.wide, true);
        SLT_LAUNCH(args, bias_relu, slt_grid(args, (int64_t)l.rows * l.wide / 4, SLT_THREADS),
                   SLT_THREADS, 0, l);
    }
    if (slt_cuda_fused_pairs(args, l.rows, l.out, l.wide, l.middle, l.w2, args->in[SLT_MLP_C2],
                             false, false, args->out[0]))
        return true;
    slt_cuda_gemm_pairs(args, false, false, l.rows, l.out, l.wide, l.middle, l.wide, l.w2, l.out,
                        false, args->out[0], l.out, false);
    slt_cuda_bias_activate(args, args->out[0], l.rows, l.out, args->in[SLT_MLP_C2], SLT_LINEAR);
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
        slt_add4(sum, 1, slt_four(low(d.x), high(d.x), low(d.y), high(d.y)));
    }
};

static void middle_gradient(const slt_cuda_args *args, const layout *l) {
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
}

static void weights(const slt_cuda_args *args, const layout *l) {
    slt_cuda_args side = slt_cuda_on_weight_stream(args);
    if (args->in_grad[SLT_MLP_W1].at)
        slt_cuda_gemm_pairs(&side, true, false, l->in, l->wide, l->rows, l->x, l->in, l->dmiddle,
                            l->wide, args->add[SLT_MLP_W1], args->in_grad[SLT_MLP_W1], l->wide,
                            false);
    if (args->in_grad[SLT_MLP_W2].at)
        slt_cuda_gemm_pairs(&side, true, false, l->wide, l->out, l->rows, l->middle, l->wide, l->dy,
                            l->out, args->add[SLT_MLP_W2], args->in_grad[SLT_MLP_W2], l->out,
                            false);
    slt_cuda_bias_gradient(&side, args->out_grad[0], l->rows, l->out, args->in_grad[SLT_MLP_C2],
                           args->add[SLT_MLP_C2]);
}

bool slt_cuda_mlp_pairs_backward(const slt_cuda_args *args) {
    layout l;
    rounding r = {};
    if (!lay_out(args, &l)) return false;
    add_array(&r, 0, args->out_grad[0], l.dy, (int64_t)l.rows * l.out);
    launch_rounding(args, &r);
    middle_gradient(args, &l);
    if (args->in_grad[SLT_MLP_X].at)
        slt_cuda_gemm_pairs(args, false, true, l.rows, l.in, l.wide, l.dmiddle, l.wide, l.w1,
                            l.wide, args->add[SLT_MLP_X], args->in_grad[SLT_MLP_X], l.in, false);
    weights(args, &l);
    return true;
}
