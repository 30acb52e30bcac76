// The price of a segmentation, whoever made it: what it takes to write down actions and cuts
// together. A comparison that needs no label and no model.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_CUT_CODE_LENGTH_H
#define SLT_METRICS_CUT_CODE_LENGTH_H

#include "core/memory.h"
#include "slottar/metrics.h"

// Nats per step of an adaptive code for the pairs (action, does a segment end here), each given the
// number of the segment (up to 11) and its last two actions, plus -log prior(number of segments).
// Nothing of the past is known after a cut. actions: [count] trajectories; cuts: all their steps in
// a row, 1: a segment ends there; prior[n], 0 <= n < prior_size, as in slt_baseline_input.
slt_status slt_cut_code_length(slt_arena *scratch, const slt_sequence *actions, size_t count,
                               int symbols, const uint8_t *cuts, const double *prior,
                               int prior_size, double *out);

#endif
