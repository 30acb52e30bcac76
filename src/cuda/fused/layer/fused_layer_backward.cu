// The rows' half of a Transformer layer, backward: a block takes the gradients of 64 rows from the
// second norm, or the narrow layer after it, to attention's output, with the same products and the
// same way of weights as forward (fused_layer.cu). What weight gradients read is written on the
// way; sums over the block's rows for the norms' own weights are left for who adds blocks up.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/layer/layer_group.cuh"

enum { PART = SLT_LAYER_PART, BOTH = SLT_LAYER_BOTH, OUT = SLT_LAYER_OUT };
enum { THREADS = SLT_LAYER_THREADS, WARPS = THREADS / SLT_WARP };

// ---- a norm

// what forward kept of the lane's own row
template <int W> struct kept_row {
    float4 hat[W / 16];
    float inverse; // 0: the batch does not have the row
};

template <int W, int N = W>
SLT_DEVICE_INLINE void load_kept(const slt_fused_layer &p, const slt_layer_workspace &b,
                                 const slt_layer_norm_args &norm, bool there, kept_row<W> *kept) {
    int row = slt_least(b.at.own, p.rows - 1);
    slt_layer_load<N>(kept->hat, slt_at(norm.hat) + (int64_t)row * N, b.at.t);
#pragma unroll
    for (int i = N / 16; i < W / 16; i++) kept->hat[i] = slt_four(0, 0, 0, 0);
    kept->inverse = there ? slt_at(norm.factor)[row] : 0;
}

SLT_DEVICE_INLINE float4 from_lane(float4 x, int apart) {
    return slt_four(
        __shfl_xor_sync(0xffffffffu, x.x, apart), __shfl_xor_sync(0xffffffffu, x.y, apart),
        __shfl_xor_sync(0xffffffffu, x.z, apart), __shfl_xor_sync(0xffffffffu, x.w, apart));
}

// one half of N fours of the lane, added to that of the lane `apart` from it: each keeps one
template <int N> SLT_DEVICE_INLINE void halve(float4 *x, int apart) {
    bool upper = threadIdx.x & (unsigned)apart;
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        float4 mine = upper ? x[i + N / 2] : x[i], given = upper ? x[i] : x[i + N / 2];
        x[i] = slt_plus4(mine, from_lane(given, apart));
    }
}

// sums over a warp's rows of up to eight fours: lanes of the same channels have one each in the end
template <int W>
SLT_DEVICE_INLINE void put_warp_sums(const slt_layer_workspace &b, float4 *x, float *to) {
    int g = (int)(threadIdx.x % SLT_WARP) / 4;
    halve<8>(x, 16);
    halve<4>(x, 8);
    halve<2>(x, 4);
    if (slt_layer_there<W>(16 * g, W)) *slt_layer_at(to, g, b.at.t) = x[0];
}

// sums of dy·x̂ and dy over the block's rows, warp by warp
template <int W>
SLT_DEVICE_INLINE void put_parts(const slt_layer_workspace &b, const slt_layer_norm_args &norm,
                                 const float4 *dy, const kept_row<W> &kept) {
    enum { EIGHT = SLT_FUSED_WIDEST / 16 };
    static_assert(WARPS * SLT_NORM_PARTS <= 4 * slt_layer_room<W>::SWAP, "sums have room");
    static_assert((int)THREADS == (int)SLT_NORM_PARTS, "a thread has a sum");
    float *memory = (float *)b.swap, *own = memory + (int)threadIdx.x / SLT_WARP * SLT_NORM_PARTS;
    float4 x[EIGHT] = {};
    float sum = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < W / 16; i++) x[i] = slt_times4(dy[i], kept.hat[i]);
    put_warp_sums<W>(b, x, own);
#pragma unroll
    for (int i = 0; i < EIGHT; i++) x[i] = i < W / 16 ? dy[i] : slt_four(0, 0, 0, 0);
    put_warp_sums<W>(b, x, own + SLT_SHORT_ROW);
    __syncthreads();
#pragma unroll
    for (int w = 0; w < WARPS; w++) sum += memory[w * SLT_NORM_PARTS + (int)threadIdx.x];
    __syncthreads();
    if (slt_layer_there<W>((int)threadIdx.x % SLT_SHORT_ROW, W))
        slt_at(norm.parts)[(int64_t)blockIdx.x * SLT_NORM_PARTS + threadIdx.x] = sum;
}

// ---- the narrow layer: dy of a row from its few numbers

template <int W>
SLT_DEVICE_INLINE void take_head(const slt_fused_layer &p, const slt_layer_workspace &b, int row,
                                 float4 *dy) {
    const float *dz = slt_at(p.head.dz) + (int64_t)row * p.head.out;
    float d[OUT];
#pragma unroll
    for (int o = 0; o < OUT; o++) d[o] = o < p.head.out ? dz[o] : 0;
#pragma unroll
    for (int i = 0; i < W / 16; i++) {
        dy[i] = slt_four(0, 0, 0, 0);
#pragma unroll
        for (int o = 0; o < OUT; o++)
            dy[i] = slt_along4(slt_layer_small<W>(b, SLT_SMALL_HEAD + o, i), d[o], dy[i]);
    }
}

