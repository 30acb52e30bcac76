// Self-attention of rows in bf16 (wide_attention.cu) for trajectories of at most 128 steps. All
// rows of a head are in shared memory; a block of four warps walks over heads (brief_heads.cuh),
// the next one on its way while one is at work. Up to 64 rows nothing is computed twice: backward
// leaves probabilities and gradients of scores in shared memory, where products read their columns,
// which are rows of dk and dv.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/brief_heads.cuh"

// a sequence of two tiles has four times as many scores as one
enum { LONG_COST = 4 };

// ---- of two heads in turn

enum { FORWARD_KINDS = 3, BACKWARD_KINDS = 5 };

template <int SIZE, int KINDS> struct head_rows {
    typedef slt_head_tile<SIZE> tile;
    enum { ONE = KINDS * tile::FLOATS, SQUARE = slt_head_tile<TILE>::FLOATS };
    // backward: a number for every query and key, and what is kept of queries
    enum { FLOATS = 2 * ONE + (KINDS == BACKWARD_KINDS ? SQUARE + 2 * TILE : 0) };
    float *memory;
    __device__ __forceinline__ float *at(int turn, int kind) const {
        return memory + turn % 2 * ONE + kind * tile::FLOATS;
    }
    // probabilities have the place of values and outputs, which are read before
    __device__ __forceinline__ float *shares(int turn) const { return at(turn, V); }
    __device__ __forceinline__ float *score_gradients(void) const { return memory + 2 * ONE; }
    __device__ __forceinline__ float *kept(int turn) const {
        return memory + 2 * ONE + SQUARE + turn % 2 * TILE;
    }

    __device__ __forceinline__ void ask(const slt_cuda_args &a, const place &p, int turn) const {
        int rows = p.v.run.computed;
#pragma unroll
        for (int kind = 0; kind < KINDS; kind++) {
            slt_cuda_view view = kind < OUT ? a.in[0] : kind == OUT ? a.out[0] : a.out_grad[0];
            int64_t first =
                kind < OUT ? slt_attention_place(p.v, kind, 0) : slt_attention_out(p.v, 0);
            typename tile::template source<SLT_GROUP> from(
                slt_rows_at<slt_bf16>(view) + first, (kind < OUT ? 3 : 1) * p.v.width,
                kind == K || kind == V ? p.v.keys : rows, p.v.size);
            from.copy(at(turn, kind), 0);
        }
        int l = (int)threadIdx.x;
        if (KINDS == BACKWARD_KINDS && l < TILE)
            slt_copy_word_if(kept(turn) + l,
                             slt_at(a.aux) + slt_attention_kept(p.v, l < rows ? l : 0), l < rows);
    }
};

// ---- forward

// from tiles q, k and v; the result goes by way of q
template <int SIZE>
SLT_DEVICE_INLINE void attend(const slt_cuda_args &a, const place &p, float *q, const float *k,
                              const float *v) {
    typedef slt_head_tile<SIZE> tile;
    float z[EIGHTS][4], out[SIZE / 8][4] = {}, log[2], inverse[2];
    uint32_t factor[SIXTEENS][4];
    slt_group_fence();
    tile::scores(z, q, k);
    slt_group_start();
    slt_group_await();
    slt_group_pin<EIGHTS>(z);
    weigh<1>(p, z, log, inverse);
    slt_tile_factor(factor, z);
    slt_group_fence();
    tile::sums(out, factor, v);
    slt_group_start();
    keep_logs(a, p, log);
    __syncthreads(); // nobody reads queries any more
    slt_group_await();
    slt_group_pin<SIZE / 8>(out);
    store_tile<SIZE>(q, slt_rows_at<slt_bf16>(a.out[0]) + slt_attention_out(p.v, 0), p.v.width, p,
                     out, inverse, false);
}

// ---- backward (attention_steps.cuh says what is taken out of ds)

