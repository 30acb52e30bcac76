// Matrix products against each other: every kernel that this processor runs on the products of a
// dense layer, x (rows,in) · W (in,out) and its gradients, cut as the ops cut them: W is laid out
// once, a gradient of W is cut along its longer side or in halves. Prints GFLOP/s
// of one core: for each call the best of many, in processor time, so that others on the machine
// count little. Kernels of bf16 come after those of fp32. How to run it: docs/dev/speed.md.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "engine/gemm_kernel.h"
#include "engine/peak.h"

enum { ROWS = 4160, MOST = 512, ROW_BLOCK = 256, CALLS = 64 };

static float *x, *dy, *out_numbers; // (ROWS,MOST) each
static float packed[MOST * MOST + 16 * MOST];

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// the most that is possible, GFLOP/s
static double peak(void) {
    volatile float sink;
    double best = 0;
    for (int repeat = 0; repeat < 100; repeat++) {
        double start = seconds(), done = slt_peak_flops(10000, &sink);
        double rate = 1e-9 * done / (seconds() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

// ---- the products of a layer

typedef enum pass { FORWARD, DX, DW, PASSES } pass;

// as slt_weight_gradient
static bool cut_weights(int call, int in, int out, slt_product *p) {
    bool tall = in >= 2 * out, flat = out >= 2 * in, small = in * out < 64 * 64;
    int parts = in * out < 128 * 256 ? 2 : 4, square = in * out < 512 * 512 ? 1 : 2;
    int parts_in = small || flat ? 1 : tall ? parts : square;
    int parts_out = small || tall ? 1 : flat ? parts : 2;
    int high = (in + 16 * parts_in - 1) / (16 * parts_in) * 16;
    int wide = (out + 16 * parts_out - 1) / (16 * parts_out) * 16, across = (out + wide - 1) / wide;
    int i = call / across * high, j = call % across * wide;
    *p = (slt_product){.m = in - i < high ? in - i : high, .n = out - j < wide ? out - j : wide};
    p->k = ROWS, p->a = x + i, p->lda = in, p->b = dy + j, p->ldb = out, p->transpose_a = true;
    p->c = out_numbers + (size_t)i * (size_t)out + j, p->ldc = out;
    return i < in;
}

// call number `call` of a pass: blocks of rows, or of W; false after the last
static bool cut(pass which, int call, int in, int out, slt_product *p) {
    int row = call * ROW_BLOCK, rows = ROWS - row < ROW_BLOCK ? ROWS - row : ROW_BLOCK;
    size_t first = (size_t)row;
    switch (which) {
    case FORWARD:
        *p = (slt_product){.m = rows, .n = out, .k = in, .a = x + first * (size_t)in, .lda = in};
        p->b = dy, p->ldb = out, p->c = out_numbers + first * (size_t)out, p->ldc = out;
        return rows > 0;
    case DX:
        *p = (slt_product){.m = rows, .n = in, .k = out, .a = x + first * (size_t)out, .lda = out};
        p->transpose_b = true;
        p->b = dy, p->ldb = out, p->c = out_numbers + first * (size_t)in, p->ldc = in;
        return rows > 0;
    default:
        return cut_weights(call, in, out, p);
    }
}

// the sum over calls of each call's best time
static double race(const slt_gemm_kernel *kernel, pass which, int in, int out, int repeats) {
    double best[CALLS], sum = 0;
    slt_product p;
    for (int i = 0; i < CALLS; i++) best[i] = 1e9;
    cut(which, 0, in, out, &p);
    if (which != DW) kernel->pack(&p, packed);
    for (int repeat = 0; repeat < repeats; repeat++)
        for (int call = 0; cut(which, call, in, out, &p); call++) {
            if (which != DW) p.b = packed;
            double start = seconds();
            if (which == DW)
                kernel->multiply(&p);
            else
                kernel->multiply_packed(&p);
            double took = seconds() - start;
            if (took < best[call]) best[call] = took;
        }
    for (int call = 0; cut(which, call, in, out, &p); call++) sum += best[call];
    return 2.0 * ROWS * in * out / sum * 1e-9;
}

static float *numbers(void) {
    size_t count = (size_t)ROWS * MOST;
    float *at = aligned_alloc(64, count * sizeof *at);
    if (!at) exit(1);
    for (size_t i = 0; i < count; i++) at[i] = (float)(i * 2654435761u % 1000) / 500 - 1;
    return at;
}

// the kernels of a list that this processor runs, on one layer; those in plain C are slow
static void race_all(const slt_gemm_kernel *const *list, const char *precision, int in, int out,
                     int repeats, bool plain) {
    for (; *list; list++) {
        bool slow = *list == &slt_gemm_plain || *list == &slt_gemm_bf16_plain;
        if (!slt_gemm_works(*list) || (slow && !plain)) continue;
        printf("%3d x %3d  %s %-10s", in, out, precision, (*list)->name);
        for (pass which = FORWARD; which < PASSES; which++)
            printf("  %s %6.1f", (const char *[]){"y", "dx", "dW"}[which],
                   race(*list, which, in, out, repeats));
        printf("\n");
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    static const int layers[][2] = {{128, 512}, {512, 128}, {128, 128}, {128, 384}, {96, 96},
                                    {32, 32},   {33, 45},   {128, 16},  {128, 7},   {7, 128}};
    int repeats = argc > 1 ? atoi(argv[1]) : 30;
    x = numbers(), dy = numbers(), out_numbers = numbers();
    printf("peak %.1f GFLOP/s; %d rows, best of %d\n", peak(), ROWS, repeats);
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        race_all(slt_gemm_kernels, "fp32", layers[i][0], layers[i][1], repeats, argc > 2);
        race_all(slt_gemm_bf16_kernels, "bf16", layers[i][0], layers[i][1], repeats, argc > 2);
    }
    free(x), free(dy), free(out_numbers);
}
