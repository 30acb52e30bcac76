// One round of slot attention, a whole step in one launch: a block per trajectory. Warps take
// positions (logits, softmax over slots), then threads take numbers of slots (sums over positions).
// Equations and padding rules are those of ops/slot_attention.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernel.cuh"

enum { Q, KV };
enum { THREADS = 1024, WARPS = THREADS / SLT_WARP, AT_ONCE = 4 }; // slots whose sums run at once

#define FLOOR 1e-8f

// what one trajectory works on
typedef struct {
    int K, S, computed, truth;
    bool uniform;
    float scale;
    int64_t slot, token; // first rows
    const float *q, *kv;
    float *attention, *sum; // U (computed, K), n (K)
} round_view;

SLT_DEVICE_INLINE round_view view_of(const slt_cuda_args &a, int b) {
    round_view v;
    const int32_t *offset = slt_offset(a);
    v.K = a.slots;
    v.S = a.in_width[Q];
    v.computed = offset[b + 1] - offset[b];
    v.truth = slt_least(slt_length(a)[b], v.computed);
    v.uniform = a.n[0] != 0;
    v.scale = 1 / sqrtf((float)v.S);
    v.slot = (int64_t)b * v.K;
    v.token = offset[b];
    v.q = slt_at(a.in[Q]) + v.slot * v.S;
    v.kv = slt_at(a.in[KV]) + v.token * 2 * v.S;
    v.attention = slt_at(a.out[1]) + v.token * v.K;
    v.sum = slt_at(a.aux) + v.slot;
    return v;
}

SLT_DEVICE_INLINE float warp_dot(const float *x, const float *y, int count) {
    float sum = 0;
    for (int c = (int)(threadIdx.x % SLT_WARP); c < count; c += SLT_WARP) sum += x[c] * y[c];
    return slt_warp_sum(sum);
}

// dots of x with AT_ONCE rows of y, those at and behind `count` zero
SLT_DEVICE_INLINE void warp_dots(const float *x, const float *y, int width, int count, float *sum) {
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) sum[k] = 0;
    for (int c = (int)(threadIdx.x % SLT_WARP); c < width; c += SLT_WARP) {
        float xc = x[c];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (k < count) sum[k] += xc * y[(int64_t)k * width + c];
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) sum[k] = slt_warp_sum(sum[k]);
}

// U of position l, by one warp with its own K numbers of shared memory
SLT_DEVICE_INLINE void compete(const round_view &v, int l, float *logit) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    float *u = v.attention + (int64_t)l * v.K, most = -INFINITY, sum = 0;
    bool padding = l >= v.truth;
    if (padding && !v.uniform) {
        for (int k = lane; k < v.K; k += SLT_WARP) u[k] = 0;
        return;
    }
    for (int first = 0; first < v.K; first += AT_ONCE) {
        float z[AT_ONCE];
        warp_dots(v.kv + (int64_t)l * 2 * v.S, v.q + (int64_t)first * v.S, v.S, v.K - first, z);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (first + k >= v.K) break;
            z[k] *= v.scale;
            if (padding) z[k] = 64 * rintf(z[k] / 64); // what is left of it behind -1e9 in float32
            most = fmaxf(most, z[k]);
            if (lane == 0) logit[first + k] = z[k];
        }
    }
    __syncwarp();
    for (int k = lane; k < v.K; k += SLT_WARP) sum += expf(logit[k] - most);
    sum = slt_warp_sum(sum);
    for (int k = lane; k < v.K; k += SLT_WARP) u[k] = expf(logit[k] - most) / sum + FLOOR;
    __syncwarp();
}

SLT_KERNEL __launch_bounds__(THREADS) forward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(own);
    int b = (int)blockIdx.x, warp = (int)threadIdx.x / SLT_WARP;
    float *update = slt_at(a.out[0]);
    slt_clear_tail(update, slt_count(a, SLT_SLOTS, 0), a.out_rows[0], a.out_width[0]);
    slt_clear_tail(slt_at(a.out[1]), slt_count(a, SLT_TOKENS, 0), a.out_rows[1], a.out_width[1]);
    if (b >= slt_head(a)->count) return;
    round_view v = view_of(a, b);
    for (int l = warp; l < v.computed; l += WARPS) compete(v, l, own + warp * v.K);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < v.K * v.S; i += THREADS) {
        int k = i / v.S, c = i % v.S;
        float sum = 0, weights = 0;
#pragma unroll 8
        for (int l = 0; l < v.computed; l++) {
            float u = v.attention[(int64_t)l * v.K + k];
            weights += u;
            sum += u * v.kv[(int64_t)l * 2 * v.S + v.S + c];
        }
        update[(v.slot + k) * v.S + c] = sum / weights;
        if (c == 0) v.sum[k] = weights;
    }
}

