// Mean over true tokens of -log softmax(logits)[target]: a block per trajectory, a warp per row.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"

enum { LOGITS, TARGETS };
enum { THREADS = 128, WARPS = THREADS / SLT_WARP };

// the maximum and the sum of exponentials of a row, by one warp
SLT_DEVICE_INLINE float2 row_sum(const float *x, int width) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    float most = -INFINITY, sum = 0;
    for (int c = lane; c < width; c += SLT_WARP) most = fmaxf(most, x[c]);
    most = slt_warp_most(most);
    for (int c = lane; c < width; c += SLT_WARP) sum += expf(x[c] - most);
    float2 both = {most, slt_warp_sum(sum)};
    return both;
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, width = a.in_width[LOGITS];
    float loss = 0;
    if (b < slt_header(a)->count) {
        slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
        int truth = slt_least(slt_length(a)[b], run.computed);
        for (int l = (int)threadIdx.x / SLT_WARP; l < truth; l += WARPS) {
            int row = run.first + l;
            const float *x = slt_at(a.in[LOGITS]) + (int64_t)row * width;
            float2 s = row_sum(x, width);
            if (threadIdx.x % SLT_WARP == 0)
                loss += logf(s.y) + s.x - x[slt_ints(a.in[TARGETS])[row]];
        }
    }
    loss = slt_block_sum(loss) / (float)slt_header(a)->true_tokens;
    slt_sum_shares(a, slt_at(a.shared), loss, slt_header(a)->count, slt_at(a.out[0]));
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, width = a.in_width[LOGITS], lane = (int)(threadIdx.x % SLT_WARP);
    float *dx = slt_at(a.in_grad[LOGITS]);
    if (!a.add[LOGITS]) slt_clear_tail(dx, slt_count(a, SLT_TOKENS, 0), a.in_rows[LOGITS], width);
    if (b >= slt_header(a)->count) return;
    float scale = *slt_at(a.out_grad[0]) / (float)slt_header(a)->true_tokens;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    for (int l = (int)threadIdx.x / SLT_WARP; l < run.computed; l += WARPS) {
        int row = run.first + l, target = slt_ints(a.in[TARGETS])[row];
        const float *x = slt_at(a.in[LOGITS]) + (int64_t)row * width;
        float2 s = row_sum(x, width);
        bool truth = l < slt_length(a)[b];
        for (int c = lane; c < width; c += SLT_WARP) {
            float d = truth ? scale * (expf(x[c] - s.x) / s.y - (c == target ? 1 : 0)) : 0;
            slt_put(&dx[(int64_t)row * width + c], a.add[LOGITS], d);
        }
    }
}

void slt_cuda_softmax_xent_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_softmax_xent_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
