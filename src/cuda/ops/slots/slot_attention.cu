// One round of slot attention, a whole step in one launch: a block per trajectory. Long
// trajectories and wide slots have a block per chunk of positions; what each leaves of the slots'
// sums is added in a launch of its own.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/large_block.cuh"
#include "cuda/kernels/slot_attention.cuh"
#include "cuda/kernels/tensor_core.cuh"
#include "ops/common/op_inputs.h"

enum { Q, KV };
enum { THREADS = 1024, FEW_THREADS = 256, CHUNK_THREADS = 512, SLOT_THREADS = 128 };

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

SLT_DEVICE_INLINE void clear_tails(const slt_cuda_args &a) {
    if (a.in_grad[KV].at && !a.add[KV])
        slt_clear_tail(slt_at(a.in_grad[KV]), slt_count(a, SLT_TOKENS, 0), a.in_rows[KV],
                       a.in_width[KV]);
    if (a.in_grad[Q].at && !a.add[Q])
        slt_clear_tail(slt_at(a.in_grad[Q]), slt_count(a, SLT_SLOTS, 0), a.in_rows[Q],
                       a.in_width[Q]);
}

// shared holds dz·scale (tokens, K), then du·u (slots); dynamic shared memory: dz and shares of the
// position at hand, (warps, 2, K)
SLT_KERNEL __launch_bounds__(THREADS) backward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    int b = (int)blockIdx.x, warp = (int)threadIdx.x / SLT_WARP, warps = (int)blockDim.x / SLT_WARP;
    clear_tails(a);
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

// ---- long trajectories, wide slots: a block has chunk c of trajectory b

// positions of the chunk alone
SLT_DEVICE_INLINE slt_round chunk_of(slt_round v, int c) {
    int chunk = slt_slot_chunk(v.S), first = c * chunk;
    v.computed = slt_least(v.computed - first, chunk);
    v.truth -= first;
    v.token += first;
    v.kv += (int64_t)first * 2 * v.S;
    v.attention += (int64_t)first * v.K;
    return v;
}
// room for so many numbers, and for the shares of a chunk's positions: what follows is aligned
SLT_HOST_DEVICE int fours(int numbers) { return (numbers + 3) / 4 * 4; }
SLT_HOST_DEVICE int share_room(int S, int K) { return fours(slt_slot_chunk(S) * K); }

// (K,S) sums of a chunk, then K sums of weights
SLT_DEVICE_INLINE float *part_of(float *parts, const slt_round &v, int chunk) {
    return parts + (int64_t)chunk * slt_slot_part(v.K, v.S);
}
// in `shared`, after dz and du·u
SLT_DEVICE_INLINE float *backward_parts(const slt_cuda_args &a) {
    return slt_at(a.shared) + ((int64_t)a.in_room[KV] * a.slots + a.in_room[Q] + 3) / 4 * 4;
}

// rows that warps of a chunk read again and again, in shared memory where there is room for them
// all: they are on their way at once
typedef struct {
    float *next;
    bool copies;
} staging;

SLT_DEVICE_INLINE const float *stage(staging *to, const float *from, int numbers) {
    float *rows = to->next;
    if (!to->copies) return from;
    for (int i = 4 * (int)threadIdx.x; i < numbers; i += 4 * (int)blockDim.x)
        slt_copy_fours(rows + i, from + i);
    to->next += numbers;
    return rows;
}
SLT_DEVICE_INLINE void await_staged(void) {
    slt_copy_group();
    slt_copy_wait<0>();
    __syncthreads();
}