// ---- the mlp

SLT_DEVICE_INLINE uint32_t signs_of(const slt_layer_mlp &mlp, const slt_layer_workspace &b,
                                    int part) {
    int64_t tile = (int64_t)blockIdx.x * slt_layer_parts(mlp.wide) + part;
    return ((const uint32_t *)slt_at(mlp.signs))[(tile * SLT_GROUP + b.at.thread) * 2 + b.at.group];
}

// by the highest four bits
SLT_DEVICE_INLINE float4 gated4(float4 x, uint32_t open) {
    return slt_four(open >> 31 & 1 ? x.x : 0, open >> 30 & 1 ? x.y : 0, open >> 29 & 1 ? x.z : 0,
                    open >> 28 & 1 ? x.w : 0);
}

// dh where the middle was positive, as factors of the next product; 64 columns from `column` on
template <int W, int S>
SLT_DEVICE_INLINE void close_middle(const slt_fused_layer &p, const slt_layer_workspace &b,
                                    const slt_layer_mlp &mlp, float (*h)[4], int column,
                                    uint32_t signs) {
    float *upper = slt_at(mlp.dmiddle) + (int64_t)b.at.upper * mlp.wide + column;
    float *lower = slt_at(mlp.dmiddle) + (int64_t)b.at.lower * mlp.wide + column;
#pragma unroll
    for (int i = 0; i < SLT_PART_FOURS; i++) {
        bool there = slt_layer_there<S>(column + 16 * i, mlp.wide);
        float4 x = gated4(slt_layer_four(h, i, false), signs << 8 * i);
        float4 y = gated4(slt_layer_four(h, i, true), signs << (8 * i + 4));
        if (there && b.at.upper < p.rows) *slt_layer_at(upper, i, b.at.t) = x;
        if (there && b.at.lower < p.rows) *slt_layer_at(lower, i, b.at.t) = y;
        slt_layer_pair(h, i, slt_layer_rounded(x), slt_layer_rounded(y));
    }
}

// z = ((d·W2ᵀ)∘[h>0])·W1ᵀ, the group's part of the middle
template <int W, int S>
SLT_DEVICE_INLINE void turn_mlp(const slt_fused_layer &p, slt_layer_workspace &b,
                                const slt_layer_mlp &mlp, float (*d)[4], float (*z)[4]) {
    int last = slt_layer_parts(mlp.wide) - 1;
    slt_layer_clear<W>(z);
#pragma unroll 1
    for (int part = last; part >= 0; part--) {
        float h[SLT_PART_EIGHTS][4];
        uint32_t signs = signs_of(mlp, b, part);
        if (part == last) slt_layer_wait_turn(b.at);
        slt_layer_deep<W>(h, d, slt_ring_take<W>(b.ring));
        if (part == last) slt_layer_give_turn(b.at);
        slt_ring_next<W>(b.ring);
        close_middle<W, S>(p, b, mlp, h, part * BOTH + b.at.group * PART, signs);
        slt_layer_wide<W>(z, h, slt_ring_take<W>(b.ring));
        slt_ring_next<W>(b.ring);
    }
}

// ---- from one norm to the one before it: code that is run again is in the cache

template <int W>
SLT_DEVICE_INLINE void put_row(const slt_fused_layer &p, const slt_layer_spot &at, slt_cuda_view to,
                               const float4 *own, bool add) {
    float *row = slt_at(to) + (int64_t)at.own * W;
    if (at.own >= p.rows) return;
#pragma unroll
    for (int i = 0; i < W / 16; i++) {
        float4 *place = slt_layer_at(row, i, at.t);
        *place = add ? slt_plus4(own[i], *place) : own[i];
    }
}

// z = dkv·KVᵀ
template <int W, int S>
SLT_DEVICE_INLINE void take_keys(const slt_fused_layer &p, slt_layer_workspace &b, float (*z)[4]) {
    enum { PARTS = (2 * S + BOTH - 1) / BOTH };
    slt_layer_clear<W>(z);
#pragma unroll 1
    for (int half = PARTS - 1; half >= 0; half--) {
        float d[SLT_PART_EIGHTS][4];
        slt_layer_rows<W>(d, b.at, slt_at(p.dkv), p.rows, 2 * S,
                          (b.at.group * PARTS + half) * PART);
        slt_layer_wide<W>(z, d, slt_ring_take<W>(b.ring));
        slt_ring_next<W>(b.ring);
    }
}

