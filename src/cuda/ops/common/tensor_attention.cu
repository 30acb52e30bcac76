// Self-attention inside each sequence on tensor cores, tf32. A block has some heads of a sequence:
// it brings their rows into shared memory, rounded, all at once or, where they are too long for its
// room, fewer heads at a time; then a warp has 16 of them at a time, queries (forward, dq) or keys
// (dk, dv), and goes through the others by eights. What is kept is as in attention.cu. Rows may be
// sums of a slot's and a position's (fused_decoder_input.h).
//
// The order of terms in a product is free as long as both factors agree: lane (g, t) takes channels
// 4t .. 4t+3 of rows, so that it reads fours, and terms 2t and 2t+1 of eight rows, which is what it
// has of a result: a product of results needs no exchange between lanes. Heads are of HEAD numbers;
// in shared memory, and in products, they have SIZE, a multiple of 16: zeros are after the last.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/attention_tile.cuh"
#include "cuda/kernels/attention_view.cuh"
#include "cuda/kernels/broadcast_rows.h"
#include "cuda/kernels/large_block.cuh"

enum { HEADS = 4, ROWS = 16, EIGHT = 8 }; // of a block
enum { QUERY, KEY, VALUE, DOUT };

// numbers of a head as products have it
template <int HEAD> struct padded_head {
    enum { SIZE = (HEAD + 15) / 16 * 16 };
};
// does a head have channel c?
template <int HEAD> SLT_DEVICE_INLINE bool has_channel(int c) { return HEAD % 16 == 0 || c < HEAD; }

// one head of a sequence as a warp sees it
typedef struct {
    slt_attention_view v;
    float *tile;  // (parts, padded, SIZE): rows of the head in shared memory
    float4 *kept; // (padded) backward: maximum, as a power of 2, 1/sum and o·do of a query
    int padded;   // rows, to a multiple of 16
    int g, t;     // of the lane
    int warp;     // of those of the head
    int heads;    // at once
    int split;    // warps of a head
    float factor; // scale·log2(e): powers are of 2
} seat;

// numbers of shared memory that a head takes
template <int SIZE> static inline __host__ __device__ int room_of(int padded, bool backward) {
    return padded * ((backward ? 4 : 3) * SIZE + (backward ? 4 : 0));
}
// and sums over a sequence: four numbers of every thread, those of a head of every warp
static inline __host__ __device__ int sums_room(int size, int warps) {
    return warps * (4 * SLT_WARP + 3 * size);
}
static inline __host__ __device__ int padded_of(int rows) {
    return (rows + ROWS - 1) / ROWS * ROWS;
}

// room: rows of all heads that shared memory has
template <int SIZE, int WARPS>
SLT_DEVICE_INLINE seat take_seat(const slt_cuda_args &a, float *memory, bool backward, int room) {
    int warp = (int)threadIdx.x / SLT_WARP, lane = (int)threadIdx.x % SLT_WARP;
    seat s;
    s.v = slt_attention_view_of(a, 0);
    s.padded = padded_of(s.v.run.computed);
    s.heads = HEADS;
    while (s.heads > 1 && s.heads * s.padded > room) s.heads /= 2;
    s.split = WARPS / s.heads;
    int own = warp % s.heads;
    s.v.head = (int)blockIdx.y * HEADS + own;
    s.tile = memory + own * room_of<SIZE>(s.padded, backward);
    s.kept = (float4 *)(s.tile + 4 * s.padded * SIZE);
    s.g = lane / 4;
    s.t = lane % 4;
    s.warp = warp / s.heads;
    s.factor = s.v.scale * 1.44269504f;
    return s;
}

// a part from row `first` on, a multiple of eight
template <int SIZE> SLT_DEVICE_INLINE float *rows_of(const seat &s, int part, int first) {
    return s.tile + (part * s.padded + first) * SIZE;
}
// ---- rows on their way to shared memory: eight of them by a warp, a lane's fours of row g

