// y = act(y + c) after a product, and the sum over rows that is the gradient of c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/activation.cuh"
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

struct plain_term {
    slt_cuda_view x;
    int width;
    enum { SUMS = 1, WIDTH = 4 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        slt_add4(sum, 1, slt_load4(slt_at(x) + (int64_t)r * width, c, width));
    }
};

// the tail of a gradient is zero: all rows of the launch may take part
void slt_cuda_bias_gradient(const slt_cuda_args *args, slt_cuda_view x, int rows, int width,
                            slt_cuda_view out, bool add) {
    if (!out.at) return;
    slt_column_sums sums = {SLT_FIXED, rows, width, {out, {NULL, 0}}, {add, false}, 0};
    plain_term term = {x, width};
    slt_launch_sums(args, term, sums);
}
