// Self-attention of rows in bf16 with heads of 24 to 64 numbers, in steps of eight, for sequences
// of any length (brief ones: brief_attention.cu): nothing of L² is stored. Four warps have 64 rows
// of a head as left factors in registers; tiles of 64 of the other rows pass through a ring in
// shared memory. The products that end a tile and those that begin the next one are on their way
// together. Forward has running maxima; backward computes probabilities again: first dq, a block of
// queries that walks over keys, which leaves o·do; then dk and dv, a block of keys that walks over
// queries. Kept of a row and head: the logarithm of its sum, base 2, and room for o·do.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/large_block.cuh"
#include "cuda/kernels/tile_shares.cuh"

// GROUPS of four warps of a block, which share the tiles. Fewer tiles are on their way where blocks
// are many
template <int GROUPS> struct plan_of {
    enum { THREADS = GROUPS * SLT_GROUP, WARPS = 4 * GROUPS, STAGES = GROUPS > 1 ? 4 : 3 };
    enum { FORWARD = 4 / GROUPS, BACKWARD = 2 / GROUPS };
};

// ---- a ring of tiles of two kinds of rows, and of what is kept of them

template <int SIZE, int GROUPS> struct ring {
    typedef slt_head_tile<SIZE> tile;
    enum { STAGES = plan_of<GROUPS>::STAGES, THREADS = plan_of<GROUPS>::THREADS };
    enum { FLOATS = STAGES * (2 * tile::FLOATS + 2 * TILE) };
    float *memory;
    typename tile::template source<THREADS> one, other;
    const float *kept; // of rows before kept_limit; or NULL
    int kept_stride, kept_limit, tiles;

    __device__ __forceinline__ ring(float *memory_, const slt_bf16 *rows, int stride,
                                    const slt_bf16 *others, int other_stride, int end, int size)
        : memory(slt_group_begin(memory_)), one(rows, stride, end, size),
          other(others, other_stride, end, size), kept(NULL), kept_stride(0), kept_limit(0),
          tiles((end + TILE - 1) / TILE) {}

    __device__ __forceinline__ void keep(const float *from, int stride, int end) {
        kept = from + threadIdx.x % 2;
        kept_stride = stride;
        kept_limit = threadIdx.x < 2 * TILE ? end : 0;
    }
    __device__ __forceinline__ float *at(int which, int i) const {
        return memory + (2 * (i % STAGES) + which) * tile::FLOATS;
    }
    __device__ __forceinline__ float2 *kept_at(int i) const {
        return (float2 *)(memory + STAGES * 2 * tile::FLOATS) + i % STAGES * TILE;
    }
    // a group of copies, even if there is nothing to copy
    __device__ __forceinline__ void copy(int i) const {
        int l = i * TILE + (int)threadIdx.x / 2;
        if (i < tiles) {
            one.copy(at(0, i), i * TILE);
            other.copy(at(1, i), i * TILE);
            if (kept && threadIdx.x < 2 * TILE)
                slt_copy_word_if((float *)kept_at(i) + threadIdx.x,
                                 kept + (l < kept_limit ? l * kept_stride : 0), l < kept_limit);
        }
        slt_copy_group();
    }
    __device__ __forceinline__ void begin() const {
#pragma unroll
        for (int i = 0; i < STAGES - 1; i++) copy(i);
        slt_copy_wait<STAGES - 2>();
        slt_group_publish();
        __syncthreads();
    }
    // tile i+1 is there, and tile i-1 has been used by all
    __device__ __forceinline__ void advance(int i) const {
        slt_copy_wait<STAGES - 3>();
        slt_group_publish();
        __syncthreads();
        copy(i + STAGES - 1);
    }
};

// rows of memory as a left factor, those before `end`
template <int SIZE>
SLT_DEVICE_INLINE void load_left(typename slt_head_tile<SIZE>::left &a, const place &p,
                                 const slt_bf16 *from, int stride, int end) {
#pragma unroll
    for (int i = 0; i < SIZE / 4; i++) {
        int l = slt_least(p.first + i % 2 * 8 + p.g, end - 1);
        int c = i / 4 * 16 + i % 4 / 2 * 8 + 2 * p.t;
        a[i / 4][i % 4] = c < p.v.size ? *(const uint32_t *)(from + l * stride + c) : 0;
    }
}

// ---- forward

