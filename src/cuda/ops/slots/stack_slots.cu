// out = stack with slot k replaced by x: a thread per number of the stack.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { X, STACK };
enum { SLOT, TOKENS };

// row of x that belongs to a row of the stack; -1: of another slot
SLT_DEVICE_INLINE int row_of(const slt_cuda_args &a, int row) {
    if (!a.n[TOKENS]) return row % a.slots == a.n[SLOT] ? row / a.slots : -1;
    slt_token_place spot = slt_token_place_of(a, SLT_SLOT_TOKENS, row);
    return spot.k == a.n[SLOT] ? slt_offset(a)[spot.b] + spot.l : -1;
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const float *x = slt_at(a.in[X]), *stack = slt_at(a.in[STACK]);
    float *out = slt_at(a.out[0]);
    int width = a.out_width[0], count = slt_count(a, a.out_space[0], 0);
    for (unsigned i = slt_thread(); i < (unsigned)(count * width); i += slt_stride()) {
        int row = row_of(a, (int)(i / (unsigned)width));
        out[i] = row >= 0 ? x[(int64_t)row * width + i % (unsigned)width] : stack ? stack[i] : 0;
    }
    slt_clear_tail(out, count, a.out_rows[0], width);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const float *dout = slt_at(a.out_grad[0]);
    float *dx = slt_at(a.in_grad[X]), *dstack = slt_at(a.in_grad[STACK]);
    int width = a.out_width[0], count = slt_count(a, a.out_space[0], 0);
    for (unsigned i = slt_thread(); i < (unsigned)(count * width); i += slt_stride()) {
        int row = row_of(a, (int)(i / (unsigned)width));
        if (dx && row >= 0)
            slt_put(&dx[(int64_t)row * width + i % (unsigned)width], a.add[X], dout[i]);
        if (dstack) slt_put(&dstack[i], a.add[STACK], row >= 0 ? 0 : dout[i]);
    }
    if (dx && !a.add[X]) slt_clear_tail(dx, slt_count(a, a.in_space[X], 0), a.in_rows[X], width);
    if (dstack && !a.add[STACK]) slt_clear_tail(dstack, count, a.out_rows[0], width);
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->out_rows[0] * args->out_width[0], SLT_THREADS);
}

void slt_cuda_stack_slots_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), SLT_THREADS, 0);
}
void slt_cuda_stack_slots_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, grid(args), SLT_THREADS, 0);
}