// ---- backward

// dz of position l, and its shares U_lk/n_k, by one warp; along: du_k·u_k
SLT_DEVICE_INLINE void position_gradient(const round_view &v, int l, const float *du,
                                         const float *along, float *dz, float *share) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    const float *u = v.attention + (int64_t)l * v.K, *value = v.kv + (int64_t)l * 2 * v.S + v.S;
    float mean = 0;
    bool out = l >= v.truth && !v.uniform;
    for (int first = 0; first < v.K; first += AT_ONCE) {
        float d[AT_ONCE];
        warp_dots(value, du + (int64_t)first * v.S, v.S, v.K - first, d);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            int k = first + i;
            if (k >= v.K) break;
            d[i] = out ? 0 : (d[i] - along[k]) / v.sum[k];
            mean += (u[k] - FLOOR) * d[i];
            if (lane == 0) dz[k] = d[i];
        }
    }
    __syncwarp();
    for (int k = lane; k < v.K; k += SLT_WARP) {
        dz[k] = out ? 0 : (u[k] - FLOOR) * (dz[k] - mean) * v.scale;
        share[k] = u[k] / v.sum[k];
    }
    __syncwarp();
}

// dkey_l = Σ_k dz_lk·q_k, dval_l = Σ_k share_lk·du_k, by one warp
SLT_DEVICE_INLINE void token_gradient(const slt_cuda_args &a, const round_view &v, int l,
                                      const float *du, const float *dz, const float *share) {
    float *dkey = slt_at(a.in_grad[KV]) + (v.token + l) * 2 * v.S;
    for (int c = (int)(threadIdx.x % SLT_WARP); c < v.S; c += SLT_WARP) {
        float key = 0, value = 0;
#pragma unroll 4
        for (int k = 0; k < v.K; k++) {
            key += dz[k] * v.q[(int64_t)k * v.S + c];
            value += share[k] * du[(int64_t)k * v.S + c];
        }
        slt_put(&dkey[c], a.add[KV], key);
        slt_put(&dkey[v.S + c], a.add[KV], value);
    }
}

// shared holds dz·scale (tokens, K), then du·u (slots); dynamic shared memory: dz and shares of the
// position at hand, (WARPS, 2, K)
SLT_KERNEL __launch_bounds__(THREADS) backward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    int b = (int)blockIdx.x, warp = (int)threadIdx.x / SLT_WARP;
    if (a.in_grad[KV].at && !a.add[KV])
        slt_clear_tail(slt_at(a.in_grad[KV]), slt_count(a, SLT_TOKENS, 0), a.in_rows[KV],
                       a.in_width[KV]);
    if (a.in_grad[Q].at && !a.add[Q])
        slt_clear_tail(slt_at(a.in_grad[Q]), slt_count(a, SLT_SLOTS, 0), a.in_rows[Q],
                       a.in_width[Q]);
    if (b >= slt_head(a)->count) return;
    round_view v = view_of(a, b);
    const float *du = slt_at(a.out_grad[0]) + v.slot * v.S;
    const float *u = slt_at(a.out[0]) + v.slot * v.S;
    float *dz = slt_at(a.shared) + v.token * v.K, *own = parts + 2 * warp * v.K;
    float *along = slt_at(a.shared) + (int64_t)a.in_room[KV] * v.K + v.slot;
    for (int k = warp; k < v.K; k += WARPS) {
        float sum = warp_dot(du + (int64_t)k * v.S, u + (int64_t)k * v.S, v.S);
        if (threadIdx.x % SLT_WARP == 0) along[k] = sum;
    }
    __syncthreads();
    for (int l = warp; l < v.computed; l += WARPS) {
        position_gradient(v, l, du, along, own, own + v.K);
        for (int k = (int)(threadIdx.x % SLT_WARP); k < v.K; k += SLT_WARP)
            dz[(int64_t)l * v.K + k] = own[k];
        if (a.in_grad[KV].at) token_gradient(a, v, l, du, own, own + v.K);
        __syncwarp();
    }
    __syncthreads();
    if (!a.in_grad[Q].at) return;
    float *dq = slt_at(a.in_grad[Q]) + v.slot * v.S;
    for (int i = (int)threadIdx.x; i < v.K * v.S; i += THREADS) {
        int k = i / v.S, c = i % v.S;
        float sum = 0;
#pragma unroll 8
        for (int l = 0; l < v.computed; l++)
            sum += dz[(int64_t)l * v.K + k] * v.kv[(int64_t)l * 2 * v.S + c];
        slt_put(&dq[i], a.add[Q], sum);
    }
}

void slt_cuda_slot_attention_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS,
               WARPS * (size_t)args->slots * sizeof(float));
}
void slt_cuda_slot_attention_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS,
               2 * WARPS * (size_t)args->slots * sizeof(float));
}