// dynamic shared memory: shares of the chunk's positions, logits of every warp or a four of every
// thread, staged rows
SLT_KERNEL __launch_bounds__(CHUNK_THREADS)
    forward_chunk(const slt_cuda_args a, int chunks, int room, bool copies) {
    slt_begin();
    SLT_DYNAMIC_SHARED(shares);
    int b = (int)blockIdx.x / chunks, c = (int)blockIdx.x % chunks, warp = slt_block_warp();
    slt_clear_tail(slt_at(a.out[0]), slt_count(a, SLT_SLOTS, 0), a.out_rows[0], a.out_width[0]);
    slt_clear_tail(slt_at(a.out[1]), slt_count(a, SLT_TOKENS, 0), a.out_rows[1], a.out_width[1]);
    if (b >= slt_header(a)->count) return;
    slt_round v = chunk_of(view_of(a, b), c);
    if (v.computed <= 0) return;
    float *own = shares + share_room(v.S, v.K), *attention = v.attention;
    float *part = part_of(slt_at(a.shared), v, (int)blockIdx.x);
    staging staged = {own + room, copies};
    v.q = stage(&staged, v.q, v.K * v.S);
    v.kv = stage(&staged, v.kv, v.computed * 2 * v.S);
    v.sum = part + v.K * v.S;
    v.attention = shares;
    await_staged();
    for (int l = warp; l < v.computed; l += slt_block_warps()) slt_compete(v, l, own + warp * v.K);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < v.computed * v.K; i += (int)blockDim.x)
        attention[i] = shares[i];
    slt_sum_weights(v);
    slt_sum_positions(v, shares, v.kv + v.S, 2 * v.S, (float4 *)own,
                      [&](int k, int column, float4 sum) {
                          slt_store4(part + k * v.S, column, v.S, false, sum);
                      });
}

// the chunks of a slot, in order
template <class Put>
SLT_DEVICE_INLINE void add_chunks(const slt_round &v, const float *parts, int first, int count,
                                  int k, Put put) {
    for (int c = 4 * (int)threadIdx.x; c < v.S; c += 4 * (int)blockDim.x) {
        float sum[4] = {0};
#pragma unroll 4
        for (int i = 0; i < count; i++)
            slt_add4(sum, 1,
                     slt_load4(parts + (int64_t)(first + i) * slt_slot_part(v.K, v.S) + k * v.S, c,
                               v.S));
        put(c, slt_four(sum[0], sum[1], sum[2], sum[3]));
    }
}

// u_k = Σ/n_k: a block per slot
SLT_KERNEL forward_slots(const slt_cuda_args a, int chunks) {
    slt_begin();
    int b = (int)blockIdx.x / a.slots, k = (int)blockIdx.x % a.slots;
    if (b >= slt_header(a)->count) return;
    slt_round v = view_of(a, b);
    int chunk = slt_slot_chunk(v.S), count = (v.computed + chunk - 1) / chunk;
    const float *parts = slt_at(a.shared);
    float n = 0, *to = slt_at(a.out[0]) + (v.slot + k) * v.S;
    for (int i = 0; i < count; i++)
        n += parts[(int64_t)(b * chunks + i) * slt_slot_part(v.K, v.S) + v.K * v.S + k];
    if (threadIdx.x == 0) v.sum[k] = n;
    add_chunks(v, parts, b * chunks, count, k, [&](int c, float4 sum) {
        slt_store4(to, c, v.S, false, slt_four(sum.x / n, sum.y / n, sum.z / n, sum.w / n));
    });
}

// dynamic shared memory: dz of the chunk's positions, du·u, then dz and shares of the position at
// hand, (warps, 2, K), or a four of every thread, staged rows
SLT_KERNEL __launch_bounds__(CHUNK_THREADS)
    backward_chunk(const slt_cuda_args a, int chunks, int room, bool copies) {
    slt_begin();
    SLT_DYNAMIC_SHARED(dz);
    int b = (int)blockIdx.x / chunks, warp = slt_block_warp(), lane = (int)threadIdx.x % SLT_WARP;
    clear_tails(a);
    if (b >= slt_header(a)->count) return;
    slt_round v = chunk_of(view_of(a, b), (int)blockIdx.x % chunks);
    if (v.computed <= 0) return;
    const float *du = slt_at(a.out_grad[0]) + v.slot * v.S, *u = slt_at(a.out[0]) + v.slot * v.S;
    float *along = dz + share_room(v.S, v.K), *parts = along + fours(v.K);
    float *own = parts + 2 * warp * v.K, *dkv = slt_at(a.in_grad[KV]);
    staging staged = {parts + room, copies};
    v.q = stage(&staged, v.q, v.K * v.S);
    v.kv = stage(&staged, v.kv, v.computed * 2 * v.S);
    const float *rows = stage(&staged, du, v.K * v.S);
    for (int k = warp; k < v.K; k += slt_block_warps()) {
        float sum[SLT_SLOTS_AT_ONCE];
        slt_warp_dots(du + (int64_t)k * v.S, u + (int64_t)k * v.S, v.S, 1, sum);
        if (lane == 0) along[k] = sum[0];
    }
    await_staged();
    for (int l = warp; l < v.computed; l += slt_block_warps()) {
        slt_position_gradient(v, l, rows, along, own, own + v.K);
        for (int k = lane; k < v.K; k += SLT_WARP) dz[l * v.K + k] = own[k];
        if (dkv) slt_token_gradient(v, l, rows, own, own + v.K, a.add[KV], dkv + v.token * 2 * v.S);
        __syncwarp();
    }
    __syncthreads();
    if (!a.in_grad[Q].at) return;
    float *part = part_of(backward_parts(a), v, (int)blockIdx.x);
    slt_sum_positions(v, dz, v.kv, 2 * v.S, (float4 *)parts, [&](int k, int c, float4 sum) {
        slt_store4(part + k * v.S, c, v.S, false, sum);
    });
}

