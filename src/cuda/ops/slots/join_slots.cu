// y_{b,k,l} = relu(slot_{b,k} + token_{c(b,k),l}); after the companion's end its last computed
// row. Backward: blocks of a slot sum columns over its sequence; a block per token walks the
// sequences that name its trajectory, in order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/bf16_rows.cuh"
#include "ops/common/op_inputs.h"

enum { THREADS = 128, COLUMNS = 4 * SLT_WARP }; // COLUMNS: of a block of warps
#ifdef SLT_EMULATED
enum { WARPS = 4, MORE_WARPS = 8, LONG = 64 };
#else
enum { WARPS = 8, MORE_WARPS = 32, LONG = 256 }; // more for sequences of more steps than LONG
#endif

SLT_DEVICE_INLINE float relu(float x) { return x > 0 ? x : 0; }

// a block has 128 columns of a sequence: a lane four of them, a warp every eighth row or so
template <class T> SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const float *slots = slt_at(a.in[SLT_JOIN_SLOT]);
    const T *tokens = slt_rows_at<T>(a.in[SLT_JOIN_TOKEN]);
    const int32_t *offset = slt_offset(a);
    T *y = slt_rows_at<T>(a.out[0]);
    int sequence = (int)blockIdx.x, width = a.out_width[0], warps = slt_block_warps();
    int k = (int)blockIdx.y * COLUMNS + 4 * (int)(threadIdx.x % SLT_WARP);
    if (blockIdx.y == 0) slt_clear_tail(y, slt_count(a, SLT_SLOT_TOKENS, 0), a.out_rows[0], width);
    if (sequence >= slt_count(a, SLT_SLOTS, 0)) return;
    slt_device_span run = slt_span_of(a, SLT_SLOT_TOKENS, sequence);
    int c = tokens ? slt_companion(a)[sequence] : -1, last = 0;
    if (c >= 0) last = offset[c + 1] - offset[c] - 1, tokens += (int64_t)offset[c] * width;
    float4 x = slt_load4(slots + (int64_t)sequence * width, k, width), z = {0, 0, 0, 0};
#pragma unroll 4
    for (int l = slt_block_warp(); l < run.computed && k < width; l += warps) {
        if (c >= 0) z = slt_load4(tokens + (int64_t)slt_least(l, last) * width, k, width);
        slt_store4(y + (int64_t)(run.first + l) * width, k, width, false,
                   slt_four(relu(x.x + z.x), relu(x.y + z.y), relu(x.z + z.z), relu(x.w + z.w)));
    }
}

// the same; sums of the warps are added in order
template <class T> SLT_KERNEL backward_slot(const slt_cuda_args a) {
    slt_begin();
    alignas(16) __shared__ float parts[MORE_WARPS][COLUMNS];
    int sequence = (int)blockIdx.x, width = a.out_width[0], first = (int)blockIdx.y * COLUMNS;
    int warps = slt_block_warps(), k = (int)threadIdx.x, own = k % SLT_WARP * 4;
    const T *dy = slt_rows_at<T>(a.out_grad[0]), *y = slt_rows_at<T>(a.out[0]);
    slt_device_span run = {0, 0, 0, 0};
    if (sequence < slt_count(a, SLT_SLOTS, 0)) run = slt_span_of(a, SLT_SLOT_TOKENS, sequence);
    float sum[4] = {0}, all = 0;
#pragma unroll 4
    for (int l = slt_block_warp(); l < run.computed; l += warps) {
        int64_t at = (int64_t)(run.first + l) * width;
        float4 d = slt_load4(dy + at, first + own, width),
               h = slt_load4(y + at, first + own, width);
        slt_add4(
            sum, 1,
            slt_four(h.x > 0 ? d.x : 0, h.y > 0 ? d.y : 0, h.z > 0 ? d.z : 0, h.w > 0 ? d.w : 0));
    }
    *(float4 *)&parts[slt_block_warp()][own] = slt_four(sum[0], sum[1], sum[2], sum[3]);
    __syncthreads();
    if (k >= COLUMNS || first + k >= width) return;
    for (int w = 0; w < warps; w++) all += parts[w][k];
    slt_put(slt_at(a.in_grad[SLT_JOIN_SLOT]) + (int64_t)sequence * width + first + k,
            a.add[SLT_JOIN_SLOT], all);
}

