// Rows, not padded tensors: every activation is [rows, width], and its rows belong to a space.
//
// A trajectory b has two lengths: C_b, how much is computed (packed: C_b = T_b; padded, as the
// reference does it: C_b = L), and T_b, how much of it is true. Operations walk C; the few that
// care about truth read T. Rows beyond a space's count are never read.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_BATCH_H
#define SLT_ENGINE_BATCH_H

#include <stdint.h>

typedef enum {
    SLT_FIXED,         // as many rows as the shape says: parameters, tables, the loss
    SLT_TRAJECTORIES,  // b
    SLT_SLOTS,         // b*K + k
    SLT_TOKENS,        // offset[b] + l
    SLT_SLOT_TOKENS,   // K*offset[b] + k*C_b + l
    SLT_LIVE,          // slot tokens that carry weight, in their order; chosen during the step
    SLT_SHARED_TOKENS, // seen.offset[c] + l
    SLT_SPACES
} slt_space;

// the largest batch a tape can take
typedef struct {
    int trajectories; // B
    int tokens;       // sum of C
    int slots;        // K; 1 for models without slots
    int length;       // L: positions run from 0 to L-1
    int seen;         // tokens of a list of trajectories to see; 0: there is none
} slt_limits;

// Trajectories whose observations are decoded, where they are not those of the batch: who has a
// share of a batch sees companions that others have.
typedef struct {
    int count;             // 0: no list, companions are places of the batch
    const int32_t *offset; // [count+1]
    const int32_t *length; // [count], T
} slt_shared_observations;

// one batch; the arrays belong to the caller and stay valid during the step
typedef struct {
    int count;                    // trajectories, at most limits.trajectories
    const int32_t *offset;        // [count+1], cumulative sums of C
    const int32_t *length;        // [count], T
    const int32_t *index;         // [count], place in the unsorted batch: randomness refers to it
    const int32_t *companion;     // [count*K], whose observations slot k of b decodes; -1: nobody's
    int true_tokens;              // M, the sum of T over the whole batch
    int total;                    // B, where this is a share of a batch; 0: it is the whole one
    slt_shared_observations seen; // what companions are places of, where there is a list
} slt_batch;

// B of the whole batch: what means are over
static inline int slt_batch_total(const slt_batch *batch) {
    return batch->total ? batch->total : batch->count;
}

// what companions are places of
static inline slt_shared_observations slt_batch_shared(const slt_batch *batch) {
    return batch->seen.count
               ? batch->seen
               : (slt_shared_observations){batch->count, batch->offset, batch->length};
}

static inline int slt_batch_computed(const slt_batch *batch, int b) {
    return batch->offset[b + 1] - batch->offset[b];
}

// rows of a space that is not SLT_FIXED
static inline int slt_batch_rows(const slt_batch *batch, int slots, slt_space space) {
    switch (space) {
    case SLT_TRAJECTORIES:
        return batch->count;
    case SLT_SLOTS:
        return batch->count * slots;
    case SLT_TOKENS:
        return batch->offset[batch->count];
    case SLT_SLOT_TOKENS:
        return batch->offset[batch->count] * slots;
    case SLT_SHARED_TOKENS:
        return batch->seen.count ? batch->seen.offset[batch->seen.count] : 0;
    default:
        return 0;
    }
}

#endif
