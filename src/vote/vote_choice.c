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
        // one more pays while its height is above half of the expected F1
        if (expected > out->expected)
            *out = (slt_vote_choice){.threshold = expected / 2, .expected = expected};
    }
    slt_arena_reset(arena, mark);
    return SLT_OK;
}

double slt_vote_undecided(const slt_candidates *candidates, const double *weights, int runs,
                          double threshold) {
    double squares = 0, kept = 0, changed = 0;
    for (int i = 0; i < runs; i++) squares += weights[i] * weights[i];
    double deviation = sqrt(threshold * (1 - threshold) * squares);
    for (int64_t i = 0; i < candidates->count && deviation > 0; i++) {
        double away = candidates->list[i].height - threshold;
        kept += away >= 0;
        changed += .5 * erfc(fabs(away) / (deviation * sqrt(2)));
    }
    return kept > 0 ? changed / kept : 0;
}

static double log_odds(double height) {
    double h = fmin(.999, fmax(.001, height));
    return log(h / (1 - h));
}

// the candidates of the episode that begins at `from`
static int64_t episode_end(const slt_candidates *c, int64_t from) {
    int64_t end = from;
    while (end < c->count && c->list[end].episode == c->list[from].episode) end++;
    return end;
}

// ---- told something

static double chance_of(const slt_vote_told *told, int64_t boundaries) {
    return boundaries < told->counts ? told->chance[boundaries] : 0;
}

// How many of an episode's candidates, the highest first: `found`, those from the threshold on,
// unless what is told gives that number no chance. A boundary more or less is as likely as its
// height against the threshold. All of them, where there are too few for any number.
static int64_t number_kept(const slt_candidate *list, int64_t count, int64_t found,
                           double threshold, const slt_vote_told *told) {
    double sum = 0, most = -INFINITY;
    int64_t best = count;
    if (!told || !told->chance || chance_of(told, found) > 0) return found;
    for (int64_t n = 0; n <= count; n++) {
        if (n) sum += log_odds(list[n - 1].height) - log_odds(threshold);
        double score = sum + log(fmax(told->unseen, chance_of(told, n)));
        if (score > most) most = score, best = n;
    }
    return best;
}

// ---- keeping

void slt_vote_keep(const slt_candidates *candidates, double threshold, const slt_vote_told *told,
                   int64_t steps, uint8_t *cut, float *height) {
    memset(cut, 0, (size_t)steps);
    if (height) memset(height, 0, sizeof *height * (size_t)steps);
    for (int64_t i = 0, end; i < candidates->count; i = end) {
        const slt_candidate *list = candidates->list + i;
        int64_t found = 0;
        end = episode_end(candidates, i);
        for (int64_t k = 0; k < end - i; k++) found += list[k].height >= threshold;
        int64_t kept = number_kept(list, end - i, found, threshold, told);
        for (int64_t k = 0; k < kept; k++) {
            cut[list[k].step] = 1;
            if (height) height[list[k].step] = list[k].height;
        }
    }
}