SLT_DEVICE_INLINE float4 plus4(float4 x, float4 y) {
    return slt_four(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// the lane's fours of the head's parts of a row of qkv
template <int HEAD>
SLT_DEVICE_INLINE void load_parts(float4 *x, slt_cuda_view qkv, const seat &s, int row) {
    enum { SIZE = padded_head<HEAD>::SIZE };
    const float *at = slt_at(qkv) + (int64_t)row * 3 * s.v.width + s.v.head * HEAD + 4 * s.t;
#pragma unroll
    for (int i = 0; i < 3 * SIZE / 16; i++)
        x[i] = has_channel<HEAD>(i % (SIZE / 16) * 16 + 4 * s.t)
                   ? *(const float4 *)(at + i / (SIZE / 16) * s.v.width + i % (SIZE / 16) * 16)
                   : slt_four(0, 0, 0, 0);
}

// several eights are on their way
template <int HEAD, bool BROADCAST>
SLT_DEVICE_INLINE void prefetch_rows(const slt_cuda_args &a, const slt_decoder_input_rows &b,
                                     const seat &s) {
    enum { SIZE = padded_head<HEAD>::SIZE, PARTS = 3 * SIZE / 16, EIGHTS = 32 / SIZE };
    int apart = EIGHT * s.split;
    float4 slot[PARTS], x[EIGHTS][PARTS];
    if (BROADCAST) load_parts<HEAD>(slot, b.slots, s, (int)blockIdx.x);
    for (int first = EIGHT * s.warp; first < s.padded; first += EIGHTS * apart) {
#pragma unroll
        for (int i = 0; i < EIGHTS; i++) {
            int l = slt_least(first + i * apart + s.g, s.v.run.computed - 1);
            load_parts<HEAD>(x[i], BROADCAST ? b.positions : a.in[0], s,
                             BROADCAST ? l : s.v.run.first + l);
        }
#pragma unroll
        for (int i = 0; i < EIGHTS * PARTS; i++) {
            int l = first + i / PARTS * apart, part = i % PARTS;
            float4 y = x[i / PARTS][part];
            if (BROADCAST) y = plus4(y, slot[part]);
            if (l < s.padded)
                *(float4 *)(rows_of<SIZE>(s, part / (SIZE / 16), l) +
                            slt_tile_place<SIZE>(s.g, part % (SIZE / 16) * 16 + 4 * s.t)) =
                    slt_rounded4(y);
        }
    }
}

// do, and what is kept of the queries; those that are not there have 1/sum = 0. As forward adds up
// probabilities that are rounded, o·do of a rounded do is the mean of do·v: what is left of it
// would be multiplied with all that keys have in common (attention_steps.cuh)
template <int HEAD> SLT_DEVICE_INLINE void bring_gradients(const slt_cuda_args &a, const seat &s) {
    enum { SIZE = padded_head<HEAD>::SIZE };
#pragma unroll 4
    for (int first = EIGHT * s.warp; first < s.padded; first += EIGHT * s.split) {
        int l = first + s.g, there = slt_least(l, s.v.run.computed - 1);
        int64_t at = slt_attention_out(s.v, there) + 4 * s.t;
        const float *kept = slt_at(a.aux) + slt_attention_kept(s.v, there);
        float along = 0, most = kept[0], inverse = kept[1];
#pragma unroll
        for (int c = 0; c < SIZE; c += 16) {
            float4 x = slt_four(0, 0, 0, 0), y = x;
            if (has_channel<HEAD>(c + 4 * s.t)) {
                x = *(const float4 *)(slt_at(a.out[0]) + at + c);
                y = *(const float4 *)(slt_at(a.out_grad[0]) + at + c);
            }
            y = slt_four(slt_tf32(y.x), slt_tf32(y.y), slt_tf32(y.z), slt_tf32(y.w));
            *(float4 *)(rows_of<SIZE>(s, DOUT, first) + slt_tile_place<SIZE>(s.g, c + 4 * s.t)) = y;
            along += (x.x * y.x + x.y * y.y) + (x.z * y.z + x.w * y.w);
        }
        along = slt_row_sum(along);
        if (s.t == 0) s.kept[l] = slt_four(most * 1.44269504f, l == there ? inverse : 0, along, 0);
    }
}

// ---- factors

// 16 rows as the left factor: the lane's fours of rows g and g+8
template <int SIZE>
SLT_DEVICE_INLINE void load_left(float (*a)[4], const float *rows, const seat &s) {
#pragma unroll
    for (int c = 0; c < SIZE / 16; c++) {
        float4 x = *(const float4 *)(rows + slt_tile_place<SIZE>(s.g, 16 * c + 4 * s.t));
        float4 y = *(const float4 *)(rows + slt_tile_place<SIZE>(s.g + 8, 16 * c + 4 * s.t));
        slt_left_factor(a + 2 * c, x, y);
    }
}

// c (16,8) = a·bᵀ, b: eight rows, the lane's is row g
template <int SIZE>
SLT_DEVICE_INLINE void multiply_rows(float *c, const float (*a)[4], const float *rows,
                                     const seat &s) {
    c[0] = c[1] = c[2] = c[3] = 0;
#pragma unroll
    for (int i = 0; i < SIZE / 16; i++) {
        float4 x = *(const float4 *)(rows + slt_tile_place<SIZE>(s.g, 16 * i + 4 * s.t));
        float even[2] = {x.x, x.y}, odd[2] = {x.z, x.w};
        slt_mma(c, a[2 * i], even);
        slt_mma(c, a[2 * i + 1], odd);
    }
}

// sum (16,SIZE) += c·b, c (16,8) a result, b: eight rows, the lane's are 2t and 2t+1
template <int SIZE>
SLT_DEVICE_INLINE void multiply_result(float (*sum)[4], const float *c, const float *rows,
                                       const seat &s) {
    float left[4];
    slt_result_factor(left, c);
#pragma unroll
    for (int n = 0; n < SIZE / 8; n++) {
        float right[2] = {rows[slt_tile_place<SIZE>(2 * s.t, 8 * n + s.g)],
                          rows[slt_tile_place<SIZE>(2 * s.t + 1, 8 * n + s.g)]};
        slt_mma(sum[n], left, right);
    }
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
        if (at < s.v.keys) multiply_rows<SIZE>(z[j], q, rows_of<SIZE>(s, KEY, at), s);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            z[j][i] = mine + i % 2 < s.v.keys ? z[j][i] * s.factor : -INFINITY;
            most[i / 2] = fmaxf(most[i / 2], z[j][i]);
        }
    }
    most[0] = slt_row_most(most[0]);
    most[1] = slt_row_most(most[1]);
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
        if (key + EIGHT * j >= s.v.keys) break;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            z[j][i] = slt_power(z[j][i] - most[i / 2]);
            z[j][i] = slt_tf32(z[j][i]);
            sum[i / 2] += z[j][i];
        }
        multiply_result<SIZE>(out, z[j], rows_of<SIZE>(s, VALUE, key + EIGHT * j), s);
    }
}

