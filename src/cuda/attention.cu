// Self-attention inside each sequence: a block per sequence and head. Keys and values go through
// shared memory in tiles; a thread owns a query (forward, dq) or a key (dk, dv), so that nothing is
// added by two threads; backward has blocks for queries and blocks for keys in one launch. Kept:
// the scaled maximum and 1/sum of each row and head.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernel.cuh"

enum { HEADS, SPACE };
enum { THREADS = 64, TILE = 64 };

// one head of one sequence
typedef struct {
    slt_run run;
    int head, heads, size, width, keys;
    float scale;
} view;

SLT_DEVICE_INLINE view view_of(const slt_cuda_args &a) {
    view v;
    slt_space space = (slt_space)a.n[SPACE];
    int sequence = (int)blockIdx.x;
    v.heads = a.n[HEADS];
    v.head = (int)blockIdx.y % v.heads;
    v.width = a.out_width[0];
    v.size = v.width / v.heads;
    v.scale = 1 / sqrtf((float)v.size);
    v.run = slt_run_of(a, space, sequence);
    int truth = slt_length(a)[v.run.b];
    if (space == SLT_SLOT_TOKENS) {
        int companion = slt_companion(a)[sequence];
        if (companion >= 0) truth = slt_length(a)[companion];
    }
    v.keys = slt_least(truth, v.run.computed);
    return v;
}

SLT_DEVICE_INLINE bool sequence_there(const slt_cuda_args &a) {
    int slots = a.n[SPACE] == SLT_SLOT_TOKENS ? a.slots : 1;
    return (int)blockIdx.x < slt_head(a)->count * slots;
}

// part 0, 1, 2 of row l: query, key, value
SLT_DEVICE_INLINE int64_t place_of(const view &v, int part, int l) {
    return (int64_t)(v.run.first + l) * 3 * v.width + part * v.width + v.head * v.size;
}

// rows [first, end) of a strided matrix into shared memory, at most TILE; zeros beyond `size`
template <int SIZE>
SLT_DEVICE_INLINE void load_tile(float (*tile)[SIZE], const float *from, int64_t stride, int first,
                                 int end, int size) {
    int count = slt_least(TILE, end - first) * SIZE;
    for (int i = (int)threadIdx.x; i < count; i += THREADS) {
        int l = first + i / SIZE, c = i % SIZE;
        tile[i / SIZE][c] = c < size ? from[(int64_t)l * stride + c] : 0;
    }
}

template <int SIZE> SLT_DEVICE_INLINE void load_row(float *row, const float *from, int size) {
#pragma unroll
    for (int c = 0; c < SIZE; c++) row[c] = c < size ? from[c] : 0;
}

template <int SIZE> SLT_DEVICE_INLINE float dot(const float *x, const float *y) {
    float sum = 0;
#pragma unroll
    for (int c = 0; c < SIZE; c++) sum += x[c] * y[c];
    return sum;
}

template <int SIZE> SLT_DEVICE_INLINE void add_scaled(float *to, float weight, const float *from) {
#pragma unroll
    for (int c = 0; c < SIZE; c++) to[c] += weight * from[c];
}

// the share of a key tile in one query's sum; the maximum may move
template <int SIZE>
SLT_DEVICE_INLINE void attend(const float *q, const float (*k)[SIZE], const float (*value)[SIZE],
                              int keys, float scale, float *most, float *sum, float *out) {
    float tile_most = *most;
    for (int j = 0; j < keys; j++) tile_most = fmaxf(tile_most, dot<SIZE>(q, k[j]) * scale);
    float shrink = expf(*most - tile_most);
    *sum *= shrink;
#pragma unroll
    for (int c = 0; c < SIZE; c++) out[c] *= shrink;
    for (int j = 0; j < keys; j++) {
        float p = expf(dot<SIZE>(q, k[j]) * scale - tile_most);
        *sum += p;
        add_scaled<SIZE>(out, p, value[j]);
    }
    *most = tile_most;
}

