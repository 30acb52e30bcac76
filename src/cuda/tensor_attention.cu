// Self-attention inside each sequence on tensor cores, tf32: a warp has a head and 16 rows of a
// sequence at a time, queries (forward, dq) or keys (dk, dv), and goes through the other rows by
// eights. Everything is in registers. What is kept is as in attention.cu.
//
// The order of terms in a product is free as long as both factors agree: lane (g, t) takes channels
// 4t .. 4t+3 of rows, so that it reads fours, and terms 2t and 2t+1 of eight rows, which is what it
// has of a result: a product of results needs no exchange between lanes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/attention_view.cuh"
#include "cuda/tensor_core.cuh"

enum { HEADS_AT_ONCE = 4, SPLIT = 2, WARPS = HEADS_AT_ONCE * SPLIT, ROWS = 16, EIGHT = 8 };

// one head of a sequence as a warp sees it
typedef struct {
    slt_attention_view v;
    const float *qkv;
    int stride;   // between rows of qkv
    int g, t;     // of the lane
    int first;    // rows 16·first, then every SPLIT-th sixteen
    float factor; // scale·log2(e): powers are of 2
} seat;

SLT_DEVICE_INLINE bool take_seat(const slt_cuda_args &a, int sides, seat *s) {
    int warp = (int)threadIdx.x / SLT_WARP, lane = (int)threadIdx.x % SLT_WARP;
    int blocks = (int)gridDim.y / sides, head = (int)blockIdx.y % blocks * HEADS_AT_ONCE;
    if (!slt_sequence_there(a)) return false;
    s->v = slt_attention_view_of(a, head + warp % HEADS_AT_ONCE);
    s->qkv = slt_at(a.in[0]);
    s->stride = 3 * s->v.width;
    s->g = lane / 4;
    s->t = lane % 4;
    s->first = warp / HEADS_AT_ONCE;
    s->factor = s->v.scale * 1.44269504f;
    return s->v.head < s->v.heads;
}

// ---- factors

// 16 rows as the left factor: the lane's fours of rows g and g+8
template <int SIZE>
SLT_DEVICE_INLINE void load_left(float (*a)[4], const float *upper, const float *lower, int t) {
#pragma unroll
    for (int c = 0; c < SIZE / 16; c++) {
        float4 x = *(const float4 *)(upper + 16 * c + 4 * t);
        float4 y = *(const float4 *)(lower + 16 * c + 4 * t);
        a[2 * c][0] = slt_tf32(x.x), a[2 * c][1] = slt_tf32(y.x);
        a[2 * c][2] = slt_tf32(x.y), a[2 * c][3] = slt_tf32(y.y);
        a[2 * c + 1][0] = slt_tf32(x.z), a[2 * c + 1][1] = slt_tf32(y.z);
        a[2 * c + 1][2] = slt_tf32(x.w), a[2 * c + 1][3] = slt_tf32(y.w);
    }
}

// c (16,8) = a·bᵀ, b: eight rows, the lane's is row g
template <int SIZE>
SLT_DEVICE_INLINE void multiply_rows(float *c, const float (*a)[4], const float *row, int t) {
    c[0] = c[1] = c[2] = c[3] = 0;
#pragma unroll
    for (int i = 0; i < SIZE / 16; i++) {
        float4 x = *(const float4 *)(row + 16 * i + 4 * t);
        float even[2] = {slt_tf32(x.x), slt_tf32(x.y)}, odd[2] = {slt_tf32(x.z), slt_tf32(x.w)};
        slt_mma(c, a[2 * i], even);
        slt_mma(c, a[2 * i + 1], odd);
    }
}

// sum (16,SIZE) += c·b, c (16,8) a result, b: eight rows, the lane's are 2t and 2t+1
template <int SIZE>
SLT_DEVICE_INLINE void multiply_result(float (*sum)[4], const float *c, const float *even,
                                       const float *odd, int g) {
    float left[4] = {slt_tf32(c[0]), slt_tf32(c[2]), slt_tf32(c[1]), slt_tf32(c[3])};
#pragma unroll
    for (int n = 0; n < SIZE / 8; n++) {
        float right[2] = {slt_tf32(even[8 * n + g]), slt_tf32(odd[8 * n + g])};
        slt_mma(sum[n], left, right);
    }
}

