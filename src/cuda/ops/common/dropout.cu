// y = x·m/(1-p), with the m of the CPU: a thread per number.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/bf16_rows.cuh"
#include "ops/common/dropout.h"

// number i of the variable is kept, and scaled up, or dropped
SLT_DEVICE_INLINE float factor_of(const slt_cuda_args &a, unsigned i) {
    const slt_cuda_frame_header *head = slt_header(a);
    slt_space space = (slt_space)a.n[SLT_DROPOUT_SPACE];
    int width = a.in_width[0], c = (int)(i % (unsigned)width);
    slt_token_place at = slt_token_place_of(a, space, (int)(i / (unsigned)width));
    int b = slt_frame_array(a, a.frames.index)[at.b];
    return slt_dropout_factor(head->seed, head->step, head->dropout, a.n[SLT_DROPOUT_PLACE],
                              slt_dropout_row(b, a.slots, at.k, a.length, at.l), width, c);
}

template <class T> SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const T *x = slt_rows_at<T>(a.in[0]);
    T *y = slt_rows_at<T>(a.out[0]);
    int width = a.in_width[0], count = slt_count(a, (slt_space)a.n[SLT_DROPOUT_SPACE], 0);
    for (unsigned i = slt_thread(); i < (unsigned)(count * width); i += slt_stride())
        slt_put(&y[i], false, factor_of(a, i) * slt_get(&x[i]));
    slt_clear_tail(y, count, a.in_rows[0], width);
}

template <class T> SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const T *dy = slt_rows_at<T>(a.out_grad[0]);
    T *dx = slt_rows_at<T>(a.in_grad[0]);
    int width = a.in_width[0], count = slt_count(a, (slt_space)a.n[SLT_DROPOUT_SPACE], 0);
    for (unsigned i = slt_thread(); i < (unsigned)(count * width); i += slt_stride())
        slt_put(&dx[i], a.add[0], factor_of(a, i) * slt_get(&dy[i]));
    if (!a.add[0]) slt_clear_tail(dx, count, a.in_rows[0], width);
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->in_rows[0] * args->in_width[0], SLT_THREADS);
}

void slt_cuda_dropout_forward(const slt_cuda_args *args) {
    if (slt_out_bf16(args, 0))
        SLT_LAUNCH(args, forward<slt_bf16>, grid(args), SLT_THREADS, 0);
    else
        SLT_LAUNCH(args, forward<float>, grid(args), SLT_THREADS, 0);
}
void slt_cuda_dropout_backward(const slt_cuda_args *args) {
    if (slt_out_bf16(args, 0))
        SLT_LAUNCH(args, backward<slt_bf16>, grid(args), SLT_THREADS, 0);
    else
        SLT_LAUNCH(args, backward<float>, grid(args), SLT_THREADS, 0);
}
