// y = γ·x̂ + β + P[l], x̂ = (s - mean)/τ, s = x + residual: a warp per row, forward and backward;
// sums over rows for γ and β in a launch of their own, from the rows or, where those are short,
// from what backward added up on its way. x̂ and 1/τ are kept where a backward follows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/column_sums.cuh"

enum { X, RESIDUAL, GAMMA, BETA, POSITIONS };
enum { WARPS = 4 };

SLT_DEVICE_INLINE int row_of_warp(void) {
    return (int)(blockIdx.x * WARPS + threadIdx.x / SLT_WARP);
}

SLT_DEVICE_INLINE float sum_of(float4 x) { return (x.x + x.y) + (x.z + x.w); }
SLT_DEVICE_INLINE float dot_of(float4 x, float4 y) {
    return (x.x * y.x + x.y * y.y) + (x.z * y.z + x.w * y.w);
}
SLT_DEVICE_INLINE float4 added(float4 x, float4 y) {
    return slt_four(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
SLT_DEVICE_INLINE float4 times(float4 x, float4 y) {
    return slt_four(x.x * y.x, x.y * y.y, x.z * y.z, x.w * y.w);
}
// a·x + b
SLT_DEVICE_INLINE float4 scaled(float4 x, float a, float b) {
    return slt_four(a * x.x + b, a * x.y + b, a * x.z + b, a * x.w + b);
}
// x - mean, zeros beyond the row
SLT_DEVICE_INLINE float4 centred(float4 x, float mean, int left) {
    return slt_four(left > 0 ? x.x - mean : 0, left > 1 ? x.y - mean : 0, left > 2 ? x.z - mean : 0,
                    left > 3 ? x.w - mean : 0);
}

// a lane holds fours lane, lane + 32, ... of its row, N at most
template <int N> SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int r = row_of_warp(), lane = (int)(threadIdx.x % SLT_WARP), width = a.in_width[X];
    if (r >= a.in_rows[X]) return;
    int64_t at = (int64_t)r * width;
    const float *x = slt_at(a.in[X]) + at, *residual = slt_at(a.in[RESIDUAL]);
    const float *gamma = slt_at(a.in[GAMMA]), *beta = slt_at(a.in[BETA]);
    const float *positions = slt_at(a.in[POSITIONS]);
    float *hat = slt_at(a.aux) + at, *y = slt_at(a.out[0]) + at;
    bool there = r < slt_count(a, a.in_space[X], a.in_rows[X]);
    float4 s[N], none = {0, 0, 0, 0}, one = {1, 1, 1, 1};
    float sum = 0, square = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = 4 * (lane + i * SLT_WARP);
        s[i] = there ? slt_load4(x, c, width) : none;
        if (there && residual) s[i] = added(s[i], slt_load4(residual + at, c, width));
        sum += sum_of(s[i]);
    }
    float mean = slt_warp_sum(sum) / (float)width;
#pragma unroll
    for (int i = 0; i < N; i++) {
        s[i] = centred(s[i], mean, width - 4 * (lane + i * SLT_WARP));
        square += dot_of(s[i], s[i]);
    }
    float factor = 1 / sqrtf(slt_warp_sum(square) / (float)width + (float)a.x[0]);
    if (lane == 0 && a.keep) slt_at(a.aux)[(int64_t)a.in_room[X] * width + r] = factor;
    if (there && positions) positions += slt_spot_of(a, a.in_space[X], r).l * width;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = 4 * (lane + i * SLT_WARP);
        float4 h = scaled(s[i], factor, 0);
        if (a.keep) slt_store4(hat, c, width, false, h);
        h = times(gamma ? slt_load4(gamma, c, width) : one, h);
        if (beta) h = added(h, slt_load4(beta, c, width));
        if (positions && there) h = added(h, slt_load4(positions, c, width));
        slt_store4(y, c, width, false, there ? h : none);
    }
}

template <int N> SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int r = row_of_warp(), lane = (int)(threadIdx.x % SLT_WARP), width = a.in_width[X];
    if (r >= a.in_rows[X]) return;
    int64_t at = (int64_t)r * width;
    const float *dy = slt_at(a.out_grad[0]) + at, *hat = slt_at(a.aux) + at;
    const float *gamma = slt_at(a.in[GAMMA]);
    float inverse = slt_at(a.aux)[(int64_t)a.in_room[X] * width + r], sum = 0, dot = 0;
    float4 g[N], h[N];
    bool there = r < slt_count(a, a.in_space[X], a.in_rows[X]);
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = 4 * (lane + i * SLT_WARP);
        g[i] = slt_load4(dy, c, width);
        if (gamma) g[i] = times(g[i], slt_load4(gamma, c, width));
        h[i] = slt_load4(hat, c, width);
        sum += sum_of(g[i]);
        dot += dot_of(g[i], h[i]);
    }
    float mean = slt_warp_sum(sum) / (float)width, along = slt_warp_sum(dot) / (float)width;
    if (!there) inverse = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = 4 * (lane + i * SLT_WARP);
        float4 ds = scaled(added(g[i], scaled(h[i], -along, -mean)), inverse, 0);
        // x and residual may be the same variable: in order
        if (a.in_grad[X].at) slt_store4(slt_at(a.in_grad[X]) + at, c, width, a.add[X], ds);
        if (a.in_grad[RESIDUAL].at)
            slt_store4(slt_at(a.in_grad[RESIDUAL]) + at, c, width, a.add[RESIDUAL], ds);
    }
}

struct affine_term {
    enum { SUMS = 2, WIDTH = 4 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        int width = a.in_width[X];
        float4 dy = slt_load4(slt_at(a.out_grad[0]) + (int64_t)r * width, c, width);
        slt_add4(sum, 1, times(dy, slt_load4(slt_at(a.aux) + (int64_t)r * width, c, width)));
        slt_add4(sum + 4, 1, dy);
    }
};

