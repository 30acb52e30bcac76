// The rows' half of a Transformer layer, forward: a block takes 64 rows from attention's output to
// the second norm, and through what follows it. Rows stay in registers, weights come through
// shared memory (layer_ring.cuh); what backward reads is written on the way.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/layer/layer_group.cuh"

enum { PART = SLT_LAYER_PART, BOTH = SLT_LAYER_BOTH };
enum { THREADS = SLT_LAYER_THREADS, OUT = SLT_LAYER_OUT };

// own + t·(a small parameter)
template <int W>
SLT_DEVICE_INLINE void add_small(const slt_layer_workspace &b, float4 *own, int which, float t) {
#pragma unroll
    for (int i = 0; i < W / 16; i++)
        own[i] = slt_along4(slt_layer_small<W>(b, which, i), t, own[i]);
}

// own = LN(own) by norm n, with all that it writes. Rows that the batch does not have are zero
template <int W, int STRIDE = W>
SLT_DEVICE_INLINE void take_norm(const slt_fused_layer &p, const slt_layer_workspace &b, int n,
                                 float4 *own, bool there) {
    const slt_layer_norm_args &norm = p.norm[n];
    int64_t at = (int64_t)b.at.own * W;
    bool inside = b.at.own < p.rows;
#pragma unroll
    for (int i = 0; i < W / 16; i++)
        if (!there) own[i] = slt_four(0, 0, 0, 0);
    float factor = slt_layer_centre<W>(own, norm.epsilon);
    if (inside && p.keep && b.at.t == 0) slt_at(norm.factor)[b.at.own] = factor;
    if (inside && p.keep) slt_layer_store<W>(slt_at(norm.hat) + at, own, b.at.t);
#pragma unroll
    for (int i = 0; i < W / 16; i++) {
        own[i] = slt_plus4(slt_times4(slt_layer_small<STRIDE>(b, 3 * n + 1, i), own[i]),
                           slt_layer_small<STRIDE>(b, 3 * n + 2, i));
        if (!there) own[i] = slt_four(0, 0, 0, 0);
    }
    if (inside && norm.y.at) slt_layer_store<W>(slt_at(norm.y) + at, own, b.at.t);
}

// the last one of an encoder's end, of S numbers; zeros are after them
template <int W, int S>
SLT_DEVICE_INLINE void take_last_norm(const slt_fused_layer &p, const slt_layer_workspace &b,
                                      float4 *own, bool there) {
    take_norm<S, W>(p, b, SLT_LAYER_LAST, own, there);
#pragma unroll
    for (int i = S / 16; i < W / 16; i++) own[i] = slt_four(0, 0, 0, 0);
}

// `signs` with one more bit: is x positive? It is not negative
SLT_DEVICE_INLINE uint32_t with_sign(uint32_t signs, float x) {
    return signs << 1 | (__float_as_uint(x) + 0x7fffffffu) >> 31;
}

// relu(h + c), four numbers; bits of what is positive
SLT_DEVICE_INLINE float4 relu4(float4 h, float4 c, uint32_t *signs) {
    h = slt_plus4(h, c);
    h = slt_four(fmaxf(h.x, 0), fmaxf(h.y, 0), fmaxf(h.z, 0), fmaxf(h.w, 0));
    *signs = with_sign(with_sign(with_sign(with_sign(*signs, h.x), h.y), h.z), h.w);
    return h;
}

// h = relu(h + c1) as factors of the next product, 64 columns from `column` on; the result: signs,
// the first of them in the highest bit
template <int W, int S>
SLT_DEVICE_INLINE uint32_t open_middle(const slt_fused_layer &p, const slt_layer_workspace &b,
                                       const slt_layer_mlp &mlp, float (*h)[4], int column,
                                       int c1) {
    float *upper = slt_at(mlp.middle) + (int64_t)b.at.upper * mlp.wide + column;
    float *lower = slt_at(mlp.middle) + (int64_t)b.at.lower * mlp.wide + column;
    bool keep[2] = {p.keep && b.at.upper < p.rows, p.keep && b.at.lower < p.rows};
    uint32_t signs = 0;
#pragma unroll
    for (int i = 0; i < SLT_PART_FOURS; i++) {
        float4 c = *slt_layer_at(b.small + c1 * W + column, i, b.at.t);
        if constexpr (S < BOTH) { // zeros after the last
            bool there = column + 16 * i < mlp.wide;
            if (!there) c = slt_four(0, 0, 0, 0);
            keep[0] &= there, keep[1] &= there;
        }
        float4 x = relu4(slt_layer_four(h, i, false), c, &signs);
        float4 y = relu4(slt_layer_four(h, i, true), c, &signs);
        if (keep[0]) *slt_layer_at(upper, i, b.at.t) = x;
        if (keep[1]) *slt_layer_at(lower, i, b.at.t) = y;
        slt_layer_pair(h, i, slt_layer_rounded(x), slt_layer_rounded(y));
    }
    return signs;
}

