// y = x + P[l].
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/bf16_rows.cuh"

enum { X, TABLE };

template <class T> SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const T *x = slt_rows_at<T>(a.in[X]);
    const float *p = slt_at(a.in[TABLE]);
    T *y = slt_rows_at<T>(a.out[0]);
    slt_space space = (slt_space)a.n[0];
    int width = a.in_width[X], count = slt_count(a, space, 0);
    for (unsigned i = slt_thread(); i < (unsigned)(count * width); i += slt_stride())
        slt_put(&y[i], false,
                slt_get(&x[i]) +
                    p[slt_token_place_of(a, space, (int)(i / (unsigned)width)).l * width +
                      (int)(i % (unsigned)width)]);
    slt_clear_tail(y, count, a.in_rows[X], width);
}

template <class T> SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const T *dy = slt_rows_at<T>(a.out_grad[0]);
    T *dx = slt_rows_at<T>(a.in_grad[X]);
    unsigned count = (unsigned)(a.in_rows[X] * a.in_width[X]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride())
        slt_put(&dx[i], a.add[X], slt_get(&dy[i]));
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->in_rows[X] * args->in_width[X], SLT_THREADS);
}

void slt_cuda_add_table_forward(const slt_cuda_args *args) {
    if (slt_out_bf16(args, 0))
        SLT_LAUNCH(args, forward<slt_bf16>, grid(args), SLT_THREADS, 0);
    else
        SLT_LAUNCH(args, forward<float>, grid(args), SLT_THREADS, 0);
}
void slt_cuda_add_table_backward(const slt_cuda_args *args) {
    if (slt_out_bf16(args, 0))
        SLT_LAUNCH(args, backward<slt_bf16>, grid(args), SLT_THREADS, 0);
    else
        SLT_LAUNCH(args, backward<float>, grid(args), SLT_THREADS, 0);
}
