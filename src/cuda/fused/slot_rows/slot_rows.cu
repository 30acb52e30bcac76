// Rows that are sums of one of a slot and one of a position, and sums of such rows (slot_rows.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/slot_rows/slot_rows.h"
#include "cuda/kernels/bf16_rows.cuh"
#include "cuda/kernels/large_block.cuh"
#include "cuda/kernels/norm_row.cuh"

static_assert(sizeof(slt_slot_rows) + sizeof(slt_summed_rows) <= 4096,
              "a kernel takes so many bytes of arguments");

enum { WARPS = 8, THREADS = WARPS * SLT_WARP, COLUMNS = SLT_SLOT_ROWS_COLUMNS };
static_assert((int)COLUMNS == 4 * SLT_WARP, "a lane has four columns");
enum { CHUNK = SLT_SLOT_ROWS_CHUNK, EACH = CHUNK / WARPS };
enum {
    STEPS = 8,
    SPANS = 64
}; // of a block that makes rows; of sequences that are looked up at once

SLT_DEVICE_INLINE float relu(float x) { return x > 0 ? x : 0; }

// a thread has four numbers of a slot, or of a position
SLT_KERNEL begin(const __grid_constant__ slt_slot_rows p) {
    slt_begin();
    unsigned width = (unsigned)p.norm.in_width[SLT_NORM_X], fours = width / 4;
    unsigned i = slt_thread(), r = i / fours, c = i % fours * 4;
    float4 x = {0, 0, 0, 0};
    if (r >= (unsigned)(p.sequences + p.positions)) return;
    if (r >= (unsigned)p.sequences) {
        x = *(const float4 *)(slt_at(p.table) + (r - (unsigned)p.sequences) * width + c);
        *(float4 *)(slt_at(p.normed) + r * width + c) = x;
        return;
    }
    if ((int)r < slt_count(p.norm, SLT_SLOTS, 0))
        x = *(const float4 *)(slt_at(p.slot) + r * width + c);
    *(float4 *)(slt_at(p.y) + r * width + c) = slt_four(relu(x.x), relu(x.y), relu(x.z), relu(x.w));
}

// ---- sequences of a block, one after the other

// those of [first, end) that have a step `least`, in order; the result: how many. A barrier is
// before and after
typedef struct {
    int first[SPANS], computed[SPANS], number[SPANS];
} spans;

SLT_DEVICE_INLINE int find_spans(const slt_cuda_args &a, int first, int end, int least, spans *to) {
    int lane = (int)threadIdx.x % SLT_WARP, count = 0;
    slt_device_span run = {0, 0, 0, 0};
    __syncthreads();
    for (int half = 0; half < SPANS / SLT_WARP; half++) { // every warp looks, the first one writes
        int own = first + half * SLT_WARP + lane;
        if (own < end) run = slt_span_of(a, SLT_SLOT_TOKENS, own);
        bool there = own < end && run.computed > least;
        unsigned marks = __ballot_sync(0xffffffffu, there);
        int place = count + __popc(marks & ((1u << lane) - 1));
        if (there && threadIdx.x < SLT_WARP) {
            to->first[place] = run.first;
            to->computed[place] = run.computed;
            to->number[place] = own;
        }
        count += __popc(marks);
    }
    __syncthreads();
    return count;
}

// ---- sums to rows: a thread has 16 bytes of a row for each of eight steps, and goes from sequence
// to sequence

template <class T> struct piece {
    enum { FOURS = sizeof(float) / sizeof(T) };
    float4 x[FOURS];
    __device__ __forceinline__ void load(const float *from) {
#pragma unroll
        for (int i = 0; i < FOURS; i++) x[i] = ((const float4 *)from)[i];
    }
    __device__ __forceinline__ void add(const piece &other) {
#pragma unroll
        for (int i = 0; i < FOURS; i++) x[i] = slt_plus4(x[i], other.x[i]);
    }
};
SLT_DEVICE_INLINE void put_piece(float *to, const piece<float> &x) { *(float4 *)to = x.x[0]; }
SLT_DEVICE_INLINE void put_piece(slt_bf16 *to, const piece<slt_bf16> &x) {
    uint2 low = slt_pairs_of(x.x[0]), high = slt_pairs_of(x.x[1]);
    uint4 all = {low.x, low.y, high.x, high.y};
    *(uint4 *)to = all;
}