template <int SIZE> SLT_KERNEL forward(const slt_cuda_args a) {
    alignas(16) __shared__ float k[TILE][SIZE], value[TILE][SIZE];
    float *out = slt_at(a.out[0]);
    if (blockIdx.y == 0)
        slt_clear_tail(out, slt_count(a, (slt_space)a.n[SPACE], 0), a.out_rows[0], a.out_width[0]);
    if (!sequence_there(a)) return;
    view v = view_of(a);
    const float *qkv = slt_at(a.in[0]);
    for (int first = 0; first < v.run.computed; first += THREADS) {
        int l = first + (int)threadIdx.x;
        bool mine = l < v.run.computed;
        float q[SIZE], sums[SIZE] = {0}, most = -INFINITY, sum = 0;
        load_row<SIZE>(q, qkv + place_of(v, 0, mine ? l : 0), v.size);
        for (int tile = 0; tile < v.keys; tile += TILE) {
            __syncthreads();
            load_tile<SIZE>(k, qkv + place_of(v, 1, 0), 3 * v.width, tile, v.keys, v.size);
            load_tile<SIZE>(value, qkv + place_of(v, 2, 0), 3 * v.width, tile, v.keys, v.size);
            __syncthreads();
            if (mine)
                attend<SIZE>(q, k, value, slt_least(TILE, v.keys - tile), v.scale, &most, &sum,
                             sums);
        }
        if (!mine) continue;
        float inverse = 1 / sum;
        float *kept = slt_at(a.aux) + 2 * ((int64_t)(v.run.first + l) * v.heads + v.head);
        kept[0] = most;
        kept[1] = inverse;
        float *to = out + (int64_t)(v.run.first + l) * v.width + v.head * v.size;
#pragma unroll
        for (int c = 0; c < SIZE; c++)
            if (c < v.size) to[c] = sums[c] * inverse;
    }
}

// ---- backward

// what a query brings: q, do, and (maximum, 1/sum, o·do)
template <int SIZE> struct query { float q[SIZE], dout[SIZE], most, inverse, along; };

template <int SIZE>
SLT_DEVICE_INLINE void load_query(const slt_cuda_args &a, const view &v, int l, query<SIZE> *x) {
    int64_t at = (int64_t)(v.run.first + l) * v.width + v.head * v.size;
    const float *kept = slt_at(a.aux) + 2 * ((int64_t)(v.run.first + l) * v.heads + v.head);
    float out[SIZE];
    load_row<SIZE>(x->q, slt_at(a.in[0]) + place_of(v, 0, l), v.size);
    load_row<SIZE>(x->dout, slt_at(a.out_grad[0]) + at, v.size);
    load_row<SIZE>(out, slt_at(a.out[0]) + at, v.size);
    x->most = kept[0];
    x->inverse = kept[1];
    x->along = dot<SIZE>(out, x->dout);
}

template <int SIZE>
SLT_DEVICE_INLINE void store_row(const slt_cuda_args &a, const view &v, int part, int l,
                                 const float *row) {
    float *to = slt_at(a.in_grad[0]) + place_of(v, part, l);
#pragma unroll
    for (int c = 0; c < SIZE; c++)
        if (c < v.size) slt_put(&to[c], a.add[0], row[c]);
}

// dq: ds_j = p_j(do·v_j - o·do)·scale, dq = Σ_j ds_j·k_j
template <int SIZE>
SLT_DEVICE_INLINE void backward_query(const slt_cuda_args &a, const view &v, float (*k)[SIZE],
                                      float (*value)[SIZE]) {
    const float *qkv = slt_at(a.in[0]);
    for (int first = 0; first < v.run.computed; first += THREADS) {
        int l = first + (int)threadIdx.x;
        bool mine = l < v.run.computed;
        query<SIZE> x;
        float dq[SIZE] = {0};
        load_query<SIZE>(a, v, mine ? l : 0, &x);
        for (int tile = 0; tile < v.keys; tile += TILE) {
            __syncthreads();
            load_tile<SIZE>(k, qkv + place_of(v, 1, 0), 3 * v.width, tile, v.keys, v.size);
            load_tile<SIZE>(value, qkv + place_of(v, 2, 0), 3 * v.width, tile, v.keys, v.size);
            __syncthreads();
            int keys = mine ? slt_least(TILE, v.keys - tile) : 0;
            for (int j = 0; j < keys; j++) {
                float p = expf(dot<SIZE>(x.q, k[j]) * v.scale - x.most) * x.inverse;
                float ds = p * (dot<SIZE>(x.dout, value[j]) - x.along) * v.scale;
                add_scaled<SIZE>(dq, ds, k[j]);
            }
        }
        if (mine) store_row<SIZE>(a, v, 0, l, dq);
    }
}

