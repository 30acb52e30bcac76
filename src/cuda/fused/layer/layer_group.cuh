// What both ways of a layer's launch share (fused_layer.h); W: numbers of a row, S: of a row at an
// encoder's end, at most W. A block has 64
// rows and two groups of four warps; lane (g, t) of warp w of a group has rows 16w+g and 16w+g+8,
// and of every sixteen channels four, 16i+4t .. 16i+4t+3. Weights are packed so that a product
// leaves them like that, and the next one takes them as they are (slt_group_number,
// slt_layer_column): rows stay in registers from the first product to the last.
//
// Of all that is summed over, and of all columns that are not those of a row, group i takes the
// i-th 64 of every 128; where there are fewer, those after the last are zeros. A sum over both
// groups goes through shared memory: each ends up with the upper or the lower row of a lane.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_LAYER_GROUP_CUH
#define SLT_CUDA_LAYER_GROUP_CUH

#include "cuda/kernels/large_block.cuh"
#include "cuda/fused/layer/pack_weights.cuh"
#include "cuda/fused/layer/layer_ring.cuh"
#include "cuda/kernels/norm_row.cuh"

enum { SLT_LAYER_THREADS = SLT_LAYER_GROUPS * SLT_GROUP };
enum { SLT_PART_EIGHTS = SLT_LAYER_PART / 8, SLT_PART_FOURS = SLT_LAYER_PART / 16 };

// is a column of so many there? Of rows of 128 all are
template <int W> SLT_DEVICE_INLINE bool slt_layer_there(int column, int columns) {
    return W == SLT_LAYER_BOTH || column < columns;
}

// ---- products

#if SLT_GROUP_CORE

// how the tensor core finds a piece: the lower word says where, and is less than 2^14 there
SLT_DEVICE_INLINE unsigned slt_layer_begin(const float *b) {
    return (unsigned)__cvta_generic_to_shared(b) >> 4 | 1u << 16;
}
SLT_DEVICE_INLINE uint64_t slt_layer_view(unsigned begin, int step, int columns) {
    unsigned place = begin + (unsigned)(step / 4 * 32 * columns * 4 + step % 4 * 32) / 16;
    return place | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

// one eight of k for 64 columns
SLT_DEVICE_INLINE void slt_layer_step(float (*c)[4], const float *a, uint64_t b, int first) {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.eq.b32 p, %37, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                 "{%32,%33,%34,%35}, %36, p, 1, 1;\n"
                 "}\n"
                 : SLT_SIXTEEN_OUT(0), SLT_SIXTEEN_OUT(4)
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])), "l"(b), "r"(first));
}

// one eight of k for 96 columns
SLT_DEVICE_INLINE void slt_layer_step_96(float (*c)[4], const float *a, uint64_t b, int first) {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.eq.b32 p, %53, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n96k8.f32.tf32.tf32 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
                 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47}, "
                 "{%48,%49,%50,%51}, %52, p, 1, 1;\n"
                 "}\n"
                 : SLT_SIXTEEN_OUT(0), SLT_SIXTEEN_OUT(4), SLT_SIXTEEN_OUT(8)
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])), "l"(b), "r"(first));
}

// one eight of k for COLUMNS
template <int COLUMNS>
SLT_DEVICE_INLINE void slt_layer_add(float (*c)[4], const float *a, uint64_t b, int first) {
    if constexpr (COLUMNS == 64) slt_layer_step(c, a, b, first);
    if constexpr (COLUMNS == 96) slt_layer_step_96(c, a, b, first);
    if constexpr (COLUMNS == 128) slt_group_step(c, a, b, first);
}

// c (64,W) += a (64,64)·b
template <int W>
SLT_DEVICE_INLINE void slt_layer_wide(float (*c)[4], float (*a)[4], const float *b) {
    unsigned begin = slt_layer_begin(b);
    slt_group_fence();
#pragma unroll
    for (int s = 0; s < SLT_PART_EIGHTS; s++)
        slt_layer_add<W>(c, a[s], slt_layer_view(begin, s, W), 0);
    slt_group_start();
    slt_group_await();
    slt_group_pin<SLT_PART_EIGHTS>(a);
    slt_group_pin<W / 8>(c);
}

