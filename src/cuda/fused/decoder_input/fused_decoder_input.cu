// Queries, keys and values of slots and positions, and the way back for slots
// (fused_decoder_input.h). A block has 16 rows; weights are asked for before the previous kernel
// has ended. Before and after the product a warp has a row.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/decoder_input/fused_decoder_input.h"
#include "cuda/kernels/sixteen_rows.cuh"

static_assert(sizeof(slt_fused_decoder_input) <= 4096, "a kernel takes so many bytes of arguments");

enum { WIDTH = SLT_DECODER_INPUT_WIDTH, OUT = SLT_DECODER_INPUT_OUT, PAD = 4 };
enum { ROWS = SLT_SIXTEEN, THREADS = SLT_SIXTEEN_THREADS, EIGHTS = OUT / 8 / SLT_SIXTEEN };
static_assert((int)SLT_NORM_PARTS <= (int)OUT, "sums of a norm have room where rows were");

// ---- forward

// relu(slot) of a sequence through the norm, or a position; zeros after them
SLT_DEVICE_INLINE float4 row_of(const slt_fused_decoder_input &p, int r) {
    int c = slt_lane_column(), position = r - p.sequences;
    float4 none = {0, 0, 0, 0}, x = none;
    if (position >= p.positions) return none;
    if (position >= 0) {
        x = slt_load4(slt_at(p.rows.table) + position * WIDTH, c, WIDTH);
        slt_store4(slt_at(p.rows.normed) + (int64_t)r * WIDTH, c, WIDTH, false, x);
        return x;
    }
    bool there = r < slt_count(p.norm, SLT_SLOTS, 0);
    if (there) x = slt_load4(slt_at(p.slot) + (int64_t)r * WIDTH, c, WIDTH);
    x = slt_four(fmaxf(x.x, 0), fmaxf(x.y, 0), fmaxf(x.z, 0), fmaxf(x.w, 0));
    if (p.norm.keep) slt_store4(slt_at(p.y) + (int64_t)r * WIDTH, c, WIDTH, false, x);
    return slt_norm_row_forward(p.norm, r, there, x);
}

SLT_DEVICE_INLINE void put_pair(const slt_fused_decoder_input &p, int r, int column, float x,
                                float y) {
    const float *c = slt_at(p.c);
    float2 both = {x, y};
    if (r >= p.sequences + p.positions) return;
    if (c && r < p.sequences) both.x += c[column], both.y += c[column + 1];
    *(float2 *)(slt_at(p.rows.slots) + (int64_t)r * OUT + column) = both;
}

SLT_KERNEL __launch_bounds__(THREADS, 1)
    forward(const __grid_constant__ slt_fused_decoder_input p) {
    alignas(16) __shared__ float rows[ROWS][WIDTH + PAD];
    slt_sixteen_spot at = slt_sixteen_here();
    if (!p.early) slt_wait_for_last();
    int first = (int)blockIdx.x * ROWS;
    float w[EIGHTS][WIDTH / 4];
#pragma unroll
    for (int i = 0; i < EIGHTS; i++)
        slt_sixteen_columns<WIDTH>(w[i], slt_at(p.w), OUT, (at.warp * EIGHTS + i) * 8, at);
    slt_begin();
    *(float4 *)(rows[at.warp] + slt_lane_column()) = slt_rounded4(row_of(p, first + at.warp));
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EIGHTS; i++) {
        int column = (at.warp * EIGHTS + i) * 8 + 2 * at.t;
        float sum[4];
        slt_sixteen_product<WIDTH>(sum, rows[0], WIDTH + PAD, at, w[i]);
        put_pair(p, first + at.g, column, sum[0], sum[1]);
        put_pair(p, first + at.g + 8, column, sum[2], sum[3]);
    }
}

// ---- backward

// from the norm's output to the slot
SLT_DEVICE_INLINE void turn_row(const slt_fused_decoder_input &p, int r, bool there, float4 dy,
                                float *sums) {
    int c = slt_lane_column();
    if (r >= p.sequences) return;
    float4 y = slt_load4(slt_at(p.y) + (int64_t)r * WIDTH, c, WIDTH);
    if (there && p.rows.dx.at)
        dy = slt_plus4(dy, slt_load4(slt_at(p.rows.dnormed) + (int64_t)r * WIDTH, c, WIDTH));
    float4 d = slt_norm_row_backward(p.norm, there, slt_norm_gamma(p.norm), dy,
                                     slt_norm_kept_of(p.norm, r, there), sums);
    d = slt_four(y.x > 0 ? d.x : 0, y.y > 0 ? d.y : 0, y.z > 0 ? d.z : 0, y.w > 0 ? d.w : 0);
    slt_store4(slt_at(p.dslot) + (int64_t)r * WIDTH, c, WIDTH, p.add_slot, d);
}

