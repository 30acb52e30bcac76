// What ends say beyond their action: a block per action finds the mean of its ends, then a block
// per 256 steps adds up their divergences. Equations are those of ops/mdl/exception_cost.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"

enum { ENDS, ACTIONS };
enum { SYMBOLS };
#define LEAST 1e-6f

SLT_DEVICE_INLINE float bounded(float b) {
    b = b < LEAST ? LEAST : b;
    return b > 1 - LEAST ? 1 - LEAST : b;
}
// is the end of this step not given?
SLT_DEVICE_INLINE bool is_inner(const slt_cuda_args &a, int row) {
    slt_token_place spot = slt_token_place_of(a, SLT_TOKENS, row);
    return spot.l < slt_length(a)[spot.b] - 1;
}

// q of action blockIdx.x, at the head of the scratch
SLT_KERNEL mean_ends(const slt_cuda_args a) {
    slt_begin();
    int action = (int)blockIdx.x, count = slt_count(a, SLT_TOKENS, 0);
    const int32_t *actions = slt_ints(a.in[ACTIONS]);
    float sum = 0, seen = 0;
    for (int row = (int)threadIdx.x; row < count; row += (int)blockDim.x) {
        if (actions[row] != action || !is_inner(a, row)) continue;
        sum += slt_at(a.in[ENDS])[row];
        seen += 1;
    }
    sum = slt_block_sum(sum);
    seen = slt_block_sum(seen);
    if (threadIdx.x == 0) slt_at(a.shared)[action] = bounded(seen > 0 ? sum / seen : LEAST);
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int row = (int)slt_thread();
    const float *q = slt_at(a.shared);
    float cost = 0;
    if (row < slt_count(a, SLT_TOKENS, 0) && is_inner(a, row)) {
        float b = bounded(slt_at(a.in[ENDS])[row]), mean = q[slt_ints(a.in[ACTIONS])[row]];
        cost = b * (logf(b) - logf(mean)) + (1 - b) * (logf(1 - b) - logf(1 - mean));
    }
    cost = slt_block_sum(cost) / (float)slt_header(a)->true_tokens;
    slt_sum_many_shares(a, slt_at(a.shared) + a.n[SYMBOLS], cost, (int)gridDim.x, slt_at(a.out[0]));
}

SLT_DEVICE_INLINE float odds(float b) { return logf(b) - logf(1 - b); }

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int row = (int)slt_thread(), count = slt_count(a, SLT_TOKENS, 0);
    float *d = slt_at(a.in_grad[ENDS]), slope = 0;
    if (!a.add[ENDS]) slt_clear_tail(d, count, a.in_rows[ENDS], 1);
    if (row >= count) return;
    if (is_inner(a, row))
        slope = odds(bounded(slt_at(a.in[ENDS])[row])) -
                odds(slt_at(a.shared)[slt_ints(a.in[ACTIONS])[row]]);
    slt_put(&d[row], a.add[ENDS],
            *slt_at(a.out_grad[0]) / (float)slt_header(a)->true_tokens * slope);
}

static void find_means(const slt_cuda_args *args) {
    SLT_LAUNCH(args, mean_ends, slt_grid(args, args->n[SYMBOLS], 1), SLT_THREADS, 0);
}

void slt_cuda_exception_cost_forward(const slt_cuda_args *args) {
    find_means(args);
    SLT_LAUNCH(args, forward, slt_grid(args, args->in_rows[ENDS], SLT_THREADS), SLT_THREADS, 0);
}
void slt_cuda_exception_cost_backward(const slt_cuda_args *args) {
    find_means(args);
    SLT_LAUNCH(args, backward, slt_grid(args, args->in_rows[ENDS], SLT_THREADS), SLT_THREADS, 0);
}