// c (64,64) = a (64,W)·b
template <int W>
SLT_DEVICE_INLINE void slt_layer_deep(float (*c)[4], float (*a)[4], const float *b) {
    unsigned begin = slt_layer_begin(b);
    slt_group_fence();
#pragma unroll
    for (int s = 0; s < W / 8; s++)
        slt_layer_step(c, a[s], slt_layer_view(begin, s, SLT_LAYER_PART), s == 0);
    slt_group_start();
    slt_group_await();
    slt_group_pin<W / 8>(a);
    slt_group_pin<SLT_PART_EIGHTS>(c);
}

#else

// every warp for itself: EIGHTS of columns, STEPS of k
template <int EIGHTS, int STEPS>
SLT_DEVICE_INLINE void slt_layer_multiply(float (*c)[4], float (*a)[4], const float *b,
                                          bool first) {
    int lane = (int)(threadIdx.x % SLT_WARP), g = lane / 4, t = lane % 4;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        for (int i = 0; first && i < 4; i++) c[j][i] = 0;
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            float right[2] = {b[slt_layer_place(8 * s + t, 8 * j + g, 8 * EIGHTS)],
                              b[slt_layer_place(8 * s + t + 4, 8 * j + g, 8 * EIGHTS)]};
            slt_mma(c[j], a[s], right);
        }
    }
}
template <int W>
SLT_DEVICE_INLINE void slt_layer_wide(float (*c)[4], float (*a)[4], const float *b) {
    slt_layer_multiply<W / 8, SLT_PART_EIGHTS>(c, a, b, false);
}
template <int W>
SLT_DEVICE_INLINE void slt_layer_deep(float (*c)[4], float (*a)[4], const float *b) {
    slt_layer_multiply<SLT_PART_EIGHTS, W / 8>(c, a, b, true);
}

#endif

template <int W> SLT_DEVICE_INLINE void slt_layer_clear(float (*c)[4]) {
#pragma unroll
    for (int i = 0; i < W / 2; i++) c[i / 4][i % 4] = 0;
}

// the lane's four i of the upper or the lower row of a product
SLT_DEVICE_INLINE float4 slt_layer_four(const float (*c)[4], int i, bool lower) {
    const float *x = c[2 * i], *y = c[2 * i + 1];
    return lower ? slt_four(x[2], x[3], y[2], y[3]) : slt_four(x[0], x[1], y[0], y[1]);
}
// four i of both rows as factors
SLT_DEVICE_INLINE void slt_layer_pair(float (*a)[4], int i, float4 upper, float4 lower) {
    float *x = a[2 * i], *y = a[2 * i + 1];
    x[0] = upper.x, x[1] = lower.x, x[2] = upper.y, x[3] = lower.y;
    y[0] = upper.z, y[1] = lower.z, y[2] = upper.w, y[3] = lower.w;
}
SLT_DEVICE_INLINE float4 slt_layer_rounded(float4 x) {
    return slt_four(slt_rounded(x.x), slt_rounded(x.y), slt_rounded(x.z), slt_rounded(x.w));
}

// ---- rows between the groups, in two halves

// warps of the two groups with the same rows wait for each other
#ifdef SLT_EMULATED
SLT_DEVICE_INLINE void slt_layer_meet(void) { __syncthreads(); }
#else
SLT_DEVICE_INLINE void slt_layer_meet(void) {
    asm volatile("bar.sync %0, 64;" ::"r"(8 + threadIdx.x / SLT_WARP % 4) : "memory");
}
#endif

// the thread of the other group with the same rows
SLT_DEVICE_INLINE int slt_layer_other(void) { return (int)threadIdx.x ^ SLT_GROUP; }

// to the lane's own row, both groups' sums
template <int W>
SLT_DEVICE_INLINE void slt_layer_gather(float4 *own, const float (*c)[4], float4 *swap) {
    enum { HALF = W / 32 };
    bool lower = threadIdx.x >= SLT_GROUP;
#pragma unroll
    for (int half = 0; half < 2 * HALF; half += HALF) {
        slt_layer_meet();
#pragma unroll
        for (int i = 0; i < HALF; i++)
            swap[i * SLT_LAYER_THREADS + (int)threadIdx.x] = slt_layer_four(c, half + i, !lower);
        slt_layer_meet();
#pragma unroll
        for (int i = 0; i < HALF; i++)
            own[half + i] = slt_plus4(own[half + i],
                                      slt_plus4(slt_layer_four(c, half + i, lower),
                                                swap[i * SLT_LAYER_THREADS + slt_layer_other()]));
    }
}

