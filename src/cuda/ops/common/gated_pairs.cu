// dx = dy·Wᵀ where the gate is positive, zero elsewhere, all in bf16, and sums of dx over rows, in
// one launch: the gradient of a ReLU's input. A block keeps 128 rows of W, its columns of dx, in
// shared memory, and walks over rows. Its groups of four warps have 64 rows each and go their own
// ways, so that one multiplies while others wait or write: dy comes to a group through a ring of
// stages of 64 numbers of k, and the gate after it, 64 columns a stage; dx takes its place there
// and goes to memory 16 bytes of a lane, which adds up its columns on the way.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/head_tile.cuh"
#include "cuda/kernels/large_block.cuh"

enum { ROWS = SLT_TILE_ROWS, COLUMNS = 128, STEP = 64, HALVES = COLUMNS / STEP };
enum {
    GROUPS = SLT_GATED_ROWS / ROWS,
    THREADS = GROUPS * SLT_GROUP,
    STAGES = 3,
    AHEAD = STAGES - 1
};
enum { CHUNKS = STEP / 8, APART = SLT_GROUP / CHUNKS, EACH = ROWS / APART }; // rows of a thread
enum { STAGE = ROWS * STEP / 2, PIECE = COLUMNS * STEP / 2, RING = GROUPS * STAGES * STAGE };

typedef slt_head_tile<STEP> tile; // its layout, for W's 128 rows, too

// ---- rows on their way to shared memory: columns `first` on of `count` rows, by BY threads, each
// of which has eight columns of every row so many apart; what the matrix does not have is zero

template <int COUNT, int BY>
SLT_DEVICE_INLINE void copy(float *to, const slt_bf16 *from, int row, int rows, int first,
                            int width) {
    enum { DOWN = BY / CHUNKS };
    static_assert(DOWN % 8 == 0, "a thread's rows have their sixteens of bytes in one order");
    int own = (int)threadIdx.x % BY, l = own / CHUNKS, c = own % CHUNKS, column = first + 8 * c;
    int left = column < width ? rows - row - l : 0;
    const slt_bf16 *at = from + (int64_t)(row + l) * width + column;
    to += tile::place(l, c);
    if (row + COUNT <= rows && first + STEP <= width) { // most often: fewer instructions
#pragma unroll
        for (int i = 0; i < COUNT / DOWN; i++, at += DOWN * width)
            slt_copy_fours(to + i * DOWN * STEP / 2, (const float *)at);
        return;
    }
#pragma unroll
    for (int i = 0; i < COUNT / DOWN; i++, at += DOWN * width)
        slt_copy_fours_if(to + i * DOWN * STEP / 2, (const float *)(i * DOWN < left ? at : from),
                          i * DOWN < left);
}

// where a group is: its first rows, how far its tiles are apart; steps of k; its columns
typedef struct {
    float *ring, *w; // shared memory; the group's
    int first, apart, steps, column;
} walker;

// stages in order: those of a tile are its steps of k, then halves of its gate
typedef struct {
    int step, row, stage;
} cursor;

SLT_DEVICE_INLINE float *stage_of(const walker &at, int stage) { return at.ring + stage * STAGE; }
SLT_DEVICE_INLINE int next_stage(int stage) { return stage + 1 == STAGES ? 0 : stage + 1; }

// the next stage is on its way; after the last tile there are zeros
SLT_DEVICE_INLINE void ask(const walker &at, const slt_gated &p, cursor *next) {
    bool gate = next->step >= at.steps;
    int first = gate ? at.column + (next->step - at.steps) * STEP : next->step * STEP;
    copy<ROWS, SLT_GROUP>(stage_of(at, next->stage), slt_rows_at<slt_bf16>(gate ? p.gate : p.dy),
                          next->row, p.rows, first, gate ? p.n : p.k);
    slt_copy_group();
    next->stage = next_stage(next->stage);
    if (++next->step == at.steps + HALVES) next->step = 0, next->row += at.apart;
}

// ---- products

