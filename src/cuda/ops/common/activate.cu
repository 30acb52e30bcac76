// y = act(x).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/activation.cuh"
#include "cuda/kernels/bf16_rows.cuh"

template <class T> SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const T *x = slt_rows_at<T>(a.in[0]);
    T *y = slt_rows_at<T>(a.out[0]);
    unsigned count = (unsigned)(a.in_rows[0] * a.in_width[0]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride())
        slt_put(&y[i], false, slt_activated(slt_get(&x[i]), a.n[0]));
}

template <class T> SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const T *dy = slt_rows_at<T>(a.out_grad[0]), *y = slt_rows_at<T>(a.out[0]);
    T *dx = slt_rows_at<T>(a.in_grad[0]);
    unsigned count = (unsigned)(a.in_rows[0] * a.in_width[0]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride())
        slt_put(&dx[i], a.add[0], slt_activation_slope(slt_get(&dy[i]), slt_get(&y[i]), a.n[0]));
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->in_rows[0] * args->in_width[0], SLT_THREADS);
}

void slt_cuda_activate_forward(const slt_cuda_args *args) {
    if (slt_out_bf16(args, 0))
        SLT_LAUNCH(args, forward<slt_bf16>, grid(args), SLT_THREADS, 0);
    else
        SLT_LAUNCH(args, forward<float>, grid(args), SLT_THREADS, 0);
}
void slt_cuda_activate_backward(const slt_cuda_args *args) {
    if (slt_out_bf16(args, 0))
        SLT_LAUNCH(args, backward<slt_bf16>, grid(args), SLT_THREADS, 0);
    else
        SLT_LAUNCH(args, backward<float>, grid(args), SLT_THREADS, 0);
}