// over the four lanes of a row
SLT_DEVICE_INLINE float row_most(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
SLT_DEVICE_INLINE float row_sum(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

// part 0, 1, 2 of row l: query, key, value; rows beyond the last are the last
SLT_DEVICE_INLINE const float *row_of(const seat &s, int part, int l, int rows) {
    return s.qkv + slt_attention_place(s.v, part, slt_least(l, rows - 1));
}

// a pair of numbers of row l
SLT_DEVICE_INLINE void put_pair(float *to, bool add, float x, float y) {
    float2 *at = (float2 *)to, both = {x, y};
    if (add) both.x += at->x, both.y += at->y;
    *at = both;
}

// ---- forward

enum { KEYS = 32 }; // between two looks at the maximum

// scaled products of 16 queries and 32 keys, their maximum
template <int SIZE>
SLT_DEVICE_INLINE void score(const seat &s, const float (*q)[4], int key, float (*z)[4],
                             float *most) {
#pragma unroll
    for (int j = 0; j < KEYS / EIGHT; j++) {
        int at = key + EIGHT * j, mine = at + 2 * s.t;
        if (at < s.v.keys) multiply_rows<SIZE>(z[j], q, row_of(s, 1, at + s.g, s.v.keys), s.t);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            z[j][i] = mine + i % 2 < s.v.keys ? z[j][i] * s.factor : -INFINITY;
            most[i / 2] = fmaxf(most[i / 2], z[j][i]);
        }
    }
    most[0] = row_most(most[0]);
    most[1] = row_most(most[1]);
}

// the share of 32 keys in the sums of 16 queries; the maximum may move
template <int SIZE>
SLT_DEVICE_INLINE void attend(const seat &s, const float (*q)[4], int key, float *most, float *sum,
                              float (*out)[4]) {
    float z[KEYS / EIGHT][4], higher[2] = {most[0], most[1]};
    score<SIZE>(s, q, key, z, higher);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float shrink = slt_power(most[r] - higher[r]);
        most[r] = higher[r];
        sum[r] *= shrink;
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++) out[n][2 * r] *= shrink, out[n][2 * r + 1] *= shrink;
    }
#pragma unroll
    for (int j = 0; j < KEYS / EIGHT; j++) {
        int mine = key + EIGHT * j + 2 * s.t;
        if (key + EIGHT * j >= s.v.keys) break;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            z[j][i] = slt_power(z[j][i] - most[i / 2]);
            sum[i / 2] += z[j][i];
        }
        multiply_result<SIZE>(out, z[j], row_of(s, 2, mine, s.v.keys),
                              row_of(s, 2, mine + 1, s.v.keys), s.g);
    }
}

template <int SIZE>
SLT_DEVICE_INLINE void forward_rows(const slt_cuda_args &a, const seat &s, int first) {
    float q[SIZE / 8][4], out[SIZE / 8][4] = {}, most[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    int rows = s.v.run.computed;
    load_left<SIZE>(q, row_of(s, 0, first + s.g, rows), row_of(s, 0, first + s.g + 8, rows), s.t);
    for (int key = 0; key < s.v.keys; key += KEYS) attend<SIZE>(s, q, key, most, sum, out);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = first + s.g + 8 * r;
        float inverse = 1 / row_sum(sum[r]), *to = slt_at(a.out[0]) + slt_attention_out(s.v, l);
        if (l >= rows) continue;
        if (s.t == 0) {
            float *kept = slt_at(a.aux) + slt_attention_kept(s.v, l);
            kept[0] = most[r] * 0.693147181f; // as the natural exponent has it
            kept[1] = inverse;
        }
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++)
            put_pair(to + 8 * n + 2 * s.t, false, out[n][2 * r] * inverse,
                     out[n][2 * r + 1] * inverse);
    }
}

template <int SIZE>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP, SIZE == 16 ? 2 : 1)
    forward(const __grid_constant__ slt_cuda_args a) {
    slt_wait_for_last();
    seat s;
    if (blockIdx.y == 0)
        slt_clear_tail(slt_at(a.out[0]), slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0),
                       a.out_rows[0], a.out_width[0]);
    if (!take_seat(a, 1, &s)) return;
    for (int row = ROWS * s.first; row < s.v.run.computed; row += ROWS * SPLIT)
        forward_rows<SIZE>(a, s, row);
    slt_let_next();
}