// z to probabilities, ds to gradients of scores; queries and keys that are not there have none
SLT_DEVICE_INLINE void take_shares(const place &p, float (*z)[4], float (*ds)[4], const float *log,
                                   const float *along) {
    float rest[2] = {0, 0};
#pragma unroll
    for (int i = 0; i < 4 * EIGHTS; i++) {
        int j = i / 4, e = i % 4, r = e / 2;
        z[j][e] = slt_power(z[j][e] * p.factor - log[r]);
        if (8 * j + 2 * p.t + e % 2 >= p.v.keys) z[j][e] = 0;
        ds[j][e] = z[j][e] * (ds[j][e] - along[r]);
        rest[r] += ds[j][e];
    }
#pragma unroll
    for (int r = 0; r < 2; r++) rest[r] = slt_row_sum(rest[r]);
#pragma unroll
    for (int i = 0; i < 4 * EIGHTS; i++) ds[i / 4][i % 4] -= z[i / 4][i % 4] * rest[i % 4 / 2];
}

// o·do of the lane's rows
template <int SIZE>
SLT_DEVICE_INLINE void sum_along(const place &p, const float *out, const float *dout,
                                 float *along) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float sum = 0;
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++) {
            int at = slt_head_tile<SIZE>::place(p.first + 8 * r + p.g, n) + p.t;
            uint32_t x = ((const uint32_t *)out)[at], y = ((const uint32_t *)dout)[at];
            sum += slt_low(x) * slt_low(y) + slt_high(x) * slt_high(y);
        }
        along[r] = slt_row_sum(sum);
    }
}

// a head's gradients
template <int SIZE>
SLT_DEVICE_INLINE void gradients(const slt_cuda_args &a, const place &p,
                                 const head_rows<SIZE, BACKWARD_KINDS> &rows, int turn) {
    typedef slt_head_tile<SIZE> tile;
    float z[EIGHTS][4], ds[EIGHTS][4], log[2], along[2], one[2], by[2];
    float dq[SIZE / 8][4] = {}, dk[SIZE / 8][4] = {}, dv[SIZE / 8][4] = {};
    const float scale[2] = {p.v.scale, p.v.scale}, plain[2] = {1, 1};
    uint32_t factor[SIXTEENS][4];
    slt_bf16 *to = slt_rows_at<slt_bf16>(a.in_grad[0]) + slt_attention_place(p.v, 0, 0);
    int stride = 3 * p.v.width;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = p.first + 8 * r + p.g;
        log[r] = rows.kept(turn)[l]; // of rows that are not there 0, as all their numbers
        one[r] = l < p.v.keys ? 1 : 0;
        by[r] = l < p.v.keys ? p.v.scale : 0;
    }
    slt_group_fence();
    tile::scores(z, rows.at(turn, Q), rows.at(turn, K));
    tile::scores(ds, rows.at(turn, DOUT), rows.at(turn, V));
    slt_group_start();
    sum_along<SIZE>(p, rows.at(turn, OUT), rows.at(turn, DOUT), along);
    slt_group_await();
    slt_group_pin<EIGHTS>(z);
    slt_group_pin<EIGHTS>(ds);
    take_shares(p, z, ds, log, along);
    __syncthreads(); // nobody reads values and outputs any more
    put_tile<TILE>(rows.shares(turn), p, z, plain);
    put_tile<TILE>(rows.score_gradients(), p, ds, plain);
    slt_tile_factor(factor, ds);
    slt_group_publish();
    slt_group_fence();
    tile::sums(dq, factor, rows.at(turn, K));
    slt_group_start();
    slt_group_await();
    slt_group_pin<SIZE / 8>(dq);
    __syncthreads(); // nor keys
    store_tile<SIZE>(rows.at(turn, K), to, stride, p, dq, scale, a.add[0]);
    slt_group_fence();
    tile::turned(dv, rows.shares(turn), rows.at(turn, DOUT));
    tile::turned(dk, rows.score_gradients(), rows.at(turn, Q));
    slt_group_start();
    slt_group_await();
    slt_group_pin<SIZE / 8>(dk);
    slt_group_pin<SIZE / 8>(dv);
    __syncthreads(); // nor the other rows
    store_tile<SIZE>(rows.at(turn, DOUT), to + p.v.width, stride, p, dk, by, a.add[0]);
    store_tile<SIZE>(rows.at(turn, Q), to + 2 * p.v.width, stride, p, dv, one, a.add[0]);
}