template <int HEAD>
SLT_DEVICE_INLINE void forward_rows(const slt_cuda_args &a, const seat &s, int first) {
    enum { SIZE = padded_head<HEAD>::SIZE };
    float q[SIZE / 8][4], out[SIZE / 8][4] = {}, most[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    load_left<SIZE>(q, rows_of<SIZE>(s, QUERY, first), s);
    for (int key = 0; key < s.v.keys; key += KEYS) attend<SIZE>(s, q, key, most, sum, out);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = first + s.g + 8 * r;
        float inverse = 1 / slt_row_sum(sum[r]), *to = slt_at(a.out[0]) + slt_attention_out(s.v, l);
        if (l >= s.v.run.computed) continue;
        if (s.t == 0) {
            float *kept = slt_at(a.aux) + slt_attention_kept(s.v, l);
            kept[0] = most[r] * 0.693147181f; // as the natural exponent has it
            kept[1] = inverse;
        }
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++)
            if (has_channel<HEAD>(8 * n + 2 * s.t))
                slt_put_pair(to + 8 * n + 2 * s.t, false, out[n][2 * r] * inverse,
                             out[n][2 * r + 1] * inverse);
    }
}

// x of the block's columns and sequence: a slot's row and the positions'
template <int HEAD, int WARPS>
SLT_DEVICE_INLINE void put_sums(const slt_decoder_input_rows &b, const seat &s) {
    enum { COLUMNS = HEADS * HEAD / 4, GROUPS = WARPS * SLT_WARP / COLUMNS };
    int c = (int)blockIdx.y * HEADS * HEAD + (int)threadIdx.x % COLUMNS * 4, width = s.v.width;
    float4 slot = *(const float4 *)(slt_at(b.normed) + (int64_t)blockIdx.x * width + c);
    const float *table = slt_at(b.table) + c;
    float *x = slt_at(b.x) + (int64_t)s.v.run.first * width + c;
#pragma unroll 4
    for (int l = (int)threadIdx.x / COLUMNS; l < s.v.run.computed; l += GROUPS)
        *(float4 *)(x + l * width) = plus4(slot, *(const float4 *)(table + l * width));
}

