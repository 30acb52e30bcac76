// Self-attention inside each sequence on tensor cores, tf32. A block has some heads of a sequence:
// it brings their rows into shared memory, all at once or, where they are too long for its room,
// fewer heads at a time; then a warp has 16 of them at a time, queries (forward, dq) or keys (dk,
// dv), and goes through the others by eights. What is kept is as in attention.cu.
//
// The order of terms in a product is free as long as both factors agree: lane (g, t) takes channels
// 4t .. 4t+3 of rows, so that it reads fours, and terms 2t and 2t+1 of eight rows, which is what it
// has of a result: a product of results needs no exchange between lanes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/attention_view.cuh"
#include "cuda/large_block.cuh"
#include "cuda/tensor_core.cuh"

enum { HEADS = 4, WARPS = 8, ROWS = 16, EIGHT = 8 }; // of a block
enum { QUERY, KEY, VALUE, DOUT };

// one head of a sequence as a warp sees it
typedef struct {
    slt_attention_view v;
    float *tile;  // (parts, padded, SIZE + 4): rows of the head in shared memory
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
    return padded * ((backward ? 4 : 3) * (SIZE + 4) + (backward ? 4 : 0));
}
static inline __host__ __device__ int padded_of(int rows) {
    return (rows + ROWS - 1) / ROWS * ROWS;
}

// room: rows of all heads that shared memory has
template <int SIZE>
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
    s.kept = (float4 *)(s.tile + 4 * s.padded * (SIZE + 4));
    s.g = lane / 4;
    s.t = lane % 4;
    s.warp = warp / s.heads;
    s.factor = s.v.scale * 1.44269504f;
    return s;
}