// zeros in rows that the batch does not have, shared out over all threads
template <class T>
SLT_DEVICE_INLINE void clear_tail(const slt_slot_rows &p, const slt_summed_rows &to) {
    unsigned each = (unsigned)to.width / (4 * piece<T>::FOURS), blocks = gridDim.x * gridDim.y;
    unsigned own = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    uint4 none = {0, 0, 0, 0}, *rows = (uint4 *)slt_rows_at<T>(to.rows);
    unsigned first = (unsigned)slt_count(p.norm, SLT_SLOT_TOKENS, 0) * each;
    for (unsigned i = first + own; i < (unsigned)p.rows * each; i += blocks * blockDim.x)
        rows[i] = none;
}

template <class T>
SLT_KERNEL spread(const __grid_constant__ slt_slot_rows p,
                  const __grid_constant__ slt_summed_rows to, int groups) {
    slt_begin();
    __shared__ spans found;
    int first = (int)blockIdx.y / groups * STEPS, group = (int)blockIdx.y % groups;
    int width = to.width, c = (int)slt_thread() * 4 * piece<T>::FOURS;
    int each = (p.sequences + groups - 1) / groups, begin = group * each;
    int end = slt_least(begin + each, slt_count(p.norm, SLT_SLOTS, 0));
    T *rows = slt_rows_at<T>(to.rows) + c;
    const float *slots = slt_at(to.slots) + c, *bias = slt_at(to.bias);
    piece<T> steps[STEPS], own = {};
    bool there = c < width;
    if (there && bias) own.load(bias + c);
#pragma unroll
    for (int j = 0; j < STEPS; j++) {
        steps[j] = own;
        if (!there || first + j >= p.positions) continue;
        piece<T> position;
        position.load(slt_at(to.positions) + (int64_t)(first + j) * width + c);
        steps[j].add(position);
    }
    for (int s = begin; s < end; s += SPANS) {
        int count = find_spans(p.norm, s, slt_least(s + SPANS, end), first, &found);
        for (int i = 0; i < count && there; i++) {
            own.load(slots + (int64_t)found.number[i] * width);
            T *row = rows + (int64_t)(found.first[i] + first) * width;
            int left = found.computed[i] - first;
#pragma unroll
            for (int j = 0; j < STEPS; j++) {
                piece<T> x = own;
                x.add(steps[j]);
                if (j < left) put_piece(row + (int64_t)j * width, x);
            }
        }
    }
    clear_tail<T>(p, to);
}

// ---- rows to sums: a block has 64 steps of a group of sequences, and 128 columns; a warp every
// eighth step. Over its steps of each sequence, and over its sequences of each step

// sequences whose rows are on their way at once
template <class T> struct several {
    enum { OF = 4 * sizeof(uint16_t) / sizeof(T) };
};