// the signs of 64 columns of the block's rows: a word of every lane
SLT_DEVICE_INLINE void put_signs(const slt_layer_mlp &mlp, const slt_layer_workspace &b, int part,
                                 uint32_t signs) {
    uint32_t *to = (uint32_t *)slt_at(mlp.signs);
    int64_t tile = (int64_t)blockIdx.x * slt_layer_parts(mlp.wide) + part;
    to[(tile * SLT_GROUP + b.at.thread) * 2 + b.at.group] = signs;
}

// z = relu(y·W1 + c1)·W2, the group's part of the middle
template <int W, int S>
SLT_DEVICE_INLINE void take_mlp(const slt_fused_layer &p, slt_layer_workspace &b,
                                const slt_layer_mlp &mlp, float (*y)[4], float (*z)[4], int c1) {
    slt_layer_clear<W>(z);
#pragma unroll 1
    for (int part = 0; part < slt_layer_parts(mlp.wide); part++) {
        float h[SLT_PART_EIGHTS][4];
        if (part == 0) slt_layer_wait_turn(b.at);
        slt_layer_deep<W>(h, y, slt_ring_take<W>(b.ring));
        if (part == 0) slt_layer_give_turn(b.at);
        slt_ring_next<W>(b.ring);
        uint32_t signs = open_middle<W, S>(p, b, mlp, h, part * BOTH + b.at.group * PART, c1);
        if (p.keep) put_signs(mlp, b, part, signs);
        slt_layer_wide<W>(z, h, slt_ring_take<W>(b.ring));
        slt_ring_next<W>(b.ring);
    }
}

// z = y·W + c; a lane puts two columns of its row
template <int W>
SLT_DEVICE_INLINE void put_head(const slt_fused_layer &p, const slt_layer_workspace &b,
                                const float4 *own) {
    float *z = slt_at(p.head.z) + (int64_t)b.at.own * p.head.out, mine[2] = {0};
#pragma unroll
    for (int o = 0; o < OUT; o++) {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < W / 16; i++)
            sum += slt_dot4(own[i], slt_layer_small<W>(b, SLT_SMALL_HEAD + o, i));
        sum = slt_layer_sum(sum);
        if (o / 2 == b.at.t) mine[o % 2] = sum + b.small[SLT_SMALL_HEAD_C * W + o];
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
        if (2 * b.at.t + i < p.head.out && b.at.own < p.rows) z[2 * b.at.t + i] = mine[i];
}

// ---- from one norm to the next: code that is run again is in the cache

SLT_DEVICE_INLINE float position_of(const slt_fused_layer &p, const slt_layer_workspace &b,
                                    bool there) {
    int l = there ? slt_token_place_of(p.batch, SLT_TOKENS, b.at.own).l : 0;
    return p.batch.length > 1 ? (float)l / (float)(p.batch.length - 1) : 0;
}

// what norm n reads: to the residual that is at hand a product z, to the third one's rows their
// position; and a bias
template <int W>
SLT_DEVICE_INLINE void gather_input(const slt_layer_workspace &b, int n, float (*z)[4],
                                    float position, float4 *own) {
    if (n == 2)
        add_small<W>(b, own, SLT_SMALL_W, position);
    else
        slt_layer_gather<W>(own, z, b.swap);
    add_small<W>(b, own, 3 * n, 1);
}

