// Which candidates are boundaries.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "vote/vote.h"

// how far a chance of a count may be off, in what is told and in what the heights say: both are
// shares of some hundred episodes
static const double UNSURE = .05;

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

// adds the chances of 0 .. counts-1 boundaries in an episode, each a coin of its own
static void add_chances(const slt_candidate *list, int64_t count, double threshold, int counts,
                        double *chance, double *sum) {
    memset(chance, 0, sizeof *chance * (size_t)counts);
    chance[0] = 1;
    for (int64_t k = 0; k < count; k++) {
        double p = 1 / (1 + exp(log_odds(threshold) - log_odds(list[k].height)));
        for (int n = counts - 1; n >= 0; n--)
            chance[n] = chance[n] * (1 - p) + (n ? chance[n - 1] * p : 0);
    }
    for (int n = 0; n < counts; n++) sum[n] += chance[n];
}

slt_status slt_vote_odds(slt_arena *arena, const slt_candidates *candidates, int64_t episodes,
                         double threshold, const slt_vote_told *told, double *odds) {
    slt_arena_mark mark = slt_arena_now(arena);
    double *chance, *sum;
    int64_t empty = episodes;
    SLT_TRY(SLT_NEW(arena, &chance, (size_t)told->counts));
    SLT_TRY(SLT_NEW(arena, &sum, (size_t)told->counts));
    for (int64_t i = 0, end; i < candidates->count; i = end, empty--) {
        end = episode_end(candidates, i);
        add_chances(candidates->list + i, end - i, threshold, told->counts, chance, sum);
    }
    sum[0] += (double)empty;
    for (int n = 0; n < told->counts; n++)
        odds[n] = told->chance[n] <= 0
                      ? 0
                      : (told->chance[n] + UNSURE) / (sum[n] / (double)(episodes + 1) + UNSURE);
    slt_arena_reset(arena, mark);
    return SLT_OK;
}

// how many of an episode's candidates, the highest first, are likeliest
static int64_t likeliest_count(const slt_candidate *list, int64_t count, double threshold,
                               const double *odds, int counts) {
    double sum = 0, most = -INFINITY;
    int64_t best = 0;
    for (int64_t n = 0; n <= count && n < counts; n++) {
        if (n) sum += log_odds(list[n - 1].height) - log_odds(threshold);
        double score = sum + log(odds[n] + 1e-12);
        if (score > most) most = score, best = n;
    }
    return best;
}

// ---- keeping

static void keep(const slt_candidate *c, uint8_t *cut, float *height) {
    cut[c->step] = 1;
    if (height) height[c->step] = c->height;
}

slt_status slt_vote_keep(slt_arena *arena, const slt_candidates *candidates, double threshold,
                         const double *odds, int counts, int64_t steps, uint8_t *cut,
                         float *height) {
    (void)arena;
    memset(cut, 0, (size_t)steps);
    if (height) memset(height, 0, sizeof *height * (size_t)steps);
    for (int64_t i = 0, end; i < candidates->count; i = end) {
        const slt_candidate *list = candidates->list + i;
        end = episode_end(candidates, i);
        int64_t count = end - i;
        int64_t wanted = odds ? likeliest_count(list, count, threshold, odds, counts) : count;
        for (int64_t k = 0; k < wanted; k++)
            if (odds || list[k].height >= threshold) keep(list + k, cut, height);
    }
    return SLT_OK;
}
