// One round of slot attention over a trajectory, by one block: warps take positions (logits,
// softmax over slots), then threads take numbers of slots (sums over positions). Equations and
// padding rules are those of ops/slots/slot_attention.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SLOT_ATTENTION_CUH
#define SLT_CUDA_SLOT_ATTENTION_CUH

#include "cuda/kernels/kernel.cuh"

enum { SLT_SLOTS_AT_ONCE = 6 }; // slots whose sums run at once

#define SLT_SLOT_FLOOR 1e-8f

// what one trajectory works on
typedef struct {
    int K, S, computed, truth;
    bool uniform;
    float scale;
    int64_t slot, token; // first rows
    const float *q, *kv;
    float *attention, *sum; // U (computed, K), n (K)
} slt_round;

// dots of row x with `count` rows of y, SLT_SLOTS_AT_ONCE at most: a lane has four columns at a
// time. Without a branch, so that they run side by side: beyond `count` the last one once more
SLT_DEVICE_INLINE void slt_warp_dots(const float *x, const float *y, int width, int count,
                                     float *sum) {
#pragma unroll
    for (int k = 0; k < SLT_SLOTS_AT_ONCE; k++) sum[k] = 0;
#pragma unroll 1
    for (int c = 4 * (int)(threadIdx.x % SLT_WARP); c < width; c += 4 * SLT_WARP) {
        float4 four = slt_load4(x, c, width);
#pragma unroll
        for (int k = 0; k < SLT_SLOTS_AT_ONCE; k++) {
            float4 other = slt_load4(y + slt_least(k, count - 1) * width, c, width);
            sum[k] += (four.x * other.x + four.y * other.y) + (four.z * other.z + four.w * other.w);
        }
    }
#pragma unroll
    for (int d = SLT_WARP / 2; d > 0; d /= 2)
#pragma unroll
        for (int k = 0; k < SLT_SLOTS_AT_ONCE; k++)
            sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], d);
}

// Σ_l weight_lk·row_l of every slot k, four columns c at a time: threads of a block share the
// positions out, and add their parts in order. row: (computed, stride), weight: (computed, K);
// parts: a four of shared memory for each thread. What is done with a sum: put(k, c, sum)
template <class Put>
SLT_DEVICE_INLINE void slt_sum_positions(const slt_round &v, const float *weight, const float *row,
                                         int stride, float4 *parts, Put put) {
    int fours = (v.S + 3) / 4, things = v.K * fours, threads = (int)blockDim.x;
    int shares = threads < things ? 1 : threads / things;
#pragma unroll 1
    for (int first = 0; first < things; first += threads) {
        int i = first + (int)threadIdx.x % things, share = (int)threadIdx.x / things;
        if (shares == 1) i = first + (int)threadIdx.x, share = 0;
        int k = i / fours, c = i % fours * 4;
        float sum[4] = {0};
        if (i < things && share < shares)
#pragma unroll 4
            for (int l = share; l < v.computed; l += shares)
                slt_add4(sum, weight[(int64_t)l * v.K + k],
                         slt_load4(row + (int64_t)l * stride, c, v.S));
        parts[threadIdx.x] = slt_four(sum[0], sum[1], sum[2], sum[3]);
        __syncthreads();
#pragma unroll 1
        for (int j = 1; share == 0 && j < shares; j++)
            slt_add4(sum, 1, parts[j * things + (int)threadIdx.x]);
        if (i < things && share == 0) put(k, c, slt_four(sum[0], sum[1], sum[2], sum[3]));
        __syncthreads();
    }
}

// U of position l, by one warp with its own K numbers of shared memory
SLT_DEVICE_INLINE void slt_compete(const slt_round &v, int l, float *logit) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    float *u = v.attention + (int64_t)l * v.K, most = -INFINITY, sum = 0;
    bool padding = l >= v.truth;
    if (padding && !v.uniform) {
#pragma unroll 1
        for (int k = lane; k < v.K; k += SLT_WARP) u[k] = 0;
        return;
    }