template <int HEAD, int WARPS, int BLOCKS, bool BROADCAST>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP, BLOCKS)
    forward(const __grid_constant__ slt_cuda_args a, int room,
            const __grid_constant__ slt_decoder_input_rows b) {
    enum { SIZE = padded_head<HEAD>::SIZE };
    slt_wait_for_last();
    SLT_DYNAMIC_SHARED(memory);
    int count = slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0);
    if (blockIdx.y == 0) slt_clear_tail(slt_at(a.out[0]), count, a.out_rows[0], a.out_width[0]);
    if (BROADCAST && blockIdx.y == 0)
        slt_clear_tail(slt_at(b.x), count, a.out_rows[0], a.out_width[0]);
    if (!slt_sequence_there(a)) return;
    seat s = take_seat<SIZE, WARPS>(a, memory, false, room);
    for (int done = 0; done < HEADS; done += s.heads, s.v.head += s.heads) {
        bool there = s.v.head < s.v.heads;
        if (done > 0) __syncthreads();
        if (there) prefetch_rows<HEAD, BROADCAST>(a, b, s);
        __syncthreads();
        slt_let_next();
        if (BROADCAST && done == 0) put_sums<HEAD, WARPS>(b, s);
        for (int row = ROWS * s.warp; there && row < s.v.run.computed; row += ROWS * s.split)
            forward_rows<HEAD>(a, s, row);
    }
}

// ---- backward: p = exp(z - most)/sum, ds = p(do·v - o·do)·scale

// sums over the rows of a lane: two channels of every eight, of queries, keys and values
template <int HEAD> struct lane_sums { float of[3][padded_head<HEAD>::SIZE / 8][2]; };
template <int SIZE> SLT_DEVICE_INLINE void add_rows(float (*sum)[2], const float (*d)[4]) {
#pragma unroll
    for (int i = 0; i < SIZE / 4; i++) sum[i / 2][i % 2] += d[i / 2][i % 2] + d[i / 2][i % 2 + 2];
}

