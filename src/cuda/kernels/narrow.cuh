// Products with a narrow result (a few actions wide), where a library would waste its tiles:
// a warp per row forward and for dx, with W in registers, or in shared memory where rows are long;
// dW is a sum over rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_NARROW_CUH
#define SLT_CUDA_NARROW_CUH

#include "cuda/kernels/activation.cuh"
#include "cuda/kernels/bf16_rows.cuh"
#include "cuda/kernels/column_sums.cuh"
#include "ops/common/op_inputs.h"

enum {
    SLT_NARROW = SLT_NARROW_OUT,
    SLT_NARROW_WARPS = 4,
    SLT_NARROW_ROWS = 128
};                                                    // rows of a block, at most
enum { SLT_NARROW_PAIR = 2, SLT_NARROW_COLUMNS = 4 }; // rows, columns of a lane

typedef struct {
    slt_cuda_view x, w, c, y; // (rows,in) (in,out) (1,out) (rows,out)
    int rows, in, out, activation;
    int each;   // rows of a block
    bool early; // nobody but Adam writes w and c
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
#pragma unroll 4
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

// ---- rows of 128 numbers at most: weights are in registers, two rows of a warp on their way

// of rows r and r + 4: a lane's columns, 32 apart
typedef struct {
    float x[SLT_NARROW_PAIR][SLT_NARROW_COLUMNS];
} slt_narrow_pair;

SLT_DEVICE_INLINE slt_narrow_pair slt_narrow_load(const slt_narrow &n, int r, int end) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    slt_narrow_pair pair;
#pragma unroll
    for (int k = 0; k < SLT_NARROW_PAIR * SLT_NARROW_COLUMNS; k++) {
        int row = r + k / SLT_NARROW_COLUMNS * SLT_NARROW_WARPS;
        int i = lane + k % SLT_NARROW_COLUMNS * SLT_WARP;
        pair.x[k / SLT_NARROW_COLUMNS][k % SLT_NARROW_COLUMNS] =
            row < end && i < n.in ? slt_at(n.x)[(int64_t)row * n.in + i] : 0;
    }
    return pair;
}

// weights come before the previous kernel has ended, where they may
template <int OUT>
static __global__ void slt_narrow_short(const slt_cuda_args a, const slt_narrow n) {
    if (!n.early) slt_wait_for_last();
    const float *w = slt_at(n.w), *c = slt_at(n.c);
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)(threadIdx.x / SLT_WARP);
    int place = slt_narrow_place<OUT>(lane);
    int first = (int)blockIdx.x * n.each, end = slt_least(first + n.each, n.rows);
    float own[SLT_NARROW_COLUMNS][OUT], bias = c && place < n.out ? c[place] : 0;
#pragma unroll
    for (int k = 0; k < SLT_NARROW_COLUMNS * OUT; k++) {
        int i = lane + k / OUT * SLT_WARP, o = k % OUT;
        own[k / OUT][o] = i < n.in && o < n.out ? w[i * n.out + o] : 0;
    }
    slt_begin();
    slt_narrow_pair next = slt_narrow_load(n, first + warp, end);
    for (int r = first + warp; r < end; r += SLT_NARROW_PAIR * SLT_NARROW_WARPS) {
        slt_narrow_pair now = next;
        next = slt_narrow_load(n, r + SLT_NARROW_PAIR * SLT_NARROW_WARPS, end);
#pragma unroll
        for (int k = 0; k < SLT_NARROW_PAIR; k++) {
            int row = r + k * SLT_NARROW_WARPS;
            float sum[OUT] = {0};
#pragma unroll
            for (int j = 0; j < SLT_NARROW_COLUMNS * OUT; j++)
                sum[j % OUT] += now.x[k][j / OUT] * own[j / OUT][j % OUT];
            float mine = slt_narrow_sums<OUT>(sum);
            if (lane < OUT && place < n.out && row < end)
                slt_at(n.y)[(int64_t)row * n.out + place] =
                    slt_activated(c ? mine + bias : mine, n.activation);
        }
    }
}

// dp of rows r and r + 4
template <int OUT> struct slt_narrow_dp { float d[SLT_NARROW_PAIR][OUT]; };
template <int OUT>
SLT_DEVICE_INLINE slt_narrow_dp<OUT> slt_narrow_load_dp(const slt_narrow &n, int r, int end) {
    slt_narrow_dp<OUT> dp;
#pragma unroll
    for (int k = 0; k < SLT_NARROW_PAIR * OUT; k++) {
        int row = r + k / OUT * SLT_NARROW_WARPS;
        dp.d[k / OUT][k % OUT] =
            row < end && k % OUT < n.out ? slt_at(n.y)[(int64_t)row * n.out + k % OUT] : 0;
    }
    return dp;
}

