// Self-attention inside each sequence: a warp per 128 rows of a sequence and head, a lane per query
// (forward, dq) or per key (dk, dv), so that nothing is added by two threads. What a warp reads in
// turn goes through its own part of shared memory, 32 rows at a time. Kept: the scaled maximum and
// 1/sum of each row and head.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/attention_view.cuh"

enum { HEADS = SLT_ATTENTION_HEADS, SPACE = SLT_ATTENTION_SPACE };
// rows of shared memory; keys between two looks at the maximum; rows of a warp
enum { TILE = SLT_WARP, STEP = 4, CHUNK = 4 * SLT_WARP };

// heads of a block: their tiles fill the same memory whatever their size
template <int SIZE> struct block_of {
    enum { WARPS = SIZE <= 16 ? 4 : 64 / SIZE };
    enum { FORWARD = SIZE <= 16 ? 6 : 1, BACKWARD = SIZE <= 16 ? 4 : 1 }; // blocks at once
};

// one head of one sequence, rows [begin, end) of it
struct view : slt_attention_view {
    int lane, warp, begin, end;
};

SLT_DEVICE_INLINE view view_of(const slt_cuda_args &a) {
    view v;
    int warps = (int)blockDim.x / SLT_WARP, warp = (int)(threadIdx.x / SLT_WARP);
    int groups = (a.n[SLT_ATTENTION_HEADS] + warps - 1) / warps;
    *(slt_attention_view *)&v = slt_attention_view_of(a, (int)blockIdx.y % groups * warps + warp);
    v.begin = (int)blockIdx.y / groups % ((a.length + CHUNK - 1) / CHUNK) * CHUNK;
    v.end = slt_least(v.begin + CHUNK, v.run.computed);
    v.lane = (int)(threadIdx.x % SLT_WARP);
    v.warp = warp;
    return v;
}

// ---- rows of SIZE numbers, `size` of them there; rows of fours lie at multiples of 16 bytes

template <int SIZE> SLT_DEVICE_INLINE void load_row(float *row, const float *from, int size) {
#pragma unroll
    for (int c = 0; c < SIZE; c += 4) {
        float4 x = slt_load4(from, c, size);
        row[c] = x.x;
        row[c + 1] = x.y;
        row[c + 2] = x.z;
        row[c + 3] = x.w;
    }
}

// rows [first, first + count) of a strided matrix into shared memory, by one warp; a lane reads all
// its fours before it writes one
template <int SIZE>
SLT_DEVICE_INLINE void load_tile(float (*tile)[SIZE], const float *from, int64_t stride, int first,
                                 int count, int size) {
    enum { FOURS = SIZE / 4, EACH = TILE * FOURS / SLT_WARP };
    int lane = (int)(threadIdx.x % SLT_WARP);
    float4 x[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = lane + k * SLT_WARP, l = slt_least(i / FOURS, count - 1);
        x[k] = slt_load4(from + (int64_t)(first + l) * stride, i % FOURS * 4, size);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = lane + k * SLT_WARP;
        *(float4 *)&tile[i / FOURS][i % FOURS * 4] = x[k];
    }
}