// scores to probabilities as factors, and the sums so far to the new maximum; of the LAST tile some
// keys may not be there
template <class M, bool LAST>
SLT_DEVICE_INLINE void weigh(const place &p, float (*z)[4], int key, query_sums<M, 1> *s,
                             uint32_t (*factor)[4]) {
    float most[2] = {s->most[0][0], s->most[0][1]};
#pragma unroll
    for (int i = 0; i < 4 * EIGHTS; i++) {
        float *own = &z[i / 4][i % 4];
        if (LAST && key + i / 4 * 8 + 2 * p.t + i % 2 >= p.v.keys) *own = -INFINITY;
        most[i % 4 / 2] = fmaxf(most[i % 4 / 2], *own);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        most[r] = slt_row_most(most[r]);
        float shrink = slt_power((s->most[0][r] - most[r]) * p.factor), sum = 0;
        s->most[0][r] = most[r];
        most[r] *= p.factor;
#pragma unroll
        for (int j = 0; j < EIGHTS; j++) {
            z[j][2 * r] = slt_power(z[j][2 * r] * p.factor - most[r]);
            z[j][2 * r + 1] = slt_power(z[j][2 * r + 1] * p.factor - most[r]);
            sum += z[j][2 * r] + z[j][2 * r + 1];
        }
        s->sum[0][r] = s->sum[0][r] * shrink + sum;
#pragma unroll
        for (int n = 0; n < M::SIZE / 8; n++)
            s->out[0][n][2 * r] *= shrink, s->out[0][n][2 * r + 1] *= shrink;
    }
    slt_tile_factor(factor, z);
}

template <int SIZE, int GROUPS>
SLT_KERNEL __launch_bounds__(plan_of<GROUPS>::THREADS, plan_of<GROUPS>::FORWARD)
    forward(const __grid_constant__ slt_cuda_args a, int chunks) {
    slt_begin();
    typedef slt_bf16_math<SIZE, slt_bf16> M;
    typedef slt_head_tile<SIZE> tile;
    SLT_DYNAMIC_SHARED(memory);
    slt_clear_tail(slt_rows_at<slt_bf16>(a.out[0]),
                   slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0), a.out_rows[0],
                   a.out_width[0]);
    if (!slt_attention_there(a, block_sequence(a, (int)blockIdx.x, chunks))) return;
    place p = place_at(a, (int)blockIdx.x, chunks, plan_of<GROUPS>::WARPS, 1);
    if (p.begin >= p.v.run.computed) return;
    const slt_bf16 *q = slt_rows_at<slt_bf16>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    int stride = 3 * p.v.width, i = 0;
    typename tile::left left;
    query_sums<M, 1> s = {};
    float z[EIGHTS][4] = {};
    uint32_t factor[SIXTEENS][4];
    s.most[0][0] = s.most[0][1] = -INFINITY;
    load_left<SIZE>(left, p, q, stride, p.v.run.computed);
    ring<SIZE, GROUPS> tiles(memory, q + p.v.width, stride, q + 2 * p.v.width, stride, p.v.keys,
                             p.v.size);
    tiles.begin();
    slt_group_fence();
    tile::scores(z, left, tiles.at(0, 0));
    slt_group_start();
    for (; i + 1 < tiles.tiles; i++) {
        slt_group_await();
        slt_group_pin<EIGHTS>(z);
        slt_group_pin<SIZE / 8>(s.out[0]);
        weigh<M, false>(p, z, i * TILE, &s, factor);
        tiles.advance(i);
        slt_group_fence();
        tile::sums(s.out[0], factor, tiles.at(1, i));
        tile::scores(z, left, tiles.at(0, i + 1));
        slt_group_start();
    }
    slt_group_await();
    slt_group_pin<EIGHTS>(z);
    slt_group_pin<SIZE / 8>(s.out[0]);
    weigh<M, true>(p, z, i * TILE, &s, factor);
    slt_group_fence();
    tile::sums(s.out[0], factor, tiles.at(1, i));
    slt_group_start();
    slt_group_await();
    slt_group_pin<SIZE / 8>(s.out[0]);
    finish_queries<M, 1>(a, p, s);
}

// ---- backward