// both rows of the lane as factors of a product
template <int W>
SLT_DEVICE_INLINE void slt_layer_share(float (*a)[4], const float4 *own, float4 *swap) {
    enum { HALF = W / 32 };
    bool lower = threadIdx.x >= SLT_GROUP;
#pragma unroll
    for (int half = 0; half < 2 * HALF; half += HALF) {
        slt_layer_meet();
#pragma unroll
        for (int i = 0; i < HALF; i++)
            swap[i * SLT_LAYER_THREADS + (int)threadIdx.x] = slt_layer_rounded(own[half + i]);
        slt_layer_meet();
#pragma unroll
        for (int i = 0; i < HALF; i++) {
            float4 mine = slt_layer_rounded(own[half + i]);
            float4 got = swap[i * SLT_LAYER_THREADS + slt_layer_other()];
            slt_layer_pair(a, half + i, lower ? got : mine, lower ? mine : got);
        }
    }
}

// ---- a lane's own row: four lanes next to each other have all of it

#ifdef SLT_EMULATED
SLT_DEVICE_INLINE float slt_layer_inverse_root(float x) { return 1 / sqrtf(x); }
#else
// the chip's guess and one step of Newton's
SLT_DEVICE_INLINE float slt_layer_inverse_root(float x) {
    float y = rsqrtf(x);
    return y * (1.5f - 0.5f * x * y * y);
}
#endif

SLT_DEVICE_INLINE float slt_layer_sum(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

// where the thread is
typedef struct {
    int group, thread, t;  // of the block; of the group; the lane's columns
    int upper, lower, own; // rows: the lane's two, the one that it finishes
} slt_layer_spot;

// with half of the rows, no lane has a lower one
SLT_DEVICE_INLINE slt_layer_spot slt_layer_here(int rows, int each) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    slt_layer_spot at;
    at.group = (int)threadIdx.x / SLT_GROUP, at.thread = (int)threadIdx.x % SLT_GROUP;
    at.t = lane % 4;
    at.upper = (int)blockIdx.x * each + at.thread / SLT_WARP * (each / 4) + lane / 4;
    at.lower = each == SLT_LAYER_ROWS ? at.upper + 8 : rows;
    at.own = at.group ? at.lower : at.upper;
    return at;
}

// the lane's four i of a row
SLT_DEVICE_INLINE float4 *slt_layer_at(float *row, int i, int t) {
    return (float4 *)row + 4 * i + t;
}
SLT_DEVICE_INLINE const float4 *slt_layer_at(const float *row, int i, int t) {
    return (const float4 *)row + 4 * i + t;
}

template <int W> SLT_DEVICE_INLINE void slt_layer_load(float4 *own, const float *row, int t) {
#pragma unroll
    for (int i = 0; i < W / 16; i++) own[i] = *slt_layer_at(row, i, t);
}
template <int W> SLT_DEVICE_INLINE void slt_layer_store(float *row, const float4 *own, int t) {
#pragma unroll
    for (int i = 0; i < W / 16; i++) *slt_layer_at(row, i, t) = own[i];
}

// the lane's own row from memory, or zeros; after the last row there is one more like it
template <int W>
SLT_DEVICE_INLINE void slt_layer_own(float4 *own, const slt_layer_spot &at, const float *from,
                                     int rows) {
#pragma unroll
    for (int i = 0; i < W / 16; i++) own[i] = slt_four(0, 0, 0, 0);
    if (from) slt_layer_load<W>(own, from + (int64_t)slt_least(at.own, rows - 1) * W, at.t);
}

// the lane's four i of a row from memory, of 64 columns from `column` on
template <int W>
SLT_DEVICE_INLINE float4 slt_layer_factor(const float *row, int column, int width, int i, int t) {
    if (!slt_layer_there<W>(column + 16 * i, width)) return slt_four(0, 0, 0, 0);
    return slt_layer_rounded(*slt_layer_at(row, i, t));
}