#if SLT_GROUP_CORE
SLT_DEVICE_INLINE void multiply(float (*sum)[4], const float *left, const float *right) {
#pragma unroll
    for (int s = 0; s < STEP / 16; s++)
        slt_group_pairs_of<COLUMNS, false>(sum, tile::view(left, 32 * s), tile::view(right, 32 * s),
                                           0);
}
#else
SLT_DEVICE_INLINE void multiply(float (*sum)[4], const float *left, const float *right) {
    int lane = (int)threadIdx.x % SLT_WARP, g = lane / 4, t = lane % 4;
    int l = (int)threadIdx.x / SLT_WARP % 4 * 16 + g;
    const uint32_t *a = (const uint32_t *)left + t, *b = (const uint32_t *)right + t;
    for (int s = 0; s < STEP / 16; s++) {
        uint32_t row[4];
        for (int i = 0; i < 4; i++) row[i] = a[tile::place(l + i % 2 * 8, 2 * s + i / 2)];
        for (int j = 0; j < COLUMNS / 8; j++) {
            uint32_t column[2] = {b[tile::place(8 * j + g, 2 * s)],
                                  b[tile::place(8 * j + g, 2 * s + 1)]};
            slt_mma_pairs(sum[j], row, column);
        }
    }
}
#endif

// the group's next stage is there, and what was multiplied before is done with: another may be
// asked for
SLT_DEVICE_INLINE void advance(float (*sum)[4]) {
    slt_copy_wait<AHEAD - 1>();
    slt_group_publish();
    slt_group_await();
    slt_group_pin<COLUMNS / 8>(sum);
    slt_group_sync((int)threadIdx.x / SLT_GROUP);
}

// ---- results

SLT_DEVICE_INLINE uint32_t opened(uint32_t gate, const float *x) {
    uint32_t open = (gate & 0x7fffu ? 0xffffu : 0) | (gate & 0x7fff0000u ? 0xffff0000u : 0);
    return slt_pair(x[0], x[1]) & open;
}

// dx of 64 columns in the gate's place: its words are those of the lane
SLT_DEVICE_INLINE void open_gates(float *gates, const float (*sum)[4]) {
    int lane = (int)threadIdx.x % SLT_WARP, l = (int)threadIdx.x / SLT_WARP % 4 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < STEP / 4; i++) {
        uint32_t *at = (uint32_t *)(gates + tile::place(l + i % 2 * 8, i / 2)) + lane % 4;
        *at = opened(*at, sum[i / 2] + i % 2 * 2);
    }
}

// and to memory, by way of the thread's sums of eight columns
SLT_DEVICE_INLINE void put_rows(const slt_gated &p, const float *dx, int row, int column,
                                float *sum) {
    int own = (int)threadIdx.x % SLT_GROUP, c = own % CHUNKS, first = row + own / CHUNKS;
    slt_bf16 *to = slt_rows_at<slt_bf16>(p.dx) + column + 8 * c;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        uint4 x = *(const uint4 *)(dx + tile::place(own / CHUNKS + i * APART, c));
        slt_add4(sum, 1, slt_four(slt_low(x.x), slt_high(x.x), slt_low(x.y), slt_high(x.y)));
        slt_add4(sum + 4, 1, slt_four(slt_low(x.z), slt_high(x.z), slt_low(x.w), slt_high(x.w)));
        if (first + i * APART < p.rows && column + 8 * c < p.n)
            *(uint4 *)(to + (int64_t)(first + i * APART) * p.n) = x;
    }
}

// sums over the lanes that have the same columns, then over warps
SLT_DEVICE_INLINE void put_sums(const slt_gated &p, int column, const float (*sum)[8],
                                float *shared, float *to) {
    int own = (int)threadIdx.x, lane = own % SLT_WARP, warp = own / SLT_WARP;
#pragma unroll
    for (int i = 0; i < HALVES * 8; i++) {
        float x = sum[i / 8][i % 8];
        x += __shfl_xor_sync(0xffffffffu, x, 8);
        x += __shfl_xor_sync(0xffffffffu, x, 16);
        if (lane < CHUNKS) shared[warp * COLUMNS + i / 8 * STEP + 8 * lane + i % 8] = x;
    }
    __syncthreads();
    if (own >= COLUMNS || column + own >= p.n) return;
    float all = 0;
    for (int i = 0; i < THREADS / SLT_WARP; i++) all += shared[i * COLUMNS + own];
    to[(int64_t)blockIdx.y * p.n + column + own] = all;
}

