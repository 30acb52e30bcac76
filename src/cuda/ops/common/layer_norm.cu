// y = γ·x̂ + β + P[l], x̂ = (s - mean)/τ, s = x + residual: a warp per row, forward and backward;
// sums over rows for γ and β in a launch of their own, from the rows or, where those are short,
// from what backward added up on its way. x̂ and 1/τ are kept where a backward follows. Rows in bf16
// have x̂ in bf16, too; sums are in float32.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/bf16_rows.cuh"
#include "cuda/kernels/column_sums.cuh"
#include "cuda/kernels/norm_row.cuh"
#include "ops/common/op_inputs.h"

enum { WARPS = SLT_NORM_WARPS };

SLT_DEVICE_INLINE int row_of_warp(void) {
    return (int)(blockIdx.x * WARPS + threadIdx.x / SLT_WARP);
}

// numbers of a row; WHOLE: as many as N fours of each lane, which saves half of the instructions
template <int N, bool WHOLE> SLT_DEVICE_INLINE int width_of_rows(const slt_cuda_args &a) {
    return WHOLE ? 4 * N * SLT_WARP : a.in_width[SLT_NORM_X];
}

// a lane holds fours lane, lane + 32, ... of its row, N at most
template <int N, class T, bool WHOLE> SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int r = row_of_warp(), lane = (int)(threadIdx.x % SLT_WARP);
    int width = width_of_rows<N, WHOLE>(a);
    if (r >= a.in_rows[SLT_NORM_X]) return;
    int64_t at = (int64_t)r * width;
    const T *x = slt_rows_at<T>(a.in[SLT_NORM_X]) + at,
            *residual = slt_rows_at<T>(a.in[SLT_NORM_RESIDUAL]);
    const float *gamma = slt_at(a.in[SLT_NORM_GAMMA]), *beta = slt_at(a.in[SLT_NORM_BETA]);
    const float *positions = slt_at(a.in[SLT_NORM_POSITIONS]);
    T *hat = slt_rows_at<T>(a.aux) + at, *y = slt_rows_at<T>(a.out[0]) + at;
    bool there = r < slt_count(a, a.in_space[SLT_NORM_X], a.in_rows[SLT_NORM_X]);
    float4 s[N], none = {0, 0, 0, 0}, one = {1, 1, 1, 1};
    float sum = 0, square = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = 4 * (lane + i * SLT_WARP);
        s[i] = there ? slt_load4(x, c, width) : none;
        if (there && residual) s[i] = slt_plus4(s[i], slt_load4(residual + at, c, width));
        sum += slt_sum4(s[i]);
    }
    float inverse_width = 1 / (float)width, mean = slt_warp_sum(sum) * inverse_width;
#pragma unroll
    for (int i = 0; i < N; i++) {
        s[i] = slt_centred4(s[i], mean, WHOLE ? 4 : width - 4 * (lane + i * SLT_WARP));
        square += slt_dot4(s[i], s[i]);
    }
    float factor = 1 / sqrtf(slt_warp_sum(square) * inverse_width + (float)a.x[0]);
    if (lane == 0 && a.keep) slt_at(a.aux)[(int64_t)a.in_room[SLT_NORM_X] * width + r] = factor;
    if (there && positions) positions += slt_token_place_of(a, a.in_space[SLT_NORM_X], r).l * width;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = 4 * (lane + i * SLT_WARP);
        float4 h = slt_scaled4(s[i], factor, 0);
        if (a.keep) slt_store4(hat, c, width, false, h);
        h = slt_times4(gamma ? slt_load4(gamma, c, width) : one, h);
        if (beta) h = slt_plus4(h, slt_load4(beta, c, width));
        if (positions && there) h = slt_plus4(h, slt_load4(positions, c, width));
        slt_store4(y, c, width, false, there ? h : none);
    }
}