// factors of a product from memory: 64 columns of both rows of a lane, from `column` on
template <int W>
SLT_DEVICE_INLINE void slt_layer_rows(float (*a)[4], const slt_layer_spot &at, const float *from,
                                      int rows, int width, int column) {
    const float *upper = from + (int64_t)slt_least(at.upper, rows - 1) * width + column;
    const float *lower = from + (int64_t)slt_least(at.lower, rows - 1) * width + column;
#pragma unroll
    for (int i = 0; i < SLT_PART_FOURS; i++)
        slt_layer_pair(a, i, slt_layer_factor<W>(upper, column, width, i, at.t),
                       slt_layer_factor<W>(lower, column, width, i, at.t));
}

// a product's 64 columns to memory, those before `end`
template <int W>
SLT_DEVICE_INLINE void slt_layer_put(const float (*c)[4], const slt_layer_spot &at, float *to,
                                     int rows, int width, int column, int end, bool add) {
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int i = 0; i < SLT_PART_FOURS; i++) {
            float4 x = slt_layer_four(c, i, k);
            int row = k ? at.lower : at.upper;
            float4 *place = slt_layer_at(to + (int64_t)row * width + column, i, at.t);
            if (row >= rows || !slt_layer_there<W>(column + 16 * i, end)) continue;
            *place = add ? slt_plus4(x, *place) : x;
        }
}

// The second group begins when the first has done its first product: from then on one multiplies
// while the other works on its rows
SLT_DEVICE_INLINE void slt_layer_wait_turn(const slt_layer_spot &at) {
    if (at.group == 1) slt_group_turn_wait();
}
SLT_DEVICE_INLINE void slt_layer_give_turn(const slt_layer_spot &at) {
    if (at.group == 0) slt_group_turn_give();
}

// ---- what a thread has at hand

// small parameters in shared memory, W numbers a place: bias, γ and β of every norm, then of an
// encoder's end, or of a narrow layer (a row for every column), and the middle's bias
enum {
    SLT_SMALL_HEAD = 3 * SLT_LAYER_NORMS,
    SLT_SMALL_HEAD_C = SLT_SMALL_HEAD + SLT_LAYER_OUT,
    SLT_SMALL_W = 3 * SLT_LAYER_ALL_NORMS,
    SLT_SMALL_END_C1,
    SLT_SMALL_C1 = SLT_SMALL_HEAD_C + 1
};
static_assert(SLT_SMALL_END_C1 < SLT_SMALL_C1, "small parameters have places of their own");
// shared memory: pieces on their way, rows between the groups (float4), small parameters
template <int W> struct slt_layer_room {
    enum { RING = SLT_LAYER_GATES * SLT_LAYER_PART * W, SWAP = W / 32 * SLT_LAYER_THREADS };
    enum { SMALL = SLT_SMALL_C1 * W + SLT_LAYER_MOST };
    enum { BYTES = (RING + 4 * SWAP + SMALL) * 4 + SLT_GROUP_ALIGN };
};

static_assert(sizeof(slt_fused_layer) <= 4096, "a kernel takes so many bytes of arguments");

typedef struct {
    slt_layer_spot at;
    slt_layer_ring ring;
    float *small;
    float4 *swap;
} slt_layer_workspace;

// a warp has N numbers
template <int W, int N = W>
SLT_DEVICE_INLINE void slt_layer_prefetch_one(float *small, int which, slt_cuda_view from) {
    int i = 4 * (int)(threadIdx.x % SLT_WARP);
    if (slt_layer_there<N>(i, N)) slt_copy_fours(small + which * W + i, slt_at(from) + i);
}

// all that a thread asks for is on its way at once
template <int W>
SLT_DEVICE_INLINE void slt_layer_prefetch_output(const slt_layer_output &head, float *small) {
    enum { EACH = SLT_LAYER_OUT * W / SLT_LAYER_THREADS };
    const float *w = slt_at(head.w), *c = slt_at(head.c);
    int o = (int)threadIdx.x % SLT_LAYER_OUT, channel = (int)threadIdx.x / SLT_LAYER_OUT;
    float x[EACH], bias = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        x[i] = o < head.out ? w[(channel + i * W / EACH) * head.out + o] : 0;
    if (c && o < head.out && channel == 0) bias = c[o];
#pragma unroll
    for (int i = 0; i < EACH; i++) small[(SLT_SMALL_HEAD + o) * W + channel + i * W / EACH] = x[i];
    if (channel == 0) small[SLT_SMALL_HEAD_C * W + o] = bias;
}

