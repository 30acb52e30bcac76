// Measuring throughput.
//
//     slt_bench_result result;
//     slt_bench_env(context, "MiniGrid-DoorKey-8x8-v0", 0.2, &result);
//     printf("%.0f steps a second\n", result.steps_per_s);
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_BENCH_H
#define SLOTTAR_BENCH_H

#include <stdbool.h>
#include "slottar/context.h"
#include "slottar/train.h"

#ifdef __cplusplus
extern "C" {
#endif

// One measurement; 0 where a number makes no sense. tokens_per_s counts padding, true_tokens_per_s
// does not; share_of_peak counts the arithmetic really done, or, next to gb_per_s, the bytes moved.
// cpu_ms is processor time, of all threads together: it hardly changes on a busy machine. A step of
// a model also says its batch, its padded length L, the bytes of activations that were planned, and
// what it ran on a device: how many of the parts that may be one launch are, and which attention.
typedef struct {
    char name[64];
    double ms, cpu_ms, gflops, gb_per_s, share_of_peak, tokens_per_s, true_tokens_per_s,
        steps_per_s;
    double bytes;
    int batch, length;
    char path[64];
} slt_bench_result;

// What the machine can do at best on all threads of a context: multiply-adds in registers, in bf16
// a product that stays in the caches; and reading and writing arrays of the size of a batch's
// activations. On a device: a large product in the context's precision, and a copy of memory.
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

// Steps of the model that slt_train would run with this request (its run directory is not used, its
// data set is), on some batches of training episodes. A step of training fills a batch, runs
// forward and backward and moves the weights; a step of inference fills a batch, runs forward and
// segments every trajectory of it. Each batch is repeated for about `seconds` in all, its best time
// counts, and the mean over the batches is reported: tokens_per_s counts every trajectory with all
// L positions, share_of_peak the arithmetic really done. After the step come its operations,
// forward and backward together, the dearest first, as far as there is room in `results`. Of a
// request with restarts so many models take every step together, as in a population: the numbers
// are those of all of them, the operations' those of the first.
SLT_API slt_status slt_bench_train(slt_context *context, const slt_train_request *request,
                                   double seconds, const slt_bench_peaks *peaks,
                                   slt_bench_result *results, int room, int *count);
SLT_API slt_status slt_bench_infer(slt_context *context, const slt_train_request *request,
                                   double seconds, const slt_bench_peaks *peaks,
                                   slt_bench_result *results, int room, int *count);

#ifdef __cplusplus
}
#endif
#endif