// dq of 16 queries = Σ over keys of ds·k
template <int HEAD>
SLT_DEVICE_INLINE void backward_queries(const slt_cuda_args &a, const seat &s, int first,
                                        lane_sums<HEAD> *sums) {
    enum { SIZE = padded_head<HEAD>::SIZE };
    float q[SIZE / 8][4], dout[SIZE / 8][4], dq[SIZE / 8][4] = {};
    float4 kept[2] = {s.kept[first + s.g], s.kept[first + s.g + 8]};
    load_left<SIZE>(q, rows_of<SIZE>(s, QUERY, first), s);
    load_left<SIZE>(dout, rows_of<SIZE>(s, DOUT, first), s);
#pragma unroll 2
    for (int key = 0; key < s.v.keys; key += EIGHT) {
        float z[4], ds[4];
        int mine = key + 2 * s.t;
        multiply_rows<SIZE>(z, q, rows_of<SIZE>(s, KEY, key), s);
        multiply_rows<SIZE>(ds, dout, rows_of<SIZE>(s, VALUE, key), s);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float p = slt_power(z[i] * s.factor - kept[i / 2].x) * kept[i / 2].y;
            ds[i] = mine + i % 2 < s.v.keys ? p * (ds[i] - kept[i / 2].z) * s.v.scale : 0;
        }
        multiply_result<SIZE>(dq, ds, rows_of<SIZE>(s, KEY, key), s);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = first + s.g + 8 * r;
        float *to = slt_at(a.in_grad[0]) + slt_attention_place(s.v, 0, l);
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++)
            if (l < s.v.run.computed && has_channel<HEAD>(8 * n + 2 * s.t))
                slt_put_pair(to + 8 * n + 2 * s.t, a.add[0], dq[n][2 * r], dq[n][2 * r + 1]);
    }
    add_rows<SIZE>(sums->of[QUERY], dq);
}

// dk and dv of 16 keys = Σ over queries of ds·q, p·do
template <int SIZE>
SLT_DEVICE_INLINE void key_sums(const seat &s, int first, float (*dk)[4], float (*dv)[4]) {
    float k[SIZE / 8][4], value[SIZE / 8][4];
    load_left<SIZE>(k, rows_of<SIZE>(s, KEY, first), s);
    load_left<SIZE>(value, rows_of<SIZE>(s, VALUE, first), s);
#pragma unroll 2
    for (int query = 0; query < s.v.run.computed; query += EIGHT) {
        float p[4], ds[4];
        int mine = query + 2 * s.t;
        float4 kept[2] = {s.kept[mine], s.kept[mine + 1]};
        multiply_rows<SIZE>(p, k, rows_of<SIZE>(s, QUERY, query), s);
        multiply_rows<SIZE>(ds, value, rows_of<SIZE>(s, DOUT, query), s);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            p[i] = slt_power(p[i] * s.factor - kept[i % 2].x) * kept[i % 2].y;
            if (mine + i % 2 >= s.v.run.computed) p[i] = 0;
            ds[i] = p[i] * (ds[i] - kept[i % 2].z) * s.v.scale;
        }
        multiply_result<SIZE>(dk, ds, rows_of<SIZE>(s, QUERY, query), s);
        multiply_result<SIZE>(dv, p, rows_of<SIZE>(s, DOUT, query), s);
    }
}

// zeros for rows that are no keys
template <int HEAD>
SLT_DEVICE_INLINE void backward_keys(const slt_cuda_args &a, const seat &s, int first,
                                     lane_sums<HEAD> *sums) {
    enum { SIZE = padded_head<HEAD>::SIZE };
    float dk[SIZE / 8][4] = {}, dv[SIZE / 8][4] = {};
    if (first < s.v.keys) key_sums<SIZE>(s, first, dk, dv);
#pragma unroll
    for (int i = 0; i < SIZE / 2; i++)
        if (first + s.g + i % 4 / 2 * 8 >= s.v.keys) dk[i / 4][i % 4] = dv[i / 4][i % 4] = 0;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = first + s.g + 8 * r;
        float *to = slt_at(a.in_grad[0]) + slt_attention_place(s.v, 0, l);
        if (l >= s.v.run.computed) continue;
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++) {
            int at = s.v.width + 8 * n + 2 * s.t;
            if (!has_channel<HEAD>(8 * n + 2 * s.t)) continue;
            slt_put_pair(to + at, a.add[0], dk[n][2 * r], dk[n][2 * r + 1]);
            slt_put_pair(to + at + s.v.width, a.add[0], dv[n][2 * r], dv[n][2 * r + 1]);
        }
    }
    add_rows<SIZE>(sums->of[KEY], dk);
    add_rows<SIZE>(sums->of[VALUE], dv);
}

