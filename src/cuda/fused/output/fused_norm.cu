// Layer norms and what is done to the same rows before them in one launch: a warp takes a row
// of 128 numbers at most through the nodes of a run, four numbers a lane. Backward carries the
// gradient of a row the other way; where slots were joined, a block has a whole sequence and sums
// over it. T: the numbers of rows in memory, float or slt_bf16.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/output/fused_norm.h"

#include "cuda/kernels/norm_row.cuh"
#include "ops/common/op_inputs.h"

static_assert(sizeof(slt_fused_norm) <= 4096, "a kernel takes so many bytes of arguments");

enum { WARPS = SLT_NORM_WARPS };

SLT_DEVICE_INLINE float4 relu4(float4 x) {
    return slt_four(fmaxf(x.x, 0), fmaxf(x.y, 0), fmaxf(x.z, 0), fmaxf(x.w, 0));
}
// x where y is positive
SLT_DEVICE_INLINE float4 gated4(float4 x, float4 y) {
    return slt_four(y.x > 0 ? x.x : 0, y.y > 0 ? x.y : 0, y.z > 0 ? x.z : 0, y.w > 0 ? x.w : 0);
}

// four numbers of row r, zeros where there is no such variable
template <class T> SLT_DEVICE_INLINE float4 four_of(slt_cuda_view view, int r, int width) {
    const T *at = slt_rows_at<T>(view);
    float4 none = {0, 0, 0, 0};
    return at ? slt_load4(at + (int64_t)r * width, slt_lane_column(), width) : none;
}
template <class T>
SLT_DEVICE_INLINE void put_four(slt_cuda_view view, int r, int width, bool add, float4 x) {
    T *at = slt_rows_at<T>(view);
    if (at) slt_store4(at + (int64_t)r * width, slt_lane_column(), width, add, x);
}

// ---- forward

template <class T> SLT_DEVICE_INLINE float4 join_tokens(const slt_cuda_args &a, int r, bool there) {
    int width = a.out_width[0];
    float4 none = {0, 0, 0, 0}, y = none;
    if (there)
        y = relu4(slt_plus4(
            four_of<T>(a.in[SLT_JOIN_X], r, width),
            four_of<float>(a.in[SLT_JOIN_TABLE], slt_ints(a.in[SLT_JOIN_IDS])[r], width)));
    put_four<T>(a.out[0], r, width, false, y);
    return y;
}

template <class T> SLT_DEVICE_INLINE float4 join_slots(const slt_cuda_args &a, int r, bool there) {
    int width = a.out_width[0];
    float4 y = {0, 0, 0, 0};
    if (there) {
        slt_token_place spot = slt_token_place_of(a, SLT_SLOT_TOKENS, r);
        const int32_t *offset = slt_offset(a);
        int sequence = spot.b * a.slots + spot.k;
        int c = a.in[SLT_JOIN_TOKEN].at ? slt_companion(a)[sequence] : -1;
        y = four_of<float>(a.in[SLT_JOIN_SLOT], sequence, width);
        if (c >= 0) {
            int last = offset[c + 1] - offset[c] - 1;
            y = slt_plus4(
                y, four_of<T>(a.in[SLT_JOIN_TOKEN], offset[c] + slt_least(spot.l, last), width));
        }
        y = relu4(y);
    }
    put_four<T>(a.out[0], r, width, false, y);
    return y;
}

template <class T>
SLT_DEVICE_INLINE float4 add_position(const slt_cuda_args &a, int r, bool there, float4 x) {
    int width = a.out_width[0];
    float4 none = {0, 0, 0, 0}, y = none;
    if (there) {
        int l = slt_token_place_of(a, SLT_TOKENS, r).l;
        float t = a.length > 1 ? (float)l / (float)(a.length - 1) : 0;
        y = slt_plus4(slt_scaled4(four_of<float>(a.in[SLT_POSITION_W], 0, width), t, 0),
                      four_of<float>(a.in[SLT_POSITION_C], 0, width));
        y = slt_plus4(x, y);
    }
    put_four<T>(a.out[0], r, width, false, y);
    return y;
}

// what the first node reads of a row
template <class T> SLT_DEVICE_INLINE float4 first_of(const slt_fused_norm &run, int r, bool there) {
    float4 none = {0, 0, 0, 0};
    const slt_cuda_args &a = run.node[0];
    bool reads = run.kind[0] == SLT_ROW_NORM || run.kind[0] == SLT_ROW_POSITION;
    return reads && there ? four_of<T>(a.in[SLT_POSITION_X], r, a.out_width[0]) : none;
}

