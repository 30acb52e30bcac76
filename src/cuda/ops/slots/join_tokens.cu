// y = relu(x + table[id]).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/bf16_rows.cuh"
#include "ops/common/op_inputs.h"

SLT_DEVICE_INLINE float relu(float x) { return x > 0 ? x : 0; }

// four numbers of a row per thread
template <class T> SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const int32_t *ids = slt_ints(a.in[SLT_JOIN_IDS]);
    const float *table = slt_at(a.in[SLT_JOIN_TABLE]);
    const T *x = slt_rows_at<T>(a.in[SLT_JOIN_X]);
    T *y = slt_rows_at<T>(a.out[0]);
    int width = a.out_width[0], fours = (width + 3) / 4;
    int count = slt_count(a, a.in_space[SLT_JOIN_IDS], a.in_rows[SLT_JOIN_IDS]);
    for (unsigned i = slt_thread(); i < (unsigned)(count * fours); i += slt_stride()) {
        int r = (int)(i / (unsigned)fours), k = (int)(i % (unsigned)fours) * 4;
        float4 z = {0, 0, 0, 0}, entry = slt_load4(table + (int64_t)ids[r] * width, k, width);
        if (x) z = slt_load4(x + (int64_t)r * width, k, width);
        slt_store4(y + (int64_t)r * width, k, width, false,
                   slt_four(relu(z.x + entry.x), relu(z.y + entry.y), relu(z.z + entry.z),
                            relu(z.w + entry.w)));
    }
    slt_clear_tail(y, count, a.in_rows[SLT_JOIN_IDS], width);
}

// dy∘[y>0] into shared, and on to x; zero in the tail as dy is. All rows are one
template <class T> SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const T *dy = slt_rows_at<T>(a.out_grad[0]), *y = slt_rows_at<T>(a.out[0]);
    float *before = slt_at(a.shared);
    T *dx = slt_rows_at<T>(a.in_grad[SLT_JOIN_X]);
    int count = a.out_rows[0] * a.out_width[0];
    for (unsigned i = slt_thread(); i < (unsigned)(count + 3) / 4; i += slt_stride()) {
        int k = 4 * (int)i;
        float4 d = slt_load4(dy, k, count), h = slt_load4(y, k, count);
        d = slt_four(h.x > 0 ? d.x : 0, h.y > 0 ? d.y : 0, h.z > 0 ? d.z : 0, h.w > 0 ? d.w : 0);
        slt_store4(before, k, count, false, d);
        if (dx) slt_store4(dx, k, count, a.add[SLT_JOIN_X], d);
    }
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->out_rows[0] * args->out_width[0], 4 * SLT_THREADS);
}

void slt_cuda_join_tokens_forward(const slt_cuda_args *args) {
    if (slt_out_bf16(args, 0))
        SLT_LAUNCH(args, forward<slt_bf16>, grid(args), SLT_THREADS, 0);
    else
        SLT_LAUNCH(args, forward<float>, grid(args), SLT_THREADS, 0);
}
// on the side, though a node may wait for it (cuda_tape.c): the chain continues with x. Of one
// member the end of a step waits for it: not after other sums
void slt_cuda_join_weights(const slt_cuda_args *args) {
    if (!args->in_grad[SLT_JOIN_TABLE].at) return;
    slt_cuda_args side =
        args->members > 1 ? slt_cuda_on_sum_stream(args) : slt_cuda_on_weight_stream(args);
    slt_cuda_table_gradient(&side, args->shared, args->in[SLT_JOIN_IDS],
                            args->in_space[SLT_JOIN_IDS], args->in_rows[SLT_JOIN_IDS],
                            args->out_width[0], args->in_grad[SLT_JOIN_TABLE],
                            args->add[SLT_JOIN_TABLE], args->in_rows[SLT_JOIN_TABLE]);
}

void slt_cuda_join_tokens_backward(const slt_cuda_args *args) {
    if (slt_out_bf16(args, 0))
        SLT_LAUNCH(args, backward<slt_bf16>, grid(args), SLT_THREADS, 0);
    else
        SLT_LAUNCH(args, backward<float>, grid(args), SLT_THREADS, 0);
    slt_cuda_join_weights(args);
}
