// A round of attention in a block of fused_slots.cu. What is large is a product with the
// trajectory's keys or values, which are in shared memory (slot_stream.cuh); between them a thread
// has a token and all slots. Equations and padding rules are those of ops/slots/slot_attention.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SLOT_ROUND_CUH
#define SLT_CUDA_SLOT_ROUND_CUH

#include "cuda/kernels/slot_attention.cuh"
#include "cuda/fused/slots/slot_stream.cuh"

// keys, or values
SLT_DEVICE_INLINE matrix matrix_of(const slt_fused_slots &run, const workspace &at,
                                   const slt_slot_step &s, bool values) {
    int S = whole(s.in);
    const float *kv = s.attend.kv;
    kv = kv == staged(run, at) ? at.kv : kv + at.token * 2 * S;
    matrix m = {kv + (values ? S : 0), at.computed, S, 2 * S};
    return m;
}

// what a product left of token l: a number of each slot
template <int R> SLT_DEVICE_INLINE void take_token(const workspace &at, int l, float *out) {
    int tokens = fours_of(at.computed);
#pragma unroll
    for (int k = 0; k < R; k++) {
        const float *part = at.parts + slt_least(k, at.K - 1) * tokens + l;
        float sum = part[0];
#pragma unroll
        for (int i = 1; i < SHARES; i++) sum += part[i * R * tokens];
        out[k] = sum;
    }
}

// ---- forward

// U of token l, from its logits: a softmax over slots
template <int R>
SLT_DEVICE_INLINE void compete(const workspace &at, const slt_slot_step &s, int l, float *u) {
    float scale = 1 / sqrtf((float)s.in), most = -INFINITY, sum = 0;
    bool padding = l >= at.truth;
#pragma unroll
    for (int k = 0; k < R; k++) {
        u[k] *= scale;
        if (padding) u[k] = 64 * rintf(u[k] / 64); // what is left of it after -1e9 in float32
        most = fmaxf(most, u[k]);
    }
#pragma unroll
    for (int k = 0; k < R; k++) {
        u[k] = k < at.K ? expf(u[k] - most) : 0;
        sum += u[k];
    }
    float each = 1 / sum;
    bool none = padding && !s.attend.uniform;
#pragma unroll
    for (int k = 0; k < R; k++) u[k] = none ? 0 : u[k] * each + SLT_SLOT_FLOOR;
}

// into memory, and into shared memory slot by slot, with zeros up to a multiple of four
template <int R> SLT_DEVICE_INLINE void put_weights(const workspace &at, const slt_slot_step &s) {
    int tokens = fours_of(at.computed), l = (int)threadIdx.x;
#pragma unroll 1
    for (; l < tokens; l += THREADS) {
        float u[R];
        take_token<R>(at, l, u);
        compete<R>(at, s, l, u);
        float *to = s.attend.attention + (at.token + l) * at.K;
#pragma unroll
        for (int k = 0; k < R; k++) {
            if (k >= at.K) break;
            at.weights[k * tokens + l] = l < at.computed ? u[k] : 0;
            if (l < at.computed) to[k] = u[k];
        }
    }
}

// the sum of every slot's weights: a warp has one
SLT_DEVICE_INLINE void sum_weights(const workspace &at, const slt_slot_step &s) {
    int tokens = fours_of(at.computed), lane = (int)(threadIdx.x % SLT_WARP);
#pragma unroll 1
    for (int k = slt_block_warp(); k < at.K; k += WARPS) {
        float sum = 0;
#pragma unroll 1
        for (int l = lane; l < tokens; l += SLT_WARP) sum += at.weights[k * tokens + l];
        sum = slt_warp_sum(sum);
        if (lane == 0) at.sums[k] = s.attend.sum[at.b * at.K + k] = sum;
    }
}

template <int R>
SLT_DEVICE_INLINE void clear_rows(const workspace &at, const rows_out &rows, int width) {
    float4 none = {0, 0, 0, 0};
#pragma unroll 1
    for (spot i = spot_of(at, 4, width); i.row < at.K; next_spot(at, i, 4, width))
        put4(rows, i.row, i.column, width, false, none);
}

template <int R, bool EXACT>
SLT_DEVICE_INLINE void attend_forward(const slt_fused_slots &run, const workspace &at,
                                      const slt_slot_step &s) {
    const slt_slot_attend &p = s.attend;
    int S = whole(s.in);
    rows_out update = rows_to<R>(at, s, 1, p.update, S);
    slt_clear_tail(p.attention, head_of(run)->tokens, p.rows, at.K);
    if (!at.there) {
        clear_rows<R>(at, update, S);
        return;
    }
    slt_copy_wait<0>();
    __syncthreads();
    matrix_product<true, R, EXACT>(at, matrix_of(run, at, s, false), rows_in<R>(at, s, 0, p.q, S),
                                   S);
    __syncthreads();
    put_weights<R>(at, s);
    __syncthreads();
    sum_weights(at, s);
    matrix_product<false, R, EXACT>(at, matrix_of(run, at, s, true), at.weights,
                                    fours_of(at.computed));
    __syncthreads();
#pragma unroll 1
    for (spot i = spot_of(at, 4, S); i.row < at.K; next_spot(at, i, 4, S)) {
        float4 sum = sum_of_shares<R>(at, i.row, i.column, S);
        put4(update, i.row, i.column, S, false, slt_scaled4(sum, 1 / at.sums[i.row], 0));
    }
}

