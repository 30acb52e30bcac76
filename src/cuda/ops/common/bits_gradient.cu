// dW = bitsᵀ·dy on tensor cores, tf32, for very many rows: bits are the marks of dense_bits.cu, 32
// rows a word, and become zeros and ones in the registers of the lane that needs them. A block has
// 128 rows of W and 128 columns; dy comes through shared memory, 32 rows at a time.
//
// The order of columns is free: lane (g, t) reads four of them at once, 32q + 4g .. + 3, one for
// each of four products, and ends with eight next to each other, 32q + 8t .. + 7.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/large_block.cuh"
#include "cuda/kernels/tensor_core.cuh"

enum { WORD = 32, NUMBERS = 128, COLUMNS = 128, STRIDE = COLUMNS + 8, SIZE = WORD * STRIDE };
enum { STAGES = 4, AHEAD = STAGES - 1, WARPS = 8, THREADS = WARPS * SLT_WARP };
enum { TALL = 2, FOURS = 2, WIDE = 4 * FOURS }; // sixteens of numbers, fours and eights of columns

// what a warp adds up: 32 numbers, 64 columns
typedef struct {
    float sum[TALL][WIDE][4];
    uint32_t next[TALL][2];   // words of numbers g and g+8, on their way
    int g, t, number, column; // of the lane; the warp's first
} adder;

// rows of a word, eight at a time; those that are not there are the last one again, and nobody has
// marked them
SLT_DEVICE_INLINE void bring_word(float *memory, const slt_bits_gradient &p, int word, int words) {
    int r = (int)threadIdx.x / (COLUMNS / 4), c = (int)threadIdx.x % (COLUMNS / 4) * 4;
    const float *dy = slt_at(p.dy) + (int64_t)blockIdx.y * COLUMNS + c;
    float *to = memory + word % STAGES * SIZE + r * STRIDE + c;
#pragma unroll
    for (int i = 0; i < WORD; i += THREADS / (COLUMNS / 4)) {
        int row = slt_least(word * WORD + r + i, p.rows - 1);
        if (word < words) slt_copy_fours(to + i * STRIDE, dy + (int64_t)row * p.width);
    }
    slt_copy_group();
}

SLT_DEVICE_INLINE void ask_marks(adder &own, const slt_bits_gradient &p, int word, int words) {
    const uint32_t *marks = (const uint32_t *)slt_at(p.marks) + (int64_t)word * p.numbers;
#pragma unroll
    for (int i = 0; i < TALL * 2; i++) {
        int number = own.number + i / 2 * 16 + i % 2 * 8 + own.g;
        own.next[i / 2][i % 2] = word < words && number < p.numbers ? marks[number] : 0;
    }
}

SLT_DEVICE_INLINE float bit_of(uint32_t word, int i) { return word >> i & 1 ? 1.0f : 0.0f; }

// rows t and t+4 of eight, the lane's columns: the right factors of eight products
SLT_DEVICE_INLINE void load_right(float (*right)[2], const float *row) {
#pragma unroll
    for (int i = 0; i < 2 * FOURS; i++) {
        int q = i / 2, half = i % 2;
        float4 x = *(const float4 *)(row + half * 4 * STRIDE + 32 * q);
        right[4 * q][half] = slt_rounded(x.x), right[4 * q + 1][half] = slt_rounded(x.y);
        right[4 * q + 2][half] = slt_rounded(x.z), right[4 * q + 3][half] = slt_rounded(x.w);
    }
}

SLT_DEVICE_INLINE void add_word(adder &own, const uint32_t (*marks)[2], const float *rows) {
    rows += own.t * STRIDE + own.column + 4 * own.g;
#pragma unroll
    for (int k = 0; k < WORD; k += 8) {
        float right[WIDE][2];
        load_right(right, rows + k * STRIDE);
#pragma unroll
        for (int m = 0; m < TALL; m++) {
            float left[4] = {bit_of(marks[m][0], k), bit_of(marks[m][1], k),
                             bit_of(marks[m][0], k + 4), bit_of(marks[m][1], k + 4)};
#pragma unroll
            for (int j = 0; j < WIDE; j++) slt_mma(own.sum[m][j], left, right[j]);
        }
    }
}

SLT_DEVICE_INLINE void put_sums(const adder &own, const slt_bits_gradient &p) {
    int column = (int)blockIdx.y * COLUMNS + own.column + 8 * own.t;
#pragma unroll
    for (int i = 0; i < TALL * 2 * FOURS * 2; i++) {
        int m = i / 8, half = i / 4 % 2, q = i / 2 % 2, odd = i % 2, at = 2 * half + odd;
        int number = own.number + 16 * m + 8 * half + own.g;
        float4 x = slt_four(own.sum[m][4 * q][at], own.sum[m][4 * q + 1][at],
                            own.sum[m][4 * q + 2][at], own.sum[m][4 * q + 3][at]);
        if (number < p.numbers)
            slt_store4(slt_at(p.dw) + (int64_t)number * p.width, column + 32 * q + 4 * odd, p.width,
                       p.add, x);
    }
}

SLT_KERNEL __launch_bounds__(THREADS, 2)
    multiply(const __grid_constant__ slt_cuda_args a, const __grid_constant__ slt_bits_gradient p) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)threadIdx.x / SLT_WARP;
    int words = (p.rows + WORD - 1) / WORD;
    adder own = {};
    own.g = lane / 4, own.t = lane % 4;
    own.number = (int)blockIdx.x * NUMBERS + warp / 2 * 16 * TALL;
    own.column = warp % 2 * 32 * FOURS;
    for (int i = 0; i < AHEAD; i++) bring_word(memory, p, i, words);
    ask_marks(own, p, 0, words);
    for (int word = 0; word < words; word++) {
        uint32_t marks[TALL][2];
#pragma unroll
        for (int i = 0; i < TALL * 2; i++) marks[i / 2][i % 2] = own.next[i / 2][i % 2] >> own.t;
        ask_marks(own, p, word + 1, words);
        slt_copy_wait<AHEAD - 1>();
        __syncthreads();
        bring_word(memory, p, word + AHEAD, words);
        add_word(own, marks, memory + word % STAGES * SIZE);
    }
    put_sums(own, p);
}

bool slt_cuda_bits_gradient(const slt_cuda_args *args, const slt_bits_gradient *p) {
    if (!slt_cuda_is_tf32(args->cuda) || p->width % COLUMNS != 0 ||
        (int64_t)p->rows * args->members <= SLT_BITS_FEW)
        return false;
    dim3 grid((unsigned)slt_pieces(p->numbers, NUMBERS), (unsigned)(p->width / COLUMNS),
              (unsigned)args->members);
    SLT_LAUNCH_LARGE(args, multiply, grid, THREADS, STAGES * SIZE * sizeof(float), *p);
    return true;
}