// where the way begins: own, the gradient of the second norm's output, or z
template <int W, int S>
SLT_DEVICE_INLINE void take_gradient(const slt_fused_layer &p, slt_layer_workspace &b,
                                     float (*z)[4], float4 *own) {
    int row = slt_least(b.at.own, p.rows - 1);
    if (p.norms > SLT_LAYER_NORMS)
        take_keys<W, S>(p, b, z);
    else if (p.head.out)
        take_head<W>(p, b, row, own);
    else
        slt_layer_load<W>(own, slt_at(p.dy) + (int64_t)row * W, b.at.t);
}

// the last product: to attention's output
template <int W>
SLT_DEVICE_INLINE void put_mixed(const slt_fused_layer &p, const slt_layer_workspace &b,
                                 float (*d)[4]) {
    float h[SLT_PART_EIGHTS][4];
    slt_layer_deep<W>(h, d, slt_ring_take<W>(b.ring));
    if (p.dmixed.at)
        slt_layer_put<W>(h, b.at, slt_at(p.dmixed), p.rows, W, b.at.group * PART, W, p.add_mixed);
}

// the gradient of norm n's output: a product's, and what is at hand. Rows that the batch does not
// have bring nothing
template <int W>
SLT_DEVICE_INLINE void gather_output(const slt_layer_workspace &b, int n, const float (*z)[4],
                                     bool there, float4 *own) {
    if (n != 1) slt_layer_gather<W>(own, z, b.swap);
#pragma unroll
    for (int i = 0; i < W / 16; i++)
        if (!there) own[i] = slt_four(0, 0, 0, 0);
}

// all norms, with the mlp before every other one
template <int W, int S>
SLT_DEVICE_INLINE void turn_norms(const slt_fused_layer &p, slt_layer_workspace &b) {
    bool there = b.at.own < slt_count(p.batch, p.batch.in_space[0], p.rows);
    float z[W / 8][4], d[W / 8][4];
    float4 own[W / 16] = {};
    take_gradient<W, S>(p, b, z, own);
#pragma unroll 1
    for (int n = p.norms - 1; n >= 0; n--) {
        kept_row<W> kept;
        bool last = S < W && n == SLT_LAYER_LAST; // of S numbers; zeros are after them
        if (last)
            load_kept<W, S>(p, b, p.norm[n], there, &kept);
        else
            load_kept<W>(p, b, p.norm[n], there, &kept);
        gather_output<W>(b, n, z, there, own);
        put_parts<W>(b, p.norm[n], own, kept);
        if (last) {
            slt_layer_turn<S, W>(b, 3 * n + 1, kept.hat, kept.inverse, own);
            put_row<S>(p, b.at, p.norm[n].dinput, own, false);
        } else {
            slt_layer_turn<W>(b, 3 * n + 1, kept.hat, kept.inverse, own);
            put_row<W>(p, b.at, p.norm[n].dinput, own, false);
        }
        if (n == 0 && p.dx.at) put_row<W>(p, b.at, p.dx, own, p.add_x);
        if (n == 0) slt_let_next();
        if (n == 2) continue;
        slt_layer_share<W>(d, own, b.swap);
        if (n == 0) put_mixed<W>(p, b, d);
        if (n > 0) turn_mlp<W, S>(p, b, p.mlp[n / 2], d, z);
        // of the first norm a part went past the mlp
        slt_layer_own<W>(own, b.at, n == 1 ? slt_at(p.norm[1].dinput) : NULL, p.rows);
    }
}

// what forward kept may have left the second cache: a line of every thread, of each norm
template <int W, int S> SLT_DEVICE_INLINE void prefetch_kept(const slt_fused_layer &p) {
    int at = (int)blockIdx.x * p.each * W + (int)threadIdx.x * 32;
    if ((int)threadIdx.x * 32 >= p.each * W) return;
    for (int n = 0; n < p.norms && at < p.rows * (n == SLT_LAYER_LAST ? S : W); n++)
        slt_prefetch_line(slt_at(p.norm[n].hat) + at);
}

template <int W, int S>
SLT_KERNEL __launch_bounds__(THREADS, 1) backward(const __grid_constant__ slt_fused_layer p) {
    SLT_DYNAMIC_SHARED(memory);
    alignas(8) __shared__ uint64_t gates[SLT_LAYER_GATES];
    prefetch_kept<W, S>(p);
    slt_layer_workspace b = slt_layer_open<W, S>(p, memory, gates);
    turn_norms<W, S>(p, b);
}

template <int W, int S> static void launch(const slt_fused_layer *run) {
    dim3 grid = slt_grid(&run->batch, run->rows, run->each);
    SLT_LAUNCH_LARGE(run, (backward<W, S>), grid, THREADS, slt_layer_room<W>::BYTES);
}

void slt_cuda_layer_backward(const slt_fused_layer *run) {
    if (run->end && run->end < run->width) return launch<128, 64>(run);
#define SLT_BACKWARD(W)                                                                            \
    if (run->width == (W)) launch<W, W>(run);
    SLT_FUSED_WIDTHS(SLT_BACKWARD)
}
