// Arrays of numbers in bf16 in the memory of a node, two in a float's place, and how they get
// there.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_PAIRS_CUH
#define SLT_CUDA_PAIRS_CUH

#include "cuda/kernels/bf16_rows.cuh"
#include "cuda/kernels/column_sums.cuh"

// the next so many numbers of 16 bits of a view, of which so many floats are used; each array
// begins at a multiple of 64 bytes
static inline slt_cuda_view slt_take_pairs(slt_cuda_view from, int64_t *used, int64_t count) {
    slt_cuda_view view = {from.at ? from.at + *used : NULL, from.stride};
    *used += (count + 31) / 32 * 16;
    return view;
}

// rows from which rounding them costs less than it saves
#ifdef SLT_EMULATED
enum { SLT_PAIRS_MANY = 16 };
#else
enum { SLT_PAIRS_MANY = 4096 };
#endif

// ---- rounding of some arrays in one launch; their sizes are multiples of four

enum { SLT_ROUNDED = 4 };
typedef struct {
    struct {
        slt_cuda_view from, to;
        unsigned fours;
    } of[SLT_ROUNDED];
} slt_rounding;

static __global__ void slt_round_arrays(const slt_cuda_args a,
                                        const __grid_constant__ slt_rounding r) {
    slt_begin();
    unsigned i = slt_thread();
    for (int k = 0; k < SLT_ROUNDED; i -= r.of[k++].fours) {
        if (i >= r.of[k].fours) continue;
        ((uint2 *)slt_at(r.of[k].to))[i] = slt_pairs_of(((const float4 *)slt_at(r.of[k].from))[i]);
        return;
    }
}

// rows or weights of a node as a factor: where they are in bf16 already, or rounded to the next
// room of `from` by a launch that is still to come
static inline slt_cuda_view slt_factor(const slt_cuda_args *args, slt_rounding *r, int k,
                                       slt_cuda_view x, bool bf16, int64_t count,
                                       slt_cuda_view from, int64_t *used) {
    slt_cuda_view rounded = slt_rounded_weights(args, x);
    if (bf16) return x;
    if (rounded.at) return rounded;
    r->of[k].from = x;
    r->of[k].to = slt_take_pairs(from, used, count);
    r->of[k].fours = (unsigned)(count / 4);
    return r->of[k].to;
}

static inline void slt_launch_rounding(const slt_cuda_args *args, const slt_rounding *r) {
    int64_t fours = 0;
    for (int k = 0; k < SLT_ROUNDED; k++) fours += r->of[k].fours;
    if (fours)
        SLT_LAUNCH(args, slt_round_arrays, slt_grid(args, fours, SLT_THREADS), SLT_THREADS, 0, *r);
}

// ---- the gradient of a product's input: dy (rows,out)·Wᵀ, on top of what is there or elsewhere

static inline void slt_input_gradient(const slt_cuda_args *args, int rows, int in, int out,
                                      slt_cuda_view dy, slt_cuda_view w, bool pairs) {
    slt_cuda_view dx = args->in_grad[0], from = args->from;
    if (from.at && slt_cuda_fused_residual(args, rows, in, out, dy, w, from, dx)) return;
    for (int m = 0; from.at && m < args->members; m++)
        cudaMemcpyAsync(dx.at + m * dx.stride, from.at + m * from.stride,
                        (size_t)rows * (size_t)in * sizeof(uint16_t), cudaMemcpyDeviceToDevice,
                        (cudaStream_t)args->stream);
    slt_cuda_gemm_pairs(args, false, true, rows, in, out, dy, out, w, out, args->add[0], dx, in,
                        pairs);
}

// ---- rows of a gradient, and their sum on the way

struct slt_round_term {
    slt_cuda_view from, to;
    int width;
    enum { SUMS = 1, WIDTH = 4 };
    __device__ void add(const slt_cuda_args &, int r, int c, float *sum) const {
        int64_t at = ((int64_t)r * width + c) / 4;
        float4 x = ((const float4 *)slt_at(from))[at];
        ((uint2 *)slt_at(to))[at] = slt_pairs_of(x);
        slt_add4(sum, 1, x);
    }
};

// the tail of a gradient is zero: all rows of the launch may take part
static inline void slt_round_gradient(const slt_cuda_args *args, slt_cuda_view from,
                                      slt_cuda_view to, int rows, int width, slt_cuda_view sum,
                                      bool add) {
    slt_column_sums sums = {SLT_FIXED, rows, width, {sum, {NULL, 0}}, {add, false}, 0};
    slt_round_term term = {from, to, width};
    slt_launch_sums(args, term, sums);
}

#endif
