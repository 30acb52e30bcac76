// Seeds of recorded episodes: every split and task has a range of its own, candidates run upward
// from its start, and a range never runs into the next split's.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_EPISODE_SEEDS_H
#define SLT_EXPERTS_EPISODE_SEEDS_H

#include <stdint.h>
#include "core/error.h"

typedef struct {
    uint32_t next; // modulo 2^32
    uint32_t left; // until the next split's range
} slt_episode_seeds;

// split: 0 train, 1 valid, 2 test; task: 0..9, its place in the data set; user: the --seed
slt_status slt_episode_seeds_init(slt_episode_seeds *seeds, int split, int task, uint64_t user);
slt_status slt_episode_seeds_next(slt_episode_seeds *seeds, uint32_t *seed);

#endif
