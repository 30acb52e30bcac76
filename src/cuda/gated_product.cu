// dx = dy·Wᵀ where the gate is positive, zero elsewhere, in one launch: the gradient of a ReLU's
// input. Tensor cores, tf32. A block has BM rows and BN columns of the result, a warp 16·MT rows
// and 32 columns of them. Both factors come through shared memory in stages of 32 numbers of k,
// some on their way at any time; weights before the kernel in front has ended, for nobody but Adam
// writes them. Rows in shared memory are as far apart as no two lanes need the same bank for.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/large_block.cuh"
#include "cuda/tensor_core.cuh"

enum { STEP = 32, STAGES = 4, AHEAD = STAGES - 1, STRIDE = STEP + 4, COLUMNS = 32 };

template <int MT, int WN> struct tile {
    enum {
        BM = 32 * MT,
        BN = COLUMNS * WN,
        THREADS = 2 * WN * SLT_WARP,
        A_SIZE = BM * STRIDE,
        B_SIZE = BN * STRIDE,
        BYTES = STAGES * (A_SIZE + B_SIZE) * 4
    };
    float *a, *b;    // of shared memory
    int row, column; // the first of the block
    int warp, lane;  // of the block, of the warp
    float sum[MT][4][4];
    float2 gate[MT * 4 * 2];
};

// rows [first, first + COUNT) of a matrix with rows of k numbers; rows that it does not have are
// the last one again
template <int COUNT, int THREADS>
SLT_DEVICE_INLINE void load_rows(float *to, const float *from, int first, int rows, int k,
                                 int step) {
#pragma unroll
    for (int i = (int)threadIdx.x; i < COUNT * STEP / 4; i += THREADS) {
        int r = i / (STEP / 4), c = i % (STEP / 4) * 4, row = slt_least(first + r, rows - 1);
        slt_copy_fours(to + r * STRIDE + c, from + (int64_t)row * k + step * STEP + c);
    }
}
template <int MT, int WN>
SLT_DEVICE_INLINE void load_left(const tile<MT, WN> &t, const slt_gated &p, int step) {
    typedef tile<MT, WN> T;
    load_rows<T::BM, T::THREADS>(t.a + step % STAGES * T::A_SIZE, slt_at(p.dy), t.row, p.rows, p.k,
                                 step);
}
template <int MT, int WN>
SLT_DEVICE_INLINE void load_weights(const tile<MT, WN> &t, const slt_gated &p, int step) {
    typedef tile<MT, WN> T;
    load_rows<T::BN, T::THREADS>(t.b + step % STAGES * T::B_SIZE, slt_at(p.w), t.column, p.n, p.k,
                                 step);
}

template <int MT, int WN> SLT_DEVICE_INLINE void add_step(tile<MT, WN> &t, int step) {
    int g = t.lane / 4, k = t.lane % 4, stage = step % STAGES;
    const float *a = t.a + stage * tile<MT, WN>::A_SIZE + (t.warp % 2 * 16 * MT + g) * STRIDE + k;
    const float *b = t.b + stage * tile<MT, WN>::B_SIZE + (t.warp / 2 * COLUMNS + g) * STRIDE + k;
#pragma unroll
    for (int at = 0; at < STEP; at += 8) {
        float left[MT][4], right[4][2];
#pragma unroll
        for (int m = 0; m < MT; m++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                left[m][i] = slt_tf32(a[(16 * m + i % 2 * 8) * STRIDE + at + i / 2 * 4]);
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int i = 0; i < 2; i++) right[j][i] = slt_tf32(b[8 * j * STRIDE + at + 4 * i]);
#pragma unroll
        for (int m = 0; m < MT; m++)
#pragma unroll
            for (int j = 0; j < 4; j++) slt_mma(t.sum[m][j], left[m], right[j]);
    }
}

// a lane has pairs of numbers: where pair i is in the result; false: there is no such row
template <int MT, int WN>
SLT_DEVICE_INLINE bool pair_place(const tile<MT, WN> &t, const slt_gated &p, int i, int64_t *at) {
    int m = i / 8, j = i / 2 % 4, half = i % 2, g = t.lane / 4;
    int r = t.row + t.warp % 2 * 16 * MT + 16 * m + 8 * half + g;
    *at = (int64_t)r * p.n + t.column + t.warp / 2 * COLUMNS + t.lane % 4 * 2 + 8 * j;
    return r < p.rows;
}

