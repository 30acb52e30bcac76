// Learning how a view shifts: which place takes over what which other place had, per action.
//
//   takeover   of the steps of an action that shift the view, place i after it is a one where place
//              j was one before it, and nowhere else: in 90 % of the steps at which either is
//   move       two actions that undo each other's takeovers: one way along an axis, and back
//              An action that shifts the view otherwise: there is no map
//   thing      places that are connected by takeovers that moves undo; their positions follow
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "skills/view_map.h"

enum { LEAST = 20, NONE = -1 };
static const double FIRST_GUESS = 0.4, SURE = 0.9, SHIFTED = 0.9, CONFLICTS = 0.01;

typedef struct {
    const slt_map_steps *steps;
    slt_context *context;
    slt_arena *arena;
    slt_view_map *map;
    int P, A;
    int32_t *both;           // [P][P] i is a one after, j before
    int32_t *after, *before; // [P]
    int16_t *inverse;        // [A] the action that undoes it; NONE
    int16_t *source;         // [A][P] the place that place i takes over from; NONE
    uint8_t *flags;          // [P]
} learner;

static int64_t ones_of(const learner *l, int64_t t, const uint16_t **out) {
    *out = l->steps->ones + l->steps->start[t];
    return l->steps->start[t + 1] - l->steps->start[t];
}

// share of the ones after step t that were there before, where the source is known
static double agreement(learner *l, int64_t t, const int16_t *source) {
    const uint16_t *before, *after;
    int64_t n = ones_of(l, t, &before), m = ones_of(l, t + 1, &after);
    int known = 0, right = 0;
    for (int64_t i = 0; i < n; i++) l->flags[before[i]] = 1;
    for (int64_t i = 0; i < m; i++) {
        if (source[after[i]] == NONE || source[after[i]] == after[i]) continue;
        known++;
        right += l->flags[source[after[i]]];
    }
    for (int64_t i = 0; i < n; i++) l->flags[before[i]] = 0;
    return known ? (double)right / known : 0;
}

// counts over the steps of an action, of those that the present sources explain where `chosen`
static void count(learner *l, int action, const int16_t *source, bool chosen) {
    const slt_map_steps *s = l->steps;
    memset(l->both, 0, (size_t)l->P * (size_t)l->P * sizeof *l->both);
    memset(l->after, 0, (size_t)l->P * sizeof *l->after);
    memset(l->before, 0, (size_t)l->P * sizeof *l->before);
    for (int64_t t = 0; t + 1 < s->steps; t++) {
        const uint16_t *before, *after;
        if (s->actions[t] != action || s->begins[t + 1]) continue;
        if (chosen && agreement(l, t, source) < SHIFTED) continue;
        int64_t n = ones_of(l, t, &before), m = ones_of(l, t + 1, &after);
        for (int64_t i = 0; i < m; i++) l->after[after[i]]++;
        for (int64_t j = 0; j < n; j++) l->before[before[j]]++;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) l->both[after[i] * l->P + before[j]]++;
    }
}

static void choose_sources(const learner *l, double least, int16_t *source) {
    for (int i = 0; i < l->P; i++) {
        double best = least;
        source[i] = NONE;
        for (int j = 0; l->after[i] >= LEAST && j < l->P; j++) {
            int32_t both = l->both[i * l->P + j], either = l->after[i] + l->before[j] - both;
            if (!both || (double)both < best * either) continue;
            best = (double)both / either;
            source[i] = (int16_t)j;
        }
    }
}

// does an action shift the view? Half of the places with a source take it from another place
static bool shifts(const learner *l, const int16_t *source) {
    int known = 0, other = 0;
    for (int i = 0; i < l->P; i++) {
        known += source[i] != NONE;
        other += source[i] != NONE && source[i] != i;
    }
    return 2 * other > known && other > 1;
}

// places whose source has them as its source under the other action
static int undone(const learner *l, int a, int b) {
    const int16_t *one = l->source + a * l->P, *other = l->source + b * l->P;
    int count = 0;
    for (int i = 0; i < l->P; i++) count += one[i] != NONE && one[i] != i && other[one[i]] == i;
    return count;
}

// pairs of actions that undo each other, the one with the most places first
static void name_axes(learner *l) {
    for (int a = 0; a < l->A; a++) l->inverse[a] = NONE;
    for (int axis = 0; axis < SLT_MAP_AXES; axis++) {
        int best[2] = {0, 0}, most = 1;
        for (int a = 0; a < l->A; a++)
            for (int b = a + 1; b < l->A; b++) {
                if (l->inverse[a] != NONE || l->inverse[b] != NONE) continue;
                int count = undone(l, a, b);
                if (count > most) most = count, best[0] = a, best[1] = b;
            }
        if (best[0] == best[1]) return;
        l->inverse[best[0]] = (int16_t)best[1];
        l->inverse[best[1]] = (int16_t)best[0];
        l->map->moves[best[0]][axis] = 1;
        l->map->moves[best[1]][axis] = -1;
    }
}