// ---- backward: p = exp(z - most)/sum, ds = p(do·v - o·do)·scale

// o·do of row l, in all four lanes of the row
template <int SIZE> SLT_DEVICE_INLINE float along_of(const slt_cuda_args &a, const seat &s, int l) {
    int64_t at = slt_attention_out(s.v, slt_least(l, s.v.run.computed - 1));
    const float *out = slt_at(a.out[0]) + at, *dout = slt_at(a.out_grad[0]) + at;
    float sum = 0;
#pragma unroll
    for (int c = 0; c < SIZE / 16; c++) {
        float4 x = *(const float4 *)(out + 16 * c + 4 * s.t);
        float4 y = *(const float4 *)(dout + 16 * c + 4 * s.t);
        sum += (x.x * y.x + x.y * y.y) + (x.z * y.z + x.w * y.w);
    }
    return row_sum(sum);
}
SLT_DEVICE_INLINE const float *dout_of(const slt_cuda_args &a, const seat &s, int l) {
    return slt_at(a.out_grad[0]) + slt_attention_out(s.v, slt_least(l, s.v.run.computed - 1));
}
// maximum (as a power of 2) and 1/sum of query l
SLT_DEVICE_INLINE float2 kept_of(const slt_cuda_args &a, const seat &s, int l) {
    const float *kept = slt_at(a.aux) + slt_attention_kept(s.v, slt_least(l, s.v.run.computed - 1));
    float2 both = {kept[0] * 1.44269504f, kept[1]};
    return both;
}

// dq of 16 queries = Σ over keys of ds·k
template <int SIZE>
SLT_DEVICE_INLINE void backward_queries(const slt_cuda_args &a, const seat &s, int first) {
    float q[SIZE / 8][4], dout[SIZE / 8][4], dq[SIZE / 8][4] = {}, along[2];
    float2 kept[2];
    int rows = s.v.run.computed;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        along[r] = along_of<SIZE>(a, s, first + s.g + 8 * r);
        kept[r] = kept_of(a, s, first + s.g + 8 * r);
    }
    load_left<SIZE>(q, row_of(s, 0, first + s.g, rows), row_of(s, 0, first + s.g + 8, rows), s.t);
    load_left<SIZE>(dout, dout_of(a, s, first + s.g), dout_of(a, s, first + s.g + 8), s.t);
#pragma unroll 2
    for (int key = 0; key < s.v.keys; key += EIGHT) {
        float z[4], ds[4];
        int mine = key + 2 * s.t;
        multiply_rows<SIZE>(z, q, row_of(s, 1, key + s.g, s.v.keys), s.t);
        multiply_rows<SIZE>(ds, dout, row_of(s, 2, key + s.g, s.v.keys), s.t);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float p = slt_power(z[i] * s.factor - kept[i / 2].x) * kept[i / 2].y;
            ds[i] = mine + i % 2 < s.v.keys ? p * (ds[i] - along[i / 2]) * s.v.scale : 0;
        }
        multiply_result<SIZE>(dq, ds, row_of(s, 1, mine, s.v.keys),
                              row_of(s, 1, mine + 1, s.v.keys), s.g);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = first + s.g + 8 * r;
        float *to = slt_at(a.in_grad[0]) + slt_attention_place(s.v, 0, l);
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++)
            if (l < rows) put_pair(to + 8 * n + 2 * s.t, a.add[0], dq[n][2 * r], dq[n][2 * r + 1]);
    }
}