// row l of a part
template <int SIZE> SLT_DEVICE_INLINE float *row_of(const seat &s, int part, int l) {
    return s.tile + (part * s.padded + l) * (SIZE + 4);
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

// ---- rows on their way to shared memory: eight of them by a warp, a lane's fours of row g

template <int SIZE> SLT_DEVICE_INLINE void bring_rows(const slt_cuda_args &a, const seat &s) {
    const float *qkv = slt_at(a.in[0]);
    for (int first = EIGHT * s.warp; first < s.padded; first += EIGHT * s.split) {
        int l = first + s.g, there = slt_least(l, s.v.run.computed - 1);
#pragma unroll
        for (int part = 0; part < 3; part++)
#pragma unroll
            for (int c = 0; c < SIZE; c += 16)
                slt_copy_fours(row_of<SIZE>(s, part, l) + c + 4 * s.t,
                               qkv + slt_attention_place(s.v, part, there) + c + 4 * s.t);
    }
}

// do, and what is kept of the queries; those that are not there have 1/sum = 0
template <int SIZE> SLT_DEVICE_INLINE void bring_gradients(const slt_cuda_args &a, const seat &s) {
#pragma unroll 2
    for (int first = EIGHT * s.warp; first < s.padded; first += EIGHT * s.split) {
        int l = first + s.g, there = slt_least(l, s.v.run.computed - 1);
        int64_t at = slt_attention_out(s.v, there) + 4 * s.t;
        const float *kept = slt_at(a.aux) + slt_attention_kept(s.v, there);
        float along = 0, most = kept[0], inverse = kept[1];
#pragma unroll
        for (int c = 0; c < SIZE; c += 16) {
            float4 x = *(const float4 *)(slt_at(a.out[0]) + at + c);
            float4 y = *(const float4 *)(slt_at(a.out_grad[0]) + at + c);
            *(float4 *)(row_of<SIZE>(s, DOUT, l) + c + 4 * s.t) = y;
            along += (x.x * y.x + x.y * y.y) + (x.z * y.z + x.w * y.w);
        }
        along = row_sum(along);
        if (s.t == 0) s.kept[l] = slt_four(most * 1.44269504f, l == there ? inverse : 0, along, 0);
    }
}

// ---- factors

// 16 rows as the left factor: the lane's fours of rows g and g+8
template <int SIZE> SLT_DEVICE_INLINE void load_left(float (*a)[4], const float *upper, int t) {
    const float *lower = upper + 8 * (SIZE + 4);
#pragma unroll
    for (int c = 0; c < SIZE / 16; c++) {
        float4 x = *(const float4 *)(upper + 16 * c + 4 * t);
        float4 y = *(const float4 *)(lower + 16 * c + 4 * t);
        a[2 * c][0] = slt_rounded(x.x), a[2 * c][1] = slt_rounded(y.x);
        a[2 * c][2] = slt_rounded(x.y), a[2 * c][3] = slt_rounded(y.y);
        a[2 * c + 1][0] = slt_rounded(x.z), a[2 * c + 1][1] = slt_rounded(y.z);
        a[2 * c + 1][2] = slt_rounded(x.w), a[2 * c + 1][3] = slt_rounded(y.w);
    }
}

// c (16,8) = a·bᵀ, b: eight rows, the lane's is row g
template <int SIZE>
SLT_DEVICE_INLINE void multiply_rows(float *c, const float (*a)[4], const float *row, int t) {
    c[0] = c[1] = c[2] = c[3] = 0;
#pragma unroll
    for (int i = 0; i < SIZE / 16; i++) {
        float4 x = *(const float4 *)(row + 16 * i + 4 * t);
        float even[2] = {slt_rounded(x.x), slt_rounded(x.y)},
              odd[2] = {slt_rounded(x.z), slt_rounded(x.w)};
        slt_mma(c, a[2 * i], even);
        slt_mma(c, a[2 * i + 1], odd);
    }
}

// sum (16,SIZE) += c·b, c (16,8) a result, b: eight rows, the lane's are 2t and 2t+1
template <int SIZE>
SLT_DEVICE_INLINE void multiply_result(float (*sum)[4], const float *c, const float *even, int g) {
    const float *odd = even + SIZE + 4;
    float left[4] = {slt_rounded(c[0]), slt_rounded(c[2]), slt_rounded(c[1]), slt_rounded(c[3])};
#pragma unroll
    for (int n = 0; n < SIZE / 8; n++) {
        float right[2] = {slt_rounded(even[8 * n + g]), slt_rounded(odd[8 * n + g])};
        slt_mma(sum[n], left, right);
    }
}

// a pair of numbers of a row
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
        if (at < s.v.keys) multiply_rows<SIZE>(z[j], q, row_of<SIZE>(s, KEY, at + s.g), s.t);
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
        if (key + EIGHT * j >= s.v.keys) break;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            z[j][i] = slt_power(z[j][i] - most[i / 2]);
            sum[i / 2] += z[j][i];
        }
        multiply_result<SIZE>(out, z[j], row_of<SIZE>(s, VALUE, key + EIGHT * j + 2 * s.t), s.g);
    }
}

template <int SIZE>
SLT_DEVICE_INLINE void forward_rows(const slt_cuda_args &a, const seat &s, int first) {
    float q[SIZE / 8][4], out[SIZE / 8][4] = {}, most[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    load_left<SIZE>(q, row_of<SIZE>(s, QUERY, first + s.g), s.t);
    for (int key = 0; key < s.v.keys; key += KEYS) attend<SIZE>(s, q, key, most, sum, out);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = first + s.g + 8 * r;
        float inverse = 1 / row_sum(sum[r]), *to = slt_at(a.out[0]) + slt_attention_out(s.v, l);
        if (l >= s.v.run.computed) continue;
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

template <int SIZE, int BLOCKS>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP, BLOCKS)
    forward(const __grid_constant__ slt_cuda_args a, int room) {
    slt_wait_for_last();
    SLT_DYNAMIC_SHARED(memory);
    if (blockIdx.y == 0)
        slt_clear_tail(slt_at(a.out[0]), slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0),
                       a.out_rows[0], a.out_width[0]);
    if (!slt_sequence_there(a)) return;
    seat s = take_seat<SIZE>(a, memory, false, room);
    for (int done = 0; done < HEADS; done += s.heads, s.v.head += s.heads) {
        bool there = s.v.head < s.v.heads;
        if (done > 0) __syncthreads();
        if (there) bring_rows<SIZE>(a, s);
        slt_copy_group();
        slt_copy_wait<0>();
        __syncthreads();
        slt_let_next();
        for (int row = ROWS * s.warp; there && row < s.v.run.computed; row += ROWS * s.split)
            forward_rows<SIZE>(a, s, row);
    }
}