// ---- rows of 128 numbers at most: a lane has four columns, and adds dy·x̂ and dy of its rows up

enum { SHORT = 4 * SLT_WARP, PARTS = 2 * SHORT }; // numbers of a row, sums of a block

SLT_DEVICE_INLINE void backward_row(const slt_cuda_args &a, int r, bool there, float4 gamma,
                                    float *sums) {
    int c = 4 * (int)(threadIdx.x % SLT_WARP), width = a.in_width[X];
    int64_t at = (int64_t)r * width;
    float4 dy = slt_load4(slt_at(a.out_grad[0]) + at, c, width), g = times(dy, gamma);
    float4 h = slt_load4(slt_at(a.aux) + at, c, width);
    float inverse = slt_at(a.aux)[(int64_t)a.in_room[X] * width + r];
    float mean = slt_warp_sum(sum_of(g)) / (float)width;
    float along = slt_warp_sum(dot_of(g, h)) / (float)width;
    float4 ds = scaled(added(g, scaled(h, -along, -mean)), there ? inverse : 0, 0);
    if (a.in_grad[X].at) slt_store4(slt_at(a.in_grad[X]) + at, c, width, a.add[X], ds);
    if (a.in_grad[RESIDUAL].at)
        slt_store4(slt_at(a.in_grad[RESIDUAL]) + at, c, width, a.add[RESIDUAL], ds);
    if (!there) return;
    slt_add4(sums, 1, times(dy, h));
    slt_add4(sums + 4, 1, dy);
}

// `each` rows of a warp
SLT_KERNEL backward_short(const slt_cuda_args a, int each) {
    slt_begin();
    alignas(16) __shared__ float parts[WARPS][PARTS];
    int warp = (int)threadIdx.x / SLT_WARP, c = 4 * (int)(threadIdx.x % SLT_WARP);
    int first = (int)blockIdx.x * WARPS * each + warp, width = a.in_width[X];
    int end = slt_least(first + WARPS * each, a.in_rows[X]);
    int count = slt_count(a, a.in_space[X], a.in_rows[X]);
    float sums[8] = {0};
    float4 gamma = {1, 1, 1, 1};
    if (a.in[GAMMA].at) gamma = slt_load4(slt_at(a.in[GAMMA]), c, width);
#pragma unroll 2
    for (int r = first; r < end; r += WARPS) backward_row(a, r, r < count, gamma, sums);
    *(float4 *)&parts[warp][c] = slt_four(sums[0], sums[1], sums[2], sums[3]);
    *(float4 *)&parts[warp][SHORT + c] = slt_four(sums[4], sums[5], sums[6], sums[7]);
    __syncthreads();
    float *to = slt_at(a.shared) + (int64_t)blockIdx.x * PARTS;
    for (int i = (int)threadIdx.x; i < PARTS; i += WARPS * SLT_WARP) {
        float sum = 0;
        for (int w = 0; w < WARPS; w++) sum += parts[w][i];
        to[i] = sum;
    }
}

struct part_term {
    enum { SUMS = 2, WIDTH = 4 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        const float *parts = slt_at(a.shared) + (int64_t)r * PARTS;
        slt_add4(sum, 1, *(const float4 *)(parts + c));
        slt_add4(sum + 4, 1, *(const float4 *)(parts + SHORT + c));
    }
};

// few rows reach all of the device; the planner has room for 512 blocks, or one for 16 rows
static int rows_each(const slt_cuda_args *args) {
    int64_t rows = (int64_t)args->in_rows[X] * args->members;
    return rows <= 2048 ? 1 : rows <= 16384 ? 4 : 16;
}

template <int N> static void launch_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward<N>, slt_grid(args, args->in_rows[X], WARPS), WARPS * SLT_WARP, 0);
}
template <int N> static void launch_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward<N>, slt_grid(args, args->in_rows[X], WARPS), WARPS * SLT_WARP, 0);
}

// wider rows than the last are refused when the tape is made
typedef void (*launcher)(const slt_cuda_args *args);
static const struct {
    int width;
    launcher forward, backward;
} widths[] = {{SHORT, launch_forward<1>, NULL}, // backward_short
              {512, launch_forward<4>, launch_backward<4>},
              {2048, launch_forward<16>, launch_backward<16>}};

static int width_of(const slt_cuda_args *args) {
    int i = 0;
    while (i < 2 && widths[i].width < args->in_width[X]) i++;
    return i;
}

void slt_cuda_layer_norm_forward(const slt_cuda_args *args) {
    widths[width_of(args)].forward(args);
}

void slt_cuda_layer_norm_backward(const slt_cuda_args *args) {
    int width = args->in_width[X], each = rows_each(args);
    bool whole = args->in_grad[X].at || args->in_grad[RESIDUAL].at, few = whole && width <= SHORT;
    dim3 grid = slt_grid(args, args->in_rows[X], WARPS * each);
    if (few)
        SLT_LAUNCH(args, backward_short, grid, WARPS * SLT_WARP, 0, each);
    else if (whole)
        widths[width_of(args)].backward(args);
    if (!args->in_grad[GAMMA].at && !args->in_grad[BETA].at) return;
    slt_sums sums = {
        few ? SLT_FIXED : args->in_space[X],         few ? (int)grid.x : args->in_rows[X], width,
        {args->in_grad[GAMMA], args->in_grad[BETA]}, {args->add[GAMMA], args->add[BETA]},  0};
    slt_cuda_args side = slt_cuda_fork(args);
    if (few)
        slt_launch_sums(&side, part_term(), sums);
    else
        slt_launch_sums(&side, affine_term(), sums);
}
