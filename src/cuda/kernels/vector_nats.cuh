// What losses over action vectors share on the device (ops/common/vector_nats.h). Channels are
// taken one after the other by all threads of a block, for the gradient of ρ is a sum over its
// positions.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_VECTOR_NATS_CUH
#define SLT_CUDA_VECTOR_NATS_CUH

#include "cuda/kernels/losses.cuh"
#include "ops/common/channel.h"

SLT_DEVICE_INLINE slt_channel_law slt_law_at(const slt_cuda_args &a, int spread, int kinds, int c) {
    return slt_channel_law_of(slt_at(a.in[kinds])[c], slt_at(a.in[spread])[c]);
}

// is there an action in this row of targets?
SLT_DEVICE_INLINE bool slt_row_acts(const float *target, int channels) {
    return target[channels] <= 0;
}

// a block's part of the gradient of ρ_c, called by all of its threads
SLT_DEVICE_INLINE void slt_leave_spread(const slt_cuda_args &a, int spread, int c, float part) {
    float sum = slt_block_sum(part);
    if (threadIdx.x == 0) slt_at(a.shared)[(int64_t)blockIdx.x * a.in_width[spread] + c] = sum;
}

// the block that comes last adds the parts in order; called by all blocks
SLT_DEVICE_INLINE void slt_put_spread(const slt_cuda_args &a, int spread, int parts) {
    float *to = slt_at(a.in_grad[spread]);
    int channels = a.in_width[spread];
    if (!to || !slt_last_block(slt_counter(a, 0), (int)gridDim.x)) return;
    for (int c = (int)threadIdx.x; c < channels; c += (int)blockDim.x) {
        float sum = 0;
        for (int i = 0; i < parts; i++) sum += slt_at(a.shared)[(int64_t)i * channels + c];
        slt_put(&to[c], a.add[spread], sum);
    }
}

#endif