// the numbers of a word: one, or two in bf16
SLT_DEVICE_INLINE void load_word(const float *at, float *x) { x[0] = *at; }
SLT_DEVICE_INLINE void load_word(const slt_bf16 *at, float *x) {
    uint32_t pair = *(const uint32_t *)at;
    x[0] = slt_low(pair), x[1] = slt_high(pair);
}

// sums of columns k, k + 1, ... of the gradients that reach position l of trajectory b through a
// sequence
template <class T>
SLT_DEVICE_INLINE void add_sequence(const slt_cuda_args &a, slt_device_span run, int l, bool last,
                                    int k, float *sum) {
    enum { EACH = sizeof(float) / sizeof(T) };
    const T *dy = slt_rows_at<T>(a.out_grad[0]), *y = slt_rows_at<T>(a.out[0]);
    int width = a.out_width[0], end = last ? run.computed : slt_least(l + 1, run.computed);
    for (; l < end; l++) {
        int64_t at = (int64_t)(run.first + l) * width + k;
        float h[EACH], d[EACH];
        load_word(y + at, h);
        load_word(dy + at, d);
#pragma unroll
        for (int i = 0; i < EACH; i++) sum[i] += h[i] > 0 ? d[i] : 0;
    }
}

// Position l of a sequence with companion c sees row min(l, C_c - 1) of c. Threads look for
// sequences of the token's trajectory together, as many at once as they are; then each adds all
// that were found, in order.
template <class T> SLT_KERNEL backward_token(const slt_cuda_args a) {
    slt_begin();
    enum { WORDS = THREADS / SLT_WARP, EACH = sizeof(float) / sizeof(T) };
    __shared__ int marks[WORDS];
    int row = (int)blockIdx.x, own = (int)threadIdx.x, width = a.out_width[0], sequences = 0;
    const int32_t *companion = slt_companion(a);
    T *to = slt_rows_at<T>(a.in_grad[SLT_JOIN_TOKEN]) + (int64_t)row * width;
    slt_token_place spot = {0, 0, 0, 0};
    if (row < slt_count(a, SLT_TOKENS, 0)) {
        spot = slt_token_place_of(a, SLT_TOKENS, row);
        sequences = slt_count(a, SLT_SLOTS, 0);
    }
    bool last = spot.l == spot.computed - 1;
    for (int first_k = 0; first_k < width; first_k += EACH * THREADS) {
        int k = first_k + EACH * own;
        float sum[EACH] = {0};
        for (int first = 0; first < sequences; first += THREADS) {
            __syncthreads(); // the marks before were read
            if (own < WORDS) marks[own] = 0;
            __syncthreads();
            if (first + own < sequences && companion[first + own] == spot.b)
                atomicOr(&marks[own / SLT_WARP], (int)(1u << own % SLT_WARP));
            __syncthreads();
            for (int word = 0; word < WORDS && k < width; word++)
                for (unsigned left = (unsigned)marks[word]; left; left &= left - 1) {
                    int s = first + word * SLT_WARP + __ffs((int)left) - 1;
                    add_sequence<T>(a, slt_span_of(a, SLT_SLOT_TOKENS, s), spot.l, last, k, sum);
                }
        }
#pragma unroll
        for (int i = 0; i < EACH && k < width; i++)
            slt_put(&to[k + i], a.add[SLT_JOIN_TOKEN], sum[i]);
    }
}

template <class T> static void launch(const slt_cuda_args *args, bool back) {
    dim3 slots = slt_grid(args, args->in_rows[SLT_JOIN_SLOT], 1);
    int threads = (args->length > LONG ? MORE_WARPS : WARPS) * SLT_WARP;
    slots.y = (unsigned)slt_pieces(args->out_width[0], COLUMNS);
    if (!back) SLT_LAUNCH(args, forward<T>, slots, threads, 0);
    if (back && args->in_grad[SLT_JOIN_SLOT].at)
        SLT_LAUNCH(args, backward_slot<T>, slots, threads, 0);
    if (back && args->in_grad[SLT_JOIN_TOKEN].at)
        SLT_LAUNCH(args, backward_token<T>, slt_grid(args, args->in_rows[SLT_JOIN_TOKEN], 1),
                   THREADS, 0);
}

void slt_cuda_join_slots_forward(const slt_cuda_args *args) {
    (slt_out_bf16(args, 0) ? launch<slt_bf16> : launch<float>)(args, false);
}
void slt_cuda_join_slots_backward(const slt_cuda_args *args) {
    (slt_out_bf16(args, 0) ? launch<slt_bf16> : launch<float>)(args, true);
}
