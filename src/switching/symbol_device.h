// Symbol chains on a device: many at once, with the results of slt_symbol_fit up to rounding, and
// the paths of slt_symbol_segment.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_SYMBOL_DEVICE_H
#define SLT_SWITCHING_SYMBOL_DEVICE_H

#include "core/context_impl.h"
#include "switching/symbol_chain.h"

// one chain to learn
typedef struct {
    slt_symbol_options options;
    const slt_symbols *symbols;
    const int64_t *episodes;
    int64_t count;
    slt_arena *arena; // of the chain's arrays
    slt_symbol_chain *out;
    bool done; // false: cancelled before it ended
} slt_symbol_job;

// Whether the context's device knows symbol chains; opens it.
slt_status slt_symbol_on_device(slt_context *context, bool *out);

// All are told the same numbers of segments, or none, and try as many starts.
slt_status slt_symbol_fit_all(slt_context *context, slt_symbol_job *jobs, int count);
// Boundaries and laws of all episodes: [count][steps]. All chains are of one family and are told
// the same; each reads its own symbols of the same episodes.
slt_status slt_symbol_segment_all(slt_context *context, const slt_symbol_chain *const *chains,
                                  const slt_symbols *const *symbols, int count, uint8_t *cut,
                                  uint8_t *law);

#endif
