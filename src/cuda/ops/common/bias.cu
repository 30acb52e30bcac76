// y = act(y + c) after a product, and the sum over rows that is the gradient of c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/activation.cuh"
#include "cuda/kernels/bf16_rows.cuh"
#include "cuda/kernels/column_sums.cuh"

SLT_KERNEL bias_activate(const slt_cuda_args a, slt_cuda_view y_view, slt_cuda_view c_view,
                         unsigned count, unsigned width, int activation) {
    slt_begin();
    float *y = slt_at(y_view);
    const float *c = slt_at(c_view);
    for (unsigned i = slt_thread(); i < count; i += slt_stride())
        y[i] = slt_activated(c ? y[i] + c[i % width] : y[i], activation);
}

// the same, four numbers at a time
SLT_KERNEL bias_activate_fours(const slt_cuda_args a, slt_cuda_view y_view, slt_cuda_view c_view,
                               unsigned count, unsigned width, int activation) {
    slt_begin();
    float4 *y = (float4 *)slt_at(y_view);
    const float4 *c = (const float4 *)slt_at(c_view), none = {0, 0, 0, 0};
    for (unsigned i = slt_thread(); i < count / 4; i += slt_stride()) {
        float4 x = y[i], add = c ? c[i % (width / 4)] : none;
        x.x = slt_activated(x.x + add.x, activation);
        x.y = slt_activated(x.y + add.y, activation);
        x.z = slt_activated(x.z + add.z, activation);
        x.w = slt_activated(x.w + add.w, activation);
        y[i] = x;
    }
}

// rows of a multiple of four numbers begin at multiples of 16 bytes: blocks are aligned to 64
void slt_cuda_bias_activate(const slt_cuda_args *args, slt_cuda_view y, int rows, int width,
                            slt_cuda_view c, int activation) {
    if (!c.at && activation == SLT_LINEAR) return;
    unsigned count = (unsigned)rows * (unsigned)width;
    if (width % 4 == 0)
        SLT_LAUNCH(args, bias_activate_fours, slt_grid(args, count / 4, SLT_THREADS), SLT_THREADS,
                   0, y, c, count, (unsigned)width, activation);
    else
        SLT_LAUNCH(args, bias_activate, slt_grid(args, count, SLT_THREADS), SLT_THREADS, 0, y, c,
                   count, (unsigned)width, activation);
}

// rows in bf16, four numbers at a time
SLT_KERNEL bias_pairs(const slt_cuda_args a, slt_cuda_view y_view, slt_cuda_view c_view,
                      unsigned fours, unsigned width, bool relu) {
    slt_begin();
    uint2 *y = (uint2 *)slt_at(y_view);
    const float *c = slt_at(c_view);
    for (unsigned i = slt_thread(); i < fours; i += slt_stride()) {
        float4 x = slt_four_of(y[i]), add = *(const float4 *)(c + i % (width / 4) * 4);
        x = slt_four(x.x + add.x, x.y + add.y, x.z + add.z, x.w + add.w);
        if (relu) x = slt_four(fmaxf(x.x, 0), fmaxf(x.y, 0), fmaxf(x.z, 0), fmaxf(x.w, 0));
        y[i] = slt_pairs_of(x);
    }
}

void slt_cuda_bias_pairs(const slt_cuda_args *args, slt_cuda_view y, int rows, int width,
                         slt_cuda_view c, bool relu) {
    unsigned fours = (unsigned)((int64_t)rows * width / 4);
    if (c.at)
        SLT_LAUNCH(args, bias_pairs, slt_grid(args, fours, SLT_THREADS), SLT_THREADS, 0, y, c,
                   fours, (unsigned)width, relu);
}

template <class T> struct plain_term {
    slt_cuda_view x;
    int width;
    enum { SUMS = 1, WIDTH = 4 };
    __device__ void add(const slt_cuda_args &, int r, int c, float *sum) const {
        slt_add4(sum, 1, slt_load4(slt_rows_at<T>(x) + (int64_t)r * width, c, width));
    }
};

// the tail of a gradient is zero: all rows of the launch may take part
template <class T>
static void gradient(const slt_cuda_args *args, slt_cuda_view x, int rows, int width,
                     slt_cuda_view out, bool add) {
    if (!out.at) return;
    slt_column_sums sums = {SLT_FIXED, rows, width, {out, {NULL, 0}}, {add, false}, 0};
    plain_term<T> term = {x, width};
    slt_launch_sums(args, term, sums);
}
void slt_cuda_bias_gradient(const slt_cuda_args *args, slt_cuda_view x, int rows, int width,
                            slt_cuda_view out, bool add) {
    gradient<float>(args, x, rows, width, out, add);
}
void slt_cuda_bias_gradient_pairs(const slt_cuda_args *args, slt_cuda_view x, int rows, int width,
                                  slt_cuda_view out, bool add) {
    gradient<slt_bf16>(args, x, rows, width, out, add);
}
