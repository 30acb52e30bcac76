// y = x + P[l].
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { X, TABLE };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const float *x = slt_at(a.in[X]), *p = slt_at(a.in[TABLE]);
    float *y = slt_at(a.out[0]);
    slt_space space = (slt_space)a.n[0];
    int width = a.in_width[X], count = slt_count(a, space, 0);
    for (unsigned i = slt_thread(); i < (unsigned)(count * width); i += slt_stride())
        y[i] = x[i] + p[slt_token_place_of(a, space, (int)(i / (unsigned)width)).l * width +
                        (int)(i % (unsigned)width)];
    slt_clear_tail(y, count, a.in_rows[X], width);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const float *dy = slt_at(a.out_grad[0]);
    float *dx = slt_at(a.in_grad[X]);
    unsigned count = (unsigned)(a.in_rows[X] * a.in_width[X]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride()) slt_put(&dx[i], a.add[X], dy[i]);
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->in_rows[X] * args->in_width[X], SLT_THREADS);
}

void slt_cuda_add_table_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), SLT_THREADS, 0);
}
void slt_cuda_add_table_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, grid(args), SLT_THREADS, 0);
}