template <int N, class T> SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int r = row_of_warp(), lane = (int)(threadIdx.x % SLT_WARP), width = a.in_width[SLT_NORM_X];
    if (r >= a.in_rows[SLT_NORM_X]) return;
    int64_t at = (int64_t)r * width;
    const T *dy = slt_rows_at<T>(a.out_grad[0]) + at, *hat = slt_rows_at<T>(a.aux) + at;
    const float *gamma = slt_at(a.in[SLT_NORM_GAMMA]);
    float inverse = slt_at(a.aux)[(int64_t)a.in_room[SLT_NORM_X] * width + r], sum = 0, dot = 0;
    float4 g[N], h[N];
    bool there = r < slt_count(a, a.in_space[SLT_NORM_X], a.in_rows[SLT_NORM_X]);
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = 4 * (lane + i * SLT_WARP);
        g[i] = slt_load4(dy, c, width);
        if (gamma) g[i] = slt_times4(g[i], slt_load4(gamma, c, width));
        h[i] = slt_load4(hat, c, width);
        sum += slt_sum4(g[i]);
        dot += slt_dot4(g[i], h[i]);
    }
    float mean = slt_warp_sum(sum) / (float)width, along = slt_warp_sum(dot) / (float)width;
    if (!there) inverse = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = 4 * (lane + i * SLT_WARP);
        float4 ds = slt_scaled4(slt_plus4(g[i], slt_scaled4(h[i], -along, -mean)), inverse, 0);
        // x and residual may be the same variable: in order
        if (a.in_grad[SLT_NORM_X].at)
            slt_store4(slt_rows_at<T>(a.in_grad[SLT_NORM_X]) + at, c, width, a.add[SLT_NORM_X], ds);
        if (a.in_grad[SLT_NORM_RESIDUAL].at)
            slt_store4(slt_rows_at<T>(a.in_grad[SLT_NORM_RESIDUAL]) + at, c, width,
                       a.add[SLT_NORM_RESIDUAL], ds);
    }
}

template <class T> struct affine_term {
    enum { SUMS = 2, WIDTH = 4 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        int width = a.in_width[SLT_NORM_X];
        float4 dy = slt_load4(slt_rows_at<T>(a.out_grad[0]) + (int64_t)r * width, c, width);
        float4 hat = slt_load4(slt_rows_at<T>(a.aux) + (int64_t)r * width, c, width);
        slt_add4(sum, 1, slt_times4(dy, hat));
        slt_add4(sum + 4, 1, dy);
    }
};

// ---- rows of 128 numbers at most: a lane has four columns, and adds dy·x̂ and dy of its rows up

// `each` rows of a warp, two on their way
template <class T> SLT_KERNEL backward_short(const slt_cuda_args a, int each) {
    slt_begin();
    alignas(16) __shared__ float parts[WARPS * SLT_NORM_PARTS];
    int warp = (int)threadIdx.x / SLT_WARP, c = slt_lane_column(), width = a.in_width[SLT_NORM_X];
    int first = (int)blockIdx.x * WARPS * each + warp;
    int end = slt_least(first + WARPS * each, a.in_rows[SLT_NORM_X]);
    int count = slt_count(a, a.in_space[SLT_NORM_X], a.in_rows[SLT_NORM_X]);
    float sums[8] = {0};
    float4 gamma = slt_norm_gamma(a), dy[2];
    slt_norm_kept kept[2];
    for (int r = first; r < end; r += 2 * WARPS) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int row = slt_least(r + i * WARPS, end - 1);
            dy[i] = slt_load4(slt_rows_at<T>(a.out_grad[0]) + (int64_t)row * width, c, width);
            kept[i] = slt_norm_kept_of<T>(a, row, row < count);
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int row = r + i * WARPS;
            if (row >= end) break;
            slt_norm_row_put<T>(a, row,
                                slt_norm_row_backward(a, row < count, gamma, dy[i], kept[i], sums));
        }
    }
    slt_norm_put_parts(a, sums, WARPS, parts);
}

// ---- many rows of up to 512 numbers: a warp has every fourth row of a block's, and adds up on its
// way; the next row comes while it works on one

template <int N, class T, bool WHOLE> struct wide_row {
    typename slt_four_in<T>::type dy[N], hat[N];
    float inverse;
    __device__ __forceinline__ void load(const slt_cuda_args &a, int r) {
        int lane = (int)threadIdx.x % SLT_WARP, width = width_of_rows<N, WHOLE>(a);
        int64_t at = (int64_t)r * width;
        inverse = slt_at(a.aux)[(int64_t)a.in_room[SLT_NORM_X] * width + r];
#pragma unroll
        for (int i = 0; i < N; i++) {
            int c = 4 * (lane + i * SLT_WARP);
            dy[i] = slt_ahead4(slt_rows_at<T>(a.out_grad[0]) + at, c, width);
            hat[i] = slt_ahead4(slt_rows_at<T>(a.aux) + at, c, width);
        }
    }
};