// sixteens of queries, then sixteens of keys
template <int HEAD>
SLT_DEVICE_INLINE void backward_head(const slt_cuda_args &a, const seat &s, lane_sums<HEAD> *sums) {
    for (int i = ROWS * s.warp; i < 2 * s.padded; i += ROWS * s.split) {
        if (i < s.padded)
            backward_queries<HEAD>(a, s, i, sums);
        else
            backward_keys<HEAD>(a, s, i - s.padded, sums);
    }
}

// ---- backward, sums over the sequence, of warps and groups of threads in order

// of dqkv: a warp's share of its head
template <int HEAD>
SLT_DEVICE_INLINE void share_sums(const seat &s, lane_sums<HEAD> *sums, float *shares) {
    enum { SIZE = padded_head<HEAD>::SIZE };
    float *own = shares + (int)threadIdx.x / SLT_WARP * 3 * SIZE;
#pragma unroll
    for (int i = 0; i < 3 * SIZE / 4; i++) {
        float x = sums->of[i / (SIZE / 4)][i / 2 % (SIZE / 8)][i % 2];
#pragma unroll
        for (int apart = 4; apart < SLT_WARP; apart *= 2)
            x += __shfl_xor_sync(0xffffffffu, x, apart);
        if (s.g == 0) own[i / (SIZE / 4) * SIZE + i / 2 % (SIZE / 8) * 8 + 2 * s.t + i % 2] = x;
    }
}
template <int HEAD, int WARPS>
SLT_DEVICE_INLINE void put_shares(const slt_decoder_input_rows &b, const seat &s, int head,
                                  const float *shares) {
    enum { SIZE = padded_head<HEAD>::SIZE };
    float *to = slt_at(b.dslots) + (int64_t)blockIdx.x * 3 * s.v.width;
    for (int i = (int)threadIdx.x; i < s.heads * 3 * SIZE; i += WARPS * SLT_WARP) {
        int own = i / (3 * SIZE), part = i / SIZE % 3;
        float sum = 0;
        for (int w = own; w < WARPS; w += s.heads) sum += shares[w * 3 * SIZE + i % (3 * SIZE)];
        if (head + own < s.v.heads && has_channel<HEAD>(i % SIZE))
            to[part * s.v.width + (head + own) * HEAD + i % SIZE] = sum;
    }
}

// zeros, for a sequence that is not there
template <int HEAD, int WARPS>
SLT_DEVICE_INLINE void clear_shares(const slt_decoder_input_rows &b, int width) {
    float *to = slt_at(b.dslots) + (int64_t)blockIdx.x * 3 * width + blockIdx.y * HEADS * HEAD;
    for (int i = (int)threadIdx.x; i < 3 * HEADS * HEAD; i += WARPS * SLT_WARP)
        to[i / (HEADS * HEAD) * width + i % (HEADS * HEAD)] = 0;
}