template <int SIZE, int GROUPS>
SLT_KERNEL __launch_bounds__(plan_of<GROUPS>::THREADS, plan_of<GROUPS>::BACKWARD)
    backward_queries(const __grid_constant__ slt_cuda_args a, int chunks) {
    slt_begin();
    typedef slt_bf16_math<SIZE, slt_bf16> M;
    typedef slt_head_tile<SIZE> tile;
    SLT_DYNAMIC_SHARED(memory);
    if (!a.add[0])
        slt_clear_tail(slt_rows_at<slt_bf16>(a.in_grad[0]),
                       slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0), a.in_rows[0],
                       a.in_width[0]);
    if (!slt_attention_there(a, block_sequence(a, (int)blockIdx.x, chunks))) return;
    place p = place_at(a, (int)blockIdx.x, chunks, plan_of<GROUPS>::WARPS, 1);
    if (p.begin >= p.v.run.computed) return;
    const slt_bf16 *q = slt_rows_at<slt_bf16>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    const slt_bf16 *dout = slt_rows_at<slt_bf16>(a.out_grad[0]) + slt_attention_out(p.v, 0);
    int stride = 3 * p.v.width, i = 0;
    typename tile::left left, left_dout;
    float z[EIGHTS][4] = {}, ds[EIGHTS][4] = {};
    query_gradients<M, 1> s = {};
    uint32_t factor[SIXTEENS][4], factor_ds[SIXTEENS][4];
    load_left<SIZE>(left, p, q, stride, p.v.run.computed);
    load_left<SIZE>(left_dout, p, dout, p.v.width, p.v.run.computed);
    load_along<M, 1>(a, p, s.log, s.along);
    ring<SIZE, GROUPS> tiles(memory, q + p.v.width, stride, q + 2 * p.v.width, stride, p.v.keys,
                             p.v.size);
    tiles.begin();
    slt_group_fence();
    tile::scores(z, left, tiles.at(0, 0));
    tile::scores(ds, left_dout, tiles.at(1, 0));
    slt_group_start();
    for (; i + 1 < tiles.tiles; i++) {
        slt_group_await();
        slt_group_pin<EIGHTS>(z);
        slt_group_pin<EIGHTS>(ds);
        key_shares<false>(p, z, ds, i * TILE, s.log[0], s.along[0], s.rest[0], factor, factor_ds);
        tiles.advance(i);
        slt_group_fence();
        tile::sums(s.dq[0], factor_ds, tiles.at(0, i));
        tile::sums(s.mean[0], factor, tiles.at(0, i));
        tile::scores(z, left, tiles.at(0, i + 1));
        tile::scores(ds, left_dout, tiles.at(1, i + 1));
        slt_group_start();
    }
    slt_group_await();
    slt_group_pin<EIGHTS>(z);
    slt_group_pin<EIGHTS>(ds);
    key_shares<true>(p, z, ds, i * TILE, s.log[0], s.along[0], s.rest[0], factor, factor_ds);
    slt_group_fence();
    tile::sums(s.dq[0], factor_ds, tiles.at(0, i));
    tile::sums(s.mean[0], factor, tiles.at(0, i));
    slt_group_start();
    slt_group_await();
    slt_group_pin<SIZE / 8>(s.dq[0]);
    slt_group_pin<SIZE / 8>(s.mean[0]);
    store_queries<M, 1>(a, p, &s);
    keep_along<1>(a, p, s.along);
}