template <int N, class T, bool WHOLE>
SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP, 4) backward_wide(const slt_cuda_args a, int each) {
    slt_begin();
    alignas(16) __shared__ float parts[WARPS][2][SLT_WIDE_ROW];
    int warp = (int)threadIdx.x / SLT_WARP, lane = (int)threadIdx.x % SLT_WARP;
    int width = width_of_rows<N, WHOLE>(a), rows = a.in_rows[SLT_NORM_X];
    int first = (int)blockIdx.x * each + warp, end = slt_least(first - warp + each, rows);
    int count = slt_count(a, a.in_space[SLT_NORM_X], rows);
    float sums[N][8] = {}, inverse_width = 1 / (float)width;
    float4 gamma[N];
    wide_row<N, T, WHOLE> next;
    if (first < end) next.load(a, first);
#pragma unroll
    for (int i = 0; i < N; i++) {
        float4 one = {1, 1, 1, 1};
        int c = 4 * (lane + i * SLT_WARP);
        gamma[i] =
            a.in[SLT_NORM_GAMMA].at ? slt_load4(slt_at(a.in[SLT_NORM_GAMMA]), c, width) : one;
    }
    for (int r = first; r < end; r += WARPS) {
        int64_t at = (int64_t)r * width;
        float inverse = r < count ? next.inverse : 0, sum = 0, dot = 0;
        float4 dy[N], h[N];
#pragma unroll
        for (int i = 0; i < N; i++) {
            dy[i] = slt_four_of(next.dy[i]);
            h[i] = slt_four_of(next.hat[i]);
        }
        if (r + WARPS < end) next.load(a, r + WARPS);
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (r < count) {
                slt_add4(sums[i], 1, slt_times4(dy[i], h[i]));
                slt_add4(sums[i] + 4, 1, dy[i]);
            }
            dy[i] = slt_times4(dy[i], gamma[i]);
            sum += slt_sum4(dy[i]);
            dot += slt_dot4(dy[i], h[i]);
        }
        float mean = slt_warp_sum(sum) * inverse_width, along = slt_warp_sum(dot) * inverse_width;
#pragma unroll
        for (int i = 0; i < N; i++)
            dy[i] =
                slt_along4(dy[i], inverse, slt_scaled4(h[i], -along * inverse, -mean * inverse));
        for (int k = SLT_NORM_X; k <= SLT_NORM_RESIDUAL; k++) { // may be the same: in order
            if (!a.in_grad[k].at) continue;
            T *to = slt_rows_at<T>(a.in_grad[k]) + at;
#pragma unroll
            for (int i = 0; i < N; i++)
                slt_store4(to, 4 * (lane + i * SLT_WARP), width, a.add[k], dy[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2 * N; i++) {
        const float *own = sums[i / 2] + i % 2 * 4;
        *(float4 *)(parts[warp][i % 2] + 4 * (lane + i / 2 * SLT_WARP)) =
            slt_four(own[0], own[1], own[2], own[3]);
    }
    __syncthreads();
    float *to = slt_at(a.shared) + (int64_t)blockIdx.x * 2 * width;
    for (int i = (int)threadIdx.x; i < 2 * width; i += WARPS * SLT_WARP) {
        float all = 0;
        for (int w = 0; w < WARPS; w++) all += parts[w][i / width][i % width];
        to[i] = all;
    }
}

struct wide_term {
    enum { SUMS = 2, WIDTH = 4 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        int width = a.in_width[SLT_NORM_X];
        const float *parts = slt_at(a.shared) + (int64_t)r * 2 * width;
        slt_add4(sum, 1, slt_load4(parts, c, width));
        slt_add4(sum + 4, 1, slt_load4(parts + width, c, width));
    }
};

struct part_term {
    enum { SUMS = 2, WIDTH = 4 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        const float *parts = slt_at(a.shared) + (int64_t)r * SLT_NORM_PARTS;
        slt_add4(sum, 1, *(const float4 *)(parts + c));
        slt_add4(sum + 4, 1, *(const float4 *)(parts + SLT_SHORT_ROW + c));
    }
};

template <int N, class T> static void launch_forward(const slt_cuda_args *args) {
    dim3 grid = slt_grid(args, args->in_rows[SLT_NORM_X], WARPS);
    if (args->in_width[SLT_NORM_X] == 4 * N * SLT_WARP)
        SLT_LAUNCH(args, (forward<N, T, true>), grid, WARPS * SLT_WARP, 0);
    else
        SLT_LAUNCH(args, (forward<N, T, false>), grid, WARPS * SLT_WARP, 0);
}
template <int N> static void launch_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, (backward<N, float>), slt_grid(args, args->in_rows[SLT_NORM_X], WARPS),
               WARPS * SLT_WARP, 0);
}
template <int N, class T> static void launch_sums(const slt_cuda_args *args) {
    int rows = args->in_rows[SLT_NORM_X], each = slt_wide_rows(rows);
    dim3 grid = slt_grid(args, rows, each);
    if (args->in_width[SLT_NORM_X] == 4 * N * SLT_WARP)
        SLT_LAUNCH(args, (backward_wide<N, T, true>), grid, WARPS * SLT_WARP, 0, each);
    else
        SLT_LAUNCH(args, (backward_wide<N, T, false>), grid, WARPS * SLT_WARP, 0, each);
}

