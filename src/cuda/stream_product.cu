// y = x·W for very many rows of 128 numbers with a ReLU on the way out, tf32: weights stay, rows
// stream by. A block keeps 128 columns of W in shared memory for its two groups of four warps; each
// group takes 64 rows at a time, the next on their way, and multiplies them with all of these
// columns (warp_group.cuh). Forward adds a bias, and keeps the signs, two words of a lane for every
// tile; backward, the gradient of the ReLU's input, reads those, a thirty-second of the values, and
// adds up its rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/large_block.cuh"
#include "cuda/warp_group.cuh"

enum { K = SLT_GROUP_K, TILE = SLT_GROUP_ROWS, COLUMNS = SLT_GROUP_COLUMNS, GROUPS = 2 };
enum { EIGHTS = SLT_GROUP_EIGHTS, THREADS = GROUPS * SLT_GROUP, WARPS = THREADS / SLT_WARP };
// rows are as far apart as no two lanes need the same bank for
enum { STRIDE = K + 16, STAGES = 2, SIZE = TILE * STRIDE };
enum { BYTES = (SLT_GROUP_SIZE + GROUPS * STAGES * SIZE) * 4 + SLT_GROUP_ALIGN };

// what a lane keeps from its first row to its last
typedef struct {
    float2 own[EIGHTS]; // of its columns: the bias, or backward the sums over rows so far
    uint32_t signs[2];  // of its numbers of a tile, four for every eight of columns
    int group, thread;  // of the block; of the group
    int g, t;           // the lane's place
} keeper;

// rows on their way, four at a time; what would be in place of those that are not there is never
// used
SLT_DEVICE_INLINE void bring_tile(float *to, const slt_stream &p, int thread, int tile, int end) {
    int r = thread / (K / 4), c = thread % (K / 4) * 4;
    int left = tile < end ? p.rows - tile * TILE - r : 0;
    const float *x = slt_at(p.x) + (int64_t)(tile * TILE + r) * K + c;
    to += r * STRIDE + c;
#pragma unroll
    for (int i = 0; i < TILE; i += SLT_GROUP / (K / 4))
        if (i < left) slt_copy_fours(to + i * STRIDE, x + i * K);
    slt_copy_group();
}

// fours of the block's columns: of channels of a column (backward), or of columns of a channel. A
// warp takes four of eight rows, which lie in other banks
SLT_DEVICE_INLINE void lay_weights(float *weights, const slt_stream &p) {
    const float *w = slt_at(p.w) + (int64_t)blockIdx.x * COLUMNS * (p.backward ? K : 1);
    int apart = p.backward ? K : p.n;
#pragma unroll
    for (int i = (int)threadIdx.x; i < SLT_GROUP_SIZE / 4; i += THREADS) {
        int row = i / 256 * 8 + i / 4 % 8, four = (i / 32 % 8 * 4 + i % 4) * 4;
        float4 x = *(const float4 *)(w + (int64_t)row * apart + four);
        const float each[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
        for (int q = 0; q < 4; q++) {
            int channel = p.backward ? four + q : row, n = p.backward ? row : four + q;
            weights[slt_group_place(slt_group_number(channel), n)] = slt_tf32(each[q]);
        }
    }
    slt_group_laid();
}

// factors of the lane: rows g and g+8 of the warp's sixteen
SLT_DEVICE_INLINE void take_rows(const keeper &own, const float *rows, float (*a)[4]) {
    const float *upper = rows + (own.thread / SLT_WARP * 16 + own.g) * STRIDE + 4 * own.t;
    const float *lower = upper + 8 * STRIDE;
#pragma unroll
    for (int c = 0; c < K / 16; c++) {
        float4 x = *(const float4 *)(upper + 16 * c), y = *(const float4 *)(lower + 16 * c);
        a[2 * c][0] = slt_rounded(x.x), a[2 * c][1] = slt_rounded(y.x);
        a[2 * c][2] = slt_rounded(x.y), a[2 * c][3] = slt_rounded(y.y);
        a[2 * c + 1][0] = slt_rounded(x.z), a[2 * c + 1][1] = slt_rounded(y.z);
        a[2 * c + 1][2] = slt_rounded(x.w), a[2 * c + 1][3] = slt_rounded(y.w);
    }
}

SLT_DEVICE_INLINE float2 gated(float2 x, bool first, bool second) {
    float2 y = {first ? x.x : 0, second ? x.y : 0};
    return y;
}

// two numbers of eight j of the columns on their way out, bits at and at+1 of signs; there: the row
// is
template <bool BACKWARD>
SLT_DEVICE_INLINE float2 finish(keeper &own, float2 x, int j, int at, bool there) {
    uint32_t &signs = own.signs[j / 8];
    if (BACKWARD) {
        x = gated(x, signs >> at & 1, signs >> at & 2);
        own.own[j].x += x.x, own.own[j].y += x.y;
        return x;
    }
    x.x += own.own[j].x, x.y += own.own[j].y;
    signs |= (uint32_t)((there && x.x > 0) + 2 * (there && x.y > 0)) << at;
    return gated(x, x.x > 0, x.y > 0);
}

// rows: the block's end there, those behind are another's
template <bool BACKWARD>
SLT_DEVICE_INLINE void put_rows(keeper &own, const slt_stream &p, int first, int rows,
                                float (*c)[4]) {
    int row = first + own.thread / SLT_WARP * 16 + own.g;
    float *y = slt_at(p.y) + (int64_t)row * p.n + blockIdx.x * COLUMNS + 2 * own.t;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            bool there = row + 8 * i < rows;
            float2 x = {c[j][2 * i], c[j][2 * i + 1]};
            x = finish<BACKWARD>(own, x, j, j % 8 * 4 + 2 * i, there);
            if (there) *(float2 *)(y + (int64_t)8 * i * p.n + 8 * j) = x;
        }
}

