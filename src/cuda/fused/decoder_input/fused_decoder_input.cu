// Queries, keys and values of slots and positions, and the way back for slots
// (fused_decoder_input.h). A block has 16 rows; weights are asked for before the previous kernel
// has ended. Before and after the product a warp has a row.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/decoder_input/fused_decoder_input.h"
#include "cuda/kernels/sixteen_rows.cuh"

static_assert(sizeof(slt_fused_decoder_input) <= 4096, "a kernel takes so many bytes of arguments");

enum { ROWS = SLT_SIXTEEN, THREADS = SLT_SIXTEEN_THREADS };

// rows of W numbers: numbers between two of them in shared memory, and eights of columns of a warp
template <int W> struct sizes {
    enum { OUT = 3 * W, PAD = 4, STRIDE = W + PAD, EIGHTS = (OUT / 8 + ROWS - 1) / ROWS };
    // sums of a norm have room where rows were
    enum { OUT_STRIDE = ((int)OUT > (int)SLT_NORM_PARTS ? (int)OUT : (int)SLT_NORM_PARTS) + PAD };
};
// is a column of so many there? Of 128, and of three times as many, all are
template <int W> SLT_DEVICE_INLINE bool has_column(int column, int columns) {
    return W == 4 * SLT_WARP || column < columns;
}

// ---- forward

// relu(slot) of a sequence through the norm, or a position; zeros after them
template <int W> SLT_DEVICE_INLINE float4 row_of(const slt_fused_decoder_input &p, int r) {
    int c = slt_lane_column(), position = r - p.sequences;
    float4 none = {0, 0, 0, 0}, x = none;
    if (position >= p.positions) return none;
    if (position >= 0) {
        x = slt_load4(slt_at(p.rows.table) + position * W, c, W);
        slt_store4(slt_at(p.rows.normed) + (int64_t)r * W, c, W, false, x);
        return x;
    }
    bool there = r < slt_count(p.norm, SLT_SLOTS, 0);
    if (there) x = slt_load4(slt_at(p.slot) + (int64_t)r * W, c, W);
    x = slt_four(fmaxf(x.x, 0), fmaxf(x.y, 0), fmaxf(x.z, 0), fmaxf(x.w, 0));
    if (p.norm.keep) slt_store4(slt_at(p.y) + (int64_t)r * W, c, W, false, x);
    return slt_norm_row_forward(p.norm, r, there, x);
}

template <int W>
SLT_DEVICE_INLINE void put_pair(const slt_fused_decoder_input &p, int r, int column, float x,
                                float y) {
    const float *c = slt_at(p.c);
    float2 both = {x, y};
    if (r >= p.sequences + p.positions) return;
    if (c && r < p.sequences) both.x += c[column], both.y += c[column + 1];
    *(float2 *)(slt_at(p.rows.slots) + (int64_t)r * 3 * W + column) = both;
}

template <int W>
SLT_KERNEL __launch_bounds__(THREADS, 1)
    forward(const __grid_constant__ slt_fused_decoder_input p) {
    enum { OUT = sizes<W>::OUT, STRIDE = sizes<W>::STRIDE, EIGHTS = sizes<W>::EIGHTS };
    alignas(16) __shared__ float rows[ROWS][STRIDE];
    slt_sixteen_spot at = slt_sixteen_here();
    if (!p.early) slt_wait_for_last();
    int first = (int)blockIdx.x * ROWS, eight = at.warp * EIGHTS;
    float w[EIGHTS][W / 4];
#pragma unroll
    for (int i = 0; i < EIGHTS; i++)
        if (has_column<W>((eight + i) * 8, OUT))
            slt_sixteen_columns<W>(w[i], slt_at(p.w), OUT, (eight + i) * 8, at);
    slt_begin();
    float4 row = slt_rounded4(row_of<W>(p, first + at.warp));
    if (has_column<W>(slt_lane_column(), W)) *(float4 *)(rows[at.warp] + slt_lane_column()) = row;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EIGHTS; i++) {
        int column = (eight + i) * 8 + 2 * at.t;
        float sum[4];
        if (!has_column<W>((eight + i) * 8, OUT)) continue;
        slt_sixteen_product<W>(sum, rows[0], STRIDE, at, w[i]);
        put_pair<W>(p, first + at.g, column, sum[0], sum[1]);
        put_pair<W>(p, first + at.g + 8, column, sum[2], sum[3]);
    }
}

// ---- backward

// from the norm's output to the slot
template <int W>
SLT_DEVICE_INLINE void turn_row(const slt_fused_decoder_input &p, int r, bool there, float4 dy,
                                float *sums) {
    int c = slt_lane_column();
    if (r >= p.sequences) return;
    float4 y = slt_load4(slt_at(p.y) + (int64_t)r * W, c, W);
    if (there && p.rows.dx.at)
        dy = slt_plus4(dy, slt_load4(slt_at(p.rows.dnormed) + (int64_t)r * W, c, W));
    float4 d = slt_norm_row_backward(p.norm, there, slt_norm_gamma(p.norm), dy,
                                     slt_norm_kept_of(p.norm, r, there), sums);
    d = slt_four(y.x > 0 ? d.x : 0, y.y > 0 ? d.y : 0, y.z > 0 ? d.z : 0, y.w > 0 ? d.w : 0);
    slt_store4(slt_at(p.dslot) + (int64_t)r * W, c, W, p.add_slot, d);
}