SLT_KERNEL __launch_bounds__(THREADS, 1)
    backward(const __grid_constant__ slt_fused_decoder_input p) {
    alignas(16) __shared__ float rows[ROWS][OUT + PAD];
    alignas(16) __shared__ float turned[ROWS][WIDTH + PAD];
    slt_sixteen_spot at = slt_sixteen_here();
    if (!p.early) slt_wait_for_last();
    int r = (int)blockIdx.x * ROWS + at.warp;
    float w[OUT / 4], sum[4], sums[8] = {0};
    slt_sixteen_turned<OUT>(w, slt_at(p.w), OUT, at.warp * 8, at);
    slt_begin();
    int count = slt_count(p.norm, SLT_SLOTS, 0);
    slt_sixteen_prefetch<OUT>(rows[0], OUT + PAD, slt_at(p.rows.dslots), count);
    __syncthreads();
    slt_sixteen_product<OUT>(sum, rows[0], OUT + PAD, at, w);
    slt_sixteen_put(sum, turned[0], WIDTH + PAD, at.warp * 8, at);
    __syncthreads();
    turn_row(p, r, r < count, *(const float4 *)(turned[at.warp] + slt_lane_column()), sums);
    slt_norm_put_parts(p.norm, sums, ROWS, rows[0]);
}

// ---- sums over all sequences of position blockIdx.x, 128 columns of blockIdx.y

enum { SUM_WARPS = 16, EACH = 4 }; // rows on their way

// where row l of a lane's sequence is; -1: it is not there
SLT_DEVICE_INLINE int position_row(const slt_cuda_args &a, int s, int l) {
    if (s >= slt_count(a, SLT_SLOTS, 0)) return -1;
    slt_device_span run = slt_span_of(a, SLT_SLOT_TOKENS, s);
    return l < run.computed ? run.first + l : -1;
}

// a warp has every 16th sequence: its lanes find their rows at once
SLT_KERNEL __launch_bounds__(SUM_WARPS *SLT_WARP)
    sum_positions(const slt_cuda_args a, slt_cuda_view dpositions) {
    slt_begin();
    alignas(16) __shared__ float parts[SUM_WARPS][WIDTH];
    int warp = (int)threadIdx.x / SLT_WARP, lane = (int)threadIdx.x % SLT_WARP;
    int l = (int)blockIdx.x, column = (int)blockIdx.y * WIDTH + slt_lane_column();
    int count = slt_count(a, SLT_SLOTS, 0);
    const float *from = slt_at(a.in_grad[0]) + column;
    float sum[4] = {0};
    for (int s = warp; s < count; s += SUM_WARPS * SLT_WARP) {
        int mine = position_row(a, s + lane * SUM_WARPS, l);
        int rows = slt_least(SLT_WARP, (count - s + SUM_WARPS - 1) / SUM_WARPS);
        for (int i = 0; i < rows; i += EACH) {
            float4 x[EACH];
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                int row = __shfl_sync(0xffffffffu, mine, (i + k) % SLT_WARP);
                x[k] = slt_four(0, 0, 0, 0);
                if (i + k < rows && row >= 0) x[k] = *(const float4 *)(from + (int64_t)row * OUT);
            }
#pragma unroll
            for (int k = 0; k < EACH; k++) slt_add4(sum, 1, x[k]);
        }
    }
    *(float4 *)(parts[warp] + slt_lane_column()) = slt_four(sum[0], sum[1], sum[2], sum[3]);
    __syncthreads();
    if (threadIdx.x >= WIDTH) return;
    float all = 0;
    for (int w = 0; w < SUM_WARPS; w++) all += parts[w][threadIdx.x];
    slt_at(dpositions)[l * OUT + (int)blockIdx.y * WIDTH + (int)threadIdx.x] = all;
}

// ---- launches

void slt_decoder_input_forward(const slt_fused_decoder_input *run) {
    SLT_LAUNCH(run, forward, slt_grid(&run->norm, run->sequences + run->positions, ROWS), THREADS,
               0);
}

int slt_decoder_input_blocks(int sequences) { return slt_pieces(sequences, ROWS); }

void slt_decoder_input_positions(const slt_cuda_args *args, slt_cuda_view dpositions) {
    dim3 grid((unsigned)args->length, OUT / WIDTH, (unsigned)args->members);
    SLT_LAUNCH(args, sum_positions, grid, SUM_WARPS * SLT_WARP, 0, dpositions);
}

void slt_decoder_input_backward(const slt_fused_decoder_input *run) {
    SLT_LAUNCH(run, backward, slt_grid(&run->norm, run->sequences, ROWS), THREADS, 0);
}
