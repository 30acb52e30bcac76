// What is before the encoder's attention (fused_encoder_input.h), with the products of a layer
// (layer_group.cuh). Forward a block has 64 rows and a third of the columns after the norm:
// queries, keys or values. The way to the norm is made three times, which costs less than the
// weights of all three would; each third leaves a part of what it writes. Backward a block has all
// of some rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/encoder_input/fused_encoder_input.h"
#include "cuda/fused/layer/layer_group.cuh"

static_assert(sizeof(slt_fused_encoder_input) <= 4096, "a kernel takes so many bytes of arguments");

enum { THIRDS = 3, PART = SLT_LAYER_PART, THREADS = SLT_LAYER_THREADS };
enum { GAMMA, BETA, C, SMALL }; // small parameters

// forward: pieces of weights that a group has, B's and W's
enum { PIECES = 2 };
template <int W> struct room {
    enum { RING = slt_layer_room<W>::RING, SWAP = slt_layer_room<W>::SWAP, PIECE = PART * W };
    enum { STAGES = SLT_LAYER_GROUPS * PIECES * PIECE };
    enum { PAST = W < SLT_LAYER_BOTH ? PART : 0 }; // the bias is read as if there were 128
    enum { REST = (4 * SWAP + SMALL * W + PAST) * 4 + SLT_GROUP_ALIGN };
    enum { BYTES = STAGES * 4 + REST, BACK_BYTES = RING * 4 + REST };
};

// who leaves what of the way to the norm
enum { PUTS_Y, PUTS_HAT, PUTS_NORMED };

// ---- forward

// γ, β and the bias of the third
template <int W>
SLT_DEVICE_INLINE void prefetch_small(const slt_fused_encoder_input &p, float *small) {
    int warp = (int)threadIdx.x / SLT_WARP;
    slt_cuda_view c = p.c;
    if (c.at) c.at += blockIdx.y * W;
    if (warp == 0) slt_layer_prefetch_one<W>(small, GAMMA, p.norm.in[SLT_NORM_GAMMA]);
    if (warp == 1) slt_layer_prefetch_one<W>(small, BETA, p.norm.in[SLT_NORM_BETA]);
    if (warp == 2 && c.at) slt_layer_prefetch_one<W>(small, C, c);
    slt_copy_group();
}

// what is known of the lane's own row before the previous kernel has ended
typedef struct {
    bool there, inside;
    int id, position;
} row_facts;

SLT_DEVICE_INLINE row_facts facts_of(const slt_fused_encoder_input &p, const slt_layer_spot &at) {
    row_facts f = {at.own < slt_count(p.norm, SLT_TOKENS, 0), at.own < p.rows, 0, 0};
    if (f.there) f.id = slt_ints(p.ids)[at.own];
    if (f.there && p.norm.in[SLT_NORM_POSITIONS].at)
        f.position = slt_token_place_of(p.norm, p.norm.in_space[0], at.own).l;
    return f;
}

template <int W>
SLT_DEVICE_INLINE void load_position(const slt_fused_encoder_input &p, const slt_layer_spot &at,
                                     const row_facts &f, float4 *position) {
    const float *from = slt_at(p.norm.in[SLT_NORM_POSITIONS]);
#pragma unroll
    for (int i = 0; i < W / 16; i++)
        position[i] = from ? *slt_layer_at(from + f.position * W, i, at.t) : slt_four(0, 0, 0, 0);
}

// own = relu(own); rows that the batch does not have are zero
template <int W> SLT_DEVICE_INLINE void take_relu(float4 *own, bool there) {
#pragma unroll
    for (int i = 0; i < W / 16; i++) {
        float4 x = own[i];
        own[i] = slt_four(fmaxf(x.x, 0), fmaxf(x.y, 0), fmaxf(x.z, 0), fmaxf(x.w, 0));
        if (!there) own[i] = slt_four(0, 0, 0, 0);
    }
}

// own = LN(own) + position, with all that it writes
template <int W>
SLT_DEVICE_INLINE void take_norm(const slt_fused_encoder_input &p, const slt_layer_workspace &b,
                                 const row_facts &f, const float4 *position, float4 *own) {
    int64_t at = (int64_t)b.at.own * W;
    float *hat = slt_at(p.norm.aux), *factors = hat + (int64_t)p.norm.in_room[SLT_NORM_X] * W;
    float factor = slt_layer_centre<W>(own, (float)p.norm.x[0]);
    if (f.inside && p.norm.keep && blockIdx.y == PUTS_HAT) {
        slt_layer_store<W>(hat + at, own, b.at.t);
        if (b.at.t == 0) factors[b.at.own] = factor;
    }
#pragma unroll
    for (int i = 0; i < W / 16; i++) {
        own[i] = slt_plus4(slt_times4(slt_layer_small<W>(b, GAMMA, i), own[i]),
                           slt_layer_small<W>(b, BETA, i));
        own[i] = f.there ? slt_plus4(own[i], position[i]) : slt_four(0, 0, 0, 0);
    }
    if (f.inside && blockIdx.y == PUTS_NORMED)
        slt_layer_store<W>(slt_at(p.norm.out[0]) + at, own, b.at.t);
}

