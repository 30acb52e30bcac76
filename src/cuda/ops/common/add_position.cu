// y = x + t_l·w + c with t_l = l/(L-1).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/bf16_rows.cuh"
#include "cuda/kernels/column_sums.cuh"
#include "ops/common/op_inputs.h"

SLT_DEVICE_INLINE float position(const slt_cuda_args &a, int row) {
    int l = slt_token_place_of(a, SLT_TOKENS, row).l;
    return a.length > 1 ? (float)l / (float)(a.length - 1) : 0;
}

// four numbers of a row per thread
template <class T> SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const T *x = slt_rows_at<T>(a.in[SLT_POSITION_X]);
    const float *w = slt_at(a.in[SLT_POSITION_W]), *c = slt_at(a.in[SLT_POSITION_C]);
    T *y = slt_rows_at<T>(a.out[0]);
    int width = a.in_width[SLT_POSITION_X], fours = (width + 3) / 4,
        count = slt_count(a, SLT_TOKENS, 0);
    for (unsigned i = slt_thread(); i < (unsigned)(count * fours); i += slt_stride()) {
        int r = (int)(i / (unsigned)fours), k = (int)(i % (unsigned)fours) * 4;
        float4 from = slt_load4(x + (int64_t)r * width, k, width);
        float4 slope = slt_load4(w, k, width), shift = slt_load4(c, k, width);
        float t = position(a, r);
        slt_store4(y + (int64_t)r * width, k, width, false,
                   slt_four(from.x + (t * slope.x + shift.x), from.y + (t * slope.y + shift.y),
                            from.z + (t * slope.z + shift.z), from.w + (t * slope.w + shift.w)));
    }
    slt_clear_tail(y, count, a.in_rows[SLT_POSITION_X], width);
}

// the tail of dy is zero, and so becomes that of dx
template <class T> SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const T *dy = slt_rows_at<T>(a.out_grad[0]);
    T *dx = slt_rows_at<T>(a.in_grad[SLT_POSITION_X]);
    int count = a.in_rows[SLT_POSITION_X] * a.in_width[SLT_POSITION_X]; // as one row
    for (unsigned i = slt_thread(); i < (unsigned)(count + 3) / 4; i += slt_stride())
        slt_store4(dx, 4 * (int)i, count, a.add[SLT_POSITION_X], slt_load4(dy, 4 * (int)i, count));
}

template <class T> struct position_term {
    enum { SUMS = 2, WIDTH = 4 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        int width = a.in_width[SLT_POSITION_X];
        float4 dy = slt_load4(slt_rows_at<T>(a.out_grad[0]) + (int64_t)r * width, c, width);
        slt_add4(sum, position(a, r), dy);
        slt_add4(sum + 4, 1, dy);
    }
};

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->in_rows[SLT_POSITION_X] * args->in_width[SLT_POSITION_X],
                    4 * SLT_THREADS);
}

void slt_cuda_add_position_forward(const slt_cuda_args *args) {
    if (slt_out_bf16(args, 0))
        SLT_LAUNCH(args, forward<slt_bf16>, grid(args), SLT_THREADS, 0);
    else
        SLT_LAUNCH(args, forward<float>, grid(args), SLT_THREADS, 0);
}
void slt_cuda_position_weights(const slt_cuda_args *args) {
    if (!args->in_grad[SLT_POSITION_W].at && !args->in_grad[SLT_POSITION_C].at) return;
    slt_column_sums sums = {SLT_TOKENS,
                            args->in_rows[SLT_POSITION_X],
                            args->in_width[SLT_POSITION_X],
                            {args->in_grad[SLT_POSITION_W], args->in_grad[SLT_POSITION_C]},
                            {args->add[SLT_POSITION_W], args->add[SLT_POSITION_C]},
                            0};
    // sums of norms come after it, and would wait for it on their stream
    slt_cuda_args side = slt_cuda_on_slot_stream(args);
    if (slt_out_bf16(args, 0))
        slt_launch_sums(&side, position_term<slt_bf16>(), sums);
    else
        slt_launch_sums(&side, position_term<float>(), sums);
}

void slt_cuda_add_position_backward(const slt_cuda_args *args) {
    if (args->in_grad[SLT_POSITION_X].at && slt_out_bf16(args, 0))
        SLT_LAUNCH(args, backward<slt_bf16>, grid(args), SLT_THREADS, 0);
    else if (args->in_grad[SLT_POSITION_X].at)
        SLT_LAUNCH(args, backward<float>, grid(args), SLT_THREADS, 0);
    slt_cuda_position_weights(args);
}