// dx (+)= dp·Wᵀ; y stands for dp, x for dx. A lane owns four columns; two rows are on their way
template <int OUT>
static __global__ void slt_narrow_input(const slt_cuda_args a, const slt_narrow n, bool add) {
    const float *w = slt_at(n.w);
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)(threadIdx.x / SLT_WARP);
    int first = (int)blockIdx.x * n.each, end = slt_least(first + n.each, n.rows);
    for (int c = 4 * lane; c < n.in; c += 4 * SLT_WARP) {
        float own[4][OUT];
#pragma unroll
        for (int o = 0; o < OUT; o++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                own[j][o] = o < n.out && c + j < n.in ? w[(c + j) * n.out + o] : 0;
        slt_begin(); // weights were there before
        slt_narrow_dp<OUT> next = slt_narrow_load_dp<OUT>(n, first + warp, end);
        for (int r = first + warp; r < end; r += SLT_NARROW_PAIR * SLT_NARROW_WARPS) {
            slt_narrow_dp<OUT> now = next;
            next = slt_narrow_load_dp<OUT>(n, r + SLT_NARROW_PAIR * SLT_NARROW_WARPS, end);
#pragma unroll
            for (int k = 0; k < SLT_NARROW_PAIR; k++) {
                int row = r + k * SLT_NARROW_WARPS;
                float4 sum = {0, 0, 0, 0};
#pragma unroll
                for (int o = 0; o < OUT; o++) {
                    sum.x += now.d[k][o] * own[0][o];
                    sum.y += now.d[k][o] * own[1][o];
                    sum.z += now.d[k][o] * own[2][o];
                    sum.w += now.d[k][o] * own[3][o];
                }
                if (row < end) slt_store4(slt_at(n.x) + (int64_t)row * n.in, c, n.in, add, sum);
            }
        }
    }
}

// four numbers of a row, with a one after its end
template <class T> SLT_DEVICE_INLINE float4 slt_narrow_row(const T *row, int c, int in) {
    float4 x = slt_load4(row, c, in);
    if (c == in) x.x = 1;
    if (c + 1 == in) x.y = 1;
    if (c + 2 == in) x.z = 1;
    if (c + 3 == in) x.w = 1;
    return x;
}

// column c of the sums is row c of dW, the next one them the bias's gradient; a thread has four
// columns, or one where it has many sums
template <int OUT, class T> struct slt_narrow_term {
    slt_narrow n;
    enum { SUMS = OUT, WIDTH = OUT > 8 ? 1 : 4 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        const float *dp = slt_at(n.y) + (int64_t)r * n.out;
        const T *row = slt_rows_at<T>(n.x) + (int64_t)r * n.in;
        float4 four = WIDTH == 4 ? slt_narrow_row(row, c, n.in)
                                 : slt_four(c < n.in ? slt_get(row + c) : 1, 0, 0, 0);
#pragma unroll
        for (int o = 0; o < OUT; o++) {
            float d = o < n.out ? dp[o] : 0;
            if constexpr (WIDTH == 4)
                slt_add4(sum + 4 * o, d, four);
            else
                sum[o] += d * four.x;
        }
    }
};

// ---- launches: for up to 8 numbers, or 16

#ifdef SLT_EMULATED
enum { SLT_NARROW_MANY = 64 };
#else
enum { SLT_NARROW_MANY = 32768 }; // rows of all members
#endif

// two rows for each warp, more where the device is full of them
static inline int slt_narrow_each(const slt_cuda_args *args, int rows) {
    bool many = (int64_t)rows * args->members > SLT_NARROW_MANY;
    return many ? SLT_NARROW_ROWS : 2 * SLT_NARROW_WARPS;
}

static inline void slt_launch_narrow(const slt_cuda_args *args, slt_narrow n) {
    size_t bytes = (size_t)n.in * (size_t)n.out * sizeof(float);
    bool rows = n.in <= SLT_NARROW_COLUMNS * SLT_WARP, few = n.out <= 8;
    n.each =
        rows ? slt_narrow_each(args, n.rows) : 4 * SLT_NARROW_WARPS; // long ones wait for memory
    dim3 grid = slt_grid(args, n.rows, n.each);
    int threads = SLT_NARROW_WARPS * SLT_WARP;
    if (rows && few)
        SLT_LAUNCH(args, slt_narrow_short<8>, grid, threads, 0, n);
    else if (rows)
        SLT_LAUNCH(args, slt_narrow_short<SLT_NARROW>, grid, threads, 0, n);
    else if (few)
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

// T: numbers of x
template <class T>
static inline void slt_launch_narrow_weights(const slt_cuda_args *args, slt_narrow n,
                                             slt_column_sums sums) {
    slt_narrow_term<8, T> few = {n};
    slt_narrow_term<SLT_NARROW, T> more = {n};
    if (n.out <= 8)
        slt_launch_sums(args, few, sums);
    else
        slt_launch_sums(args, more, sums);
}

#endif
