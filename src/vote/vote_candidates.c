// Places where runs have boundaries, the highest first: each takes from every run the nearest of
// its boundaries within the tolerance, and leaves the others to vote on.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "vote/vote.h"

static const float LEAST = .02f;

// one episode at work
typedef struct {
    const slt_ballots *ballots;
    const double *weights;
    const slt_vote_rules *rules;
    int64_t first, length;
    uint8_t *left;  // [runs][length] boundaries not yet taken
    double *vote;   // [length] weight of the boundaries that are left, per step
    float *height;  // [length] over the tolerance; -1: too near to one that was taken
    int64_t *heap;  // [length] steps, the highest first
    int64_t *where; // [length] a step's place in the heap; -1: none
    int64_t heaped;
} episode;

// ---- a heap of steps by height, then by time. Heights only fall, so a step only sinks

static bool above(const episode *e, int64_t a, int64_t b) {
    return e->height[a] != e->height[b] ? e->height[a] > e->height[b] : a < b;
}

static void put(episode *e, int64_t i, int64_t step) {
    e->heap[i] = step;
    e->where[step] = i;
}

static void sink(episode *e, int64_t i) {
    int64_t step = e->heap[i];
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child >= e->heaped) break;
        if (child + 1 < e->heaped && above(e, e->heap[child + 1], e->heap[child])) child++;
        if (!above(e, e->heap[child], step)) break;
        put(e, i, e->heap[child]);
        i = child;
    }
    put(e, i, step);
}

static void measure(episode *e, int64_t t) {
    int64_t from = t - e->rules->tolerance, to = t + e->rules->tolerance;
    double sum = 0;
    if (e->height[t] < 0) return;
    for (int64_t s = from < 0 ? 0 : from; s <= to && s < e->length; s++) sum += e->vote[s];
    e->height[t] = (float)fmin(1, fmax(0, sum));
}

static void load(episode *e, int64_t index) {
    const slt_ballots *b = e->ballots;
    e->first = b->offsets[index];
    e->length = b->offsets[index + 1] - e->first;
    e->heaped = 0;
    memset(e->vote, 0, sizeof *e->vote * (size_t)e->length);
    for (int r = 0; r < b->runs; r++) {
        uint8_t *left = e->left + r * e->length;
        memcpy(left, b->cut[r] + e->first, (size_t)e->length);
        for (int64_t t = 0; t < e->length; t++) e->vote[t] += e->weights[r] * left[t];
    }
    for (int64_t t = 0; t < e->length; t++) {
        e->height[t] = 0;
        e->where[t] = -1;
        measure(e, t);
        if (e->height[t] >= LEAST) put(e, e->heaped++, t);
    }
    for (int64_t i = e->heaped / 2; i-- > 0;) sink(e, i);
}

// where inside the tolerance the most runs have it
static int64_t place(const episode *e, int64_t t) {
    int64_t from = t - e->rules->tolerance, to = t + e->rules->tolerance, best = t;
    double most = -1;
    for (int64_t s = from < 0 ? 0 : from; s <= to && s < e->length; s++)
        if (e->height[s] >= 0 && e->vote[s] > most) most = e->vote[s], best = s;
    return best;
}

// takes from a run the nearest boundary within the tolerance
static void take_from(episode *e, int run, int64_t at) {
    uint8_t *left = e->left + run * e->length;
    for (int64_t d = 0; d <= e->rules->tolerance; d++)
        for (int side = -1; side <= 1; side += 2) {
            int64_t s = at + side * d;
            if (s < 0 || s >= e->length || !left[s]) continue;
            left[s] = 0;
            e->vote[s] -= e->weights[run];
            return;
        }
}

// no other boundary within `near` steps: those that runs have there belong to this one
static void clear(episode *e, int64_t at, int64_t near) {
    for (int64_t s = at - near; s <= at + near; s++) {
        if (s < 0 || s >= e->length) continue;
        for (int r = 0; r < e->ballots->runs; r++) e->left[r * e->length + s] = 0;
        e->vote[s] = 0;
    }
}

// heights round a step that was taken
static void settle(episode *e, int64_t at, int64_t near) {
    int64_t reach = near + 2 * e->rules->tolerance;
    if (near) clear(e, at, near);
    for (int64_t s = at - reach; s <= at + reach; s++) {
        if (s < 0 || s >= e->length) continue;
        if (s >= at - near && s <= at + near) e->height[s] = -1;
        measure(e, s);
        if (e->where[s] >= 0) sink(e, e->where[s]); // one at a time: the others are in order
    }
}

// a segment shorter than the least length at either end of the episode is none
static bool fits(const episode *e, int64_t at) {
    int64_t least = e->rules->least_length;
    return at + 1 >= least && e->length - 1 - at >= least;
}

static void collect(episode *e, int64_t index, slt_candidates *out, int64_t room) {
    while (e->heaped && e->height[e->heap[0]] >= LEAST) {
        int64_t t = e->heap[0], at = place(e, t);
        bool good = fits(e, at);
        if (good && out->count < room)
            out->list[out->count++] =
                (slt_candidate){.episode = index, .step = e->first + at, .height = e->height[t]};
        for (int r = 0; r < e->ballots->runs; r++)
            if (e->weights[r] > 0) take_from(e, r, at);
        settle(e, at, good ? e->rules->least_length - 1 : 0);
    }
}

static slt_status reserve(slt_arena *arena, episode *e) {
    size_t longest = 0;
    for (int64_t i = 0; i < e->ballots->episodes; i++) {
        size_t length = (size_t)(e->ballots->offsets[i + 1] - e->ballots->offsets[i]);
        longest = length > longest ? length : longest;
    }
    SLT_TRY(SLT_NEW(arena, &e->left, (size_t)e->ballots->runs * longest));
    SLT_TRY(SLT_NEW(arena, &e->vote, longest));
    SLT_TRY(SLT_NEW(arena, &e->height, longest));
    SLT_TRY(SLT_NEW(arena, &e->heap, longest));
    return SLT_NEW(arena, &e->where, longest);
}

slt_status slt_vote_candidates(slt_arena *arena, const slt_ballots *ballots, const double *weights,
                               const slt_vote_rules *rules, slt_candidates *out) {
    episode e = {.ballots = ballots, .weights = weights, .rules = rules};
    int64_t room = 0;
    *out = (slt_candidates){0};
    for (int r = 0; r < ballots->runs; r++)
        for (int64_t t = 0; t < ballots->steps; t++) {
            out->votes += weights[r] * ballots->cut[r][t];
            room += ballots->cut[r][t];
        }
    SLT_TRY(
        SLT_NEW(arena, &out->list, (size_t)(room < ballots->steps ? room : ballots->steps) + 1));
    slt_arena_mark mark = slt_arena_now(arena);
    SLT_TRY(reserve(arena, &e));
    for (int64_t i = 0; i < ballots->episodes; i++) {
        load(&e, i);
        collect(&e, i, out, room < ballots->steps ? room : ballots->steps);
    }
    slt_arena_reset(arena, mark);
    return SLT_OK;
}