template <class T>
SLT_KERNEL __launch_bounds__(THREADS, 2)
    add_rows(const __grid_constant__ slt_slot_rows p, const __grid_constant__ slt_summed_rows from,
             slt_cuda_view parts_view, slt_cuda_view group_view, int groups) {
    slt_begin();
    enum { SEVERAL = several<T>::OF };
    alignas(16) __shared__ float parts[SEVERAL][WARPS][COLUMNS];
    __shared__ spans found;
    int warp = (int)threadIdx.x / SLT_WARP, column = (int)threadIdx.x % SLT_WARP * 4;
    int block = (int)blockIdx.x * COLUMNS, c = block + column, width = from.width;
    int chunk = (int)blockIdx.y / groups, group = (int)blockIdx.y % groups;
    int each = (p.sequences + groups - 1) / groups, begin = group * each, l = chunk * CHUNK + warp;
    int end = slt_least(begin + each, slt_count(p.norm, SLT_SLOTS, 0));
    const T *rows = slt_rows_at<T>(from.rows);
    float *to = slt_at(parts_view), *sums = slt_at(group_view), steps[EACH][4] = {};
    for (int s = begin; s < end; s += SPANS) {
        int count = find_spans(p.norm, s, slt_least(s + SPANS, end), chunk * CHUNK, &found);
        for (int i = 0; i < count; i += SEVERAL) {
            typename slt_four_in<T>::type x[SEVERAL][EACH];
#pragma unroll
            for (int k = 0; k < SEVERAL * EACH; k++) {
                int q = i + k / EACH, own = l + k % EACH * WARPS;
                bool there = q < count && own < found.computed[q < count ? q : 0];
                int64_t row = there ? found.first[q] + own : 0;
                x[k / EACH][k % EACH] = slt_ahead4(rows + row * width, there ? c : width, width);
            }
#pragma unroll
            for (int q = 0; q < SEVERAL; q++) {
                float sum[4] = {0};
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    slt_add4(steps[j], 1, slt_four_of(x[q][j]));
                    slt_add4(sum, 1, slt_four_of(x[q][j]));
                }
                *(float4 *)&parts[q][warp][column] = slt_four(sum[0], sum[1], sum[2], sum[3]);
            }
            __syncthreads();
            for (int k = (int)threadIdx.x; k < SEVERAL * COLUMNS; k += THREADS) {
                int q = k / COLUMNS, own = k % COLUMNS;
                float all = 0;
                if (i + q >= count || block + own >= width) continue;
                for (int w = 0; w < WARPS; w++) all += parts[q][w][own];
                to[((int64_t)chunk * p.sequences + found.number[i + q]) * width + block + own] =
                    all;
            }
            __syncthreads();
        }
    }
#pragma unroll
    for (int j = 0; j < EACH; j++)
        if (sums && l + j * WARPS < p.positions)
            slt_store4(sums + ((int64_t)group * p.positions + l + j * WARPS) * width, c, width,
                       false, slt_four(steps[j][0], steps[j][1], steps[j][2], steps[j][3]));
}

// four numbers of a row, added over the parts
SLT_DEVICE_INLINE float4 sum_of(const float *parts, int count, int64_t apart) {
    float4 all = {0, 0, 0, 0};
#pragma unroll 8
    for (int i = 0; i < count; i++) all = slt_plus4(all, *(const float4 *)(parts + i * apart));
    return all;
}

// rows of slots, unless they have no parts, then of positions
SLT_KERNEL add_parts(const __grid_constant__ slt_slot_rows p,
                     const __grid_constant__ slt_summed_rows to, slt_cuda_view parts,
                     slt_cuda_view groups) {
    slt_begin();
    unsigned fours = (unsigned)to.width / 4, i = slt_thread(), r = i / fours, c = i % fours * 4;
    int64_t slots = (int64_t)p.sequences * to.width, positions = (int64_t)p.positions * to.width;
    float4 x = {0, 0, 0, 0};
    if (r < (unsigned)p.sequences) {
        int chunks = 0; // others were not written
        if (!parts.at) return;
        if ((int)r < slt_count(p.norm, SLT_SLOTS, 0))
            chunks = (slt_span_of(p.norm, SLT_SLOT_TOKENS, (int)r).computed + CHUNK - 1) / CHUNK;
        x = sum_of(slt_at(parts) + r * (unsigned)to.width + c, chunks, slots);
        *(float4 *)(slt_at(to.slots) + r * (unsigned)to.width + c) = x;
    } else if (groups.at && r < (unsigned)(p.sequences + p.positions)) {
        r -= (unsigned)p.sequences;
        x = sum_of(slt_at(groups) + r * (unsigned)to.width + c, p.groups, positions);
        *(float4 *)(slt_at(to.positions) + r * (unsigned)to.width + c) = x;
    }
}

