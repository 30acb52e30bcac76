// A run of slottar-mdl as a member of the vote: weights from a random start and some episodes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SEGMENTER_MDL_RUN_H
#define SLT_SEGMENTER_MDL_RUN_H

#include "core/context_impl.h"
#include "engine/real.h"
#include "slottar/dataset.h"

typedef struct {
    int slots, actions, observation; // what decides the number of weights
    bool bits;                       // observations are bits
    size_t size;
    slt_real *weights; // [size] parameter by parameter, those that segments depend on
} slt_mdl_run;

// episodes of a data set
typedef struct {
    slt_dataset *data;
    const int64_t *list; // [count] numbers of episodes
    int64_t count;
} slt_mdl_episodes;

typedef struct {
    const char *prior; // of the number of segments; NULL: nothing is known
    bool effects;      // boundaries depend on observations and effects, too
    int actions;       // that there are
    uint64_t seed;
} slt_mdl_start;

// Trains in the calling thread, on the CPU. CANCELLED when the context is; DIVERGED when a loss is
// not finite.
slt_status slt_mdl_run_fit(slt_context *context, slt_arena *arena, const slt_mdl_episodes *episodes,
                           const slt_mdl_start *start, slt_mdl_run *out);

// room for the weights of a run whose other fields are set
slt_status slt_mdl_run_init(slt_context *context, slt_arena *arena, slt_mdl_run *run);

// One after the other from place 0 on: where a segment ends, the number of the segment (as far as a
// byte holds it), and the chance that a step ends one (may be NULL). SHAPE when the observations
// are of another kind.
slt_status slt_mdl_run_segment(slt_context *context, const slt_mdl_run *run,
                               const slt_mdl_episodes *episodes, int most_laws, uint8_t *cut,
                               uint8_t *law, float *chance);

#endif