template <int W, int S>
SLT_DEVICE_INLINE void slt_layer_prefetch_small(const slt_fused_layer &p, float *small) {
    int warp = (int)threadIdx.x / SLT_WARP, i = 4 * (int)threadIdx.x;
    for (int which = warp; which < 3 * p.norms; which += SLT_LAYER_THREADS / SLT_WARP) {
        const slt_layer_norm_args &norm = p.norm[which / 3];
        slt_cuda_view from = which % 3 == 0 ? norm.bias : which % 3 == 1 ? norm.gamma : norm.beta;
        if (S < W && which >= 3 * SLT_LAYER_LAST)
            slt_layer_prefetch_one<W, S>(small, which, from);
        else
            slt_layer_prefetch_one<W>(small, which, from);
    }
    if (i < p.mlp[0].wide) slt_copy_fours(small + SLT_SMALL_C1 * W + i, slt_at(p.mlp[0].c1) + i);
    if (p.norms > SLT_LAYER_NORMS && warp == 0)
        slt_layer_prefetch_one<W>(small, SLT_SMALL_W, p.position);
    if (p.norms > SLT_LAYER_NORMS && warp == 1)
        slt_layer_prefetch_one<W, S>(small, SLT_SMALL_END_C1, p.mlp[1].c1);
    slt_copy_group();
    if (p.head.out) slt_layer_prefetch_output<W>(p.head, small);
}

// Nobody but Adam writes parameters; where who laid weights down has ended before this kernel
// began, both are asked for before the previous one has ended
template <int W, int S>
SLT_DEVICE_INLINE slt_layer_workspace slt_layer_open(const slt_fused_layer &p, float *memory,
                                                     uint64_t *gates) {
    enum { RING = slt_layer_room<W>::RING, SWAP = slt_layer_room<W>::SWAP };
    float *stages = slt_group_begin(memory);
    slt_layer_workspace b;
    if (!p.early) slt_wait_for_last();
    b.at = slt_layer_here(p.rows, p.each);
    b.swap = (float4 *)(stages + RING);
    b.small = stages + RING + 4 * SWAP;
    b.ring = slt_ring_open<W>(stages, gates, slt_at(p.packed),
                              slt_layer_pieces(p.mlp[0].wide, p.norms > SLT_LAYER_NORMS ? S : 0));
    slt_layer_prefetch_small<W, S>(p, b.small);
    slt_wait_for_last();
    slt_copy_wait<0>();
    __syncthreads();
    return b;
}

// the lane's four i of a small parameter
template <int W>
SLT_DEVICE_INLINE float4 slt_layer_small(const slt_layer_workspace &b, int which, int i) {
    return *slt_layer_at(b.small + which * W, i, b.at.t);
}

// own = x̂; the result: 1/τ
template <int W> SLT_DEVICE_INLINE float slt_layer_centre(float4 *own, float epsilon) {
    float sum = 0, square = 0;
#pragma unroll
    for (int i = 0; i < W / 16; i++) sum += slt_sum4(own[i]);
    float mean = slt_layer_sum(sum) / W;
#pragma unroll
    for (int i = 0; i < W / 16; i++) {
        own[i] = slt_centred4(own[i], mean, 4);
        square += slt_dot4(own[i], own[i]);
    }
    float factor = slt_layer_inverse_root(slt_layer_sum(square) / W + epsilon);
#pragma unroll
    for (int i = 0; i < W / 16; i++) own[i] = slt_scaled4(own[i], factor, 0);
    return factor;
}

// dy of a norm's output becomes that of its input; γ is the small parameter `gamma`, whose places
// have STRIDE numbers
template <int W, int STRIDE = W>
SLT_DEVICE_INLINE void slt_layer_turn(const slt_layer_workspace &b, int gamma, const float4 *hat,
                                      float inverse, float4 *dy) {
    float sum = 0, dot = 0;
#pragma unroll
    for (int i = 0; i < W / 16; i++) {
        dy[i] = slt_times4(dy[i], slt_layer_small<STRIDE>(b, gamma, i));
        sum += slt_sum4(dy[i]);
        dot += slt_dot4(dy[i], hat[i]);
    }
    float mean = slt_layer_sum(sum) / W * inverse;
    float along = slt_layer_sum(dot) / W * inverse;
#pragma unroll
    for (int i = 0; i < W / 16; i++)
        dy[i] = slt_along4(dy[i], inverse, slt_scaled4(hat[i], -along, -mean));
}

#endif