#pragma unroll 1
    for (int first = 0; first < v.K; first += SLT_SLOTS_AT_ONCE) {
        float z[SLT_SLOTS_AT_ONCE];
        slt_warp_dots(v.kv + (int64_t)l * 2 * v.S, v.q + (int64_t)first * v.S, v.S, v.K - first, z);
#pragma unroll
        for (int k = 0; k < SLT_SLOTS_AT_ONCE; k++) {
            if (first + k >= v.K) break;
            z[k] *= v.scale;
            if (padding) z[k] = 64 * rintf(z[k] / 64); // what is left of it after -1e9 in float32
            most = fmaxf(most, z[k]);
            if (lane == 0) logit[first + k] = z[k];
        }
    }
    __syncwarp();
#pragma unroll 1
    for (int k = lane; k < v.K; k += SLT_WARP) sum += expf(logit[k] - most);
    sum = slt_warp_sum(sum);
#pragma unroll 1
    for (int k = lane; k < v.K; k += SLT_WARP) u[k] = expf(logit[k] - most) / sum + SLT_SLOT_FLOOR;
    __syncwarp();
}

// n_k, the sum of slot k's weights over positions, by warps
SLT_DEVICE_INLINE void slt_sum_weights(const slt_round &v) {
    int warp = (int)threadIdx.x / SLT_WARP, warps = (int)blockDim.x / SLT_WARP;
#pragma unroll 1
    for (int k = warp; k < v.K; k += warps) {
        float weights = 0;
#pragma unroll 1
        for (int l = (int)threadIdx.x % SLT_WARP; l < v.computed; l += SLT_WARP)
            weights += v.attention[(int64_t)l * v.K + k];
        weights = slt_warp_sum(weights);
        if (threadIdx.x % SLT_WARP == 0) v.sum[k] = weights;
    }
}

// ---- backward

// dz of position l, and its shares U_lk/n_k, by one warp; along: du_k·u_k
SLT_DEVICE_INLINE void slt_position_gradient(const slt_round &v, int l, const float *du,
                                             const float *along, float *dz, float *share) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    const float *u = v.attention + (int64_t)l * v.K, *value = v.kv + (int64_t)l * 2 * v.S + v.S;
    float mean = 0;
    bool out = l >= v.truth && !v.uniform;
#pragma unroll 1
    for (int first = 0; first < v.K; first += SLT_SLOTS_AT_ONCE) {
        float d[SLT_SLOTS_AT_ONCE];
        slt_warp_dots(value, du + (int64_t)first * v.S, v.S, v.K - first, d);
#pragma unroll
        for (int i = 0; i < SLT_SLOTS_AT_ONCE; i++) {
            int k = first + i;
            if (k >= v.K) break;
            d[i] = out ? 0 : (d[i] - along[k]) / v.sum[k];
            mean += (u[k] - SLT_SLOT_FLOOR) * d[i];
            if (lane == 0) dz[k] = d[i];
        }
    }
    __syncwarp();
#pragma unroll 1
    for (int k = lane; k < v.K; k += SLT_WARP) {
        dz[k] = out ? 0 : (u[k] - SLT_SLOT_FLOOR) * (dz[k] - mean) * v.scale;
        share[k] = u[k] / v.sum[k];
    }
    __syncwarp();
}

// dkey_l = Σ_k dz_lk·q_k, dval_l = Σ_k share_lk·du_k, by one warp; dkv: of the trajectory
SLT_DEVICE_INLINE void slt_token_gradient(const slt_round &v, int l, const float *du,
                                          const float *dz, const float *share, bool add,
                                          float *dkv) {
    float *dkey = dkv + (int64_t)l * 2 * v.S;
#pragma unroll 1
    for (int c = 4 * (int)(threadIdx.x % SLT_WARP); c < v.S; c += 4 * SLT_WARP) {
        float key[4] = {0}, value[4] = {0};
#pragma unroll 4
        for (int k = 0; k < v.K; k++) {
            slt_add4(key, dz[k], slt_load4(v.q + (int64_t)k * v.S, c, v.S));
            slt_add4(value, share[k], slt_load4(du + (int64_t)k * v.S, c, v.S));
        }
        slt_store4(dkey, c, v.S, add, slt_four(key[0], key[1], key[2], key[3]));
        slt_store4(dkey + v.S, c, v.S, add, slt_four(value[0], value[1], value[2], value[3]));
    }
}

#endif
