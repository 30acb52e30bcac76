// y = γ·x̂ + β + P[l], x̂ = (s - mean)/τ, s = x + residual: a warp per row, forward and backward;
// sums over rows for γ and β in a launch of their own. x̂ and 1/τ are kept.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/column_sums.cuh"

enum { X, RESIDUAL, GAMMA, BETA, POSITIONS };
enum { WARPS = 4 };

SLT_DEVICE_INLINE int row_of_warp(void) {
    return (int)(blockIdx.x * WARPS + threadIdx.x / SLT_WARP);
}

// a lane holds numbers lane, lane + 32, ... of its row, N at most
template <int N> SLT_KERNEL forward(const slt_cuda_args a) {
    int r = row_of_warp(), lane = (int)(threadIdx.x % SLT_WARP), width = a.in_width[X];
    if (r >= a.in_rows[X]) return;
    int64_t at = (int64_t)r * width;
    const float *x = slt_at(a.in[X]) + at, *residual = slt_at(a.in[RESIDUAL]);
    const float *gamma = slt_at(a.in[GAMMA]), *beta = slt_at(a.in[BETA]);
    const float *positions = slt_at(a.in[POSITIONS]);
    float *hat = slt_at(a.aux) + at, *y = slt_at(a.out[0]) + at;
    bool there = r < slt_count(a, a.in_space[X], a.in_rows[X]);
    float s[N], sum = 0, square = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = lane + i * SLT_WARP;
        bool mine = there && c < width;
        s[i] = !mine ? 0 : residual ? x[c] + residual[at + c] : x[c];
        sum += s[i];
    }
    float mean = slt_warp_sum(sum) / (float)width;
#pragma unroll
    for (int i = 0; i < N; i++) {
        s[i] = lane + i * SLT_WARP < width ? s[i] - mean : 0;
        square += s[i] * s[i];
    }
    float factor = 1 / sqrtf(slt_warp_sum(square) / (float)width + (float)a.x[0]);
    if (lane == 0) slt_at(a.aux)[(int64_t)a.in_room[X] * width + r] = factor;
    if (there && positions) positions += slt_spot_of(a, a.in_space[X], r).l * width;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = lane + i * SLT_WARP;
        if (c >= width) continue;
        float h = s[i] * factor;
        hat[c] = h;
        h = (gamma ? gamma[c] : 1) * h + (beta ? beta[c] : 0);
        y[c] = !there ? 0 : positions ? h + positions[c] : h;
    }
}

template <int N> SLT_KERNEL backward(const slt_cuda_args a) {
    int r = row_of_warp(), lane = (int)(threadIdx.x % SLT_WARP), width = a.in_width[X];
    if (r >= a.in_rows[X]) return;
    int64_t at = (int64_t)r * width;
    const float *dy = slt_at(a.out_grad[0]) + at, *hat = slt_at(a.aux) + at;
    const float *gamma = slt_at(a.in[GAMMA]);
    float inverse = slt_at(a.aux)[(int64_t)a.in_room[X] * width + r], sum = 0, dot = 0;
    float g[N], h[N];
    bool there = r < slt_count(a, a.in_space[X], a.in_rows[X]);
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = lane + i * SLT_WARP;
        g[i] = c >= width ? 0 : gamma ? dy[c] * gamma[c] : dy[c];
        h[i] = c >= width ? 0 : hat[c];
        sum += g[i];
        dot += g[i] * h[i];
    }
    float mean = slt_warp_sum(sum) / (float)width, along = slt_warp_sum(dot) / (float)width;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = lane + i * SLT_WARP;
        if (c >= width) continue;
        float ds = there ? (g[i] - mean - h[i] * along) * inverse : 0;
        // x and residual may be the same variable: in order
        if (a.in_grad[X].at) slt_put(&slt_at(a.in_grad[X])[at + c], a.add[X], ds);
        if (a.in_grad[RESIDUAL].at)
            slt_put(&slt_at(a.in_grad[RESIDUAL])[at + c], a.add[RESIDUAL], ds);
    }
}

struct affine_term {
    __device__ float2 operator()(const slt_cuda_args &a, int r, int c) const {
        int64_t at = (int64_t)r * a.in_width[X] + c;
        float dy = slt_at(a.out_grad[0])[at];
        float2 term = {dy * slt_at(a.aux)[at], dy};
        return term;
    }
};

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
} widths[] = {{128, launch_forward<4>, launch_backward<4>},
              {512, launch_forward<16>, launch_backward<16>},
              {2048, launch_forward<64>, launch_backward<64>}};

static int width_of(const slt_cuda_args *args) {
    int i = 0;
    while (i < 2 && widths[i].width < args->in_width[X]) i++;
    return i;
}

void slt_cuda_layer_norm_forward(const slt_cuda_args *args) {
    widths[width_of(args)].forward(args);
}

void slt_cuda_layer_norm_backward(const slt_cuda_args *args) {
    if (args->in_grad[X].at || args->in_grad[RESIDUAL].at) widths[width_of(args)].backward(args);
    if (!args->in_grad[GAMMA].at && !args->in_grad[BETA].at) return;
    slt_sums sums = {args->in_space[X],
                     args->in_rows[X],
                     args->in_width[X],
                     {args->in_grad[GAMMA], args->in_grad[BETA]},
                     {args->add[GAMMA], args->add[BETA]}};
    slt_cuda_args side = slt_cuda_fork(args);
    slt_launch_sums(&side, affine_term(), sums);
}
