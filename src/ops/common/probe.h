// Runs an operation's own cases: for finite differences (tests), and for the benchmark.
//
// A probe makes a tape around one case. Small cases use a ragged batch of a few trajectories, the
// bench one of the size of a training step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_PROBE_H
#define SLT_OPS_PROBE_H

#include "engine/op.h"

// how the batch of a case looks
typedef struct {
    int trajectories, slots, length;
    bool padded;     // C = L instead of C = T
    double mean, sd; // of T
    uint64_t seed;
    int spare; // trajectories that the tape has room for and the batch does not have
} slt_probe_batch;

typedef struct {
    slt_var var;
    double low, high;
    int below;    // integers
    double share; // bits
    void *data;   // numbers, integers or slt_bits; NULL for a parameter
    size_t count; // numbers
} slt_probe_leaf;

enum { SLT_PROBE_LEAVES = 24 };

struct slt_probe {
    slt_context *context;
    slt_arena arena;
    slt_store *store;
    slt_tape *tape;
    slt_probe_batch shape;
    slt_probe_leaf leaf[SLT_PROBE_LEAVES];
    int leaves;
    slt_var result, loss;
};

// builds the tape of a case; the loss is the sum of the result's numbers, each times a fixed random
// weight. The probe is at a fixed address from init to deinit.
slt_status slt_probe_init(slt_probe *probe, slt_context *context, slt_probe_batch shape,
                          slt_var (*make)(slt_probe *));
void slt_probe_deinit(slt_probe *probe);

// where the numbers of a leaf are, and its gradient after backward (NULL: constant)
slt_real *slt_probe_values(slt_probe *probe, int leaf, size_t *count);
const slt_real *slt_probe_gradient(slt_probe *probe, int leaf);

#endif