// h + c, 64 columns of the group
template <int W> SLT_DEVICE_INLINE void add_bias(const slt_layer_workspace &b, float (*h)[4]) {
#pragma unroll
    for (int i = 0; i < SLT_PART_FOURS; i++) {
        float4 c = *slt_layer_at(b.small + C * W + b.at.group * PART, i, b.at.t);
#pragma unroll
        for (int k = 0; k < 4; k += 2) {
            h[2 * i][k] += c.x, h[2 * i][k + 1] += c.y;
            h[2 * i + 1][k] += c.z, h[2 * i + 1][k + 1] += c.w;
        }
    }
}

// a group has a piece of B and one of its third of W
template <int W>
SLT_DEVICE_INLINE void ask_piece(const slt_fused_encoder_input &p, const slt_layer_ring &r, int i) {
    int group = (int)threadIdx.x / SLT_GROUP, piece = i ? 1 + (int)blockIdx.y : 0;
    enum { PIECE = room<W>::PIECE };
    const float *packed = slt_at(p.packed) + (group * SLT_ENCODER_INPUT_PIECES + piece) * PIECE;
    if (threadIdx.x % SLT_GROUP == 0)
        slt_gate_prefetch(r.gates + i, r.stages + i * PIECE, packed, PIECE * 4);
}

template <int W> SLT_DEVICE_INLINE slt_layer_ring open_ring(float *stages, uint64_t *gates) {
    int group = (int)threadIdx.x / SLT_GROUP;
    slt_layer_ring r;
    r.count = PIECES, r.at = 0;
    r.stages = stages + group * PIECES * room<W>::PIECE, r.gates = gates + group * PIECES;
    for (int i = 0; threadIdx.x % SLT_GROUP == 0 && i < PIECES; i++) slt_gate_init(r.gates + i);
    return r;
}

// z = x·B, the group's half of the channels
template <int W>
SLT_DEVICE_INLINE void take_input(const slt_fused_encoder_input &p, const slt_layer_workspace &b,
                                  float (*z)[4]) {
    float a[SLT_PART_EIGHTS][4];
    slt_layer_rows<W>(a, b.at, slt_at(p.x), p.rows, W, b.at.group * PART);
    slt_layer_clear<W>(z);
    const float *piece = slt_ring_take<W>(b.ring);
    ask_piece<W>(p, b.ring, 1); // not before: what is needed first arrives first
    slt_layer_wide<W>(z, a, piece);
}

// queries, keys or values
template <int W>
SLT_DEVICE_INLINE void put_third(const slt_fused_encoder_input &p, const slt_layer_workspace &b,
                                 const float4 *own) {
    float a[W / 8][4], h[SLT_PART_EIGHTS][4];
    slt_layer_share<W>(a, own, b.swap);
    slt_layer_deep<W>(h, a, slt_ring_take<W>(b.ring));
    if (p.c.at) add_bias<W>(b, h);
    int first = (int)blockIdx.y * W;
    slt_layer_put<W>(h, b.at, slt_at(p.qkv), p.rows, THIRDS * W, first + b.at.group * PART,
                     first + W, false);
}

template <int W>
SLT_KERNEL __launch_bounds__(THREADS, 1)
    forward(const __grid_constant__ slt_fused_encoder_input p) {
    SLT_DYNAMIC_SHARED(memory);
    alignas(8) __shared__ uint64_t gates[SLT_LAYER_GROUPS * PIECES];
    float *stages = slt_group_begin(memory), z[W / 8][4];
    float4 own[W / 16], position[W / 16];
    slt_layer_workspace b;
    if (!p.early) slt_wait_for_last();
    b.at = slt_layer_here(p.rows, SLT_LAYER_ROWS);
    b.swap = (float4 *)(stages + room<W>::STAGES);
    b.small = (float *)(b.swap + room<W>::SWAP);
    b.ring = open_ring<W>(stages, gates);
    prefetch_small<W>(p, b.small);
    row_facts f = facts_of(p, b.at);
    slt_begin();
    ask_piece<W>(p, b.ring, 0);
    slt_copy_wait<0>();
    __syncthreads();
    slt_layer_load<W>(own, slt_at(p.table) + f.id * W, b.at.t);
    take_input<W>(p, b, z);
    b.ring.at++;
    load_position<W>(p, b.at, f, position);
    slt_layer_gather<W>(own, z, b.swap);
    take_relu<W>(own, f.there);
    if (f.inside && blockIdx.y == PUTS_Y)
        slt_layer_store<W>(slt_at(p.y) + (int64_t)b.at.own * W, own, b.at.t);
    take_norm<W>(p, b, f, position, own);
    put_third<W>(p, b, own);
}

