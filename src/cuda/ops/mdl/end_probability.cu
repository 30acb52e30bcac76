// b_l = σ(x_l) inside [ε, 1-ε], 1-ε from the last true step on, rounded where the step says so: a
// thread per step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

#define EPSILON 1e-6f

SLT_DEVICE_INLINE bool is_rounded(const slt_cuda_args &a) {
    return slt_header(a)->weight[a.n[0]] != 0;
}
// is the end of this step not given?
SLT_DEVICE_INLINE bool is_inner(const slt_cuda_args &a, int row) {
    slt_token_place spot = slt_token_place_of(a, SLT_TOKENS, row);
    return spot.l < slt_length(a)[spot.b] - 1;
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int count = slt_count(a, SLT_TOKENS, 0), row = (int)slt_thread();
    float *y = slt_at(a.out[0]);
    slt_clear_tail(y, count, a.out_rows[0], 1);
    if (row >= count) return;
    float x = slt_at(a.in[0])[row], b = 1;
    if (is_inner(a, row)) b = is_rounded(a) ? (x > 0 ? 1 : 0) : slt_sigmoid(x);
    b = b < EPSILON ? EPSILON : b;
    y[row] = b > 1 - EPSILON ? 1 - EPSILON : b;
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int count = slt_count(a, SLT_TOKENS, 0), row = (int)slt_thread();
    float *dx = slt_at(a.in_grad[0]);
    if (!a.add[0]) slt_clear_tail(dx, count, a.in_rows[0], 1);
    if (row >= count) return;
    float y = slt_at(a.out[0])[row], dy = slt_at(a.out_grad[0])[row];
    bool free = is_inner(a, row) && !is_rounded(a) && y > EPSILON && y < 1 - EPSILON;
    slt_put(&dx[row], a.add[0], free ? dy * y * (1 - y) : 0);
}

void slt_cuda_end_probability_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->out_rows[0], SLT_THREADS), SLT_THREADS, 0);
}
void slt_cuda_end_probability_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->in_rows[0], SLT_THREADS), SLT_THREADS, 0);
}