// of dx, the block's columns: a thread's rows
template <int HEAD, int WARPS>
SLT_DEVICE_INLINE float4 sum_rows(const slt_decoder_input_rows &b, const seat &s) {
    enum { COLUMNS = HEADS * HEAD / 4, GROUPS = WARPS * SLT_WARP / COLUMNS };
    int c = (int)blockIdx.y * HEADS * HEAD + (int)threadIdx.x % COLUMNS * 4, width = s.v.width;
    const float *dx = slt_at(b.dx) + (int64_t)s.v.run.first * width + c;
    float4 sum = {0, 0, 0, 0};
#pragma unroll 4
    for (int l = (int)threadIdx.x / COLUMNS; b.dx.at && l < s.v.run.computed; l += GROUPS)
        sum = plus4(sum, *(const float4 *)(dx + l * width));
    return sum;
}
template <int HEAD, int WARPS>
SLT_DEVICE_INLINE void put_sum(const slt_decoder_input_rows &b, const seat &s,
                               const float4 *shares) {
    enum { COLUMNS = HEADS * HEAD / 4, GROUPS = WARPS * SLT_WARP / COLUMNS };
    int own = (int)threadIdx.x, c = (int)blockIdx.y * HEADS * HEAD + 4 * own;
    if (own >= COLUMNS) return;
    float4 sum = shares[own];
    for (int i = 1; i < GROUPS; i++) sum = plus4(sum, shares[i * COLUMNS + own]);
    *(float4 *)(slt_at(b.dnormed) + (int64_t)blockIdx.x * s.v.width + c) = sum;
}

template <int HEAD, int WARPS, int BLOCKS, bool BROADCAST>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP, BLOCKS)
    backward(const __grid_constant__ slt_cuda_args a, int room,
             const __grid_constant__ slt_decoder_input_rows b) {
    enum { SIZE = padded_head<HEAD>::SIZE };
    slt_wait_for_last();
    SLT_DYNAMIC_SHARED(memory);
    if (blockIdx.y == 0 && !a.add[0])
        slt_clear_tail(slt_at(a.in_grad[0]), slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0),
                       a.in_rows[0], a.in_width[0]);
    if (BROADCAST && !slt_sequence_there(a)) clear_shares<HEAD, WARPS>(b, a.out_width[0]);
    if (!slt_sequence_there(a)) return;
    float4 *rows = (float4 *)memory; // sums of threads and of warps, then the heads
    float *shares = memory + 4 * WARPS * SLT_WARP;
    seat s =
        take_seat<SIZE, WARPS>(a, memory + (BROADCAST ? sums_room(SIZE, WARPS) : 0), true, room);
    for (int done = 0; done < HEADS; done += s.heads, s.v.head += s.heads) {
        bool there = s.v.head < s.v.heads;
        lane_sums<HEAD> sums = {};
        if (done > 0) __syncthreads();
        if (there) prefetch_rows<HEAD, BROADCAST>(a, b, s);
        if (there) bring_gradients<HEAD>(a, s);
        if (BROADCAST && done == 0) rows[threadIdx.x] = sum_rows<HEAD, WARPS>(b, s);
        __syncthreads();
        slt_let_next();
        if (BROADCAST && done == 0) put_sum<HEAD, WARPS>(b, s, rows);
        if (there) backward_head<HEAD>(a, s, &sums);
        if (!BROADCAST) continue;
        share_sums<HEAD>(s, &sums, shares);
        __syncthreads();
        put_shares<HEAD, WARPS>(b, s, (int)blockIdx.y * HEADS + done, shares);
    }
}

// ---- launches

// Sequences are few, and many warps share a head; or many; or many and brief: a warp has a head for
// itself, and more blocks are at work side by side, with room for usual sequences
#ifdef SLT_EMULATED
enum { MANY = 4, USUAL = 16, LONG = 1 << 30 };
#else
enum { MANY = 264, USUAL = 32, LONG = 96 }; // LONG: longer ones are tiled (tiled_attention.cu)
#endif
typedef enum { ARE_FEW, ARE_MANY, ARE_BRIEF, KINDS } kind;

static kind kind_of(const slt_cuda_args *args) {
    dim3 grid = slt_attention_grid(args, HEADS, 1);
    int mean = args->in_rows[0] / (int)grid.x;
    if ((int64_t)grid.x * grid.y * grid.z <= MANY) return ARE_FEW;
    return mean + mean / 8 <= USUAL ? ARE_BRIEF : ARE_MANY;
}

// rows of all heads of a block
static int room_for(const slt_cuda_args *args) {
    int longest = padded_of(args->length), usual = HEADS * USUAL;
    if (kind_of(args) != ARE_BRIEF) return HEADS * longest;
    return longest > usual ? longest : usual;
}

