// seed = 10 000 000 S + 1 000 000 (1 + split) + 100 000 task + candidate, modulo 2^32
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/episode_seeds.h"

enum { PER_USER = 10000000, PER_SPLIT = 1000000, PER_TASK = 100000 };

slt_status slt_episode_seeds_init(slt_episode_seeds *seeds, int split, int task, uint64_t user) {
    if (split < 0 || split > 2) SLT_FAIL(SLT_RANGE, "split must be 0 to 2, not %d", split);
    if (task < 0 || task >= PER_SPLIT / PER_TASK)
        SLT_FAIL(SLT_RANGE, "task must be 0 to %d, not %d", PER_SPLIT / PER_TASK - 1, task);
    uint32_t offset = (uint32_t)task * PER_TASK;
    seeds->next = (uint32_t)(user * PER_USER) + (uint32_t)(1 + split) * PER_SPLIT + offset;
    seeds->left = PER_SPLIT - offset;
    return SLT_OK;
}

slt_status slt_episode_seeds_next(slt_episode_seeds *seeds, uint32_t *seed) {
    if (seeds->left == 0)
        SLT_FAIL(SLT_RANGE, "more episodes than seeds: the range of this split ends before %u",
                 seeds->next);
    seeds->left--;
    *seed = seeds->next++;
    return SLT_OK;
}