// wider rows than the last are refused when the tape is made; rows in bf16 have 512 numbers at most
typedef void (*launcher)(const slt_cuda_args *args);
static const struct {
    int width;
    launcher forward, backward, sums; // sums: those of many rows on the way
    launcher forward_bf16, sums_bf16;
} widths[] = {{SLT_SHORT_ROW, launch_forward<1, float>, NULL, NULL, // backward_short
               launch_forward<1, slt_bf16>, NULL},
              {256, launch_forward<2, float>, launch_backward<2>, launch_sums<2, float>,
               launch_forward<2, slt_bf16>, launch_sums<2, slt_bf16>},
              {SLT_WIDE_ROW, launch_forward<4, float>, launch_backward<4>, launch_sums<4, float>,
               launch_forward<4, slt_bf16>, launch_sums<4, slt_bf16>},
              {2048, launch_forward<16, float>, launch_backward<16>, NULL, NULL, NULL}};

static int width_of(const slt_cuda_args *args) {
    int i = 0;
    while (i < 3 && widths[i].width < args->in_width[SLT_NORM_X]) i++;
    return i;
}

// rows of all members from which a block's sums are worth their room
#ifdef SLT_EMULATED
enum { MANY = 100 };
#else
enum { MANY = 8192 };
#endif

// sums of wide rows that backward left in `shared`; 0: none, it was not launched
static int launch_wide(const slt_cuda_args *args) {
    int rows = args->in_rows[SLT_NORM_X];
    bool bf16 = slt_out_bf16(args, 0);
    launcher launch = bf16 ? widths[width_of(args)].sums_bf16 : widths[width_of(args)].sums;
    if (!launch || (!bf16 && (int64_t)rows * args->members < MANY)) return 0;
    launch(args);
    return slt_pieces(rows, slt_wide_rows(rows));
}

void slt_cuda_layer_norm_forward(const slt_cuda_args *args) {
    int i = width_of(args);
    (slt_out_bf16(args, 0) ? widths[i].forward_bf16 : widths[i].forward)(args);
}

void slt_cuda_norm_weights(const slt_cuda_args *args, int parts) {
    if (!args->in_grad[SLT_NORM_GAMMA].at && !args->in_grad[SLT_NORM_BETA].at) return;
    slt_column_sums sums = {parts ? SLT_FIXED : args->in_space[SLT_NORM_X],
                            parts ? parts : args->in_rows[SLT_NORM_X],
                            args->in_width[SLT_NORM_X],
                            {args->in_grad[SLT_NORM_GAMMA], args->in_grad[SLT_NORM_BETA]},
                            {args->add[SLT_NORM_GAMMA], args->add[SLT_NORM_BETA]},
                            0};
    slt_cuda_args side = slt_cuda_on_sum_stream(args);
    bool bf16 = slt_out_bf16(args, 0);
    if (parts && args->in_width[SLT_NORM_X] > SLT_SHORT_ROW)
        slt_launch_sums(&side, wide_term(), sums);
    else if (parts)
        slt_launch_sums(&side, part_term(), sums);
    else if (bf16)
        slt_launch_sums(&side, affine_term<slt_bf16>(), sums);
    else
        slt_launch_sums(&side, affine_term<float>(), sums);
}

void slt_cuda_layer_norm_backward(const slt_cuda_args *args) {
    int each = slt_norm_rows_each(args);
    bool whole = args->in_grad[SLT_NORM_X].at || args->in_grad[SLT_NORM_RESIDUAL].at;
    bool few = whole && args->in_width[SLT_NORM_X] <= SLT_SHORT_ROW, bf16 = slt_out_bf16(args, 0);
    dim3 grid = slt_grid(args, args->in_rows[SLT_NORM_X], WARPS * each);
    int parts = few && !bf16 ? slt_cuda_norm_gradient(args) : whole ? launch_wide(args) : 0;
    if (few && bf16)
        SLT_LAUNCH(args, backward_short<slt_bf16>, grid, WARPS * SLT_WARP, 0, each);
    else if (few && !parts)
        SLT_LAUNCH(args, backward_short<float>, grid, WARPS * SLT_WARP, 0, each);
    else if (whole && !parts)
        widths[width_of(args)].backward(args);
    slt_cuda_norm_weights(args, few && !parts ? (int)grid.x : parts);
}
