// Nats of action vectors under the segments' own reconstructions, weighted with their shares: a
// block per sequence, a thread per position. Equations are those of ops/compile/segment_gaussian.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/relaxed.cuh"
#include "cuda/kernels/vector_nats.cuh"

enum { HEAD, SHARE, TARGETS, COUNTS, SPREAD, KINDS };
enum { INCLUDE };
enum { THREADS = 64 };

// does position l of a sequence count? Not where the gate is shut, nor where there is no action
SLT_DEVICE_INLINE bool counts(const slt_cuda_args &a, const slt_device_span &run, int l,
                              const float *target) {
    if (!slt_gate(slt_ints(a.in[COUNTS]), run.b * a.slots + run.k, a.slots)) return false;
    return l < slt_stretch_end(a, run, a.n[INCLUDE]) - 1 && slt_row_acts(target, a.in_width[HEAD]);
}

SLT_DEVICE_INLINE const float *target_of(const slt_cuda_args &a, const slt_device_span &run,
                                         int l) {
    return slt_at(a.in[TARGETS]) + (int64_t)(slt_offset(a)[run.b] + l) * a.in_width[TARGETS];
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int sequences = slt_count(a, SLT_SLOTS, 0), C = a.in_width[HEAD];
    float loss = 0;
    if ((int)blockIdx.x < sequences) {
        slt_device_span run = slt_span_of(a, SLT_SLOT_TOKENS, (int)blockIdx.x);
        for (int c = 0; c < C; c++) {
            slt_channel_law law = slt_law_at(a, SPREAD, KINDS, c);
            for (int l = (int)threadIdx.x; l < run.computed; l += THREADS) {
                const float *target = target_of(a, run, l);
                if (!counts(a, run, l, target)) continue;
                float y = slt_at(a.in[HEAD])[(int64_t)(run.first + l) * C + c];
                loss += slt_at(a.in[SHARE])[run.first + l] * slt_channel_nats(law, y, target[c]);
            }
        }
    }
    loss = slt_block_sum(loss) / (float)slt_header(a)->total;
    slt_sum_many_shares(a, slt_at(a.shared), loss, sequences, slt_at(a.out[0]));
}

// channel c of a row; gives its part of the gradient of ρ
SLT_DEVICE_INLINE float row_gradient(const slt_cuda_args &a, slt_channel_law law, int64_t row,
                                     int c, bool counts, float target, float scale) {
    int C = a.in_width[HEAD];
    float *dy = slt_at(a.in_grad[HEAD]), *dshare = slt_at(a.in_grad[SHARE]);
    float y = slt_at(a.in[HEAD])[row * C + c], share = scale * slt_at(a.in[SHARE])[row];
    float nats = counts ? slt_channel_nats(law, y, target) : 0;
    float slope = counts ? share * slt_channel_dy(law, y, target) : 0;
    if (dy) slt_put(&dy[row * C + c], a.add[HEAD], slope);
    if (dshare) slt_put(&dshare[row], a.add[SHARE] || c > 0, scale * nats);
    return counts ? share * slt_channel_drho(law, y, target) : 0;
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int count = slt_count(a, SLT_SLOT_TOKENS, 0), sequences = slt_count(a, SLT_SLOTS, 0);
    int C = a.in_width[HEAD];
    if (a.in_grad[HEAD].at && !a.add[HEAD])
        slt_clear_tail(slt_at(a.in_grad[HEAD]), count, a.in_rows[HEAD], C);
    if (a.in_grad[SHARE].at && !a.add[SHARE])
        slt_clear_tail(slt_at(a.in_grad[SHARE]), count, a.in_rows[SHARE], 1);
    if ((int)blockIdx.x < sequences) {
        slt_device_span run = slt_span_of(a, SLT_SLOT_TOKENS, (int)blockIdx.x);
        float scale = *slt_at(a.out_grad[0]) / (float)slt_header(a)->total;
        for (int c = 0; c < C; c++) {
            slt_channel_law law = slt_law_at(a, SPREAD, KINDS, c);
            float part = 0;
            for (int l = (int)threadIdx.x; l < run.computed; l += THREADS) {
                const float *target = target_of(a, run, l);
                part += row_gradient(a, law, run.first + l, c, counts(a, run, l, target), target[c],
                                     scale);
            }
            slt_leave_spread(a, SPREAD, c, part);
        }
    }
    slt_put_spread(a, SPREAD, sequences);
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->trajectories * args->slots, 1);
}

void slt_cuda_segment_gaussian_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), THREADS, 0);
}
void slt_cuda_segment_gaussian_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, grid(args), THREADS, 0);
}