// at most
template <int HEAD> static size_t bytes_of(int rows) {
    enum { SIZE = padded_head<HEAD>::SIZE };
    return (size_t)(room_of<SIZE>(rows, true) + sums_room(SIZE, 16)) * sizeof(float);
}

// WARPS of a block, BACK of one backward; BLOCKS of a multiprocessor, forward
template <int HEAD, int WARPS, int BACK, int BLOCKS, bool BROADCAST>
static void launch(const slt_cuda_args *args, const slt_decoder_input_rows *rows, bool back) {
    enum { SIZE = padded_head<HEAD>::SIZE };
    dim3 grid = slt_attention_grid(args, HEADS, 1);
    int room = room_for(args), sums = BROADCAST ? sums_room(SIZE, BACK) : 0;
    if (back)
        SLT_LAUNCH_LARGE(args, (backward<HEAD, BACK, BLOCKS * WARPS / BACK, BROADCAST>), grid,
                         BACK * SLT_WARP, (room_of<SIZE>(room, true) + sums) * sizeof(float), room,
                         *rows);
    else
        SLT_LAUNCH_LARGE(args, (forward<HEAD, WARPS, BLOCKS, BROADCAST>), grid, WARPS * SLT_WARP,
                         room_of<SIZE>(room, false) * sizeof(float), room, *rows);
}

typedef void (*launcher)(const slt_cuda_args *args, const slt_decoder_input_rows *rows, bool back);

#define LAUNCHERS(...)                                                                             \
    { launch<__VA_ARGS__, false>, launch<__VA_ARGS__, true> }

static const struct {
    int size;
    size_t (*bytes)(int rows);
    launcher of[KINDS][2]; // with rows of qkv, with their parts
} sizes[] = {
    {8, bytes_of<8>, {LAUNCHERS(8, 8, 16, 2), LAUNCHERS(8, 8, 8, 2), LAUNCHERS(8, 4, 4, 5)}},
    {12, bytes_of<12>, {LAUNCHERS(12, 8, 16, 2), LAUNCHERS(12, 8, 8, 2), LAUNCHERS(12, 4, 4, 5)}},
    {16, bytes_of<16>, {LAUNCHERS(16, 8, 16, 2), LAUNCHERS(16, 8, 8, 2), LAUNCHERS(16, 4, 4, 5)}},
    {32, bytes_of<32>, {LAUNCHERS(32, 8, 8, 1), LAUNCHERS(32, 8, 8, 1), LAUNCHERS(32, 4, 4, 2)}}};

enum { SIZES = sizeof sizes / sizeof *sizes };

// both ways or none: long sequences have no room
static int size_number(int width, int heads, int rows) {
    int i = 0;
    while (i < SIZES &&
           (sizes[i].size * heads != width || sizes[i].bytes(rows) > slt_shared_room()))
        i++;
    return i;
}

static int number_of(const slt_cuda_args *args) {
    return size_number(args->out_width[0], args->n[SLT_ATTENTION_HEADS], room_for(args));
}

bool slt_cuda_resident_fits(const slt_cuda_args *args) {
    return number_of(args) < SIZES && args->length <= LONG && !slt_cuda_is_fp32(args->cuda) &&
           !slt_in_bf16(args, 0);
}

void slt_cuda_resident_attention(const slt_cuda_args *args, bool backward) {
    slt_decoder_input_rows none = {};
    sizes[number_of(args)].of[kind_of(args)][0](args, &none, backward);
}

bool slt_decoder_input_fits(int width, int heads, int length) {
    return heads % HEADS == 0 && size_number(width, heads, HEADS * padded_of(length)) < SIZES;
}

void slt_decoder_input_attention(const slt_cuda_args *args, const slt_decoder_input_rows *rows,
                                 bool backward) {
    sizes[number_of(args)].of[kind_of(args)][1](args, rows, backward);
}
