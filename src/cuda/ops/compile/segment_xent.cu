// Cross-entropy of the segments' own reconstructions, weighted with their shares: a block per
// sequence, a thread per position. Equations are those of ops/compile/segment_xent.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"
#include "cuda/kernels/relaxed.cuh"

enum { LOGITS, SHARE, TARGETS, COUNTS };
enum { INCLUDE };
enum { THREADS = 64 };

// maximum and sum of exponentials of a row, by one thread
SLT_DEVICE_INLINE slt_partition row_partition(const float *x, int width) {
    slt_partition p = {x[0], 0};
    for (int c = 1; c < width; c++) p.most = fmaxf(p.most, x[c]);
    for (int c = 0; c < width; c++) p.sum += expf(x[c] - p.most);
    return p;
}
SLT_DEVICE_INLINE float row_loss(slt_partition p, float hit) { return logf(p.sum) + p.most - hit; }

// positions of a sequence that count: none where the gate is shut
SLT_DEVICE_INLINE int counted(const slt_cuda_args &a, const slt_device_span &run) {
    if (!slt_gate(slt_ints(a.in[COUNTS]), run.b * a.slots + run.k, a.slots)) return 0;
    return slt_stretch_end(a, run, a.n[INCLUDE]) - 1;
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int sequences = slt_count(a, SLT_SLOTS, 0), width = a.in_width[LOGITS];
    float loss = 0;
    if ((int)blockIdx.x < sequences) {
        slt_device_span run = slt_span_of(a, SLT_SLOT_TOKENS, (int)blockIdx.x);
        const int32_t *targets = slt_ints(a.in[TARGETS]) + slt_offset(a)[run.b];
        int end = counted(a, run);
        for (int l = (int)threadIdx.x; l < end; l += THREADS) {
            const float *x = slt_at(a.in[LOGITS]) + (int64_t)(run.first + l) * width;
            loss += slt_at(a.in[SHARE])[run.first + l] *
                    row_loss(row_partition(x, width), x[targets[l]]);
        }
    }
    loss = slt_block_sum(loss) / (float)slt_header(a)->total;
    slt_sum_many_shares(a, slt_at(a.shared), loss, sequences, slt_at(a.out[0]));
}

SLT_DEVICE_INLINE void position_gradient(const slt_cuda_args &a, int64_t row, bool counts,
                                         int target, float scale) {
    int width = a.in_width[LOGITS];
    const float *x = slt_at(a.in[LOGITS]) + row * width;
    float *dx = slt_at(a.in_grad[LOGITS]), *dshare = slt_at(a.in_grad[SHARE]), share = 0, loss = 0;
    slt_partition p = {0, 1};
    if (counts) {
        p = row_partition(x, width);
        loss = row_loss(p, x[target]);
        share = scale * slt_at(a.in[SHARE])[row];
    }
    if (dshare) slt_put(&dshare[row], a.add[SHARE], scale * loss);
    for (int c = 0; dx && c < width; c++)
        slt_put(&dx[row * width + c], a.add[LOGITS],
                counts ? share * (slt_share(p, x[c]) - (c == target ? 1 : 0)) : 0);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int count = slt_count(a, SLT_SLOT_TOKENS, 0);
    if (a.in_grad[LOGITS].at && !a.add[LOGITS])
        slt_clear_tail(slt_at(a.in_grad[LOGITS]), count, a.in_rows[LOGITS], a.in_width[LOGITS]);
    if (a.in_grad[SHARE].at && !a.add[SHARE])
        slt_clear_tail(slt_at(a.in_grad[SHARE]), count, a.in_rows[SHARE], 1);
    if ((int)blockIdx.x >= slt_count(a, SLT_SLOTS, 0)) return;
    slt_device_span run = slt_span_of(a, SLT_SLOT_TOKENS, (int)blockIdx.x);
    const int32_t *targets = slt_ints(a.in[TARGETS]) + slt_offset(a)[run.b];
    float scale = *slt_at(a.out_grad[0]) / (float)slt_header(a)->total;
    int end = counted(a, run);
    for (int l = (int)threadIdx.x; l < run.computed; l += THREADS)
        position_gradient(a, run.first + l, l < end, targets[l], scale);
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->trajectories * args->slots, 1);
}

void slt_cuda_segment_xent_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), THREADS, 0);
}
void slt_cuda_segment_xent_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, grid(args), THREADS, 0);
}
