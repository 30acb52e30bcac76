// One round of slot attention, a whole step in one launch: a block per trajectory. Warps take
// positions (logits, softmax over slots), then threads take numbers of slots (sums over positions).
// Equations and padding rules are those of ops/slot_attention.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernel.cuh"

enum { Q, KV };
enum { THREADS = 1024, FEW_THREADS = 256, AT_ONCE = 6 }; // slots whose sums run at once

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

// dots of row x with `count` rows of y, AT_ONCE at most: a lane has four columns at a time
SLT_DEVICE_INLINE void warp_dots(const float *x, const float *y, int width, int count, float *sum) {
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) sum[k] = 0;
    for (int c = 4 * (int)(threadIdx.x % SLT_WARP); c < width; c += 4 * SLT_WARP) {
        float4 four = slt_load4(x, c, width), other[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (k < count) other[k] = slt_load4(y + (int64_t)k * width, c, width);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (k < count)
                sum[k] += (four.x * other[k].x + four.y * other[k].y) +
                          (four.z * other[k].z + four.w * other[k].w);
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
        if (k < count) sum[k] = slt_warp_sum(sum[k]);
}

// Σ_l weight_lk·row_l of every slot k, four columns c at a time: threads of a block share the
// positions out, and add their parts in order. row: (computed, stride), weight: (computed, K);
// parts: a four of shared memory for each thread. What is done with a sum: put(k, c, sum)
template <class Put>
SLT_DEVICE_INLINE void sum_positions(const round_view &v, const float *weight, const float *row,
                                     int stride, float4 *parts, Put put) {
    int fours = (v.S + 3) / 4, things = v.K * fours, threads = (int)blockDim.x;
    int shares = threads < things ? 1 : threads / things;
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
        for (int j = 1; share == 0 && j < shares; j++)
            slt_add4(sum, 1, parts[j * things + (int)threadIdx.x]);
        if (i < things && share == 0) put(k, c, slt_four(sum[0], sum[1], sum[2], sum[3]));
        __syncthreads();
    }
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
    float4 *parts = (float4 *)own; // behind the first barrier
    int b = (int)blockIdx.x, warp = (int)threadIdx.x / SLT_WARP, warps = (int)blockDim.x / SLT_WARP;
    float *update = slt_at(a.out[0]);
    slt_clear_tail(update, slt_count(a, SLT_SLOTS, 0), a.out_rows[0], a.out_width[0]);
    slt_clear_tail(slt_at(a.out[1]), slt_count(a, SLT_TOKENS, 0), a.out_rows[1], a.out_width[1]);
    if (b >= slt_head(a)->count) return;
    round_view v = view_of(a, b);
    for (int l = warp; l < v.computed; l += warps) compete(v, l, own + warp * v.K);
    __syncthreads();
    for (int k = warp; k < v.K; k += warps) {
        float weights = 0;
        for (int l = (int)threadIdx.x % SLT_WARP; l < v.computed; l += SLT_WARP)
            weights += v.attention[(int64_t)l * v.K + k];
        weights = slt_warp_sum(weights);
        if (threadIdx.x % SLT_WARP == 0) v.sum[k] = weights;
    }
    __syncthreads();
    float *to = update + v.slot * v.S;
    sum_positions(v, v.attention, v.kv + v.S, 2 * v.S, parts, [&](int k, int c, float4 sum) {
        float n = v.sum[k];
        slt_store4(to + (int64_t)k * v.S, c, v.S, false,
                   slt_four(sum.x / n, sum.y / n, sum.z / n, sum.w / n));
    });
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
    for (int c = 4 * (int)(threadIdx.x % SLT_WARP); c < v.S; c += 4 * SLT_WARP) {
        float key[4] = {0}, value[4] = {0};
#pragma unroll 4
        for (int k = 0; k < v.K; k++) {
            slt_add4(key, dz[k], slt_load4(v.q + (int64_t)k * v.S, c, v.S));
            slt_add4(value, share[k], slt_load4(du + (int64_t)k * v.S, c, v.S));
        }
        slt_store4(dkey, c, v.S, a.add[KV], slt_four(key[0], key[1], key[2], key[3]));
        slt_store4(dkey + v.S, c, v.S, a.add[KV], slt_four(value[0], value[1], value[2], value[3]));
    }
}

// shared holds dz·scale (tokens, K), then du·u (slots); dynamic shared memory: dz and shares of the
// position at hand, (warps, 2, K)
SLT_KERNEL __launch_bounds__(THREADS) backward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    int b = (int)blockIdx.x, warp = (int)threadIdx.x / SLT_WARP, warps = (int)blockDim.x / SLT_WARP;
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
    for (int k = warp; k < v.K; k += warps) {
        float sum[AT_ONCE];
        warp_dots(du + (int64_t)k * v.S, u + (int64_t)k * v.S, v.S, 1, sum);
        if (threadIdx.x % SLT_WARP == 0) along[k] = sum[0];
    }
    __syncthreads();
    for (int l = warp; l < v.computed; l += warps) {
        position_gradient(v, l, du, along, own, own + v.K);
        for (int k = (int)(threadIdx.x % SLT_WARP); k < v.K; k += SLT_WARP)
            dz[(int64_t)l * v.K + k] = own[k];
        if (a.in_grad[KV].at) token_gradient(a, v, l, du, own, own + v.K);
        __syncwarp();
    }
    __syncthreads();
    if (!a.in_grad[Q].at) return;
    float *dq = slt_at(a.in_grad[Q]) + v.slot * v.S;
    sum_positions(v, dz, v.kv, 2 * v.S, (float4 *)parts, [&](int k, int c, float4 sum) {
        slt_store4(dq + (int64_t)k * v.S, c, v.S, a.add[Q], sum);
    });
}

#ifdef SLT_EMULATED
enum { MANY = 2 };
#else
enum { MANY = 132 }; // trajectories of all members: a multiprocessor has room for one large block
#endif

static int threads_of(const slt_cuda_args *args) {
    return (int64_t)args->trajectories * args->members > MANY ? (int)FEW_THREADS : (int)THREADS;
}

// shared memory: some numbers per warp and slot, or a four per thread
static size_t room(const slt_cuda_args *args, int numbers) {
    size_t threads = (size_t)threads_of(args), warps = threads / SLT_WARP;
    size_t slots = (size_t)numbers * warps * (size_t)args->slots * sizeof(float);
    return slots > threads * sizeof(float4) ? slots : threads * sizeof(float4);
}

void slt_cuda_slot_attention_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), threads_of(args),
               room(args, 1));
}
void slt_cuda_slot_attention_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), threads_of(args),
               room(args, 2));
}
