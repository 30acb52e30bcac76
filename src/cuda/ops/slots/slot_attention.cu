// One round of slot attention, a whole step in one launch: a block per trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/slot_attention.cuh"

enum { Q, KV };
enum { THREADS = 1024, FEW_THREADS = 256 };

SLT_DEVICE_INLINE slt_round view_of(const slt_cuda_args &a, int b) {
    slt_round v;
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

SLT_KERNEL __launch_bounds__(THREADS) forward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(own);
    float4 *parts = (float4 *)own; // after the first barrier
    int b = (int)blockIdx.x, warp = (int)threadIdx.x / SLT_WARP, warps = (int)blockDim.x / SLT_WARP;
    float *update = slt_at(a.out[0]);
    slt_clear_tail(update, slt_count(a, SLT_SLOTS, 0), a.out_rows[0], a.out_width[0]);
    slt_clear_tail(slt_at(a.out[1]), slt_count(a, SLT_TOKENS, 0), a.out_rows[1], a.out_width[1]);
    if (b >= slt_header(a)->count) return;
    slt_round v = view_of(a, b);
    for (int l = warp; l < v.computed; l += warps) slt_compete(v, l, own + warp * v.K);
    __syncthreads();
    slt_sum_weights(v);
    __syncthreads();
    float *to = update + v.slot * v.S;
    slt_sum_positions(v, v.attention, v.kv + v.S, 2 * v.S, parts, [&](int k, int c, float4 sum) {
        float n = v.sum[k];
        slt_store4(to + (int64_t)k * v.S, c, v.S, false,
                   slt_four(sum.x / n, sum.y / n, sum.z / n, sum.w / n));
    });
}

// ---- backward

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
    if (b >= slt_header(a)->count) return;
    slt_round v = view_of(a, b);
    const float *du = slt_at(a.out_grad[0]) + v.slot * v.S;
    const float *u = slt_at(a.out[0]) + v.slot * v.S;
    float *dz = slt_at(a.shared) + v.token * v.K, *own = parts + 2 * warp * v.K;
    float *dkv = slt_at(a.in_grad[KV]);
    float *along = slt_at(a.shared) + (int64_t)a.in_room[KV] * v.K + v.slot;
    for (int k = warp; k < v.K; k += warps) {
        float sum[SLT_SLOTS_AT_ONCE];
        slt_warp_dots(du + (int64_t)k * v.S, u + (int64_t)k * v.S, v.S, 1, sum);
        if (threadIdx.x % SLT_WARP == 0) along[k] = sum[0];
    }
    __syncthreads();
    for (int l = warp; l < v.computed; l += warps) {
        slt_position_gradient(v, l, du, along, own, own + v.K);
        for (int k = (int)(threadIdx.x % SLT_WARP); k < v.K; k += SLT_WARP)
            dz[(int64_t)l * v.K + k] = own[k];
        if (dkv) slt_token_gradient(v, l, du, own, own + v.K, a.add[KV], dkv + v.token * 2 * v.S);
        __syncwarp();
    }
    __syncthreads();
    if (!a.in_grad[Q].at) return;
    float *dq = slt_at(a.in_grad[Q]) + v.slot * v.S;
    slt_sum_positions(v, dz, v.kv, 2 * v.S, (float4 *)parts, [&](int k, int c, float4 sum) {
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