// all at once, and early: one by one between the stores each would wait for its way
template <int MT, int WN> SLT_DEVICE_INLINE void load_gates(tile<MT, WN> &t, const slt_gated &p) {
    const float *gate = slt_at(p.gate);
    float2 shut = {0, 0};
#pragma unroll
    for (int i = 0; i < MT * 4 * 2; i++) {
        int64_t at;
        bool there = pair_place(t, p, i, &at);
        t.gate[i] = there ? *(const float2 *)(gate + at) : shut;
    }
}

template <int MT, int WN> SLT_DEVICE_INLINE void add_steps(tile<MT, WN> &t, const slt_gated &p) {
    int steps = p.k / STEP;
    for (int s = 0; s < AHEAD && s < steps; s++) load_weights(t, p, s);
    slt_wait_for_last();
    for (int s = 0; s < AHEAD; s++) {
        if (s < steps) load_left(t, p, s);
        slt_copy_group();
    }
    load_gates(t, p);
    for (int s = 0; s < steps; s++) {
        slt_copy_wait<AHEAD - 1>();
        __syncthreads();
        if (s + AHEAD < steps) {
            load_weights(t, p, s + AHEAD);
            load_left(t, p, s + AHEAD);
        }
        slt_copy_group();
        add_step(t, s);
    }
}

template <int MT, int WN>
SLT_DEVICE_INLINE void put_sums(const tile<MT, WN> &t, const slt_gated &p) {
    float *dx = slt_at(p.dx);
#pragma unroll
    for (int i = 0; i < MT * 4 * 2; i++) {
        int m = i / 8, j = i / 2 % 4, half = i % 2;
        int64_t at;
        if (!pair_place(t, p, i, &at)) continue;
        float2 both = {t.gate[i].x > 0 ? t.sum[m][j][2 * half] : 0,
                       t.gate[i].y > 0 ? t.sum[m][j][2 * half + 1] : 0};
        *(float2 *)(dx + at) = both;
    }
}

template <int MT, int WN>
SLT_KERNEL __launch_bounds__(2 * WN * SLT_WARP)
    multiply(const __grid_constant__ slt_cuda_args a, const __grid_constant__ slt_gated p) {
    typedef tile<MT, WN> T;
    SLT_DYNAMIC_SHARED(memory);
    T t = {memory,
           memory + STAGES * T::A_SIZE,
           (int)blockIdx.x * T::BM,
           (int)blockIdx.y * T::BN,
           (int)threadIdx.x / SLT_WARP,
           (int)threadIdx.x % SLT_WARP,
           {},
           {}};
    add_steps(t, p);
    slt_let_next();
    put_sums(t, p);
}

template <int MT, int WN> static void launch(const slt_cuda_args *args, const slt_gated *p) {
    typedef tile<MT, WN> T;
    dim3 grid((unsigned)slt_pieces(p->rows, T::BM), (unsigned)slt_pieces(p->n, T::BN),
              (unsigned)args->members);
    SLT_LAUNCH_LARGE(args, (multiply<MT, WN>), grid, T::THREADS, T::BYTES, *p);
}

// rows of all members: small tiles below MORE, so that they reach all of the device; above MOST a
// library's product and a kernel for the gate are as fast
#ifdef SLT_EMULATED
enum { MORE = 100, MOST = 1 << 20 };
#else
enum { MORE = 4096, MOST = 16384 };
#endif

bool slt_cuda_gated_gradient(const slt_cuda_args *args, const slt_gated *p) {
    int64_t rows = (int64_t)p->rows * args->members;
    if (!slt_cuda_is_tf32(args->cuda) || p->n % 64 != 0 || p->k % STEP != 0 || rows > MOST)
        return false;
    (rows >= MORE && p->n % 128 == 0 ? launch<2, 4> : launch<1, 2>)(args, p);
    return true;
}
