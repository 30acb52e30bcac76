// Modes: groups of runs that agree among themselves and not with others.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "vote/vote.h"

static const float SAME = .85f; // agreement that makes two runs one answer

static int followers(const float *agreement, int runs, int leader, const int8_t *mode) {
    int count = 0;
    for (int i = 0; i < runs; i++) count += mode[i] < 0 && agreement[leader * runs + i] >= SAME;
    return count;
}

slt_status slt_vote_modes(slt_arena *arena, const float *agreement, int runs, slt_modes *out,
                          int8_t *mode) {
    (void)arena;
    *out = (slt_modes){0};
    for (int i = 0; i < runs; i++) mode[i] = -1;
    while (out->count < SLT_MOST_MODES) {
        int leader = -1, most = 1;
        for (int i = 0; i < runs; i++) {
            int count = mode[i] < 0 ? followers(agreement, runs, i, mode) : 0;
            if (count > most) most = count, leader = i;
        }
        if (leader < 0) break;
        for (int i = 0; i < runs; i++)
            if (mode[i] < 0 && agreement[leader * runs + i] >= SAME) mode[i] = (int8_t)out->count;
        out->leader[out->count] = leader;
        out->size[out->count++] = most;
    }
    return SLT_OK;
}
