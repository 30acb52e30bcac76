// y = act(x).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/activation.cuh"

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const float *x = slt_at(a.in[0]);
    float *y = slt_at(a.out[0]);
    unsigned count = (unsigned)(a.in_rows[0] * a.in_width[0]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride())
        y[i] = slt_activated(x[i], a.n[0]);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const float *dy = slt_at(a.out_grad[0]), *y = slt_at(a.out[0]);
    float *dx = slt_at(a.in_grad[0]);
    unsigned count = (unsigned)(a.in_rows[0] * a.in_width[0]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride())
        slt_put(&dx[i], a.add[0], slt_activation_slope(dy[i], y[i], a.n[0]));
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->in_rows[0] * args->in_width[0], SLT_THREADS);
}

void slt_cuda_activate_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), SLT_THREADS, 0);
}
void slt_cuda_activate_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, grid(args), SLT_THREADS, 0);
}
