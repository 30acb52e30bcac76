// y = x·W for very many rows of 128 numbers with a ReLU on the way out, tf32: weights stay, rows
// stream by. A warp has 16 columns of W in registers, a block of eight warps 128 of them; tiles of
// rows come through shared memory, some on their way at any time, and every warp takes all of them.
// Forward adds a bias, and keeps the signs, a word of a lane for every tile; backward, the gradient
// of the ReLU's input, reads those, a thirty-second of the values, and adds up its rows.
//
// Lane (g, t) takes channels 16c + 4t .. 4t+3 of rows and of weights, so that it reads fours; the
// order of terms in a product is free as long as both factors agree. Rows in shared memory are as
// far apart as no two lanes need the same bank for.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/large_block.cuh"
#include "cuda/tensor_core.cuh"

enum { K = 128, TILE = 64, WARPS = 8, EACH = 16, COLUMNS = WARPS * EACH };
enum { STRIDE = K + 16, STAGES = 3, AHEAD = STAGES - 1, SIZE = TILE * STRIDE };
enum { THREADS = WARPS * SLT_WARP, FOURS = K / 16, PAIRS = 4 };

// what a warp keeps from its first row to its last
typedef struct {
    float w[2 * FOURS][2][2]; // factors of its columns: eights of k, eights of columns
    float2 bias[2], sum[2];   // of the lane's columns
    uint32_t signs;           // of the lane's numbers of a tile, eight of sixteen rows at a time
    int g, t, column;         // of the lane; the warp's first column
} keeper;

// rows on their way, eight at a time; what would be in place of those that are not there is never
// used
SLT_DEVICE_INLINE void bring_tile(float *memory, const slt_stream &p, int tile, int end) {
    int r = (int)threadIdx.x / (K / 4), c = (int)threadIdx.x % (K / 4) * 4;
    int left = tile < end ? p.rows - tile * TILE - r : 0;
    const float *x = slt_at(p.x) + (int64_t)(tile * TILE + r) * K + c;
    float *to = memory + tile % STAGES * SIZE + r * STRIDE + c;
#pragma unroll
    for (int i = 0; i < TILE; i += THREADS / (K / 4))
        if (i < left) slt_copy_fours(to + i * STRIDE, x + i * K);
    slt_copy_group();
}

// four numbers of column n, from k on
SLT_DEVICE_INLINE float4 weights_of(const slt_stream &p, int k, int n) {
    const float *w = slt_at(p.w);
    if (p.backward) return *(const float4 *)(w + (int64_t)n * K + k);
    w += (int64_t)k * p.n + n;
    return slt_four(w[0], w[p.n], w[2 * p.n], w[3 * p.n]);
}

SLT_DEVICE_INLINE void take_weights(keeper &own, const slt_stream &p) {
#pragma unroll
    for (int i = 0; i < 2 * FOURS; i++) {
        int c = i / 2, j = i % 2;
        float4 w = weights_of(p, 16 * c + 4 * own.t, own.column + 8 * j + own.g);
        own.w[2 * c][j][0] = slt_tf32(w.x), own.w[2 * c][j][1] = slt_tf32(w.y);
        own.w[2 * c + 1][j][0] = slt_tf32(w.z), own.w[2 * c + 1][j][1] = slt_tf32(w.w);
    }
}

// where pair i of a lane is: rows g and g+8 of sixteen, two eights of columns
SLT_DEVICE_INLINE int row_of(const keeper &own, int first, int i) {
    return first + own.g + i % 2 * 8;
}
SLT_DEVICE_INLINE int64_t place_of(const keeper &own, const slt_stream &p, int first, int i) {
    return (int64_t)row_of(own, first, i) * p.n + own.column + i / 2 * 8 + 2 * own.t;
}

// sixteen rows times the warp's columns
SLT_DEVICE_INLINE void multiply_rows(const keeper &own, const float *rows, float (*out)[4]) {
    const float *upper = rows + own.g * STRIDE + 4 * own.t, *lower = upper + 8 * STRIDE;
#pragma unroll
    for (int c = 0; c < FOURS; c++) {
        float4 x = *(const float4 *)(upper + 16 * c), y = *(const float4 *)(lower + 16 * c);
        float even[4] = {slt_rounded(x.x), slt_rounded(y.x), slt_rounded(x.y), slt_rounded(y.y)};
        float odd[4] = {slt_rounded(x.z), slt_rounded(y.z), slt_rounded(x.w), slt_rounded(y.w)};
#pragma unroll
        for (int j = 0; j < 2; j++) {
            slt_mma(out[j], even, own.w[2 * c][j]);
            slt_mma(out[j], odd, own.w[2 * c + 1][j]);
        }
    }
}

SLT_DEVICE_INLINE float2 gated(float2 x, bool first, bool second) {
    float2 y = {first ? x.x : 0, second ? x.y : 0};
    return y;
}

// pair i of sixteen rows on its way out; there: the row is
template <bool BACKWARD> SLT_DEVICE_INLINE float2 finish(keeper &own, float2 x, int i, bool there) {
    if (BACKWARD) {
        x = gated(x, own.signs >> 2 * i & 1, own.signs >> 2 * i & 2);
        own.sum[i / 2].x += x.x, own.sum[i / 2].y += x.y;
        return x;
    }
    x.x += own.bias[i / 2].x, x.y += own.bias[i / 2].y;
    own.signs |= (uint32_t)((there && x.x > 0) + 2 * (there && x.y > 0)) << (24 + 2 * i);
    return gated(x, x.x > 0, x.y > 0);
}