SLT_KERNEL end(const __grid_constant__ slt_slot_rows p) {
    slt_begin();
    unsigned i = slt_thread() * 4, width = (unsigned)p.norm.in_width[SLT_NORM_X];
    if (i >= (unsigned)p.sequences * width) return;
    float4 y = *(const float4 *)(slt_at(p.y) + i), d = *(const float4 *)(slt_at(p.dy) + i);
    d = slt_four(y.x > 0 ? d.x : 0, y.y > 0 ? d.y : 0, y.z > 0 ? d.z : 0, y.w > 0 ? d.w : 0);
    slt_store4(slt_at(p.dslot), (int)i, p.sequences * (int)width, p.add_slot, d);
}

// ---- launches

static dim3 fours_of(const slt_slot_rows *run, int rows, int width) {
    return slt_grid(&run->norm, (int64_t)rows * width / 4, SLT_THREADS);
}

void slt_slot_rows_begin(const slt_slot_rows *run) {
    int width = run->norm.in_width[SLT_NORM_X];
    SLT_LAUNCH(run, begin, fours_of(run, run->sequences + run->positions, width), SLT_THREADS, 0);
}

// groups of sequences, so that there are about so many blocks
static int groups_for(const slt_slot_rows *run, int blocks) {
    int groups = slt_pieces(4 * (int64_t)slt_enough_blocks(), blocks * run->norm.members);
    return groups < run->sequences ? groups : run->sequences;
}

template <class T> static void spread_to(const slt_slot_rows *run, const slt_summed_rows *to) {
    int threads = slt_pieces(to->width, 4 * piece<T>::FOURS * SLT_WARP) * SLT_WARP;
    int chunks = slt_pieces(run->positions, STEPS), groups = groups_for(run, chunks);
    if (threads > THREADS) threads = THREADS;
    dim3 grid = slt_grid(&run->norm, to->width, 4 * piece<T>::FOURS * threads);
    grid.y = (unsigned)(chunks * groups);
    SLT_LAUNCH(run, spread<T>, grid, threads, 0, *to, groups);
}
void slt_slot_rows_spread(const slt_slot_rows *run) {
    const slt_summed_rows *both[] = {&run->x, &run->qkv};
    for (int i = 0; i < (run->attends ? 1 : 2); i++)
        (both[i]->bf16 ? spread_to<slt_bf16> : spread_to<float>)(run, both[i]);
}

static void sum_parts(const slt_slot_rows *run, const slt_summed_rows *to, slt_cuda_view parts,
                      slt_cuda_view sums) {
    SLT_LAUNCH(run, add_parts, fours_of(run, run->sequences + run->positions, to->width),
               SLT_THREADS, 0, *to, parts, sums);
}
static void sum_rows(const slt_slot_rows *run, const slt_summed_rows *from, slt_cuda_view parts,
                     slt_cuda_view sums, int groups) {
    dim3 grid = slt_grid(&run->norm, from->width, COLUMNS);
    grid.y = (unsigned)(run->chunks * groups);
    if (from->bf16)
        SLT_LAUNCH(run, add_rows<slt_bf16>, grid, THREADS, 0, *from, parts, sums, groups);
    else
        SLT_LAUNCH(run, add_rows<float>, grid, THREADS, 0, *from, parts, sums, groups);
    sum_parts(run, from, parts, sums);
}
void slt_slot_rows_sum(const slt_slot_rows *run) {
    slt_cuda_view none = {NULL, 0};
    int blocks = slt_pieces(run->dx.width, COLUMNS) * run->chunks;
    if (run->attends)
        sum_parts(run, &run->dqkv, none, run->groups_parts);
    else
        sum_rows(run, &run->dqkv, run->parts[0], run->groups_parts, run->groups);
    if (run->dx.rows.at && !(run->attends && run->dx.bf16))
        sum_rows(run, &run->dx, run->parts[1], none, groups_for(run, blocks));
}

void slt_slot_rows_end(const slt_slot_rows *run) {
    int width = run->norm.in_width[SLT_NORM_X];
    SLT_LAUNCH(run, end, fours_of(run, run->sequences, width), SLT_THREADS, 0);
}
