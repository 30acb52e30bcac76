// Products with a narrow result (a few actions wide), where a library would waste its tiles:
// forward a warp per row with W in shared memory, dx a thread per number, dW a sum over rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_NARROW_CUH
#define SLT_CUDA_NARROW_CUH

#include "cuda/activation.cuh"
#include "cuda/column_sums.cuh"

enum { SLT_NARROW = 16, SLT_NARROW_WARPS = 4, SLT_NARROW_ROWS = 16 }; // rows of a block

typedef struct {
    slt_cuda_view x, w, c, y; // (rows,in) (in,out) (1,out) (rows,out)
    int rows, in, out, activation;
} slt_narrow;

static inline bool slt_is_narrow(int in, int out) {
    return out <= SLT_NARROW && (size_t)in * (size_t)out * sizeof(float) <= 32768;
}

// y = act(x·W + c), OUT at least the width of y
template <int OUT>
static __global__ void slt_narrow_forward(const slt_cuda_args a, const slt_narrow n) {
    SLT_DYNAMIC_SHARED(w);
    const float *from = slt_at(n.w), *c = slt_at(n.c);
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)(threadIdx.x / SLT_WARP);
    for (int i = (int)threadIdx.x; i < n.in * n.out; i += (int)blockDim.x) w[i] = from[i];
    __syncthreads();
    int first = (int)blockIdx.x * SLT_NARROW_ROWS, end = slt_least(first + SLT_NARROW_ROWS, n.rows);
    for (int r = first + warp; r < end; r += SLT_NARROW_WARPS) {
        const float *x = slt_at(n.x) + (int64_t)r * n.in;
        float sum[OUT] = {0}, mine = 0;
        for (int i = lane; i < n.in; i += SLT_WARP) {
#pragma unroll
            for (int o = 0; o < OUT; o++)
                if (o < n.out) sum[o] += x[i] * w[i * n.out + o];
        }
#pragma unroll
        for (int o = 0; o < OUT; o++) {
            float all = slt_warp_sum(sum[o]);
            if (o == lane) mine = all;
        }
        if (lane < n.out)
            slt_at(n.y)[(int64_t)r * n.out + lane] =
                slt_activated(c ? mine + c[lane] : mine, n.activation);
    }
}

// dx (+)= dp·Wᵀ; y stands for dp, x for dx
static __global__ void slt_narrow_input(const slt_cuda_args a, const slt_narrow n, bool add) {
    const float *w = slt_at(n.w), *dp = slt_at(n.y);
    float *dx = slt_at(n.x);
    for (unsigned i = slt_thread(); i < (unsigned)(n.rows * n.in); i += slt_stride()) {
        unsigned r = i / (unsigned)n.in, c = i % (unsigned)n.in;
        float sum = 0;
        for (int o = 0; o < n.out; o++)
            sum += dp[r * (unsigned)n.out + o] * w[c * (unsigned)n.out + o];
        slt_put(&dx[i], add, sum);
    }
}

// column c of the sums is number c of dW
struct slt_narrow_term {
    slt_narrow n;
    __device__ float2 operator()(const slt_cuda_args &a, int r, int c) const {
        float x = slt_at(n.x)[(int64_t)r * n.in + c / n.out];
        float2 term = {x * slt_at(n.y)[(int64_t)r * n.out + c % n.out], 0};
        return term;
    }
};

static inline void slt_launch_narrow(const slt_cuda_args *args, slt_narrow n) {
    size_t bytes = (size_t)n.in * (size_t)n.out * sizeof(float);
    dim3 grid = slt_grid(args, n.rows, SLT_NARROW_ROWS);
    if (n.out <= 8)
        SLT_LAUNCH(args, slt_narrow_forward<8>, grid, SLT_NARROW_WARPS * SLT_WARP, bytes, n);
    else
        SLT_LAUNCH(args, slt_narrow_forward<SLT_NARROW>, grid, SLT_NARROW_WARPS * SLT_WARP, bytes,
                   n);
}

#endif