// dk and dv of a block's rows that are keys
template <int SIZE, int GROUPS>
SLT_DEVICE_INLINE void key_gradients(const slt_cuda_args &a, const place &p, float *memory,
                                     float (*dk)[4], float (*dv)[4]) {
    typedef slt_head_tile<SIZE> tile;
    const slt_bf16 *q = slt_rows_at<slt_bf16>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    const slt_bf16 *dout = slt_rows_at<slt_bf16>(a.out_grad[0]) + slt_attention_out(p.v, 0);
    int stride = 3 * p.v.width, i = 0;
    typename tile::left k, v;
    float z[EIGHTS][4] = {}, ds[EIGHTS][4] = {};
    uint32_t factor[SIXTEENS][4], factor_ds[SIXTEENS][4];
    load_left<SIZE>(k, p, q + p.v.width, stride, p.v.keys);
    load_left<SIZE>(v, p, q + 2 * p.v.width, stride, p.v.keys);
    ring<SIZE, GROUPS> tiles(memory, q, stride, dout, p.v.width, p.v.run.computed, p.v.size);
    tiles.keep(slt_at(a.aux) + slt_attention_kept(p.v, 0), 2 * p.v.heads, p.v.run.computed);
    tiles.begin();
    slt_group_fence();
    tile::scores(z, k, tiles.at(0, 0));
    tile::scores(ds, v, tiles.at(1, 0));
    slt_group_start();
    for (; i + 1 < tiles.tiles; i++) {
        slt_group_await();
        slt_group_pin<EIGHTS>(z);
        slt_group_pin<EIGHTS>(ds);
        query_shares<false>(p, z, ds, tiles.kept_at(i), factor, factor_ds);
        tiles.advance(i);
        slt_group_fence();
        tile::sums(dv, factor, tiles.at(1, i));
        tile::sums(dk, factor_ds, tiles.at(0, i));
        tile::scores(z, k, tiles.at(0, i + 1));
        tile::scores(ds, v, tiles.at(1, i + 1));
        slt_group_start();
    }
    slt_group_await();
    slt_group_pin<EIGHTS>(z);
    slt_group_pin<EIGHTS>(ds);
    query_shares<false>(p, z, ds, tiles.kept_at(i), factor, factor_ds);
    slt_group_fence();
    tile::sums(dv, factor, tiles.at(1, i));
    tile::sums(dk, factor_ds, tiles.at(0, i));
    slt_group_start();
    slt_group_await();
    slt_group_pin<SIZE / 8>(dk);
    slt_group_pin<SIZE / 8>(dv);
}

template <int SIZE, int GROUPS>
SLT_KERNEL __launch_bounds__(plan_of<GROUPS>::THREADS, plan_of<GROUPS>::BACKWARD)
    backward_keys(const __grid_constant__ slt_cuda_args a, int chunks) {
    slt_begin();
    typedef slt_bf16_math<SIZE, slt_bf16> M;
    SLT_DYNAMIC_SHARED(memory);
    if (!slt_attention_there(a, block_sequence(a, (int)blockIdx.x, chunks))) return;
    place p = place_at(a, (int)blockIdx.x, chunks, plan_of<GROUPS>::WARPS, 1);
    if (p.begin >= p.v.run.computed) return;
    float dk[1][SIZE / 8][4] = {}, dv[1][SIZE / 8][4] = {};
    if (p.begin < p.v.keys) key_gradients<SIZE, GROUPS>(a, p, memory, dk[0], dv[0]);
    store_keys<M, 1>(a, p, dk, dv);
}

// ---- launches

// steps from which on groups share tiles
#ifdef SLT_EMULATED
enum { LONG = 256 };
#else
enum { LONG = 512 };
#endif

template <int SIZE, int GROUPS> static void launch(const slt_cuda_args *args, bool back) {
    enum { THREADS = plan_of<GROUPS>::THREADS };
    int chunks = slt_pieces(args->length, GROUPS * TILE);
    size_t bytes = ring<SIZE, GROUPS>::FLOATS * sizeof(float) + SLT_GROUP_ALIGN;
    dim3 grid = grid_of(args, chunks);
    if (!back) {
        SLT_LAUNCH_LARGE(args, (forward<SIZE, GROUPS>), grid, THREADS, bytes, chunks);
        return;
    }
    SLT_LAUNCH_LARGE(args, (backward_queries<SIZE, GROUPS>), grid, THREADS, bytes, chunks);
    SLT_LAUNCH_LARGE(args, (backward_keys<SIZE, GROUPS>), grid, THREADS, bytes, chunks);
}

template <int SIZE> static void launch_any(const slt_cuda_args *args, bool back) {
    (args->length > LONG ? launch<SIZE, 2> : launch<SIZE, 1>)(args, back);
}

static int size_of(const slt_cuda_args *args) {
    return args->out_width[0] / args->n[SLT_ATTENTION_HEADS];
}

bool slt_cuda_wide_fits(const slt_cuda_args *args) {
    return slt_in_bf16(args, 0) && size_of(args) % 8 == 0 && size_of(args) > 16;
}

void slt_cuda_wide_attention(const slt_cuda_args *args, bool backward) {
    if (args->length <= SLT_BRIEF_LENGTH) return slt_cuda_brief_attention(args, backward);
    (size_of(args) <= 32 ? launch_any<32> : launch_any<64>)(args, backward);
}
