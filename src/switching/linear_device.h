// Linear chains on a device: many at once, with the results of slt_linear_fit and
// slt_linear_segment up to rounding.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_LINEAR_DEVICE_H
#define SLT_SWITCHING_LINEAR_DEVICE_H

#include "core/context_impl.h"
#include "switching/linear_chain.h"

// one chain to learn
typedef struct {
    slt_linear_options options;
    const int64_t *episodes;
    int64_t count;
    slt_arena *arena; // of the chain's arrays
    slt_linear_chain *out;
    bool done; // false: cancelled before it ended
} slt_linear_job;

// Whether the context's device knows chains; opens it.
slt_status slt_linear_on_device(slt_context *context, bool *out);

slt_status slt_linear_fit_all(slt_context *context, const slt_motion *motion, slt_linear_job *jobs,
                              int count);
// boundaries and laws of all episodes: [count][steps]
slt_status slt_linear_segment_all(slt_context *context, const slt_motion *motion,
                                  const slt_linear_chain *const *chains, int count, uint8_t *cut,
                                  uint8_t *law);

#endif