// results of sixteen rows; signs move on by eight
template <bool BACKWARD>
SLT_DEVICE_INLINE void put_rows(keeper &own, const slt_stream &p, int first, float (*out)[4]) {
    float *y = slt_at(p.y);
    if (!BACKWARD) own.signs >>= 8;
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        bool there = row_of(own, first, i) < p.rows;
        float2 x = {out[i / 2][i % 2 * 2], out[i / 2][i % 2 * 2 + 1]};
        x = finish<BACKWARD>(own, x, i, there);
        if (there) *(float2 *)(y + place_of(own, p, first, i)) = x;
    }
    if (BACKWARD) own.signs >>= 8;
}

template <bool BACKWARD>
SLT_DEVICE_INLINE void take_tile(keeper &own, const slt_stream &p, const float *rows, int first) {
#pragma unroll 1
    for (int r = 0; r < TILE; r += 16) {
        float out[2][4] = {};
        multiply_rows(own, rows + r * STRIDE, out);
        put_rows<BACKWARD>(own, p, first + r, out);
    }
}

// the lane's word of a tile
SLT_DEVICE_INLINE uint32_t *signs_of(const slt_stream &p, int tile) {
    int block = tile * (p.n / COLUMNS) + (int)blockIdx.x;
    return (uint32_t *)slt_at(p.signs) + (int64_t)block * THREADS + threadIdx.x;
}

// ---- sums over rows: of the warp's sixteens, then of the blocks that share the columns, in order

SLT_DEVICE_INLINE float over_rows(float x) {
    for (int d = 4; d < SLT_WARP; d *= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}

SLT_DEVICE_INLINE void put_sums(const slt_cuda_args &a, const keeper &own, const slt_stream &p) {
    float *parts = slt_at(a.partials), *sums = slt_at(p.sums);
    int blocks = (int)gridDim.y;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float sum = over_rows(i % 2 ? own.sum[i / 2].y : own.sum[i / 2].x);
        int column = own.column + i / 2 * 8 + 2 * own.t + i % 2;
        if (own.g == 0) parts[(int)blockIdx.y * p.n + column] = sum;
    }
    if (!slt_last_block(slt_counter(a, (int)blockIdx.x), blocks)) return;
    int column = (int)blockIdx.x * COLUMNS + (int)threadIdx.x;
    if (threadIdx.x >= COLUMNS) return;
    float all = 0;
    for (int i = 0; i < blocks; i++) all += parts[i * p.n + column];
    slt_put(&sums[column], p.add_sums, all);
}

template <bool BACKWARD>
SLT_KERNEL __launch_bounds__(THREADS, 2)
    stream(const __grid_constant__ slt_cuda_args a, const __grid_constant__ slt_stream p) {
    SLT_DYNAMIC_SHARED(memory);
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)threadIdx.x / SLT_WARP;
    int tiles = (p.rows + TILE - 1) / TILE, each = (tiles + (int)gridDim.y - 1) / (int)gridDim.y;
    int first = (int)blockIdx.y * each, end = slt_least(first + each, tiles);
    keeper own = {};
    own.g = lane / 4, own.t = lane % 4;
    own.column = (int)blockIdx.x * COLUMNS + warp * EACH;
    take_weights(own, p); // nobody but Adam writes them
    for (int j = 0; !BACKWARD && j < 2; j++)
        own.bias[j] = *(const float2 *)(slt_at(p.bias) + own.column + 8 * j + 2 * own.t);
    slt_wait_for_last();
    for (int i = 0; i < AHEAD; i++) bring_tile(memory, p, first + i, end);
    uint32_t next = BACKWARD && first < end ? *signs_of(p, first) : 0;
    for (int tile = first; tile < end; tile++) {
        slt_copy_wait<AHEAD - 1>();
        __syncthreads();
        bring_tile(memory, p, tile + AHEAD, end);
        own.signs = next;
        if (BACKWARD && tile + 1 < end) next = *signs_of(p, tile + 1);
        take_tile<BACKWARD>(own, p, memory + tile % STAGES * SIZE, tile * TILE);
        if (!BACKWARD) *signs_of(p, tile) = own.signs;
    }
    slt_let_next();
    if (BACKWARD && p.sums.at) put_sums(a, own, p);
}

// ---- launches

// rows of all members from which on reading signs is worth what the library's product forward is
// faster; blocks that fill a device
#ifdef SLT_EMULATED
enum { FEW = 150, BLOCKS = 6 };
#else
enum { FEW = 32768, BLOCKS = 264 };
#endif

bool slt_cuda_streams(const slt_cuda_args *args, int rows, int n, int k) {
    return slt_cuda_is_tf32(args->cuda) && k == K && n % COLUMNS == 0 &&
           (int64_t)rows * args->members > FEW;
}

void slt_cuda_stream_product(const slt_cuda_args *args, const slt_stream *p) {
    int blocks = BLOCKS / (p->n / COLUMNS * args->members), most = slt_pieces(p->rows, TILE);
    int room = (int)(args->partials.stride / p->n);
    blocks = blocks > most ? most : blocks;
    blocks = blocks > room ? room : blocks;
    dim3 grid((unsigned)(p->n / COLUMNS), (unsigned)(blocks < 1 ? 1 : blocks),
              (unsigned)args->members);
    SLT_LAUNCH_LARGE(args, (p->backward ? stream<true> : stream<false>), grid, THREADS,
                     STAGES * SIZE * sizeof(float), *p);
}
