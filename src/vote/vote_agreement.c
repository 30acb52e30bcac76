// How far runs agree, and what each is worth.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "vote/vote.h"

// which steps lie within the tolerance of a boundary, inside their episode
static void widen(const slt_ballots *b, const uint8_t *cut, int tolerance, uint8_t *out) {
    memset(out, 0, (size_t)b->steps);
    for (int64_t e = 0; e < b->episodes; e++) {
        int64_t first = b->offsets[e], last = b->offsets[e + 1] - 1, wide = first - 1;
        for (int64_t t = first; t <= last; t++) {
            if (cut[t]) {
                int64_t from = t - tolerance < first ? first : t - tolerance;
                for (int64_t s = from; s < t; s++) out[s] = 1;
                wide = t + tolerance;
            }
            out[t] |= t <= wide;
        }
    }
}

// boundaries of a that lie where b is 1
static int64_t both(const uint8_t *a, const uint8_t *b, int64_t steps) {
    int64_t count = 0;
    for (int64_t t = 0; t < steps; t++) count += (a[t] != 0) & b[t];
    return count;
}

static int64_t ones(const uint8_t *a, int64_t steps) {
    int64_t count = 0;
    for (int64_t t = 0; t < steps; t++) count += a[t] != 0;
    return count;
}

// F1 above chance: 0 where an answer does no better than as many boundaries at random, 1 where it
// is the same. Without it a boundary after every step would agree with everything.
static float f1(const slt_ballots *b, int tolerance, double hits_a, double count_a, double hits_b,
                double count_b) {
    if (!(count_a > 0) || !(count_b > 0)) return count_a == count_b;
    double p = hits_a / count_a, r = hits_b / count_b;
    double places = (double)(b->steps - b->episodes), wide = 2 * tolerance + 1;
    double by_b = 1 - pow(fmax(0, 1 - count_b / places), wide);
    double by_a = 1 - pow(fmax(0, 1 - count_a / places), wide);
    double chance = 2 * by_a * by_b / (by_a + by_b), same = p + r > 0 ? 2 * p * r / (p + r) : 0;
    return chance < 1 ? (float)fmax(0, (same - chance) / (1 - chance)) : same == 1;
}

slt_status slt_vote_agreement(slt_arena *arena, const slt_ballots *ballots,
                              const slt_vote_rules *rules, float **out) {
    size_t runs = (size_t)ballots->runs;
    uint8_t *wide;
    int64_t *count, *hits;
    SLT_TRY(SLT_NEW(arena, out, runs * runs));
    slt_arena_mark mark = slt_arena_now(arena);
    SLT_TRY(SLT_NEW(arena, &wide, (size_t)ballots->steps));
    SLT_TRY(SLT_NEW(arena, &count, runs));
    SLT_TRY(SLT_NEW(arena, &hits, runs * runs)); // boundaries of i that j has, too
    for (size_t j = 0; j < runs; j++) {
        widen(ballots, ballots->cut[j], rules->tolerance, wide);
        count[j] = ones(ballots->cut[j], ballots->steps);
        for (size_t i = 0; i < runs; i++)
            hits[i * runs + j] = both(ballots->cut[i], wide, ballots->steps);
    }
    for (size_t i = 0; i < runs; i++)
        for (size_t j = 0; j < runs; j++)
            (*out)[i * runs + j] =
                i == j ? 1
                       : f1(ballots, rules->tolerance, (double)hits[i * runs + j], (double)count[i],
                            (double)hits[j * runs + i], (double)count[j]);
    slt_arena_reset(arena, mark);
    return SLT_OK;
}

// ---- weights

typedef struct {
    double mean;
    int run;
} ranked;

static int by_mean(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->mean != y->mean) return x->mean < y->mean ? 1 : -1;
    return x->run - y->run;
}

// mean agreement of a run with the others of a list
static double mean_agreement(const float *agreement, int runs, int run, const ranked *with,
                             int count) {
    double sum = 0;
    int others = 0;
    for (int i = 0; i < count; i++) {
        if (with[i].run == run) continue;
        sum += agreement[run * runs + with[i].run];
        others++;
    }
    return others ? sum / others : 1;
}

// the better half of a ranked list
static int half_of(int runs) { return runs > 4 ? (runs + 1) / 2 : runs; }

static void weigh(const ranked *list, int runs, double *weights) {
    double sum = 0;
    for (int i = 0; i < runs; i++) weights[i] = 0;
    for (int i = 0; i < half_of(runs); i++) {
        double m = 1e-6 + list[i].mean;
        sum += weights[list[i].run] = m * m * m * m;
    }
    for (int i = 0; i < runs; i++) weights[i] /= sum;
}