// keys and values: the group's half of their columns
template <int W, int S>
SLT_DEVICE_INLINE void put_keys(const slt_fused_layer &p, slt_layer_workspace &b, float (*a)[4]) {
    enum { PARTS = (2 * S + BOTH - 1) / BOTH };
#pragma unroll 1
    for (int half = 0; half < PARTS; half++) {
        float h[SLT_PART_EIGHTS][4];
        slt_layer_deep<W>(h, a, slt_ring_take<W>(b.ring));
        slt_ring_next<W>(b.ring);
        slt_layer_put<W>(h, b.at, slt_at(p.kv), p.rows, 2 * S, (b.at.group * PARTS + half) * PART,
                         2 * S, false);
    }
}

// z, the product of attention's output
template <int W>
SLT_DEVICE_INLINE void take_mixed(const slt_fused_layer &p, slt_layer_workspace &b, float (*z)[4]) {
    float a[SLT_PART_EIGHTS][4];
    slt_layer_rows<W>(a, b.at, slt_at(p.mixed), p.rows, W, b.at.group * PART);
    slt_layer_clear<W>(z);
    slt_layer_wide<W>(z, a, slt_ring_take<W>(b.ring));
    slt_ring_next<W>(b.ring);
}

// all norms, with the mlp after every other one
template <int W, int S>
SLT_DEVICE_INLINE void take_norms(const slt_fused_layer &p, slt_layer_workspace &b) {
    bool there = b.at.own < slt_count(p.batch, p.batch.in_space[0], p.rows);
    float z[W / 8][4], a[W / 8][4];
    float4 own[W / 16];
    slt_layer_own<W>(own, b.at, slt_at(p.x), p.rows);
    float position = p.norms > SLT_LAYER_NORMS ? position_of(p, b, there) : 0;
    take_mixed<W>(p, b, z);
#pragma unroll 1
    for (int n = 0; n < p.norms; n++) {
        gather_input<W>(b, n, z, position, own);
        if (S < W && n == SLT_LAYER_LAST)
            take_last_norm<W, S>(p, b, own, there);
        else
            take_norm<W>(p, b, n, own, there);
        if (n + 1 == p.norms || (n == 0 && p.kv.at)) slt_let_next();
        if (n == 1) continue;
        slt_layer_share<W>(a, own, b.swap);
        if (n == 3) put_keys<W, S>(p, b, a);
        if (n < 3) take_mlp<W, S>(p, b, p.mlp[n / 2], a, z, n ? SLT_SMALL_END_C1 : SLT_SMALL_C1);
        slt_layer_own<W>(own, b.at, n == 0 ? slt_at(p.norm[0].y) : NULL,
                         p.rows); // of the next norm
    }
    if (p.head.out) put_head<W>(p, b, own);
}

template <int W, int S>
SLT_KERNEL __launch_bounds__(THREADS, 1) forward(const __grid_constant__ slt_fused_layer p) {
    SLT_DYNAMIC_SHARED(memory);
    alignas(8) __shared__ uint64_t gates[SLT_LAYER_GATES];
    slt_layer_workspace b = slt_layer_open<W, S>(p, memory, gates);
    take_norms<W, S>(p, b);
}

// ---- launches

bool slt_cuda_layer_fits(int width) {
#ifdef SLT_EMULATED
    return slt_is_fused_width(width);
#else
#define SLT_FITS(W) (width == (W) && slt_shared_room() >= slt_layer_room<W>::BYTES) ||
    return SLT_FUSED_WIDTHS(SLT_FITS) false;
#endif
}

template <int W, int S> static void launch(const slt_fused_layer *run) {
    static_assert(S == W || 2 * S % BOTH == 0, "keys and values are whole parts");
    dim3 grid = slt_grid(&run->batch, run->rows, run->each);
    SLT_LAUNCH_LARGE(run, (forward<W, S>), grid, THREADS, slt_layer_room<W>::BYTES);
}

void slt_cuda_layer_forward(const slt_fused_layer *run) {
    if (run->end && run->end < run->width) return launch<128, 64>(run);
#define SLT_FORWARD(W)                                                                             \
    if (run->width == (W)) launch<W, W>(run);
    SLT_FUSED_WIDTHS(SLT_FORWARD)
}
