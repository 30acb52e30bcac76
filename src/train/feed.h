// Batches: trajectories of a data set, laid out as the tape wants them.
//
// Inside a batch trajectories are sorted by length, longest first; their place in the unsorted
// batch stays known, since randomness refers to it. Packed, one position behind the truth is
// computed (the last segment may end there); padded, all L are.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_FEED_H
#define SLT_TRAIN_FEED_H

#include "core/memory.h"
#include "engine/tape.h"
#include "models/model_kind.h"
#include "slottar/dataset.h"

typedef struct {
    slt_dataset *data;
    int length;  // L
    int slots;   // K
    int padding; // the symbol behind the truth
    bool padded;
    slt_companions companions;
    int fixed;                         // companions that serve all others; 0: none
    const slt_episode *fixed_episodes; // [fixed], put behind every batch
    slt_type observation_type;
    int observation; // D; 0: none
} slt_feed_rule;

typedef struct {
    slt_feed_rule rule;
    slt_batch batch;
    int32_t *offset, *length, *index, *companion, *order;
    int32_t *actions; // [tokens]
    float *numbers;   // [tokens][D]
    slt_real *reals;  // the same as the engine's numbers
    slt_bits bits;
    int64_t *ones_offset;
    uint16_t *ones;
    int capacity; // trajectories
    size_t ones_room;
} slt_feed;

// room for `capacity` trajectories, fixed companions among them; everything lives in the arena
slt_status slt_feed_init(slt_feed *feed, slt_arena *arena, const slt_feed_rule *rule, int capacity);

// lays out the episodes and the fixed companions behind them; a trajectory longer than L is RANGE
// with its number
slt_status slt_feed_fill(slt_feed *feed, const int64_t *episodes, int count);

// hands the batch to a member of a tape
void slt_feed_hand_over(const slt_feed *feed, slt_tape *tape, int member, slt_model_io io);

// most tokens that `capacity` trajectories of this rule can take
slt_status slt_feed_tokens(const slt_feed_rule *rule, int capacity, int *out);

#endif
