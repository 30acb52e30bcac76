// y = a + b.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const float *x = slt_at(a.in[0]), *z = slt_at(a.in[1]);
    float *y = slt_at(a.out[0]);
    unsigned count = (unsigned)(a.in_rows[0] * a.in_width[0]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride()) y[i] = x[i] + z[i];
}

// both inputs may be the same: one thread writes both, in order
SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const float *dy = slt_at(a.out_grad[0]);
    unsigned count = (unsigned)(a.in_rows[0] * a.in_width[0]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride())
        for (int k = 0; k < 2; k++)
            if (a.in_grad[k].at) slt_put(&slt_at(a.in_grad[k])[i], a.add[k], dy[i]);
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->in_rows[0] * args->in_width[0], SLT_THREADS);
}

void slt_cuda_add_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), SLT_THREADS, 0);
}
void slt_cuda_add_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, grid(args), SLT_THREADS, 0);
}