// dk = Σ_i ds_i·q_i, dv = Σ_i p_i·do_i; zeros for rows that are no keys
template <int SIZE>
SLT_DEVICE_INLINE void backward_key(const slt_cuda_args &a, const view &v, float (*q)[SIZE],
                                    float (*dout)[SIZE], float (*kept)[3]) {
    const float *qkv = slt_at(a.in[0]), *douts = slt_at(a.out_grad[0]);
    int64_t head = (int64_t)v.run.first * v.width + v.head * v.size;
    for (int first = 0; first < v.run.computed; first += THREADS) {
        int l = first + (int)threadIdx.x;
        bool key = l < v.keys;
        float k[SIZE], value[SIZE], dk[SIZE] = {0}, dv[SIZE] = {0};
        load_row<SIZE>(k, qkv + place_of(v, 1, key ? l : 0), v.size);
        load_row<SIZE>(value, qkv + place_of(v, 2, key ? l : 0), v.size);
        for (int tile = 0; tile < v.run.computed; tile += TILE) {
            __syncthreads();
            load_tile<SIZE>(q, qkv + place_of(v, 0, 0), 3 * v.width, tile, v.run.computed, v.size);
            load_tile<SIZE>(dout, douts + head, v.width, tile, v.run.computed, v.size);
            int mine = tile + (int)threadIdx.x;
            if (mine < v.run.computed) {
                query<SIZE> x;
                load_query<SIZE>(a, v, mine, &x);
                kept[threadIdx.x][0] = x.most;
                kept[threadIdx.x][1] = x.inverse;
                kept[threadIdx.x][2] = x.along;
            }
            __syncthreads();
            int queries = key ? slt_least(TILE, v.run.computed - tile) : 0;
            for (int i = 0; i < queries; i++) {
                float p = expf(dot<SIZE>(q[i], k) * v.scale - kept[i][0]) * kept[i][1];
                float ds = p * (dot<SIZE>(dout[i], value) - kept[i][2]) * v.scale;
                add_scaled<SIZE>(dk, ds, q[i]);
                add_scaled<SIZE>(dv, p, dout[i]);
            }
        }
        if (l >= v.run.computed || (!key && a.add[0])) continue;
        store_row<SIZE>(a, v, 1, l, dk);
        store_row<SIZE>(a, v, 2, l, dv);
    }
}

// blocks of y: heads for queries, then heads for keys
template <int SIZE> SLT_KERNEL backward(const slt_cuda_args a) {
    alignas(16) __shared__ float one[TILE][SIZE], two[TILE][SIZE];
    __shared__ float kept[TILE][3];
    if (blockIdx.y == 0 && !a.add[0])
        slt_clear_tail(slt_at(a.in_grad[0]), slt_count(a, (slt_space)a.n[SPACE], 0), a.in_rows[0],
                       a.in_width[0]);
    if (!sequence_there(a)) return;
    view v = view_of(a);
    if ((int)blockIdx.y < v.heads)
        backward_query<SIZE>(a, v, one, two);
    else
        backward_key<SIZE>(a, v, one, two, kept);
}

static dim3 grid(const slt_cuda_args *args, int heads) {
    int slots = args->n[SPACE] == SLT_SLOT_TOKENS ? args->slots : 1;
    return dim3((unsigned)(args->trajectories * slots), (unsigned)heads, (unsigned)args->members);
}

template <int SIZE> static void launch_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward<SIZE>, grid(args, args->n[HEADS]), THREADS, 0);
}
template <int SIZE> static void launch_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward<SIZE>, grid(args, 2 * args->n[HEADS]), THREADS, 0);
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

void slt_cuda_attention_forward(const slt_cuda_args *args) { sizes[size_of(args)].forward(args); }
void slt_cuda_attention_backward(const slt_cuda_args *args) { sizes[size_of(args)].backward(args); }
