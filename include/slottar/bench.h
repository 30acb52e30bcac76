// Measuring throughput.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_BENCH_H
#define SLOTTAR_BENCH_H

#include "slottar/context.h"

#ifdef __cplusplus
extern "C" {
#endif

// One measurement; 0 where a number makes no sense. tokens_per_s counts padding, true_tokens_per_s
// does not; share_of_peak counts the arithmetic really done, or, beside gb_per_s, the bytes moved.
typedef struct {
    char name[64];
    double ms, gflops, gb_per_s, share_of_peak, tokens_per_s, true_tokens_per_s, steps_per_s;
} slt_bench_result;

// What the machine can do at best on all threads of a context: multiply-adds in registers, and
// reading and writing arrays of the size of a batch's activations.
typedef struct {
    double gflops, gb_per_s;
} slt_bench_peaks;

// Steps a batch of an environment with random actions, observations written out, for about
// `seconds` on all threads of the context, and reports the best of some rounds: steps_per_s.
SLT_API slt_status slt_bench_env(slt_context *context, const char *id, double seconds,
                                 slt_bench_result *out);

// Measures the machine, for about `seconds`.
SLT_API slt_status slt_bench_peak(slt_context *context, double seconds, slt_bench_peaks *out);

// The operations that models are made of: how many there are, and the name of number i (NULL: there
// is none).
SLT_API int slt_bench_op_count(void);
SLT_API const char *slt_bench_op_name(int i);

// Runs operation i at the size of a training step (64 trajectories of 65 steps, or 5 slots on
// packed ones) for about `seconds`, and reports the best forward and backward run: `count` is 2, or
// 1 for an operation without a backward. Products are compared with peaks->gflops, the others with
// peaks->gb_per_s.
SLT_API slt_status slt_bench_op(slt_context *context, int i, double seconds,
                                const slt_bench_peaks *peaks, slt_bench_result out[2], int *count);

#ifdef __cplusplus
}
#endif
#endif
