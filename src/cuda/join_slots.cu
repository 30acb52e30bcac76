// y_{b,k,l} = relu(slot_{b,k} + token_{c(b,k),l}); behind the companion's end its last computed
// row. Backward: a block per slot sums over its sequence; a block per token walks the sequences
// that name its trajectory, in order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernel.cuh"

enum { SLOT, TOKEN };
enum { THREADS = 128 };

SLT_DEVICE_INLINE float relu(float x) { return x > 0 ? x : 0; }

// four numbers of a row per thread
SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const float *slots = slt_at(a.in[SLOT]), *tokens = slt_at(a.in[TOKEN]);
    const int32_t *offset = slt_offset(a), *companion = slt_companion(a);
    float *y = slt_at(a.out[0]);
    int width = a.out_width[0], fours = (width + 3) / 4, count = slt_count(a, SLT_SLOT_TOKENS, 0);
    for (unsigned i = slt_thread(); i < (unsigned)(count * fours); i += slt_stride()) {
        int r = (int)(i / (unsigned)fours), column = (int)(i % (unsigned)fours) * 4;
        slt_spot spot = slt_spot_of(a, SLT_SLOT_TOKENS, r);
        int sequence = spot.b * a.slots + spot.k, c = tokens ? companion[sequence] : -1;
        float4 x = slt_load4(slots + (int64_t)sequence * width, column, width);
        float4 z = {0, 0, 0, 0};
        if (c >= 0) {
            int row = offset[c] + slt_least(spot.l, offset[c + 1] - offset[c] - 1);
            z = slt_load4(tokens + (int64_t)row * width, column, width);
        }
        slt_store4(y + (int64_t)r * width, column, width, false,
                   slt_four(relu(x.x + z.x), relu(x.y + z.y), relu(x.z + z.z), relu(x.w + z.w)));
    }
    slt_clear_tail(y, count, a.out_rows[0], width);
}

SLT_KERNEL backward_slot(const slt_cuda_args a) {
    slt_begin();
    int sequence = (int)blockIdx.x, width = a.out_width[0];
    const float *dy = slt_at(a.out_grad[0]), *y = slt_at(a.out[0]);
    float *to = slt_at(a.in_grad[SLOT]) + (int64_t)sequence * width;
    bool there = sequence < slt_count(a, SLT_SLOTS, 0);
    slt_run run = {0, 0, 0, 0};
    if (there) run = slt_run_of(a, SLT_SLOT_TOKENS, sequence);
    for (int k = (int)threadIdx.x; k < width; k += (int)blockDim.x) {
        float sum = 0;
#pragma unroll 8
        for (int l = 0; l < run.computed; l++) {
            int64_t at = (int64_t)(run.first + l) * width + k;
            float d = dy[at];
            sum += y[at] > 0 ? d : 0;
        }
        slt_put(&to[k], a.add[SLOT], sum);
    }
}

// position l of a sequence with companion c sees row min(l, C_c - 1) of c
SLT_KERNEL backward_token(const slt_cuda_args a) {
    slt_begin();
    int row = (int)blockIdx.x, width = a.out_width[0], count = slt_count(a, SLT_TOKENS, 0);
    const int32_t *companion = slt_companion(a);
    const float *dy = slt_at(a.out_grad[0]), *y = slt_at(a.out[0]);
    float *to = slt_at(a.in_grad[TOKEN]) + (int64_t)row * width;
    slt_spot spot = {0, 0, 0, 0};
    int sequences = 0;
    if (row < count) {
        spot = slt_spot_of(a, SLT_TOKENS, row);
        sequences = slt_count(a, SLT_SLOTS, 0);
    }
    bool last = spot.l == spot.computed - 1;
    for (int k = (int)threadIdx.x; k < width; k += (int)blockDim.x) {
        float sum = 0;
        for (int s = 0; s < sequences; s++) {
            if (companion[s] != spot.b) continue;
            slt_run run = slt_run_of(a, SLT_SLOT_TOKENS, s);
            int end = last ? run.computed : slt_least(spot.l + 1, run.computed);
            for (int l = spot.l; l < end; l++) {
                int64_t at = (int64_t)(run.first + l) * width + k;
                sum += y[at] > 0 ? dy[at] : 0;
            }
        }
        slt_put(&to[k], a.add[TOKEN], sum);
    }
}

void slt_cuda_join_slots_forward(const slt_cuda_args *args) {
    int64_t count = (int64_t)args->out_rows[0] * args->out_width[0];
    SLT_LAUNCH(args, forward, slt_grid(args, count, 4 * SLT_THREADS), SLT_THREADS, 0);
}
void slt_cuda_join_slots_backward(const slt_cuda_args *args) {
    if (args->in_grad[SLOT].at)
        SLT_LAUNCH(args, backward_slot, slt_grid(args, args->in_rows[SLOT], 1), THREADS, 0);
    if (args->in_grad[TOKEN].at)
        SLT_LAUNCH(args, backward_token, slt_grid(args, args->in_rows[TOKEN], 1), THREADS, 0);
}