// dk and dv of 16 keys = Σ over queries of ds·q, p·do; zeros for rows that are no keys
template <int SIZE>
SLT_DEVICE_INLINE void key_sums(const slt_cuda_args &a, const seat &s, const float (*k)[4],
                                const float (*value)[4], float (*dk)[4], float (*dv)[4]) {
    int rows = s.v.run.computed;
#pragma unroll 2
    for (int query = 0; query < rows; query += EIGHT) {
        float p[4], ds[4], own = along_of<SIZE>(a, s, query + s.g);
        int mine = query + 2 * s.t;
        float along[2] = {slt_warp_lane(own, 8 * s.t), slt_warp_lane(own, 8 * s.t + 4)};
        float2 kept[2] = {kept_of(a, s, mine), kept_of(a, s, mine + 1)};
        multiply_rows<SIZE>(p, k, row_of(s, 0, query + s.g, rows), s.t);
        multiply_rows<SIZE>(ds, value, dout_of(a, s, query + s.g), s.t);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            p[i] = slt_power(p[i] * s.factor - kept[i % 2].x) * kept[i % 2].y;
            if (mine + i % 2 >= rows) p[i] = 0;
            ds[i] = p[i] * (ds[i] - along[i % 2]) * s.v.scale;
        }
        multiply_result<SIZE>(dk, ds, row_of(s, 0, mine, rows), row_of(s, 0, mine + 1, rows), s.g);
        multiply_result<SIZE>(dv, p, dout_of(a, s, mine), dout_of(a, s, mine + 1), s.g);
    }
}

template <int SIZE>
SLT_DEVICE_INLINE void backward_keys(const slt_cuda_args &a, const seat &s, int first) {
    float k[SIZE / 8][4], value[SIZE / 8][4], dk[SIZE / 8][4] = {}, dv[SIZE / 8][4] = {};
    int keys = s.v.keys, upper = first + s.g, lower = upper + 8;
    load_left<SIZE>(k, row_of(s, 1, upper, keys), row_of(s, 1, lower, keys), s.t);
    load_left<SIZE>(value, row_of(s, 2, upper, keys), row_of(s, 2, lower, keys), s.t);
    if (first < keys) key_sums<SIZE>(a, s, k, value, dk, dv);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = first + s.g + 8 * r;
        float there = l < keys ? 1 : 0, *to = slt_at(a.in_grad[0]) + slt_attention_place(s.v, 0, l);
        if (l >= s.v.run.computed) continue;
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++) {
            int at = s.v.width + 8 * n + 2 * s.t;
            put_pair(to + at, a.add[0], there * dk[n][2 * r], there * dk[n][2 * r + 1]);
            put_pair(to + at + s.v.width, a.add[0], there * dv[n][2 * r], there * dv[n][2 * r + 1]);
        }
    }
}

// blocks of y: heads for queries, then heads for keys
template <int SIZE>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP, SIZE == 16 ? 2 : 1)
    backward(const __grid_constant__ slt_cuda_args a) {
    slt_wait_for_last();
    seat s;
    if (blockIdx.y == 0 && !a.add[0])
        slt_clear_tail(slt_at(a.in_grad[0]), slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0),
                       a.in_rows[0], a.in_width[0]);
    if (!take_seat(a, 2, &s)) return;
    bool queries = blockIdx.y < gridDim.y / 2;
    for (int row = ROWS * s.first; row < s.v.run.computed; row += ROWS * SPLIT) {
        if (queries)
            backward_queries<SIZE>(a, s, row);
        else
            backward_keys<SIZE>(a, s, row);
    }
    slt_let_next();
}

// ---- launches

template <int SIZE> static void launch_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward<SIZE>, slt_attention_grid(args, HEADS_AT_ONCE, 1), WARPS * SLT_WARP,
               0);
}
template <int SIZE> static void launch_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward<SIZE>, slt_attention_grid(args, HEADS_AT_ONCE, 2), WARPS * SLT_WARP,
               0);
}

typedef void (*launcher)(const slt_cuda_args *args);
static const struct {
    int size;
    launcher forward, backward;
} sizes[] = {{16, launch_forward<16>, launch_backward<16>},
             {32, launch_forward<32>, launch_backward<32>},
             {64, launch_forward<64>, launch_backward<64>}};

// sequences of all members: where there are more, the device is full of warps anyway, and those of
// attention.cu do with fewer registers (docs/performance.md)
enum { MOST = 400 };

bool slt_cuda_tensor_attention(const slt_cuda_args *args, bool backward) {
    int heads = args->n[SLT_ATTENTION_HEADS], width = args->out_width[0];
    int64_t sequences = (int64_t)slt_attention_grid(args, 1, 1).x * args->members;
    if (!slt_cuda_is_tf32(args->cuda) || width % heads != 0 || sequences > MOST) return false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i].size != width / heads) continue;
        (backward ? sizes[i].backward : sizes[i].forward)(args);
        return true;
    }
    return false;
}
