// Places where runs have boundaries, the highest first: each takes from every run the nearest of
// its boundaries within the tolerance, and leaves the others to vote on.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "vote/vote.h"

static const float LEAST = .02f;

// what a boundary of a run counts
static inline double worth(double weight, uint8_t cut) {
    return cut == SLT_SURE ? weight : weight * cut / SLT_SURE;
}

// one window at work
typedef struct {
    const slt_vote_window *window;
    const double *weights;
    const slt_vote_rules *rules;
    int64_t length;
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

static void load(episode *e) {
    const slt_vote_window *w = e->window;
    e->heaped = 0;
    memset(e->vote, 0, sizeof *e->vote * (size_t)e->length);
    for (int r = 0; r < w->runs; r++) {
        uint8_t *left = e->left + r * e->length;
        memcpy(left, w->cut[r] + w->first, (size_t)e->length);
        for (int64_t t = 0; t < e->length; t++)
            if (left[t]) e->vote[t] += worth(e->weights[r], left[t]);
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
            e->vote[s] -= worth(e->weights[run], left[s]);
            left[s] = 0;
            return;
        }
}

// no other boundary within `near` steps: those that runs have there belong to this one
static void clear(episode *e, int64_t at, int64_t near) {
    for (int64_t s = at - near; s <= at + near; s++) {
        if (s < 0 || s >= e->length) continue;
        for (int r = 0; r < e->window->runs; r++) e->left[r * e->length + s] = 0;
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
    if (e->window->before + at + 1 < least) return false;
    return e->window->open || e->length - 1 - at >= least;
}

// gives the number of candidates, the highest first
static int64_t collect(episode *e, slt_candidate *list) {
    int64_t count = 0;
    while (e->heaped && e->height[e->heap[0]] >= LEAST) {
        int64_t t = e->heap[0], at = place(e, t);
        bool good = fits(e, at);
        if (good)
            list[count++] = (slt_candidate){.step = e->window->first + at, .height = e->height[t]};
        for (int r = 0; r < e->window->runs; r++)
            if (e->weights[r] > 0) take_from(e, r, at);
        settle(e, at, good ? e->rules->least_length - 1 : 0);
    }
    return count;
}

slt_status slt_vote_room_init(slt_vote_room *room, slt_arena *arena, int runs, int64_t longest) {
    size_t size = (size_t)longest, all;
    if (!slt_size_mul((size_t)runs, size, &all))
        SLT_FAIL(SLT_RANGE, "%lld steps of %d runs are too many", (long long)longest, runs);
    SLT_TRY(SLT_NEW(arena, &room->left, all));
    SLT_TRY(SLT_NEW(arena, &room->vote, size));
    SLT_TRY(SLT_NEW(arena, &room->height, size));
    SLT_TRY(SLT_NEW(arena, &room->heap, size));
    return SLT_NEW(arena, &room->where, size);
}

int64_t slt_vote_window_candidates(const slt_vote_room *room, const slt_vote_window *window,
                                   const double *weights, const slt_vote_rules *rules,
                                   slt_candidate *list) {
    episode e = {.window = window,
                 .weights = weights,
                 .rules = rules,
                 .length = window->length,
                 .left = room->left,
                 .vote = room->vote,
                 .height = room->height,
                 .heap = room->heap,
                 .where = room->where};
    load(&e);
    return collect(&e, list);
}

static int64_t longest_of(const slt_ballots *b) {
    int64_t longest = 0;
    for (int64_t i = 0; i < b->episodes; i++) {
        int64_t length = b->offsets[i + 1] - b->offsets[i];
        longest = length > longest ? length : longest;
    }
    return longest;
}

// an episode has no more candidates than its runs have boundaries, nor than it has steps
static int64_t most_candidates(const slt_ballots *b, const double *weights, double *votes) {
    int64_t most = 0;
    for (int r = 0; r < b->runs; r++)
        for (int64_t t = 0; t < b->steps; t++) {
            *votes += worth(weights[r], b->cut[r][t]);
            most += b->cut[r][t] != 0;
        }
    return most < b->steps ? most : b->steps;
}

slt_status slt_vote_candidates(slt_arena *arena, const slt_ballots *ballots, const double *weights,
                               const slt_vote_rules *rules, slt_candidates *out) {
    slt_vote_room room;
    *out = (slt_candidates){0};
    size_t most = (size_t)most_candidates(ballots, weights, &out->votes);
    SLT_TRY(SLT_NEW(arena, &out->list, most + 1));
    slt_arena_mark mark = slt_arena_now(arena);
    SLT_TRY(slt_vote_room_init(&room, arena, ballots->runs, longest_of(ballots)));
    for (int64_t i = 0; i < ballots->episodes; i++) {
        int64_t first = ballots->offsets[i];
        slt_vote_window window = {.runs = ballots->runs,
                                  .cut = ballots->cut,
                                  .first = first,
                                  .length = ballots->offsets[i + 1] - first};
        slt_candidate *list = out->list + out->count;
        int64_t count = slt_vote_window_candidates(&room, &window, weights, rules, list);
        for (int64_t c = 0; c < count; c++) list[c].episode = i;
        out->count += count;
    }
    slt_arena_reset(arena, mark);
    return SLT_OK;
}
