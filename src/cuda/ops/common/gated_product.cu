// dx = dy·Wᵀ where the gate is positive, zero elsewhere, in one launch: the gradient of a ReLU's
// input. Tensor cores, tf32. A block has BM rows and BN columns of the result, a warp 16·MT rows
// and 32 columns of them. Both factors come through shared memory in stages of 32 numbers of k, the
// gate after them in the same way, 64 columns a stage; some stages are on their way at any time,
// weights before the previous kernel has ended, for nobody but Adam writes them. Rows in shared
// memory are as far apart as no two lanes need the same bank for.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/large_block.cuh"
#include "cuda/kernels/tensor_core.cuh"

enum { STEP = 32, STAGES = 3, AHEAD = STAGES - 1, STRIDE = STEP + 4, COLUMNS = 32 };
enum { GATES = 64, GATE_STRIDE = GATES + 8 }; // columns of the gate in a stage

template <int MT, int WN> struct tile {
    enum {
        BM = 32 * MT,
        BN = COLUMNS * WN,
        THREADS = 2 * WN * SLT_WARP,
        SIZE = (BM + BN) * STRIDE,
        BYTES = STAGES * SIZE * 4
    };
    static_assert(BM * GATE_STRIDE <= SIZE, "a stage has room for the gate");
    float *memory;   // shared
    int row, column; // the first of the block
    int warp, lane;  // of the block, of the warp
    float sum[MT][4][4];
};

// COUNT rows of NUMBERS numbers, APART from each other in shared memory, from row `first` on; rows
// that the matrix does not have are the last one again
template <int COUNT, int NUMBERS, int APART, int THREADS>
SLT_DEVICE_INLINE void load_rows(float *to, const float *from, int first, int rows, int width) {
#pragma unroll
    for (int i = (int)threadIdx.x; i < COUNT * NUMBERS / 4; i += THREADS) {
        int r = i / (NUMBERS / 4), c = i % (NUMBERS / 4) * 4, row = slt_least(first + r, rows - 1);
        slt_copy_fours(to + r * APART + c, from + (int64_t)row * width + c);
    }
}
template <int MT, int WN>
SLT_DEVICE_INLINE void load_weights(const tile<MT, WN> &t, const slt_gated &p, int step) {
    typedef tile<MT, WN> T;
    load_rows<T::BN, STEP, STRIDE, T::THREADS>(t.memory + step % STAGES * T::SIZE + T::BM * STRIDE,
                                               slt_at(p.w) + step * STEP, t.column, p.n, p.k);
}
template <int MT, int WN>
SLT_DEVICE_INLINE void load_left(const tile<MT, WN> &t, const slt_gated &p, int step) {
    typedef tile<MT, WN> T;
    load_rows<T::BM, STEP, STRIDE, T::THREADS>(t.memory + step % STAGES * T::SIZE,
                                               slt_at(p.dy) + step * STEP, t.row, p.rows, p.k);
}
template <int MT, int WN>
SLT_DEVICE_INLINE void load_gates(const tile<MT, WN> &t, const slt_gated &p, int steps, int part) {
    typedef tile<MT, WN> T;
    load_rows<T::BM, GATES, GATE_STRIDE, T::THREADS>(t.memory + (steps + part) % STAGES * T::SIZE,
                                                     slt_at(p.gate) + t.column + part * GATES,
                                                     t.row, p.rows, p.n);
}

template <int MT, int WN> SLT_DEVICE_INLINE void add_step(tile<MT, WN> &t, int step) {
    int g = t.lane / 4, k = t.lane % 4, stage = step % STAGES;
    typedef tile<MT, WN> T;
    const float *memory = t.memory + stage * T::SIZE;
    const float *a = memory + (t.warp % 2 * 16 * MT + g) * STRIDE + k;
    const float *b = memory + (T::BM + t.warp / 2 * COLUMNS + g) * STRIDE + k;
#pragma unroll
    for (int at = 0; at < STEP; at += 8) {
        float left[MT][4], right[4][2];
#pragma unroll
        for (int m = 0; m < MT; m++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                left[m][i] = slt_rounded(a[(16 * m + i % 2 * 8) * STRIDE + at + i / 2 * 4]);
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int i = 0; i < 2; i++) right[j][i] = slt_rounded(b[8 * j * STRIDE + at + 4 * i]);
#pragma unroll
        for (int m = 0; m < MT; m++)
#pragma unroll
            for (int j = 0; j < 4; j++) slt_mma(t.sum[m][j], left[m], right[j]);
    }
}

// stages one after the other: those of k, then the gate's
template <int MT, int WN> SLT_DEVICE_INLINE void add_steps(tile<MT, WN> &t, const slt_gated &p) {
    int steps = p.k / STEP, parts = tile<MT, WN>::BN / GATES;
    for (int s = 0; s < AHEAD && s < steps; s++) load_weights(t, p, s);
    slt_wait_for_last();
    for (int s = -AHEAD; s < steps; s++) {
        int next = s + AHEAD;
        if (s >= 0) slt_copy_wait<AHEAD - 1>();
        if (s >= 0) __syncthreads();
        if (s >= 0 && next < steps) load_weights(t, p, next);
        if (next < steps)
            load_left(t, p, next);
        else if (next < steps + parts)
            load_gates(t, p, steps, next - steps);
        slt_copy_group();
        if (s >= 0) add_step(t, s);
    }
    slt_copy_wait<0>();
    __syncthreads();
}

// a lane has pairs of numbers
template <int MT, int WN>
SLT_DEVICE_INLINE void put_sums(const tile<MT, WN> &t, const slt_gated &p) {
    typedef tile<MT, WN> T;
    int steps = p.k / STEP, g = t.lane / 4;
    int column = t.warp / 2 * COLUMNS + t.lane % 4 * 2, first = t.warp % 2 * 16 * MT + g;
    const float *gate = t.memory + (steps + column / GATES) % STAGES * T::SIZE + column % GATES;
    float *dx = slt_at(p.dx) + t.column + column;
#pragma unroll
    for (int i = 0; i < MT * 4 * 2; i++) {
        int m = i / 8, j = i / 2 % 4, half = i % 2, r = first + 16 * m + 8 * half;
        float2 open = *(const float2 *)(gate + r * GATE_STRIDE + 8 * j);
        float2 both = {open.x > 0 ? t.sum[m][j][2 * half] : 0,
                       open.y > 0 ? t.sum[m][j][2 * half + 1] : 0};
        if (t.row + r < p.rows) *(float2 *)(dx + (int64_t)(t.row + r) * p.n + 8 * j) = both;
    }
}

template <int MT, int WN>
SLT_KERNEL __launch_bounds__(2 * WN * SLT_WARP)
    multiply(const __grid_constant__ slt_cuda_args a, const __grid_constant__ slt_gated p) {
    typedef tile<MT, WN> T;
    SLT_DYNAMIC_SHARED(memory);
    T t = {memory,
           (int)blockIdx.x * T::BM,
           (int)blockIdx.y * T::BN,
           (int)threadIdx.x / SLT_WARP,
           (int)threadIdx.x % SLT_WARP,
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
    (rows >= MORE && p->n % 128 == 0 ? launch<4, 4> : launch<1, 2>)(args, p);
    return true;
}