// ---- backward

// what forward left of the lane's own row
template <int W> struct kept_row {
    float4 hat[W / 16];
    float inverse;  // 0: the batch does not have the row
    uint32_t signs; // where y is positive, the first number in the highest bit
};

// x̂ may have left the second cache: a line of every lane
template <int W>
SLT_DEVICE_INLINE uint32_t signs_of(const slt_fused_encoder_input &p, const slt_layer_spot &at) {
    int64_t row = (int64_t)slt_least(at.own, p.rows - 1) * W;
    float4 y[W / 16];
    uint32_t signs = 0;
    slt_prefetch_line(slt_at(p.norm.aux) + row + at.t * W / 4);
    slt_layer_load<W>(y, slt_at(p.y) + row, at.t);
#pragma unroll
    for (int i = 0; i < W / 16; i++)
        signs = signs << 4 | (uint32_t)(y[i].x > 0) << 3 | (uint32_t)(y[i].y > 0) << 2 |
                (uint32_t)(y[i].z > 0) << 1 | (uint32_t)(y[i].w > 0);
    return signs << (SLT_FUSED_WIDEST - W) / 4;
}

template <int W>
SLT_DEVICE_INLINE void load_kept(const slt_fused_encoder_input &p, const slt_layer_spot &at,
                                 bool there, kept_row<W> *kept) {
    const float *hat = slt_at(p.norm.aux);
    int row = slt_least(at.own, p.rows - 1);
    slt_layer_load<W>(kept->hat, hat + (int64_t)row * W, at.t);
    kept->inverse = there ? hat[(int64_t)p.norm.in_room[SLT_NORM_X] * W + row] : 0;
}

// sums of dz·x̂ and dz over the block's rows, through memory where weights were
template <int W>
SLT_DEVICE_INLINE void put_parts(const slt_fused_encoder_input &p, const slt_layer_spot &at,
                                 float *stages, const float4 *dz, const kept_row<W> &kept) {
    enum { STRIDE = W + 16, PIECE = room<W>::PIECE }; // rows next to each other: other banks
    static_assert((int)THREADS == (int)SLT_NORM_PARTS, "a thread has a column of two sums");
    float *dots = stages + PIECE, *sums = dots + SLT_LAYER_STAGES * PIECE, sum = 0;
    int row = at.own - (int)blockIdx.x * p.each;
    const float *column = (threadIdx.x < SLT_SHORT_ROW ? dots : sums) + threadIdx.x % SLT_SHORT_ROW;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < W / 16; i++) {
        if (row >= p.each) continue;
        *slt_layer_at(dots + row * STRIDE, i, at.t) = slt_times4(dz[i], kept.hat[i]);
        *slt_layer_at(sums + row * STRIDE, i, at.t) = dz[i];
    }
    __syncthreads();
#pragma unroll 8
    for (int r = 0; r < p.each; r++) sum += column[r * STRIDE];
    if (slt_layer_there<W>((int)threadIdx.x % SLT_SHORT_ROW, W))
        slt_at(p.norm.shared)[(int64_t)blockIdx.x * SLT_NORM_PARTS + threadIdx.x] = sum;
}

// x where y was positive; by the highest four bits
SLT_DEVICE_INLINE float4 gated4(float4 x, uint32_t open) {
    return slt_four(open >> 31 & 1 ? x.x : 0, open >> 30 & 1 ? x.y : 0, open >> 29 & 1 ? x.z : 0,
                    open >> 28 & 1 ? x.w : 0);
}

// z = dqkv·Wᵀ, the group's half of the channels; all rows are on their way at once
template <int W>
SLT_DEVICE_INLINE void take_thirds(const slt_fused_encoder_input &p, slt_layer_workspace &b,
                                   float (*z)[4]) {
    float d[THIRDS][SLT_PART_EIGHTS][4];
#pragma unroll
    for (int i = 0; i < THIRDS; i++)
        slt_layer_rows<W>(d[i], b.at, slt_at(p.dqkv), p.rows, THIRDS * W,
                          (b.at.group * THIRDS + i) * PART);
    slt_layer_clear<W>(z);
#pragma unroll
    for (int i = 0; i < THIRDS; i++) {
        const float *piece = slt_ring_take<W>(b.ring);
#if SLT_GROUP_CORE
        slt_group_pin<SLT_PART_EIGHTS>(d[i]);
#endif
        slt_layer_wide<W>(z, d[i], piece);
        slt_ring_next<W>(b.ring);
    }
}