// ---- backward: p = exp(z - most)/sum, ds = p(do·v - o·do)·scale

// dq of 16 queries = Σ over keys of ds·k
template <int SIZE>
SLT_DEVICE_INLINE void backward_queries(const slt_cuda_args &a, const seat &s, int first) {
    float q[SIZE / 8][4], dout[SIZE / 8][4], dq[SIZE / 8][4] = {};
    float4 kept[2] = {s.kept[first + s.g], s.kept[first + s.g + 8]};
    load_left<SIZE>(q, row_of<SIZE>(s, QUERY, first + s.g), s.t);
    load_left<SIZE>(dout, row_of<SIZE>(s, DOUT, first + s.g), s.t);
#pragma unroll 2
    for (int key = 0; key < s.v.keys; key += EIGHT) {
        float z[4], ds[4];
        int mine = key + 2 * s.t;
        multiply_rows<SIZE>(z, q, row_of<SIZE>(s, KEY, key + s.g), s.t);
        multiply_rows<SIZE>(ds, dout, row_of<SIZE>(s, VALUE, key + s.g), s.t);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float p = slt_power(z[i] * s.factor - kept[i / 2].x) * kept[i / 2].y;
            ds[i] = mine + i % 2 < s.v.keys ? p * (ds[i] - kept[i / 2].z) * s.v.scale : 0;
        }
        multiply_result<SIZE>(dq, ds, row_of<SIZE>(s, KEY, mine), s.g);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = first + s.g + 8 * r;
        float *to = slt_at(a.in_grad[0]) + slt_attention_place(s.v, 0, l);
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++)
            if (l < s.v.run.computed)
                put_pair(to + 8 * n + 2 * s.t, a.add[0], dq[n][2 * r], dq[n][2 * r + 1]);
    }
}

// dk and dv of 16 keys = Σ over queries of ds·q, p·do
template <int SIZE>
SLT_DEVICE_INLINE void key_sums(const seat &s, int first, float (*dk)[4], float (*dv)[4]) {
    float k[SIZE / 8][4], value[SIZE / 8][4];
    load_left<SIZE>(k, row_of<SIZE>(s, KEY, first + s.g), s.t);
    load_left<SIZE>(value, row_of<SIZE>(s, VALUE, first + s.g), s.t);
#pragma unroll 2
    for (int query = 0; query < s.v.run.computed; query += EIGHT) {
        float p[4], ds[4];
        int mine = query + 2 * s.t;
        float4 kept[2] = {s.kept[mine], s.kept[mine + 1]};
        multiply_rows<SIZE>(p, k, row_of<SIZE>(s, QUERY, query + s.g), s.t);
        multiply_rows<SIZE>(ds, value, row_of<SIZE>(s, DOUT, query + s.g), s.t);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            p[i] = slt_power(p[i] * s.factor - kept[i % 2].x) * kept[i % 2].y;
            if (mine + i % 2 >= s.v.run.computed) p[i] = 0;
            ds[i] = p[i] * (ds[i] - kept[i % 2].z) * s.v.scale;
        }
        multiply_result<SIZE>(dk, ds, row_of<SIZE>(s, QUERY, mine), s.g);
        multiply_result<SIZE>(dv, p, row_of<SIZE>(s, DOUT, mine), s.g);
    }
}

// zeros for rows that are no keys
template <int SIZE>
SLT_DEVICE_INLINE void backward_keys(const slt_cuda_args &a, const seat &s, int first) {
    float dk[SIZE / 8][4] = {}, dv[SIZE / 8][4] = {};
    if (first < s.v.keys) key_sums<SIZE>(s, first, dk, dv);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = first + s.g + 8 * r;
        float there = l < s.v.keys ? 1 : 0;
        float *to = slt_at(a.in_grad[0]) + slt_attention_place(s.v, 0, l);
        if (l >= s.v.run.computed) continue;
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++) {
            int at = s.v.width + 8 * n + 2 * s.t;
            put_pair(to + at, a.add[0], there * dk[n][2 * r], there * dk[n][2 * r + 1]);
            put_pair(to + at + s.v.width, a.add[0], there * dv[n][2 * r], there * dv[n][2 * r + 1]);
        }
    }
}

