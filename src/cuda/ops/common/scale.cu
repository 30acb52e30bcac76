// y = s·x with one number s: a thread per number.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { X, S };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const float *x = slt_at(a.in[X]);
    float *y = slt_at(a.out[0]), s = *slt_at(a.in[S]);
    unsigned count = (unsigned)(a.in_rows[X] * a.in_width[X]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride()) y[i] = s * x[i];
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const float *dy = slt_at(a.out_grad[0]);
    float *dx = slt_at(a.in_grad[X]), s = *slt_at(a.in[S]);
    unsigned count = (unsigned)(a.in_rows[X] * a.in_width[X]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride())
        slt_put(&dx[i], a.add[X], s * dy[i]);
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->in_rows[X] * args->in_width[X], SLT_THREADS);
}

void slt_cuda_scale_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), SLT_THREADS, 0);
}
void slt_cuda_scale_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, grid(args), SLT_THREADS, 0);
}