// dx = d·Bᵀ
template <int W>
SLT_DEVICE_INLINE void put_input(const slt_fused_encoder_input &p, const slt_layer_workspace &b,
                                 const float4 *own) {
    float a[W / 8][4], h[SLT_PART_EIGHTS][4];
    slt_layer_share<W>(a, own, b.swap);
    slt_layer_deep<W>(h, a, slt_ring_take<W>(b.ring));
    if (p.dx.at) slt_layer_put<W>(h, b.at, slt_at(p.dx), p.rows, W, b.at.group * PART, W, p.add_x);
}

// weights and what forward left are there before the previous kernel has ended
template <int W>
SLT_DEVICE_INLINE slt_layer_workspace open_back(const slt_fused_encoder_input &p, float *memory,
                                                uint64_t *gates, kept_row<W> *kept) {
    float *stages = slt_group_begin(memory);
    slt_layer_workspace b;
    if (!p.early) slt_wait_for_last();
    b.at = slt_layer_here(p.rows, p.each);
    b.swap = (float4 *)(stages + room<W>::RING);
    b.small = (float *)(b.swap + room<W>::SWAP);
    b.ring = slt_ring_open<W>(stages, gates, slt_at(p.packed), SLT_ENCODER_INPUT_PIECES);
    if (threadIdx.x < SLT_WARP)
        slt_layer_prefetch_one<W>(b.small, GAMMA, p.norm.in[SLT_NORM_GAMMA]);
    slt_copy_group();
    kept->signs = signs_of<W>(p, b.at);
    slt_begin();
    slt_copy_wait<0>();
    __syncthreads();
    return b;
}

template <int W>
SLT_KERNEL __launch_bounds__(THREADS, 1)
    backward(const __grid_constant__ slt_fused_encoder_input p) {
    SLT_DYNAMIC_SHARED(memory);
    alignas(8) __shared__ uint64_t gates[SLT_LAYER_GATES];
    float z[W / 8][4];
    float4 own[W / 16];
    kept_row<W> kept;
    slt_layer_workspace b = open_back<W>(p, memory, gates, &kept);
    bool there = b.at.own < slt_count(p.norm, SLT_TOKENS, 0);
    take_thirds<W>(p, b, z);
    load_kept<W>(p, b.at, there, &kept);
    slt_layer_own<W>(own, b.at, slt_at(p.dz), p.rows);
    slt_layer_gather<W>(own, z, b.swap);
#pragma unroll
    for (int i = 0; i < W / 16; i++)
        if (!there) own[i] = slt_four(0, 0, 0, 0);
    put_parts<W>(p, b.at, slt_group_begin(memory), own, kept);
    slt_layer_turn<W>(b, GAMMA, kept.hat, kept.inverse, own);
#pragma unroll
    for (int i = 0; i < W / 16; i++) own[i] = gated4(own[i], kept.signs << 4 * i);
    if (b.at.own < p.rows) {
        slt_layer_store<W>(slt_at(p.gated) + (int64_t)b.at.own * W, own, b.at.t);
        slt_layer_store<W>(slt_at(p.dy) + (int64_t)b.at.own * W, own, b.at.t);
    }
    put_input<W>(p, b, own);
}

// ---- launches

bool slt_encoder_input_fits(int width) {
#ifdef SLT_EMULATED
    return slt_is_fused_width(width);
#else
#define SLT_FITS(W) (width == (W) && slt_shared_room() >= room<W>::BACK_BYTES) ||
    return SLT_FUSED_WIDTHS(SLT_FITS) false;
#endif
}

template <int W> static void launch_forward(const slt_fused_encoder_input *run) {
    dim3 grid = slt_grid(&run->norm, run->rows, SLT_LAYER_ROWS);
    grid.y = THIRDS;
    SLT_LAUNCH_LARGE(run, forward<W>, grid, THREADS, room<W>::BYTES);
}

template <int W> static void launch_backward(const slt_fused_encoder_input *run) {
    dim3 grid = slt_grid(&run->norm, run->rows, run->each);
    SLT_LAUNCH_LARGE(run, backward<W>, grid, THREADS, room<W>::BACK_BYTES);
}

void slt_encoder_input_forward(const slt_fused_encoder_input *run) {
#define SLT_FORWARD(W)                                                                             \
    if (run->width == (W)) launch_forward<W>(run);
    SLT_FUSED_WIDTHS(SLT_FORWARD)
}

void slt_encoder_input_backward(const slt_fused_encoder_input *run) {
#define SLT_BACKWARD(W)                                                                            \
    if (run->width == (W)) launch_backward<W>(run);
    SLT_FUSED_WIDTHS(SLT_BACKWARD)
}
