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

SLT_KERNEL forward(const slt_cuda_args a) {
    int r = row_of_warp(), lane = (int)(threadIdx.x % SLT_WARP), width = a.in_width[X];
    if (r >= a.in_rows[X]) return;
    int64_t at = (int64_t)r * width;
    const float *x = slt_at(a.in[X]) + at, *residual = slt_at(a.in[RESIDUAL]);
    const float *gamma = slt_at(a.in[GAMMA]), *beta = slt_at(a.in[BETA]);
    const float *positions = slt_at(a.in[POSITIONS]);
    float *hat = slt_at(a.aux) + at, *y = slt_at(a.out[0]) + at;
    float *inverse = slt_at(a.aux) + (int64_t)a.in_room[X] * width + r;
    bool there = r < slt_count(a, a.in_space[X], a.in_rows[X]);
    float sum = 0, square = 0;
    for (int c = lane; c < width; c += SLT_WARP) {
        float s = !there ? 0 : residual ? x[c] + residual[at + c] : x[c];
        hat[c] = s;
        sum += s;
    }
    float mean = slt_warp_sum(sum) / (float)width;
    for (int c = lane; c < width; c += SLT_WARP) square += (hat[c] - mean) * (hat[c] - mean);
    float factor = 1 / sqrtf(slt_warp_sum(square) / (float)width + (float)a.x[0]);
    if (lane == 0) *inverse = factor;
    if (there && positions) positions += slt_spot_of(a, a.in_space[X], r).l * width;
    for (int c = lane; c < width; c += SLT_WARP) {
        float h = (hat[c] - mean) * factor;
        hat[c] = h;
        h = (gamma ? gamma[c] : 1) * h + (beta ? beta[c] : 0);
        y[c] = !there ? 0 : positions ? h + positions[c] : h;
    }
}

SLT_KERNEL backward(const slt_cuda_args a) {
    int r = row_of_warp(), lane = (int)(threadIdx.x % SLT_WARP), width = a.in_width[X];
    if (r >= a.in_rows[X]) return;
    int64_t at = (int64_t)r * width;
    const float *dy = slt_at(a.out_grad[0]) + at, *hat = slt_at(a.aux) + at;
    const float *gamma = slt_at(a.in[GAMMA]);
    float inverse = slt_at(a.aux)[(int64_t)a.in_room[X] * width + r], sum = 0, dot = 0;
    bool there = r < slt_count(a, a.in_space[X], a.in_rows[X]);
    for (int c = lane; c < width; c += SLT_WARP) {
        float g = gamma ? dy[c] * gamma[c] : dy[c];
        sum += g;
        dot += g * hat[c];
    }
    float mean = slt_warp_sum(sum) / (float)width, along = slt_warp_sum(dot) / (float)width;
    for (int c = lane; c < width; c += SLT_WARP) {
        float g = gamma ? dy[c] * gamma[c] : dy[c];
        float ds = there ? (g - mean - hat[c] * along) * inverse : 0;
        // x and residual may be the same variable: in order
        for (int i = X; i <= RESIDUAL; i++)
            if (a.in_grad[i].at) slt_put(&slt_at(a.in_grad[i])[at + c], a.add[i], ds);
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

static dim3 grid(const slt_cuda_args *args) { return slt_grid(args, args->in_rows[X], WARPS); }

void slt_cuda_layer_norm_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), WARPS * SLT_WARP, 0);
}

void slt_cuda_layer_norm_backward(const slt_cuda_args *args) {
    if (args->in_grad[X].at || args->in_grad[RESIDUAL].at)
        SLT_LAUNCH(args, backward, grid(args), WARPS * SLT_WARP, 0);
    if (!args->in_grad[GAMMA].at && !args->in_grad[BETA].at) return;
    slt_sums sums = {args->in_space[X],
                     args->in_rows[X],
                     args->in_width[X],
                     {args->in_grad[GAMMA], args->in_grad[BETA]},
                     {args->add[GAMMA], args->add[BETA]}};
    slt_launch_sums(args, affine_term(), sums);
}
