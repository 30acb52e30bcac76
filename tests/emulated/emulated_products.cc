// Products of the emulated device, for a compiler that optimises: in memory, and by tensor cores.
//
// The tensor core: c (16,8) += a (16,K)·b (K,8) by a warp, laid out as tensor_core.cuh
// says. Every lane puts its factors and sums into whole matrices; the last one multiplies them, for
// all. Sums are added step by step in float. What a warp does between two of its barriers is over
// before another warp runs, so that one set of matrices serves all of them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include "emulated_grid.h"
#include "emulated_products.h"

enum { LANES = 32, ROWS = 16, COLUMNS = 8, MOST_STEPS = 16 };

typedef float eight __attribute__((vector_size(4 * COLUMNS)));
typedef uint32_t eight_words __attribute__((vector_size(4 * COLUMNS)));
static float left[ROWS][MOST_STEPS];
static eight right[MOST_STEPS], sums[ROWS];

extern "C" {
bool emulated_exact = false; // all bits, for tests of everything but the rounding
}

// ---- rounding: tf32 has 10 bits behind the point, bf16 has 7

// infinities and what is no number stay as they are
static inline bool is_finite(uint32_t bits) { return (bits & 0x7f800000u) != 0x7f800000u; }

float slt_tf32(float x) {
    uint32_t bits = __float_as_uint(x);
    return emulated_exact || !is_finite(bits) ? x : __uint_as_float((bits + 0x1000) & ~0x1fffu);
}
// the same for eight numbers
static inline void round_eight(void *numbers) {
    eight_words x, exponents;
    memcpy(&x, numbers, sizeof x);
    exponents = x & 0x7f800000u;
    x = exponents != 0x7f800000u ? (x + 0x1000u) & ~0x1fffu : x;
    memcpy(numbers, &x, sizeof x);
}

uint32_t slt_bf16_bits(float x) {
    uint32_t bits = __float_as_uint(x);
    return is_finite(bits) ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : bits >> 16;
}
float slt_bf16_number(uint32_t half) { return __uint_as_float(half << 16); }
uint32_t slt_pair(float first, float second) {
    return slt_bf16_bits(first) | slt_bf16_bits(second) << 16;
}

// ---- a product

template <int STEPS> static void multiply(void) {
    for (int r = 0; r < ROWS; r++) {
        eight sum = sums[r];
        for (int k = 0; k < STEPS; k++) sum += left[r][k] * right[k];
        sums[r] = sum;
    }
}

static int lane_of_warp(void) {
    if (blockDim.x % LANES || blockDim.y > 1 || blockDim.z > 1) {
        fprintf(stderr, "emulated grid: a product by a block that is not made of whole warps\n");
        abort();
    }
    return (int)threadIdx.x % LANES;
}

// the lane's four sums: two neighbours in two rows
static void put_sums(const float *c, int g, int t) {
    for (int i = 0; i < 4; i++) sums[g + i / 2 * 8][2 * t + i % 2] = c[i];
}
static void get_sums(float *c, int g, int t) {
    for (int i = 0; i < 4; i++) c[i] = sums[g + i / 2 * 8][2 * t + i % 2];
}

void slt_mma(float *c, const float *a, const float *b) {
    int lane = lane_of_warp(), g = lane / 4, t = lane % 4;
    for (int i = 0; i < 4; i++) left[g + i % 2 * 8][t + i / 2 * 4] = a[i];
    for (int i = 0; i < 2; i++) right[t + i * 4][g] = b[i];
    put_sums(c, g, t);
    if (lane == LANES - 1) {
        for (int r = 0; r < ROWS && !emulated_exact; r++) round_eight(left[r]);
        for (int k = 0; k < 8 && !emulated_exact; k++) round_eight(&right[k]);
        multiply<8>();
    }
    slt_emulated_barrier(false);
    get_sums(c, g, t);
}

void slt_mma_pairs(float *c, const uint32_t *a, const uint32_t *b) {
    int lane = lane_of_warp(), g = lane / 4, t = lane % 4;
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 4; i++)
            left[g + i % 2 * 8][2 * t + half + i / 2 * 8] =
                slt_bf16_number(a[i] >> 16 * half & 0xffff);
        for (int i = 0; i < 2; i++)
            right[2 * t + half + i * 8][g] = slt_bf16_number(b[i] >> 16 * half & 0xffff);
    }
    put_sums(c, g, t);
    if (lane == LANES - 1) multiply<16>();
    slt_emulated_barrier(false);
    get_sums(c, g, t);
}

// ---- a product in memory

static double number_at(const slt_emulated_matrix &x, int i, int j) {
    long long at = x.first + i * x.across + j * x.along;
    return x.floats ? ((const float *)x.at)[at] : slt_bf16_number(((const uint16_t *)x.at)[at]);
}
static void put_number(const slt_emulated_matrix &x, int i, int j, float number) {
    long long at = x.first + i * x.across + j * x.along;
    if (x.floats)
        ((float *)x.at)[at] = number;
    else
        ((uint16_t *)x.at)[at] = (uint16_t)slt_bf16_bits(number);
}

void slt_emulated_product(int m, int n, int k, float scale, slt_emulated_matrix a,
                          slt_emulated_matrix b, float beta, slt_emulated_matrix c) {
    // [k][m], so that a step of k is a loop of vectors
    std::vector<double> left((size_t)m * (size_t)k), sum((size_t)m);
    for (int p = 0; p < k; p++)
        for (int i = 0; i < m; i++) left[(size_t)p * (size_t)m + (size_t)i] = number_at(a, i, p);
    for (int j = 0; j < n; j++) {
        double *to = sum.data();
        for (int i = 0; i < m; i++) to[i] = 0;
        for (int p = 0; p < k; p++) {
            const double *from = left.data() + (size_t)p * (size_t)m, by = number_at(b, j, p);
            for (int i = 0; i < m; i++) to[i] += from[i] * by;
        }
        for (int i = 0; i < m; i++) {
            float before = beta != 0 ? beta * (float)number_at(c, i, j) : 0;
            put_number(c, i, j, before + scale * (float)to[i]);
        }
    }
}
