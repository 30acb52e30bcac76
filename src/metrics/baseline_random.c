// random: cuts at random steps, each set of steps equally likely.
//
// Every trajectory has a generator of its own (SplitMix64, Steele et al. 2014,
// doi:10.1145/2660193.2660195), so its cuts depend on the seed and its index only.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/baseline_impl.h"

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint64_t next(uint64_t *state) { return mix(*state += 0x9E3779B97F4A7C15u); }

// 0 .. n-1
static int below(uint64_t *state, int n) {
    return (int)(((next(state) >> 32) * (uint64_t)n) >> 32);
}

// a walk over the steps: the next one is taken with the probability still wanted / still there
static slt_status cut(slt_baseline_job *job, uint8_t *is_end, size_t index, int cuts) {
    uint64_t state = mix(job->input->seed + 1) ^ mix(~(uint64_t)index);
    int T = job->input->target[index].length;
    for (int t = 0; t + 1 < T && cuts > 0; t++) {
        is_end[t] = below(&state, T - 1 - t) < cuts;
        cuts -= is_end[t];
    }
    return SLT_OK;
}

const slt_baseline slt_baseline_random = {
    .name = "random",
    .help = "boundaries at random steps, as many as the labels have",
    .needs = SLT_NEEDS_COUNT,
    .cut = cut,
};