// ---- kernels

// of a multiprocessor
template <int SIZE> struct blocks_of {
    enum { FORWARD = SIZE == 32 ? 4 : 3, BACKWARD = SIZE == 32 ? 3 : 2 };
};

template <int SIZE, int KINDS>
SLT_DEVICE_INLINE void walk(const slt_cuda_args &a, float *memory, int slots) {
    head_rows<SIZE, KINDS> rows = {slt_group_begin(memory)};
    head h = first_head(a, slots, -1, (int)blockIdx.x, (int)gridDim.x, LONG_COST);
    bool asked = false;
    for (int turn = 0; h.there; turn++) {
        place p = h.p;
        bool one = h.cost == 1;
        if (one && !asked) rows.ask(a, p, turn);
        slt_copy_group();
        step(a, &h);
        if (one) await_rows(); // and nobody is at work on the head before
        asked = one && h.there && h.cost == 1;
        if (asked) rows.ask(a, h.p, turn + 1);
        slt_copy_group();
        if (!one) __syncthreads();
        if constexpr (KINDS == FORWARD_KINDS) {
            if (one)
                attend<SIZE>(a, p, rows.at(turn, Q), rows.at(turn, K), rows.at(turn, V));
            else
                attend_long<SIZE>(a, p, rows.memory);
        } else {
            if (one)
                gradients<SIZE>(a, p, rows, turn);
            else
                gradients_long<SIZE>(a, p, rows.memory);
        }
        if (!one) __syncthreads();
    }
}

template <int SIZE>
SLT_KERNEL __launch_bounds__(SLT_GROUP, blocks_of<SIZE>::FORWARD)
    forward(const __grid_constant__ slt_cuda_args a, int slots) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    slt_clear_tail(slt_rows_at<slt_bf16>(a.out[0]),
                   slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0), a.out_rows[0],
                   a.out_width[0]);
    walk<SIZE, FORWARD_KINDS>(a, memory, slots);
}

template <int SIZE>
SLT_KERNEL __launch_bounds__(SLT_GROUP, blocks_of<SIZE>::BACKWARD)
    backward(const __grid_constant__ slt_cuda_args a, int slots) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    if (!a.add[0])
        slt_clear_tail(slt_rows_at<slt_bf16>(a.in_grad[0]),
                       slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0), a.in_rows[0],
                       a.in_width[0]);
    walk<SIZE, BACKWARD_KINDS>(a, memory, slots);
}

// ---- launches

template <int SIZE> static void launch(const slt_cuda_args *args, bool back) {
    int slots = args->n[SLT_ATTENTION_SPACE] == SLT_SLOT_TOKENS ? args->slots : 1;
    int blocks = back ? blocks_of<SIZE>::BACKWARD : blocks_of<SIZE>::FORWARD;
    unsigned most = (unsigned)(blocks * slt_enough_blocks());
    typedef head_rows<SIZE, FORWARD_KINDS> less;
    typedef head_rows<SIZE, BACKWARD_KINDS> more;
    size_t floats = back ? (size_t)more::FLOATS : (size_t)less::FLOATS;
    size_t bytes = floats * sizeof(float) + SLT_GROUP_ALIGN;
    dim3 grid = grid_of(args, 1);
    if (grid.x > most) grid.x = most;
    if (back)
        SLT_LAUNCH_LARGE(args, backward<SIZE>, grid, SLT_GROUP, bytes, slots);
    else
        SLT_LAUNCH_LARGE(args, forward<SIZE>, grid, SLT_GROUP, bytes, slots);
}

void slt_cuda_brief_attention(const slt_cuda_args *args, bool backward) {
    int size = args->out_width[0] / args->n[SLT_ATTENTION_HEADS];
    (size <= 32 ? launch<32> : launch<64>)(args, backward);
}