template <int W>
SLT_KERNEL __launch_bounds__(THREADS, 1)
    backward(const __grid_constant__ slt_fused_decoder_input p) {
    enum { OUT = sizes<W>::OUT, STRIDE = sizes<W>::STRIDE, OUT_STRIDE = sizes<W>::OUT_STRIDE };
    alignas(16) __shared__ float rows[ROWS][OUT_STRIDE];
    alignas(16) __shared__ float turned[ROWS][STRIDE];
    slt_sixteen_spot at = slt_sixteen_here();
    if (!p.early) slt_wait_for_last();
    int r = (int)blockIdx.x * ROWS + at.warp, column = slt_lane_column();
    bool has_eight = has_column<W>(at.warp * 8, W);
    float w[OUT / 4], sum[4], sums[8] = {0};
    if (has_eight) slt_sixteen_turned<OUT>(w, slt_at(p.w), OUT, at.warp * 8, at);
    slt_begin();
    int count = slt_count(p.norm, SLT_SLOTS, 0);
    slt_sixteen_prefetch<OUT>(rows[0], OUT_STRIDE, slt_at(p.rows.dslots), count);
    __syncthreads();
    if (has_eight) slt_sixteen_product<OUT>(sum, rows[0], OUT_STRIDE, at, w);
    if (has_eight) slt_sixteen_put(sum, turned[0], STRIDE, at.warp * 8, at);
    __syncthreads();
    float4 dy = slt_four(0, 0, 0, 0);
    if (has_column<W>(column, W)) dy = *(const float4 *)(turned[at.warp] + column);
    turn_row<W>(p, r, r < count, dy, sums);
    slt_norm_put_parts(p.norm, sums, ROWS, rows[0]);
}

// ---- sums over all sequences of position blockIdx.x: queries, keys or values, by blockIdx.y

enum { SUM_WARPS = 16, EACH = 4 }; // rows on their way

// where row l of a lane's sequence is; -1: it is not there
SLT_DEVICE_INLINE int position_row(const slt_cuda_args &a, int s, int l) {
    if (s >= slt_count(a, SLT_SLOTS, 0)) return -1;
    slt_device_span run = slt_span_of(a, SLT_SLOT_TOKENS, s);
    return l < run.computed ? run.first + l : -1;
}

// a warp has every 16th sequence: its lanes find their rows at once
template <int W>
SLT_KERNEL __launch_bounds__(SUM_WARPS *SLT_WARP)
    sum_positions(const slt_cuda_args a, slt_cuda_view dpositions) {
    slt_begin();
    alignas(16) __shared__ float parts[SUM_WARPS][W];
    int warp = (int)threadIdx.x / SLT_WARP, lane = (int)threadIdx.x % SLT_WARP;
    int l = (int)blockIdx.x, column = (int)blockIdx.y * W + slt_lane_column();
    int count = slt_count(a, SLT_SLOTS, 0);
    const float *from = slt_at(a.in_grad[0]) + column;
    bool there = has_column<W>(slt_lane_column(), W);
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
                if (there && i + k < rows && row >= 0)
                    x[k] = *(const float4 *)(from + (int64_t)row * 3 * W);
            }
#pragma unroll
            for (int k = 0; k < EACH; k++) slt_add4(sum, 1, x[k]);
        }
    }
    if (there)
        *(float4 *)(parts[warp] + slt_lane_column()) = slt_four(sum[0], sum[1], sum[2], sum[3]);
    __syncthreads();
    if (threadIdx.x >= W) return;
    float all = 0;
    for (int w = 0; w < SUM_WARPS; w++) all += parts[w][threadIdx.x];
    slt_at(dpositions)[l * 3 * W + (int)blockIdx.y * W + (int)threadIdx.x] = all;
}

// ---- launches

template <int W> static void launch(const slt_fused_decoder_input *run, bool back) {
    int rows = run->sequences + (back ? 0 : run->positions);
    if (back)
        SLT_LAUNCH(run, backward<W>, slt_grid(&run->norm, rows, ROWS), THREADS, 0);
    else
        SLT_LAUNCH(run, forward<W>, slt_grid(&run->norm, rows, ROWS), THREADS, 0);
}

#define SLT_LAUNCH_WIDTH(W)                                                                        \
    if (width == (W)) launch<W>(run, back);
static void launch_any(const slt_fused_decoder_input *run, bool back) {
    int width = run->norm.in_width[SLT_NORM_X];
    SLT_FUSED_WIDTHS(SLT_LAUNCH_WIDTH)
}

void slt_decoder_input_forward(const slt_fused_decoder_input *run) { launch_any(run, false); }
void slt_decoder_input_backward(const slt_fused_decoder_input *run) { launch_any(run, true); }

int slt_decoder_input_blocks(int sequences) { return slt_pieces(sequences, ROWS); }

#define SLT_SUM_WIDTH(W)                                                                           \
    if (args->out_width[0] == (W))                                                                 \
        SLT_LAUNCH(args, sum_positions<W>, grid, SUM_WARPS *SLT_WARP, 0, dpositions);
void slt_decoder_input_positions(const slt_cuda_args *args, slt_cuda_view dpositions) {
    dim3 grid((unsigned)args->length, 3, (unsigned)args->members);
    SLT_FUSED_WIDTHS(SLT_SUM_WIDTH)
}
