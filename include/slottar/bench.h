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
// does not; share_of_peak counts the arithmetic really done.
typedef struct {
    char name[64];
    double ms, gflops, share_of_peak, tokens_per_s, true_tokens_per_s, steps_per_s;
} slt_bench_result;

// Steps a batch of an environment with random actions, observations written out, for about
// `seconds` on all threads of the context, and reports the best of some rounds: steps_per_s.
SLT_API slt_status slt_bench_env(slt_context *context, const char *id, double seconds,
                                 slt_bench_result *out);

#ifdef __cplusplus
}
#endif
#endif