// the lane's words of a tile
SLT_DEVICE_INLINE uint2 *signs_of(const keeper &own, const slt_stream &p, int tile) {
    int block = tile * (p.n / COLUMNS) + (int)blockIdx.x;
    return (uint2 *)slt_at(p.signs) + (int64_t)block * SLT_GROUP + own.thread;
}

template <bool BACKWARD>
SLT_DEVICE_INLINE void take_tile(keeper &own, const slt_stream &p, const float *weights,
                                 const float *memory, int tile, int rows, uint2 signs) {
    float a[SLT_GROUP_STEPS][4], c[EIGHTS][4];
    take_rows(own, memory, a);
    slt_group_multiply(c, a, weights, own.g, own.t);
    own.signs[0] = signs.x, own.signs[1] = signs.y;
    put_rows<BACKWARD>(own, p, tile * TILE, rows, c);
}

// every other tile from `first` on; all groups go round as often
template <bool BACKWARD>
SLT_DEVICE_INLINE void take_tiles(keeper &own, const slt_stream &p, const float *weights,
                                  float *stages, int first, int end) {
    const uint2 none = {0, 0};
    int tile = first + own.group, rows = slt_least(p.rows, end * TILE);
    bring_tile(stages, p, own.thread, tile, end);
    uint2 next = BACKWARD && tile < end ? *signs_of(own, p, tile) : none;
    for (int i = 0; first + GROUPS * i < end; i++, tile += GROUPS) {
        uint2 signs = next;
        int following = tile + GROUPS;
        slt_copy_wait<0>();
        slt_group_sync(own.group);
        bring_tile(stages + (i + 1) % STAGES * SIZE, p, own.thread, following, end);
        next = BACKWARD && following < end ? *signs_of(own, p, following) : none;
        take_tile<BACKWARD>(own, p, weights, stages + i % STAGES * SIZE, tile, rows, signs);
        if (!BACKWARD && tile < end) {
            const uint2 left = {own.signs[0], own.signs[1]};
            *signs_of(own, p, tile) = left;
        }
    }
}

// ---- sums over rows: of the lane's, the warps', then of the blocks that share the columns, in
// order