// sixteens of queries, then sixteens of keys
template <int SIZE> SLT_DEVICE_INLINE void backward_head(const slt_cuda_args &a, const seat &s) {
    for (int i = ROWS * s.warp; i < 2 * s.padded; i += ROWS * s.split) {
        if (i < s.padded)
            backward_queries<SIZE>(a, s, i);
        else
            backward_keys<SIZE>(a, s, i - s.padded);
    }
}

template <int SIZE, int BLOCKS>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP, BLOCKS)
    backward(const __grid_constant__ slt_cuda_args a, int room) {
    slt_wait_for_last();
    SLT_DYNAMIC_SHARED(memory);
    if (blockIdx.y == 0 && !a.add[0])
        slt_clear_tail(slt_at(a.in_grad[0]), slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0),
                       a.in_rows[0], a.in_width[0]);
    if (!slt_sequence_there(a)) return;
    seat s = take_seat<SIZE>(a, memory, true, room);
    for (int done = 0; done < HEADS; done += s.heads, s.v.head += s.heads) {
        bool there = s.v.head < s.v.heads;
        if (done > 0) __syncthreads();
        if (there) bring_rows<SIZE>(a, s);
        slt_copy_group();
        if (there) bring_gradients<SIZE>(a, s);
        slt_copy_wait<0>();
        __syncthreads();
        slt_let_next();
        if (there) backward_head<SIZE>(a, s);
    }
}

// ---- launches

// rows of all heads of a block: those of the longest sequences, or, where sequences are many, of
// usual ones, so that more blocks are at work side by side
#ifdef SLT_EMULATED
enum { MANY = 12, USUAL = 4 * 16 };
#else
enum { MANY = 2048, USUAL = 4 * 32 };
#endif
static int room_for(const slt_cuda_args *args) {
    dim3 grid = slt_attention_grid(args, HEADS, 1);
    int longest = padded_of(args->length), usual = longest > USUAL ? longest : (int)USUAL;
    bool many = (int64_t)grid.x * grid.y * grid.z > MANY && usual < HEADS * longest;
    return many ? usual : HEADS * longest;
}

template <int SIZE> static size_t bytes_of(const slt_cuda_args *args, bool backward) {
    return (size_t)room_of<SIZE>(room_for(args), backward) * sizeof(float);
}
// BLOCKS: of a multiprocessor
template <int SIZE, int BLOCKS> static void launch(const slt_cuda_args *args, bool back) {
    int room = room_for(args);
    SLT_LAUNCH_LARGE(args, (back ? backward<SIZE, BLOCKS> : forward<SIZE, BLOCKS>),
                     slt_attention_grid(args, HEADS, 1), WARPS * SLT_WARP,
                     bytes_of<SIZE>(args, back), room);
}

static const struct {
    int size;
    size_t (*bytes)(const slt_cuda_args *args, bool backward);
    void (*few)(const slt_cuda_args *args, bool backward);
    void (*many)(const slt_cuda_args *args, bool backward);
} sizes[] = {{16, bytes_of<16>, launch<16, 2>, launch<16, 3>},
             {32, bytes_of<32>, launch<32, 1>, launch<32, 1>}};

// both ways or none: long sequences have no room
bool slt_cuda_tensor_attention(const slt_cuda_args *args, bool backward) {
    int heads = args->n[SLT_ATTENTION_HEADS], width = args->out_width[0];
    if (!slt_cuda_is_tf32(args->cuda) || width % heads != 0) return false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i].size != width / heads || sizes[i].bytes(args, true) > slt_shared_room())
            continue;
        bool few = room_for(args) == HEADS * padded_of(args->length);
        (few ? sizes[i].few : sizes[i].many)(args, backward);
        return true;
    }
    return false;
}