// positions of all places that moves connect with `root`; counts edges and those that disagree
static void spread(learner *l, int root, int32_t *queue, int64_t *edges, int64_t *wrong) {
    slt_map_place *place = l->map->place;
    int head = 0, tail = 0;
    queue[tail++] = root;
    place[root] = (slt_map_place){.thing = (int16_t)l->map->things};
    while (head < tail) {
        int i = queue[head++];
        for (int a = 0; a < l->A; a++) {
            const int8_t *move = l->map->moves[a];
            int j = l->source[a * l->P + i], back = l->inverse[a];
            if (back == NONE || j == NONE || j == i || l->source[back * l->P + j] != i) continue;
            slt_map_place there = place[i];
            for (int k = 0; k < SLT_MAP_AXES; k++) there.at[k] = (int16_t)(there.at[k] - move[k]);
            ++*edges;
            if (place[j].thing < 0) {
                place[j] = there;
                queue[tail++] = j;
            } else {
                *wrong += memcmp(&place[j], &there, sizeof there) != 0;
            }
        }
    }
    if (tail == 1)
        place[root].thing = NONE;
    else
        l->map->things++;
}

// positions of every thing begin at 0
static void normalise(learner *l) {
    slt_map_place *place = l->map->place;
    for (int t = 0; t < l->map->things; t++) {
        int16_t low[SLT_MAP_AXES] = {INT16_MAX, INT16_MAX};
        for (int i = 0; i < l->P; i++)
            for (int k = 0; place[i].thing == t && k < SLT_MAP_AXES; k++)
                if (place[i].at[k] < low[k]) low[k] = place[i].at[k];
        for (int i = 0; i < l->P; i++)
            for (int k = 0; place[i].thing == t && k < SLT_MAP_AXES; k++)
                place[i].at[k] = (int16_t)(place[i].at[k] - low[k]);
    }
}

static slt_status find_things(learner *l) {
    int32_t *queue;
    int64_t edges = 0, wrong = 0;
    bool good;
    SLT_TRY(SLT_NEW(l->arena, &queue, (size_t)l->P));
    for (int i = 0; i < l->P; i++)
        if (l->map->place[i].thing == NONE) spread(l, i, queue, &edges, &wrong);
    normalise(l);
    SLT_TRY(slt_view_map_lay(l->map, l->arena, &good));
    if (!good || (double)wrong > CONFLICTS * (double)edges) l->map->things = 0;
    return SLT_OK;
}

slt_status slt_view_map_learn(slt_context *context, slt_arena *arena, const slt_map_steps *steps,
                              int places, int actions, slt_view_map *out) {
    learner l = {steps, context, arena, out, places, actions, NULL, NULL, NULL, NULL, NULL, NULL};
    size_t P = (size_t)places;
    *out = (slt_view_map){.places = places, .actions = actions};
    SLT_TRY(SLT_NEW(arena, &out->moves, (size_t)actions));
    SLT_TRY(SLT_NEW(arena, &out->place, P));
    for (int i = 0; i < places; i++) out->place[i].thing = NONE;
    if (places > SLT_MAP_PLACES) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &l.both, P * P));
    SLT_TRY(SLT_NEW(arena, &l.after, P));
    SLT_TRY(SLT_NEW(arena, &l.before, P));
    SLT_TRY(SLT_NEW(arena, &l.flags, P));
    SLT_TRY(SLT_NEW(arena, &l.inverse, (size_t)actions));
    SLT_TRY(SLT_NEW(arena, &l.source, P * (size_t)actions));
    for (int a = 0; a < actions; a++) {
        int16_t *source = l.source + (size_t)a * P;
        SLT_TRY(slt_context_check(context));
        count(&l, a, source, false);
        choose_sources(&l, FIRST_GUESS, source);
        if (shifts(&l, source)) count(&l, a, source, true);
        choose_sources(&l, SURE, source);
    }
    name_axes(&l);
    // what shifts along no axis would leave wrong positions behind
    for (int a = 0; a < actions; a++)
        if (l.inverse[a] == NONE && shifts(&l, l.source + (size_t)a * P)) return SLT_OK;
    return find_things(&l);
}