template <class T>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP) forward(const __grid_constant__ slt_fused_norm run) {
    slt_begin();
    const slt_cuda_args &first = run.node[0];
    int r = (int)(blockIdx.x * WARPS + threadIdx.x / SLT_WARP), rows = first.out_rows[0];
    if (r >= rows) return;
    bool there = r < slt_count(first, first.out_space[0], rows);
    float4 x = first_of<T>(run, r, there);
#pragma unroll
    for (int n = 0; n < SLT_ROW_NODES; n++) {
        if (n >= run.nodes) break;
        const slt_cuda_args &a = run.node[n];
        if (run.kind[n] == SLT_ROW_TOKENS) x = join_tokens<T>(a, r, there);
        if (run.kind[n] == SLT_ROW_SLOTS) x = join_slots<T>(a, r, there);
        if (run.kind[n] == SLT_ROW_POSITION) x = add_position<T>(a, r, there, x);
        if (run.kind[n] == SLT_ROW_NORM)
            x = slt_norm_row_forward<T>(a, r, there, slt_norm_input<T>(a, r, x));
    }
}

// ---- backward, rows of tokens

// norms of a run: the first and the last node at most
SLT_DEVICE_INLINE int norm_number(int n) { return n == 0 ? 0 : 1; }

template <class T>
SLT_DEVICE_INLINE void backward_row(const slt_fused_norm &run, int r, bool there,
                                    const float4 *gamma, float (*sums)[8]) {
    int width = run.node[0].out_width[0];
    slt_norm_kept kept[SLT_ROW_NORMS] = {};
    float4 y = {0, 0, 0, 0}, d = four_of<T>(run.node[run.nodes - 1].out_grad[0], r, width);
    // all that is read, then all that is written
#pragma unroll
    for (int n = 0; n < SLT_ROW_NODES; n++) {
        if (n >= run.nodes) break;
        if (run.kind[n] == SLT_ROW_NORM)
            kept[norm_number(n)] = slt_norm_kept_of<T>(run.node[n], r, there);
        if (run.kind[n] == SLT_ROW_TOKENS) y = four_of<T>(run.node[n].out[0], r, width);
    }
#pragma unroll
    for (int n = SLT_ROW_NODES - 1; n >= 0; n--) {
        if (n >= run.nodes) continue;
        const slt_cuda_args &a = run.node[n];
        int i = norm_number(n);
        if (run.kind[n] == SLT_ROW_NORM) {
            d = slt_norm_row_backward(a, there, gamma[i], d, kept[i], sums[i]);
            slt_norm_row_put<T>(a, r, d);
        }
        if (run.kind[n] == SLT_ROW_POSITION)
            put_four<T>(a.in_grad[SLT_POSITION_X], r, width, a.add[SLT_POSITION_X], d);
        if (run.kind[n] == SLT_ROW_TOKENS) {
            d = gated4(d, y);
            put_four<float>(a.shared, r, width, false, d);
            put_four<T>(a.in_grad[SLT_JOIN_X], r, width, a.add[SLT_JOIN_X], d);
        }
    }
}

SLT_DEVICE_INLINE void put_parts(const slt_fused_norm &run, float (*sums)[8], float *parts) {
#pragma unroll
    for (int n = 0; n < SLT_ROW_NODES; n++)
        if (n < run.nodes && run.kind[n] == SLT_ROW_NORM)
            slt_norm_put_parts(run.node[n], sums[norm_number(n)], WARPS, parts);
}

template <class T>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP, 4)
    backward(const __grid_constant__ slt_fused_norm run, int each) {
    slt_begin();
    alignas(16) __shared__ float parts[WARPS * SLT_NORM_PARTS];
    const slt_cuda_args &last = run.node[run.nodes - 1];
    int rows = last.out_rows[0], count = slt_count(last, last.out_space[0], rows);
    int first = (int)blockIdx.x * WARPS * each + (int)threadIdx.x / SLT_WARP;
    int end = slt_least(first + WARPS * each, rows);
    float sums[SLT_ROW_NORMS][8] = {};
    float4 gamma[SLT_ROW_NORMS] = {};
#pragma unroll
    for (int n = 0; n < SLT_ROW_NODES; n++)
        if (n < run.nodes && run.kind[n] == SLT_ROW_NORM)
            gamma[norm_number(n)] = slt_norm_gamma(run.node[n]);
    for (int r = first; r < end; r += WARPS) backward_row<T>(run, r, r < count, gamma, sums);
    put_parts(run, sums, parts);
}

// ---- backward, slots and a norm after them: a block per sequence. Nobody else reads the gradient
// of what was joined, so it is not written

