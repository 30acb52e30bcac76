// Which slot tokens are worth decoding: a warp per trajectory counts its rows, then a second launch
// adds the counts of those before and writes the list, in the order of slots, then steps. The
// number of rows stays on the device, at the head of the frame.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { LIST, RANGE };

SLT_DEVICE_INLINE bool is_live(const slt_cuda_args &a, int64_t at) {
    return !(slt_at(a.in[0])[at] < (float)a.x[0]);
}

SLT_KERNEL count_rows(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, K = a.slots, lane = (int)threadIdx.x;
    float sum = 0;
    if (b < slt_header(a)->count) {
        slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
        int truth = slt_least(slt_length(a)[b], run.computed);
        for (int i = lane; i < truth * K; i += SLT_WARP)
            sum += is_live(a, (int64_t)run.first * K + i) ? 1 : 0;
    }
    sum = slt_warp_sum(sum);
    if (lane == 0) slt_at(a.out[RANGE])[2 * b + 1] = sum;
}

// the rows of slot k; gives the place after them
SLT_DEVICE_INLINE int list_slot(const slt_cuda_args &a, const slt_device_span &run, int k,
                                int place) {
    int truth = slt_least(slt_length(a)[run.b], run.computed), lane = (int)threadIdx.x;
    float *list = slt_at(a.out[LIST]);
    for (int first = 0; first < truth; first += SLT_WARP) {
        int token = run.first + first + lane;
        bool live = first + lane < truth && is_live(a, (int64_t)token * a.slots + k);
        float upto = slt_warp_scan(live ? 1 : 0);
        int row = place + (int)upto - 1;
        if (live) {
            list[2 * (int64_t)row] = (float)token;
            list[2 * (int64_t)row + 1] = (float)k;
        }
        place += (int)slt_warp_lane(upto, SLT_WARP - 1);
    }
    return place;
}

SLT_KERNEL list_rows(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, count = slt_header(a)->count, lane = (int)threadIdx.x;
    float *range = slt_at(a.out[RANGE]), before = 0, all = 0;
    for (int i = lane; i < count; i += SLT_WARP) {
        all += range[2 * i + 1];
        if (i < b) before += range[2 * i + 1];
    }
    before = slt_warp_sum(before);
    all = slt_warp_sum(all);
    slt_clear_tail(slt_at(a.out[LIST]), (int)all, a.out_rows[LIST], 2);
    if (lane == 0) range[2 * b] = before;
    if (lane == 0 && b == 0) ((slt_cuda_frame_header *)slt_header(a))->live = (int)all;
    if (b >= count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    int place = (int)before;
    for (int k = 0; k < a.slots; k++) place = list_slot(a, run, k, place);
}

void slt_cuda_live_rows_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, count_rows, slt_grid(args, args->trajectories, 1), SLT_WARP, 0);
    SLT_LAUNCH(args, list_rows, slt_grid(args, args->trajectories, 1), SLT_WARP, 0);
}
void slt_cuda_live_rows_backward(const slt_cuda_args *args) { (void)args; }
