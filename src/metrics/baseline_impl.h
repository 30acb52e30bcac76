// What a rule is made of: one file baseline_NAME.c with a `const slt_rule slt_baseline_NAME`, and a
// row in baseline_table.h.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_BASELINE_IMPL_H
#define SLT_METRICS_BASELINE_IMPL_H

#include "core/context_impl.h"
#include "metrics/labels.h"
#include "slottar/metrics.h"

typedef enum {
    SLT_NEEDS_COUNT = 1, // how many segments: the truth's, or the prior's median
    SLT_NEEDS_TRAIN = 2,
    SLT_NEEDS_VALID = 4,
    SLT_NEEDS_PRIOR = 8,
    SLT_NEEDS_SYMBOLS = 16, // discrete actions
    SLT_NEEDS_VECTORS = 32, // continuous actions
} slt_baseline_need;

typedef struct {
    slt_context *context;
    slt_arena *arena; // what prepare takes stays; what cut takes goes after each trajectory
    const slt_baseline_input *input;
    slt_baseline_report *report;
    void *learned;
} slt_baseline_job;

typedef struct {
    const char *name, *help;
    unsigned needs; // of slt_baseline_need
    // looks at training and validation trajectories once; may be NULL
    slt_status (*prepare)(slt_baseline_job *job);
    // marks ends in one target trajectory of T steps; is_end comes zeroed, the last step is added
    // by the caller; cuts: how many the count asks for, 0..T-1 (0 for rules that need no count)
    slt_status (*cut)(slt_baseline_job *job, uint8_t *is_end, size_t index, int cuts);
} slt_baseline;

// adds a sentence to the report's note
void slt_baseline_note(slt_baseline_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
