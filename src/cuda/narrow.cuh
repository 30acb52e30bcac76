// Products with a narrow result (a few actions wide), where a library would waste its tiles:
// a warp per row forward and for dx, with W in shared memory and in registers; dW is a sum over
// rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_NARROW_CUH
#define SLT_CUDA_NARROW_CUH

#include "cuda/activation.cuh"
#include "cuda/column_sums.cuh"

enum { SLT_NARROW = 16, SLT_NARROW_WARPS = 4, SLT_NARROW_ROWS = 32 }; // rows of a block, at most

typedef struct {
    slt_cuda_view x, w, c, y; // (rows,in) (in,out) (1,out) (rows,out)
    int rows, in, out, activation;
    int each; // rows of a block
} slt_narrow;

static inline bool slt_is_narrow(int in, int out) {
    return out <= SLT_NARROW && (size_t)in * (size_t)out * sizeof(float) <= 32768;
}

// lane i gets the sum over all lanes of x[slt_narrow_place(i)]: the halves of a pair of lanes are
// exchanged, so that each step has half as many numbers
template <int N> SLT_DEVICE_INLINE float slt_narrow_sums(float *x) {
    int lane = (int)(threadIdx.x % SLT_WARP), d = 1;
#pragma unroll
    for (int n = N / 2; n > 0; n /= 2) {
        bool upper = (lane & d) != 0;
#pragma unroll
        for (int i = 0; i < n; i++) {
            float other = __shfl_xor_sync(0xffffffffu, upper ? x[i] : x[i + n], d);
            x[i] = (upper ? x[i + n] : x[i]) + other;
        }
        d *= 2;
    }
    float sum = x[0];
    for (d = N; d < SLT_WARP; d *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    return sum;
}
template <int N> SLT_DEVICE_INLINE int slt_narrow_place(int lane) {
    int place = 0;
#pragma unroll
    for (int n = N / 2, d = 1; n > 0; n /= 2, d *= 2) place += lane & d ? n : 0;
    return place;
}

// y = act(x·W + c), OUT at least the width of y
template <int OUT>
static __global__ void slt_narrow_forward(const slt_cuda_args a, const slt_narrow n) {
    slt_begin();
    SLT_DYNAMIC_SHARED(w);
    const float *from = slt_at(n.w), *c = slt_at(n.c);
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)(threadIdx.x / SLT_WARP);
    int place = slt_narrow_place<OUT>(lane);
    for (int i = (int)threadIdx.x; i < n.in * n.out; i += (int)blockDim.x) w[i] = from[i];
    __syncthreads();
    int first = (int)blockIdx.x * n.each, end = slt_least(first + n.each, n.rows);
    for (int r = first + warp; r < end; r += SLT_NARROW_WARPS) {
        const float *x = slt_at(n.x) + (int64_t)r * n.in;
        float sum[OUT] = {0};
        for (int i = lane; i < n.in; i += SLT_WARP) {
            float xi = x[i];
#pragma unroll
            for (int o = 0; o < OUT; o++)
                if (o < n.out) sum[o] += xi * w[i * n.out + o];
        }
        float mine = slt_narrow_sums<OUT>(sum);
        if (lane < OUT && place < n.out)
            slt_at(n.y)[(int64_t)r * n.out + place] =
                slt_activated(c ? mine + c[place] : mine, n.activation);
    }
}

// dx (+)= dp·Wᵀ; y stands for dp, x for dx. A lane owns four columns
template <int OUT>
static __global__ void slt_narrow_input(const slt_cuda_args a, const slt_narrow n, bool add) {
    slt_begin();
    const float *w = slt_at(n.w), *dp = slt_at(n.y);
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)(threadIdx.x / SLT_WARP);
    int first = (int)blockIdx.x * n.each, end = slt_least(first + n.each, n.rows);
    for (int c = 4 * lane; c < n.in; c += 4 * SLT_WARP) {
        float own[4][OUT];
#pragma unroll
        for (int o = 0; o < OUT; o++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                own[j][o] = o < n.out && c + j < n.in ? w[(c + j) * n.out + o] : 0;
        for (int r = first + warp; r < end; r += SLT_NARROW_WARPS) {
            float4 sum = {0, 0, 0, 0};
#pragma unroll
            for (int o = 0; o < OUT; o++) {
                float d = o < n.out ? dp[(int64_t)r * n.out + o] : 0;
                sum.x += d * own[0][o];
                sum.y += d * own[1][o];
                sum.z += d * own[2][o];
                sum.w += d * own[3][o];
            }
            slt_store4(slt_at(n.x) + (int64_t)r * n.in, c, n.in, add, sum);
        }
    }
}

// column c of the sums is row c of dW; a thread has four columns, or one where it has many sums
template <int OUT> struct slt_narrow_term {
    slt_narrow n;
    enum { SUMS = OUT, WIDTH = OUT > 8 ? 1 : 4 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        const float *dp = slt_at(n.y) + (int64_t)r * n.out, *row = slt_at(n.x) + (int64_t)r * n.in;
#pragma unroll
        for (int o = 0; o < OUT; o++) {
            float d = o < n.out ? dp[o] : 0;
            if constexpr (WIDTH == 4)
                slt_add4(sum + 4 * o, d, slt_load4(row, c, n.in));
            else
                sum[o] += d * row[c];
        }
    }
};

// ---- launches: for up to 8 numbers, or 16

// two rows for each warp, more where the device is full of them
static inline int slt_narrow_each(const slt_cuda_args *args, int rows) {
    bool many = (int64_t)rows * args->members > 32768;
    return many ? SLT_NARROW_ROWS : 2 * SLT_NARROW_WARPS;
}

static inline void slt_launch_narrow(const slt_cuda_args *args, slt_narrow n) {
    size_t bytes = (size_t)n.in * (size_t)n.out * sizeof(float);
    n.each = slt_narrow_each(args, n.rows);
    dim3 grid = slt_grid(args, n.rows, n.each);
    int threads = SLT_NARROW_WARPS * SLT_WARP;
    if (n.out <= 8)
        SLT_LAUNCH(args, slt_narrow_forward<8>, grid, threads, bytes, n);
    else
        SLT_LAUNCH(args, slt_narrow_forward<SLT_NARROW>, grid, threads, bytes, n);
}

static inline void slt_launch_narrow_input(const slt_cuda_args *args, slt_narrow n, bool add) {
    n.each = slt_narrow_each(args, n.rows);
    dim3 grid = slt_grid(args, n.rows, n.each);
    int threads = SLT_NARROW_WARPS * SLT_WARP;
    if (n.out <= 8)
        SLT_LAUNCH(args, slt_narrow_input<8>, grid, threads, 0, n, add);
    else
        SLT_LAUNCH(args, slt_narrow_input<SLT_NARROW>, grid, threads, 0, n, add);
}

static inline void slt_launch_narrow_weights(const slt_cuda_args *args, slt_narrow n,
                                             slt_sums sums) {
    slt_narrow_term<8> few = {n};
    slt_narrow_term<SLT_NARROW> more = {n};
    if (n.out <= 8)
        slt_launch_sums(args, few, sums);
    else
        slt_launch_sums(args, more, sums);
}

#endif