SLT_DEVICE_INLINE float over_rows(float x) {
    for (int d = 4; d < SLT_WARP; d *= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}

SLT_DEVICE_INLINE void put_sums(const slt_cuda_args &a, const keeper &own, const slt_stream &p,
                                float *memory) {
    float *parts = slt_at(a.partials), *sums = slt_at(p.sums), all = 0;
    int warp = (int)threadIdx.x / SLT_WARP, thread = (int)threadIdx.x, blocks = (int)gridDim.y;
    int column = (int)blockIdx.x * COLUMNS + thread;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        float2 sum = {over_rows(own.own[j].x), over_rows(own.own[j].y)};
        if (own.g == 0) *(float2 *)(memory + warp * COLUMNS + 8 * j + 2 * own.t) = sum;
    }
    __syncthreads();
    for (int i = 0; thread < COLUMNS && i < WARPS; i++) all += memory[i * COLUMNS + thread];
    if (thread < COLUMNS) parts[(int)blockIdx.y * p.n + column] = all;
    if (!slt_last_block(slt_counter(a, (int)blockIdx.x), blocks) || thread >= COLUMNS) return;
    all = 0;
    for (int i = 0; i < blocks; i++) all += parts[i * p.n + column];
    slt_put(&sums[column], p.add_sums, all);
}

template <bool BACKWARD>
SLT_KERNEL __launch_bounds__(THREADS, 1)
    stream(const __grid_constant__ slt_cuda_args a, const __grid_constant__ slt_stream p) {
    SLT_DYNAMIC_SHARED(memory);
    int tiles = (p.rows + TILE - 1) / TILE, each = (tiles + (int)gridDim.y - 1) / (int)gridDim.y;
    int first = (int)blockIdx.y * each, end = slt_least(first + each, tiles);
    int lane = (int)(threadIdx.x % SLT_WARP);
    keeper own = {};
    own.group = (int)threadIdx.x / SLT_GROUP, own.thread = (int)threadIdx.x % SLT_GROUP;
    own.g = lane / 4, own.t = lane % 4;
    float *weights = slt_group_begin(memory), *stages = weights + SLT_GROUP_SIZE;
    lay_weights(weights, p); // nobody but Adam writes them
    const float *bias = slt_at(p.bias) + blockIdx.x * COLUMNS + 2 * own.t;
    for (int j = 0; !BACKWARD && j < EIGHTS; j++) own.own[j] = *(const float2 *)(bias + 8 * j);
    slt_wait_for_last();
    __syncthreads();
    take_tiles<BACKWARD>(own, p, weights, stages + own.group * STAGES * SIZE, first, end);
    slt_let_next();
    if (BACKWARD && p.sums.at) put_sums(a, own, p, stages);
}

// ---- launches

// rows of all members from which on reading signs is worth what the library's product forward is
// faster; blocks that fill a device
#ifdef SLT_EMULATED
enum { FEW = 150, BLOCKS = 6 };
#else
enum { FEW = 32768, BLOCKS = 132 };
#endif

bool slt_cuda_streams(const slt_cuda_args *args, int rows, int n, int k) {
    return slt_cuda_is_tf32(args->cuda) && k == K && n % COLUMNS == 0 &&
           (int64_t)rows * args->members > FEW;
}

// into how many blocks rows are split: a device takes so many at a time, the last time perhaps few
static int split_of(int others, int most) {
    int best = 1;
    for (int i = 2; i <= most && i * others <= 4 * BLOCKS; i++)
        if (slt_pieces(i * others, BLOCKS) * best < slt_pieces(best * others, BLOCKS) * i) best = i;
    return best;
}

void slt_cuda_stream_product(const slt_cuda_args *args, const slt_stream *p) {
    int columns = p->n / COLUMNS, most = slt_pieces(p->rows, GROUPS * TILE);
    int room = (int)(args->partials.stride / p->n);
    int blocks = split_of(columns * args->members, most < room ? most : room);
    dim3 grid((unsigned)columns, (unsigned)blocks, (unsigned)args->members);
    SLT_LAUNCH_LARGE(args, (p->backward ? stream<true> : stream<false>), grid, THREADS, BYTES, *p);
}