// four sums at once: the chain of additions is a quarter as long
template <int SIZE> SLT_DEVICE_INLINE float dot(const float *x, const float *y) {
    float sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int c = 0; c < SIZE; c += 4) {
        float4 z = *(const float4 *)&y[c];
        sum[0] += x[c] * z.x;
        sum[1] += x[c + 1] * z.y;
        sum[2] += x[c + 2] * z.z;
        sum[3] += x[c + 3] * z.w;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <int SIZE> SLT_DEVICE_INLINE void add_scaled(float *to, float weight, const float *from) {
#pragma unroll
    for (int c = 0; c < SIZE; c += 4) {
        float4 z = *(const float4 *)&from[c];
        to[c] += weight * z.x;
        to[c + 1] += weight * z.y;
        to[c + 2] += weight * z.z;
        to[c + 3] += weight * z.w;
    }
}

// ---- forward

// the share of a key tile in one query's sum; the maximum may move
template <int SIZE>
SLT_DEVICE_INLINE void attend(const float *q, const float (*k)[SIZE], const float (*value)[SIZE],
                              int keys, float scale, float *most, float *sum, float *out) {
    for (int first = 0; first < keys; first += STEP) {
        float z[STEP], higher = *most;
#pragma unroll
        for (int j = 0; j < STEP; j++) {
            z[j] = first + j < keys ? dot<SIZE>(q, k[first + j]) * scale : -INFINITY;
            higher = fmaxf(higher, z[j]);
        }
        float shrink = expf(*most - higher);
        *most = higher;
        *sum *= shrink;
#pragma unroll
        for (int c = 0; c < SIZE; c++) out[c] *= shrink;
#pragma unroll
        for (int j = 0; j < STEP; j++) {
            if (first + j >= keys) break;
            float p = expf(z[j] - higher);
            *sum += p;
            add_scaled<SIZE>(out, p, value[first + j]);
        }
    }
}

template <int SIZE>
SLT_KERNEL __launch_bounds__(block_of<SIZE>::WARPS *SLT_WARP, block_of<SIZE>::FORWARD)
    forward(const slt_cuda_args a) {
    slt_begin();
    enum { WARPS = block_of<SIZE>::WARPS };
    alignas(16) __shared__ float keys[WARPS][TILE][SIZE], values[WARPS][TILE][SIZE];
    float *out = slt_at(a.out[0]);
    if (blockIdx.y == 0)
        slt_clear_tail(out, slt_count(a, (slt_space)a.n[SPACE], 0), a.out_rows[0], a.out_width[0]);
    if (!slt_sequence_there(a)) return;
    view v = view_of(a);
    if (v.head >= v.heads) return;
    const float *qkv = slt_at(a.in[0]);
    float(*k)[SIZE] = keys[v.warp], (*value)[SIZE] = values[v.warp];
    for (int first = v.begin; first < v.end; first += SLT_WARP) {
        int l = first + v.lane;
        bool mine = l < v.run.computed;
        float q[SIZE], sums[SIZE] = {0}, most = -INFINITY, sum = 0;
        load_row<SIZE>(q, qkv + slt_attention_place(v, 0, mine ? l : 0), v.size);
        for (int tile = 0; tile < v.keys; tile += TILE) {
            int count = slt_least(TILE, v.keys - tile);
            __syncwarp();
            load_tile<SIZE>(k, qkv + slt_attention_place(v, 1, 0), 3 * v.width, tile, count,
                            v.size);
            load_tile<SIZE>(value, qkv + slt_attention_place(v, 2, 0), 3 * v.width, tile, count,
                            v.size);
            __syncwarp();
            if (mine) attend<SIZE>(q, k, value, count, v.scale, &most, &sum, sums);
        }
        if (!mine) continue;
        float inverse = 1 / sum;
        float *kept = slt_at(a.aux) + slt_attention_kept(v, l);
        kept[0] = most;
        kept[1] = inverse;
#pragma unroll
        for (int c = 0; c < SIZE; c += 4)
            slt_store4(out + slt_attention_out(v, l), c, v.size, false,
                       slt_four(sums[c] * inverse, sums[c + 1] * inverse, sums[c + 2] * inverse,
                                sums[c + 3] * inverse));
    }
}

// ---- backward

// of a query: maximum, 1/sum, o·do
typedef struct {
    float most, inverse, along;
} kept_row;

template <int SIZE>
SLT_DEVICE_INLINE kept_row load_kept(const slt_cuda_args &a, const view &v, int l,
                                     const float *dout) {
    const float *kept = slt_at(a.aux) + slt_attention_kept(v, l);
    const float *out = slt_at(a.out[0]) + slt_attention_out(v, l);
    kept_row row = {kept[0], kept[1], 0};
#pragma unroll
    for (int c = 0; c < SIZE; c += 4) {
        float4 x = slt_load4(out, c, v.size);
        row.along += x.x * dout[c] + x.y * dout[c + 1] + x.z * dout[c + 2] + x.w * dout[c + 3];
    }
    return row;
}

template <int SIZE>
SLT_DEVICE_INLINE void store_row(const slt_cuda_args &a, const view &v, int part, int l,
                                 const float *row) {
    float *to = slt_at(a.in_grad[0]) + slt_attention_place(v, part, l);
#pragma unroll
    for (int c = 0; c < SIZE; c += 4)
        slt_store4(to, c, v.size, a.add[0], slt_four(row[c], row[c + 1], row[c + 2], row[c + 3]));
}

// dq: ds_j = p_j(do·v_j - o·do)·scale, dq = Σ_j ds_j·k_j
template <int SIZE>
SLT_DEVICE_INLINE void backward_query(const slt_cuda_args &a, const view &v, float (*k)[SIZE],
                                      float (*value)[SIZE]) {
    const float *qkv = slt_at(a.in[0]);
    for (int first = v.begin; first < v.end; first += SLT_WARP) {
        int l = first + v.lane, own = l < v.run.computed ? l : 0;
        float q[SIZE], dout[SIZE], dq[SIZE] = {0};
        load_row<SIZE>(q, qkv + slt_attention_place(v, 0, own), v.size);
        load_row<SIZE>(dout, slt_at(a.out_grad[0]) + slt_attention_out(v, own), v.size);
        kept_row kept = load_kept<SIZE>(a, v, own, dout);
        for (int tile = 0; tile < v.keys; tile += TILE) {
            int count = slt_least(TILE, v.keys - tile);
            __syncwarp();
            load_tile<SIZE>(k, qkv + slt_attention_place(v, 1, 0), 3 * v.width, tile, count,
                            v.size);
            load_tile<SIZE>(value, qkv + slt_attention_place(v, 2, 0), 3 * v.width, tile, count,
                            v.size);
            __syncwarp();
#pragma unroll 2
            for (int j = 0; j < count; j++) {
                float p = expf(dot<SIZE>(q, k[j]) * v.scale - kept.most) * kept.inverse;
                float ds = p * (dot<SIZE>(dout, value[j]) - kept.along) * v.scale;
                add_scaled<SIZE>(dq, ds, k[j]);
            }
        }
        if (l < v.run.computed) store_row<SIZE>(a, v, 0, l, dq);
    }
}

// dk = Σ_i ds_i·q_i, dv = Σ_i p_i·do_i; zeros for rows that are no keys
template <int SIZE>
SLT_DEVICE_INLINE void backward_key(const slt_cuda_args &a, const view &v, float (*q)[SIZE],
                                    float (*dout)[SIZE], kept_row *kept) {
    const float *qkv = slt_at(a.in[0]), *douts = slt_at(a.out_grad[0]);
    for (int first = v.begin; first < v.end; first += SLT_WARP) {
        int l = first + v.lane;
        bool key = l < v.keys;
        float k[SIZE], value[SIZE], dk[SIZE] = {0}, dv[SIZE] = {0};
        load_row<SIZE>(k, qkv + slt_attention_place(v, 1, key ? l : 0), v.size);
        load_row<SIZE>(value, qkv + slt_attention_place(v, 2, key ? l : 0), v.size);
        for (int tile = 0; tile < v.run.computed; tile += TILE) {
            int count = slt_least(TILE, v.run.computed - tile);
            __syncwarp();
            load_tile<SIZE>(q, qkv + slt_attention_place(v, 0, 0), 3 * v.width, tile, count,
                            v.size);
            load_tile<SIZE>(dout, douts + slt_attention_out(v, 0), v.width, tile, count, v.size);
            __syncwarp();
            if (v.lane < count) kept[v.lane] = load_kept<SIZE>(a, v, tile + v.lane, dout[v.lane]);
            __syncwarp();
#pragma unroll 2
            for (int i = 0; key && i < count; i++) {
                float p = expf(dot<SIZE>(k, q[i]) * v.scale - kept[i].most) * kept[i].inverse;
                float ds = p * (dot<SIZE>(value, dout[i]) - kept[i].along) * v.scale;
                add_scaled<SIZE>(dk, ds, q[i]);
                add_scaled<SIZE>(dv, p, dout[i]);
            }
        }
        if (l >= v.run.computed || (!key && a.add[0])) continue;
        store_row<SIZE>(a, v, 1, l, dk);
        store_row<SIZE>(a, v, 2, l, dv);
    }
}

// blocks of y: heads for queries, chunk by chunk, then heads for keys
template <int SIZE>
SLT_KERNEL __launch_bounds__(block_of<SIZE>::WARPS *SLT_WARP, block_of<SIZE>::BACKWARD)
    backward(const slt_cuda_args a) {
    slt_begin();
    enum { WARPS = block_of<SIZE>::WARPS };
    alignas(16) __shared__ float one[WARPS][TILE][SIZE], two[WARPS][TILE][SIZE];
    __shared__ kept_row kept[WARPS][TILE];
    if (blockIdx.y == 0 && !a.add[0])
        slt_clear_tail(slt_at(a.in_grad[0]), slt_count(a, (slt_space)a.n[SPACE], 0), a.in_rows[0],
                       a.in_width[0]);
    if (!slt_sequence_there(a)) return;
    view v = view_of(a);
    if (v.head >= v.heads) return;
    if (blockIdx.y < gridDim.y / 2)
        backward_query<SIZE>(a, v, one[v.warp], two[v.warp]);
    else
        backward_key<SIZE>(a, v, one[v.warp], two[v.warp], kept[v.warp]);
}

template <int SIZE> static void launch_forward(const slt_cuda_args *args) {
    int warps = block_of<SIZE>::WARPS;
    SLT_LAUNCH(args, forward<SIZE>,
               slt_attention_grid(args, warps, slt_pieces(args->length, CHUNK)), warps * SLT_WARP,
               0);
}
template <int SIZE> static void launch_backward(const slt_cuda_args *args) {
    int warps = block_of<SIZE>::WARPS;
    SLT_LAUNCH(args, backward<SIZE>,
               slt_attention_grid(args, warps, 2 * slt_pieces(args->length, CHUNK)),
               warps * SLT_WARP, 0);
}

// head sizes are padded to one of these; larger ones are refused when the tape is made
typedef void (*launcher)(const slt_cuda_args *args);
static const struct {
    int size;
    launcher forward, backward;
} sizes[] = {
    {8, launch_forward<8>, launch_backward<8>},
    {16, launch_forward<16>, launch_backward<16>},
    {32, launch_forward<32>, launch_backward<32>},
    {64, launch_forward<64>, launch_backward<64>},
};

static int size_of(const slt_cuda_args *args) {
    int i = 0, size = args->out_width[0] / args->n[HEADS];
    while (i < 3 && sizes[i].size < size) i++;
    return i;
}

static bool plain_fits(const slt_cuda_args *args) { return args != NULL; }
static void plain(const slt_cuda_args *args, bool back) {
    int i = size_of(args);
    (back ? sizes[i].backward : sizes[i].forward)(args);
}

// the first that takes a node's sizes and precision
static const struct {
    const char *name;
    bool (*fits)(const slt_cuda_args *args);
    void (*run)(const slt_cuda_args *args, bool backward);
} kinds[] = {{"resident", slt_cuda_resident_fits, slt_cuda_resident_attention},
             {"wide", slt_cuda_wide_fits, slt_cuda_wide_attention},
             {"whole", slt_cuda_whole_fits, slt_cuda_whole_attention},
             {"tiled", slt_cuda_tiled_fits, slt_cuda_tiled_attention},
             {"plain", plain_fits, plain}};

static int kind_of(const slt_cuda_args *args) {
    int i = 0;
    while (!kinds[i].fits(args)) i++;
    return i;
}

const char *slt_cuda_attention_kind(const slt_cuda_args *args) { return kinds[kind_of(args)].name; }

void slt_cuda_attention_forward(const slt_cuda_args *args) {
    kinds[kind_of(args)].run(args, false);
}
void slt_cuda_attention_backward(const slt_cuda_args *args) {
    kinds[kind_of(args)].run(args, true);
}
