// Which candidates are boundaries.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "vote/vote.h"

static int by_height(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

slt_status slt_vote_choose(slt_arena *arena, const slt_candidates *candidates,
                           slt_vote_choice *out) {
    slt_arena_mark mark = slt_arena_now(arena);
    float *height;
    double sum = 0;
    // nobody cuts anywhere: all agree on one segment
    *out = (slt_vote_choice){.threshold = 1, .expected = candidates->votes > 0 ? 0 : 1};
    SLT_TRY(SLT_NEW(arena, &height, (size_t)candidates->count + 1));
    for (int64_t i = 0; i < candidates->count; i++) height[i] = candidates->list[i].height;
    qsort(height, (size_t)candidates->count, sizeof *height, by_height);
    for (int64_t i = 0; i < candidates->count; i++) {
        sum += height[i];
        double expected = 2 * sum / ((double)(i + 1) + candidates->votes);
        if (expected > out->expected)
            *out = (slt_vote_choice){.threshold = height[i], .expected = expected};
    }
    slt_arena_reset(arena, mark);
    return SLT_OK;
}

// how many of an episode's candidates, the highest first, go best with what is told
static int64_t likeliest_count(const slt_candidate *list, int64_t count,
                               const slt_vote_told *told) {
    double sum = 0, most = -INFINITY;
    int64_t best = 0;
    for (int64_t n = 0; n <= count && n < told->counts; n++) {
        if (n) {
            double h = fmin(.999, fmax(.001, list[n - 1].height));
            sum += log(h / (1 - h));
        }
        double score = sum + log(told->chance[n] + 1e-12);
        if (score > most) most = score, best = n;
    }
    return best;
}

static void keep(const slt_candidate *c, uint8_t *cut, float *height) {
    cut[c->step] = 1;
    if (height) height[c->step] = c->height;
}

slt_status slt_vote_keep(slt_arena *arena, const slt_candidates *candidates, double threshold,
                         const slt_vote_told *told, int64_t steps, uint8_t *cut, float *height) {
    (void)arena;
    memset(cut, 0, (size_t)steps);
    if (height) memset(height, 0, sizeof *height * (size_t)steps);
    for (int64_t i = 0, end; i < candidates->count; i = end) {
        const slt_candidate *list = candidates->list + i;
        for (end = i; end < candidates->count && candidates->list[end].episode == list->episode;)
            end++;
        int64_t count = end - i;
        if (told && told->chance) {
            int64_t wanted = likeliest_count(list, count, told);
            for (int64_t k = 0; k < wanted; k++) keep(list + k, cut, height);
        } else {
            for (int64_t k = 0; k < count; k++)
                if (list[k].height >= threshold) keep(list + k, cut, height);
        }
    }
    return SLT_OK;
}