// ---- backward

// du·u of every slot: a warp has one
template <int R>
SLT_DEVICE_INLINE void dot_updates(const workspace &at, const slt_slot_step &s, const float *du) {
    int S = whole(s.in), lane = (int)(threadIdx.x % SLT_WARP);
    const float *u = mine(at, s.attend.update, S);
#pragma unroll 1
    for (int k = slt_block_warp(); k < at.K; k += WARPS) {
        float sum = 0;
#pragma unroll 1
        for (int c = 4 * lane; c < S; c += 4 * SLT_WARP)
            sum += slt_dot4(*(const float4 *)(du + k * S + c), *(const float4 *)(u + k * S + c));
        sum = slt_warp_sum(sum);
        if (lane == 0) at.sums[k] = sum;
    }
}

// of every token dz, the gradient of its logits, and U/n, its shares
template <int R>
SLT_DEVICE_INLINE void put_gradients(const slt_fused_slots &run, const workspace &at,
                                     const slt_slot_step &s) {
    const slt_slot_attend &p = s.attend;
    int tokens = fours_of(at.computed), l = (int)threadIdx.x;
    const float *weights = &s == at.steps + run.attend ? at.weights : p.attention + at.token * at.K;
    const float *n = mine(at, p.sum, 1);
    float scale = 1 / sqrtf((float)s.in);
#pragma unroll 1
    for (; l < tokens; l += THREADS) {
        bool there = l < at.computed, out = l >= at.truth && !p.uniform;
        float d[R], u[R], each[R], mean = 0;
        take_token<R>(at, l, d);
#pragma unroll
        for (int k = 0; k < R; k++) {
            u[k] = there && k < at.K ? weights[l * at.K + k] : 0;
            each[k] = 1 / n[slt_least(k, at.K - 1)];
            d[k] = k < at.K && !out ? (d[k] - at.sums[k]) * each[k] : 0;
            mean += (u[k] - SLT_SLOT_FLOOR) * d[k];
        }
#pragma unroll
        for (int k = 0; k < R; k++) {
            if (k >= at.K) break;
            float dz = (u[k] - SLT_SLOT_FLOOR) * (d[k] - mean) * scale;
            at.dz[k * tokens + l] = there && !out ? dz : 0;
            at.share[k * tokens + l] = u[k] * each[k];
        }
    }
}

// dkey_l = Σ_k dz_lk·q_k, dval_l = Σ_k share_lk·du_k: a warp has a token
template <int R>
SLT_DEVICE_INLINE void put_tokens(const workspace &at, const slt_slot_step &s, const float *du) {
    int S = whole(s.in), tokens = fours_of(at.computed);
    const float *q = mine(at, s.attend.q, S);
#pragma unroll 1
    for (int l = slt_block_warp(); l < at.computed; l += WARPS)
#pragma unroll 1
        for (int c = 4 * (int)(threadIdx.x % SLT_WARP); c < S; c += 4 * SLT_WARP) {
            float key[4] = {0}, value[4] = {0};
#pragma unroll 2
            for (int k = 0; k < at.K; k++) {
                slt_add4(key, at.dz[k * tokens + l], *(const float4 *)(q + k * S + c));
                slt_add4(value, at.share[k * tokens + l], *(const float4 *)(du + k * S + c));
            }
            float *to = s.attend.dkv + (at.token + l) * 2 * S;
            slt_store4(to, c, S, adds(s, 1), slt_four(key[0], key[1], key[2], key[3]));
            slt_store4(to + S, c, S, adds(s, 1), slt_four(value[0], value[1], value[2], value[3]));
        }
}

template <int R, bool EXACT>
SLT_DEVICE_INLINE void attend_backward(const slt_fused_slots &run, const workspace &at,
                                       const slt_slot_step &s) {
    const slt_slot_attend &p = s.attend;
    int S = whole(s.in);
    rows_out dq = rows_to<R>(at, s, 1, p.dq, S);
    const float *du = rows_in<R>(at, s, 0, p.du, S);
    if (p.dkv && !adds(s, 1)) slt_clear_tail(p.dkv, head_of(run)->tokens, p.rows, 2 * S);
    if (!at.there) {
        if (!adds(s, 0)) clear_rows<R>(at, dq, S);
        return;
    }
    dot_updates<R>(at, s, du);
    matrix_product<true, R, EXACT>(at, matrix_of(run, at, s, true), du, S);
    __syncthreads();
    put_gradients<R>(run, at, s);
    __syncthreads();
    if (p.dkv) put_tokens<R>(at, s, du);
    if (!dq.memory) return;
    matrix_product<false, R, EXACT>(at, matrix_of(run, at, s, false), at.dz, fours_of(at.computed));
    __syncthreads();
#pragma unroll 1
    for (spot i = spot_of(at, 4, S); i.row < at.K; next_spot(at, i, 4, S))
        put4(dq, i.row, i.column, S, adds(s, 0), sum_of_shares<R>(at, i.row, i.column, S));
}

#endif