SLT_KERNEL __launch_bounds__(THREADS, 1)
    gated(const __grid_constant__ slt_cuda_args a, const __grid_constant__ slt_gated p,
          slt_cuda_view sums) {
    slt_begin();
    SLT_DYNAMIC_SHARED(unaligned);
    float *memory = slt_group_begin(unaligned), columns[HALVES][8] = {};
    int group = (int)threadIdx.x / SLT_GROUP, parts = (int)gridDim.y * GROUPS;
    walker at = {memory + group * STAGES * STAGE,
                 memory + RING,
                 ((int)blockIdx.y * GROUPS + group) * ROWS,
                 parts * ROWS,
                 (p.k + STEP - 1) / STEP,
                 (int)blockIdx.x * COLUMNS};
    for (int s = 0; s < at.steps; s++)
        copy<COLUMNS, THREADS>(at.w + s * PIECE, slt_rows_at<slt_bf16>(p.w), at.column, p.n,
                               s * STEP, p.k);
    cursor next = {0, at.first, 0};
    for (int i = 0; i < AHEAD; i++) ask(at, p, &next);
    slt_copy_wait<AHEAD - 1>(); // W
    slt_group_publish();
    __syncthreads();
    int tiles = (p.rows + at.apart - 1) / at.apart; // of every group, so that all meet
    for (int i = 0, stage = 0, row = at.first; i < tiles; i++, row += at.apart) {
        float sum[COLUMNS / 8][4] = {};
        for (int s = 0; s < at.steps; s++, stage = next_stage(stage)) {
            advance(sum);
            slt_group_fence();
            multiply(sum, stage_of(at, stage), at.w + s * PIECE);
            slt_group_start();
            ask(at, p, &next);
        }
#pragma unroll
        for (int half = 0; half < HALVES; half++, stage = next_stage(stage)) {
            advance(sum);
            ask(at, p, &next);
            open_gates(stage_of(at, stage), sum + half * CHUNKS);
            slt_group_sync(group);
            put_rows(p, stage_of(at, stage), row, at.column + half * STEP, columns[half]);
        }
    }
    slt_copy_wait<0>();
    __syncthreads(); // nobody reads or writes stages any more
    put_sums(p, at.column, columns, memory, slt_at(sums));
}

// ---- launches

// shared memory: the rings, and W's rows of a block with all of k
static size_t bytes_of(int k) {
    return ((size_t)RING + (size_t)slt_pieces(k, STEP) * PIECE) * sizeof(float) + SLT_GROUP_ALIGN;
}
static bool fits(int k) {
#ifdef SLT_EMULATED
    return k <= 2 * STEP; // larger ones are tested by way of the library
#else
    return bytes_of(k) <= slt_shared_room();
#endif
}

int slt_cuda_gated_gradient_pairs(const slt_cuda_args *args, const slt_gated *p,
                                  slt_cuda_view sums) {
    // few blocks take longer than the library and another launch
    int blocks = slt_pieces(p->n, COLUMNS), most = slt_pieces(p->rows, SLT_GATED_ROWS);
    int parts = slt_enough_blocks() / (blocks * args->members);
    parts = parts < 1 ? 1 : parts > most ? most : parts;
    bool many = 2 * blocks * parts * args->members > slt_enough_blocks();
    if (!many || !fits(p->k)) return 0;
    dim3 grid((unsigned)blocks, (unsigned)parts, (unsigned)args->members);
    SLT_LAUNCH_LARGE(args, gated, grid, THREADS, bytes_of(p->k), *p, sums);
    return parts;
}