enum { SEQUENCE_WARPS = 8, AT_ONCE = 2 };

// dslot: the sum over the sequence, of warps in order
SLT_DEVICE_INLINE void put_slot(const slt_cuda_args &a, int sequence, const float *sum,
                                float *parts) {
    int width = a.out_width[0], warp = (int)threadIdx.x / SLT_WARP;
    *(float4 *)(parts + warp * SLT_SHORT_ROW + slt_lane_column()) =
        slt_four(sum[0], sum[1], sum[2], sum[3]);
    __syncthreads();
    float *to = slt_at(a.in_grad[SLT_JOIN_SLOT]) + (int64_t)sequence * width;
    for (int i = (int)threadIdx.x; i < width; i += SEQUENCE_WARPS * SLT_WARP) {
        float all = 0;
        for (int w = 0; w < SEQUENCE_WARPS; w++) all += parts[w * SLT_SHORT_ROW + i];
        slt_put(&to[i], a.add[SLT_JOIN_SLOT], all);
    }
    __syncthreads();
}

template <class T>
SLT_KERNEL __launch_bounds__(SEQUENCE_WARPS *SLT_WARP)
    backward_slots(const __grid_constant__ slt_fused_norm run) {
    slt_begin();
    alignas(16) __shared__ float parts[SEQUENCE_WARPS * SLT_NORM_PARTS];
    const slt_cuda_args &join = run.node[0], &norm = run.node[1];
    int sequence = (int)blockIdx.x, width = join.out_width[0];
    slt_device_span own = {0, 0, 0, 0};
    if (sequence < slt_count(join, SLT_SLOTS, 0))
        own = slt_span_of(join, SLT_SLOT_TOKENS, sequence);
    float4 gamma = slt_norm_gamma(norm), dy[AT_ONCE], y[AT_ONCE];
    slt_norm_kept kept[AT_ONCE];
    float sums[8] = {0}, slot[4] = {0};
    for (int l = (int)threadIdx.x / SLT_WARP; l < own.computed; l += AT_ONCE * SEQUENCE_WARPS) {
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            int r = own.first + slt_least(l + i * SEQUENCE_WARPS, own.computed - 1);
            dy[i] = four_of<T>(norm.out_grad[0], r, width);
            y[i] = four_of<T>(join.out[0], r, width);
            kept[i] = slt_norm_kept_of<T>(norm, r, true);
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (l + i * SEQUENCE_WARPS >= own.computed) break;
            float4 d = slt_norm_row_backward(norm, true, gamma, dy[i], kept[i], sums);
            slt_add4(slot, 1, gated4(d, y[i]));
        }
    }
    slt_norm_put_parts(norm, sums, SEQUENCE_WARPS, parts);
    put_slot(join, sequence, slot, parts);
}

// ---- launches

// rows of a run are alike
static bool is_bf16(const slt_fused_norm *run) { return slt_out_bf16(&run->node[0], 0); }

template <class T> static void launch_forward(const slt_fused_norm *run) {
    const slt_cuda_args *first = &run->node[0];
    SLT_LAUNCH(run, forward<T>, slt_grid(first, first->out_rows[0], WARPS), WARPS * SLT_WARP, 0);
}
void slt_cuda_rows_forward(const slt_fused_norm *run) {
    (is_bf16(run) ? launch_forward<slt_bf16> : launch_forward<float>)(run);
}

int slt_cuda_rows_blocks(const slt_fused_norm *run) {
    const slt_cuda_args *last = &run->node[run->nodes - 1];
    if (run->kind[0] == SLT_ROW_SLOTS) return run->node[0].in_rows[SLT_JOIN_SLOT];
    return (int)slt_grid(last, last->out_rows[0], WARPS * slt_norm_rows_each(last)).x;
}

template <class T> static void launch_backward(const slt_fused_norm *run) {
    const slt_cuda_args *last = &run->node[run->nodes - 1];
    dim3 grid((unsigned)slt_cuda_rows_blocks(run), 1, (unsigned)last->members);
    if (run->kind[0] == SLT_ROW_SLOTS)
        SLT_LAUNCH(run, backward_slots<T>, grid, SEQUENCE_WARPS * SLT_WARP, 0);
    else
        SLT_LAUNCH(run, backward<T>, grid, WARPS * SLT_WARP, 0, slt_norm_rows_each(last));
}
void slt_cuda_rows_backward(const slt_fused_norm *run) {
    (is_bf16(run) ? launch_backward<slt_bf16> : launch_backward<float>)(run);
}