SLT_KERNEL backward_slots(const slt_cuda_args a, int chunks) {
    slt_begin();
    int b = (int)blockIdx.x / a.slots, k = (int)blockIdx.x % a.slots;
    if (b >= slt_header(a)->count) return;
    slt_round v = view_of(a, b);
    int chunk = slt_slot_chunk(v.S), count = (v.computed + chunk - 1) / chunk;
    float *dq = slt_at(a.in_grad[Q]) + (v.slot + k) * v.S;
    add_chunks(v, backward_parts(a), b * chunks, count, k,
               [&](int c, float4 sum) { slt_store4(dq, c, v.S, a.add[Q], sum); });
}

// ---- launches

#ifdef SLT_EMULATED
enum { MANY = 2 };
#else
enum { MANY = 132 }; // trajectories of all members: a multiprocessor has room for one large block
#endif

static int threads_of(const slt_cuda_args *args) {
    return (int64_t)args->trajectories * args->members > MANY ? (int)FEW_THREADS : (int)THREADS;
}

// shared memory: some numbers per warp and slot, or a four per thread
static size_t room(const slt_cuda_args *args, int threads, int numbers) {
    size_t warps = (size_t)threads / SLT_WARP;
    size_t slots = (size_t)numbers * warps * (size_t)args->slots * sizeof(float);
    size_t all = (size_t)threads * sizeof(float4);
    return slots > all ? slots : all;
}

// few trajectories with much to do would leave most of the device empty
enum { ENOUGH = 528 }; // trajectories of all members
static bool is_shared(const slt_cuda_args *args) {
    return slt_slot_shared(args->length, args->in_width[Q]) &&
           (int64_t)args->trajectories * args->members < ENOUGH;
}

static void launch_chunks(const slt_cuda_args *args, bool back) {
    int S = args->in_width[Q], K = args->slots, chunk = slt_slot_chunk(S);
    int chunks = slt_pieces(args->length, chunk);
    dim3 grid = slt_grid(args, (int64_t)args->trajectories * chunks, 1);
    dim3 slots = slt_grid(args, (int64_t)args->trajectories * K, 1);
    size_t warps = room(args, CHUNK_THREADS, back ? 2 : 1);
    size_t own = warps + ((size_t)share_room(S, K) + (back ? fours(K) : 0)) * sizeof(float);
    size_t rows = ((size_t)K * (back ? 2 : 1) + 2 * (size_t)chunk) * (size_t)S * sizeof(float);
    bool copies = S % 4 == 0 && own + rows <= slt_shared_room();
    size_t bytes = copies ? own + rows : own;
    int numbers = (int)(warps / sizeof(float));
    if (!back) {
        SLT_LAUNCH_LARGE(args, forward_chunk, grid, CHUNK_THREADS, bytes, chunks, numbers, copies);
        SLT_LAUNCH(args, forward_slots, slots, SLOT_THREADS, 0, chunks);
        return;
    }
    SLT_LAUNCH_LARGE(args, backward_chunk, grid, CHUNK_THREADS, bytes, chunks, numbers, copies);
    if (args->in_grad[Q].at) SLT_LAUNCH(args, backward_slots, slots, SLOT_THREADS, 0, chunks);
}

void slt_cuda_slot_attention_forward(const slt_cuda_args *args) {
    int threads = threads_of(args);
    if (is_shared(args))
        launch_chunks(args, false);
    else
        SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), threads,
                   room(args, threads, 1));
}
void slt_cuda_slot_attention_backward(const slt_cuda_args *args) {
    int threads = threads_of(args);
    if (is_shared(args))
        launch_chunks(args, true);
    else
        SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), threads,
                   room(args, threads, 2));
}
