// y = relu(x + table[id]).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernel.cuh"

enum { IDS, TABLE, X };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const int32_t *ids = slt_ints(a.in[IDS]);
    const float *table = slt_at(a.in[TABLE]), *x = slt_at(a.in[X]);
    float *y = slt_at(a.out[0]);
    int width = a.out_width[0], count = slt_count(a, a.in_space[IDS], a.in_rows[IDS]);
    for (unsigned i = slt_thread(); i < (unsigned)(count * width); i += slt_stride()) {
        float entry = table[(int64_t)ids[i / (unsigned)width] * width + i % (unsigned)width];
        float sum = x ? x[i] + entry : entry;
        y[i] = sum > 0 ? sum : 0;
    }
    slt_clear_tail(y, count, a.in_rows[IDS], width);
}

// dy∘[y>0] into shared, and on to x; zero in the tail as dy is
SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const float *dy = slt_at(a.out_grad[0]), *y = slt_at(a.out[0]);
    float *before = slt_at(a.shared), *dx = slt_at(a.in_grad[X]);
    unsigned count = (unsigned)(a.out_rows[0] * a.out_width[0]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride()) {
        float d = y[i] > 0 ? dy[i] : 0;
        before[i] = d;
        if (dx) slt_put(&dx[i], a.add[X], d);
    }
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->out_rows[0] * args->out_width[0], SLT_THREADS);
}

void slt_cuda_join_tokens_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), SLT_THREADS, 0);
}
void slt_cuda_join_tokens_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, grid(args), SLT_THREADS, 0);
    if (args->in_grad[TABLE].at)
        slt_cuda_table_gradient(args, args->shared, args->in[IDS], args->in_space[IDS],
                                args->in_rows[IDS], args->out_width[0], args->in_grad[TABLE],
                                args->add[TABLE], args->in_rows[TABLE]);
}