slt_status slt_vote_weights(slt_arena *arena, const float *agreement, int runs, double *weights) {
    slt_arena_mark mark = slt_arena_now(arena);
    ranked *list, *half;
    SLT_TRY(SLT_NEW(arena, &list, (size_t)runs));
    SLT_TRY(SLT_NEW(arena, &half, (size_t)runs));
    for (int i = 0; i < runs; i++) list[i].run = i;
    for (int i = 0; i < runs; i++) list[i].mean = mean_agreement(agreement, runs, i, list, runs);
    qsort(list, (size_t)runs, sizeof *list, by_mean);
    for (int i = 0; i < half_of(runs); i++)
        half[i] = (ranked){mean_agreement(agreement, runs, list[i].run, list, half_of(runs)),
                           list[i].run};
    weigh(half, runs, weights);
    slt_arena_reset(arena, mark);
    return SLT_OK;
}

// ---- an answer and the runs

typedef struct {
    const slt_ballots *ballots;
    const uint8_t *cut;
    uint8_t *wide, *wide_run; // [steps]
    int64_t count;
    int tolerance;
} comparison;

static slt_status compare(slt_arena *arena, const slt_ballots *ballots, const slt_vote_rules *rules,
                          const uint8_t *cut, comparison *out) {
    *out = (comparison){ballots, cut, NULL, NULL, ones(cut, ballots->steps), rules->tolerance};
    SLT_TRY(SLT_NEW(arena, &out->wide, (size_t)ballots->steps));
    SLT_TRY(SLT_NEW(arena, &out->wide_run, (size_t)ballots->steps));
    widen(ballots, cut, rules->tolerance, out->wide);
    return SLT_OK;
}

static double agreement_with(const comparison *c, int i) {
    const slt_ballots *b = c->ballots;
    const uint8_t *run = b->cut[i];
    widen(b, run, c->tolerance, c->wide_run);
    return f1(b, c->tolerance, (double)both(c->cut, c->wide_run, b->steps), (double)c->count,
              (double)both(run, c->wide, b->steps), (double)ones(run, b->steps));
}

slt_status slt_vote_reweigh(slt_arena *arena, const slt_ballots *ballots,
                            const slt_vote_rules *rules, const uint8_t *cut, double *weights) {
    slt_arena_mark mark = slt_arena_now(arena);
    comparison c;
    ranked *list;
    SLT_TRY(compare(arena, ballots, rules, cut, &c));
    SLT_TRY(SLT_NEW(arena, &list, (size_t)ballots->runs));
    for (int i = 0; i < ballots->runs; i++) list[i] = (ranked){agreement_with(&c, i), i};
    qsort(list, (size_t)ballots->runs, sizeof *list, by_mean);
    weigh(list, ballots->runs, weights);
    slt_arena_reset(arena, mark);
    return SLT_OK;
}

slt_status slt_vote_support(slt_arena *arena, const slt_ballots *ballots, const double *weights,
                            const slt_vote_rules *rules, const uint8_t *cut, double *out) {
    slt_arena_mark mark = slt_arena_now(arena);
    comparison c;
    SLT_TRY(compare(arena, ballots, rules, cut, &c));
    *out = 0;
    for (int i = 0; i < ballots->runs; i++)
        if (weights[i] > 0) *out += weights[i] * agreement_with(&c, i);
    slt_arena_reset(arena, mark);
    return SLT_OK;
}

// ---- a run and what it holds possible

// the chance of a boundary within the tolerance of step t of an episode
static double chance_near(const float *chance, int64_t first, int64_t end, int64_t t,
                          int tolerance) {
    int64_t from = t - tolerance < first ? first : t - tolerance;
    double sum = 0;
    for (int64_t s = from; s <= t + tolerance && s < end; s++) sum += chance[s];
    return fmin(1, sum);
}

slt_status slt_vote_certainty(slt_arena *arena, const slt_ballots *ballots,
                              const slt_vote_rules *rules, const uint8_t *cut, const float *chance,
                              double *out) {
    slt_arena_mark mark = slt_arena_now(arena);
    comparison c;
    double hits = 0, found = 0, sum = 0;
    SLT_TRY(compare(arena, ballots, rules, cut, &c));
    for (int64_t e = 0; e < ballots->episodes; e++) {
        int64_t first = ballots->offsets[e], end = ballots->offsets[e + 1];
        for (int64_t t = first; t < end; t++) {
            sum += chance[t];
            if (c.wide[t]) found += chance[t];
            if (cut[t]) hits += chance_near(chance, first, end, t, rules->tolerance);
        }
    }
    *out = f1(ballots, rules->tolerance, hits, (double)c.count, found, sum);
    slt_arena_reset(arena, mark);
    return SLT_OK;
}

double slt_vote_draws(const slt_ballots *ballots, const slt_vote_rules *rules,
                      const float *chance) {
    double hits = 0, sum = 0;
    for (int64_t e = 0; e < ballots->episodes; e++) {
        int64_t first = ballots->offsets[e], end = ballots->offsets[e + 1];
        for (int64_t t = first; t < end; t++) {
            sum += chance[t];
            hits += chance[t] * chance_near(chance, first, end, t, rules->tolerance);
        }
    }
    return f1(ballots, rules->tolerance, hits, sum, hits, sum);
}
