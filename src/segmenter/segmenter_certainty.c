// How certain runs are of their own boundaries, by the chances that each gives them. Where ends are
// lost from the record, or may be any of several steps, runs can agree on what is likeliest and
// each know that it is not certain.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "core/parallel_for.h"
#include "segmenter/segmenter_impl.h"

enum {
    ENOUGH_STEPS = 8000, // to see it
    USUAL = 4            // boundaries between two laws are thought as certain as so many usual ones
};

typedef struct {
    slt_segmenter *s;
    const slt_run_group *group;
    slt_recording some; // of the held-out episodes
    double *certainty;  // [members]
} survey;

// what a member says of the episodes
typedef struct {
    uint8_t *cut, *law;
    float *chance;
} account;

// Laws of a linear chain tell what kind of boundary lies between them: one that is always found at
// the same step, or one that may be anywhere in a slow change. Boundaries of symbol chains end with
// a symbol, and count in full.
static void measure_kinds(const slt_recording *r, const account *a, slt_member *member) {
    double sum[SLT_MOST_LAWS][SLT_MOST_LAWS] = {{0}}, all = 0;
    int64_t count[SLT_MOST_LAWS][SLT_MOST_LAWS] = {{0}}, boundaries = 0;
    for (int64_t t = 0; t + 1 < r->steps; t++) {
        if (!a->cut[t]) continue;
        double near = a->chance[t] + a->chance[t + 1] + (t ? a->chance[t - 1] : 0);
        sum[a->law[t]][a->law[t + 1]] += near = fmin(1, near);
        count[a->law[t]][a->law[t + 1]]++;
        all += near;
        boundaries++;
    }
    double usual = boundaries ? all / (double)boundaries : 1;
    for (int j = 0; j < SLT_MOST_LAWS; j++)
        for (int k = 0; k < SLT_MOST_LAWS; k++) {
            double sure = (sum[j][k] + USUAL * usual) / ((double)count[j][k] + USUAL);
            member->sure[j][k] = (uint8_t)fmax(1, round(sure * SLT_SURE));
        }
}

// F1 of a run's boundaries and of all ends that it found before it knew the events
static double without_stray(const slt_run_group *group, const slt_member *member) {
    if (group->spec->kind != SLT_GROUP_EVENTS) return 1;
    double kept = 1 - member->symbols.stray;
    return 2 * kept / (1 + kept);
}

static slt_status measure(survey *v, slt_arena *arena, int i) {
    const slt_recording *r = &v->some;
    slt_ballots shape = {.episodes = r->episodes, .steps = r->steps, .offsets = r->offsets};
    slt_member *member = &v->group->members[i];
    account a;
    SLT_TRY(SLT_NEW(arena, &a.cut, (size_t)r->steps + 1));
    SLT_TRY(SLT_NEW(arena, &a.law, (size_t)r->steps + 1));
    SLT_TRY(SLT_NEW(arena, &a.chance, (size_t)r->steps + 1));
    SLT_TRY(slt_member_segment(v->s, v->group, member, r, a.cut, a.law, a.chance));
    memset(member->sure, SLT_SURE, sizeof member->sure);
    if (v->group->spec->kind == SLT_GROUP_SWITCHING) measure_kinds(r, &a, member);
    SLT_TRY(slt_vote_certainty(arena, &shape, &v->group->rules, a.cut, a.chance, &v->certainty[i]));
    v->certainty[i] = fmin(v->certainty[i], without_stray(v->group, member));
    return SLT_OK;
}

static slt_status ask(void *user, int i) {
    survey *v = user;
    slt_arena arena;
    slt_arena_init(&arena, &v->s->context->allocator, 0);
    slt_status status = measure(v, &arena, i);
    slt_arena_deinit(&arena);
    return status;
}

slt_status slt_group_certainty(slt_segmenter *s, const slt_run_group *group, slt_arena *arena,
                               const slt_recording *held_out, double **out) {
    survey v = {.s = s, .group = group, .some = *held_out};
    SLT_TRY(SLT_NEW(arena, &v.certainty, (size_t)group->count));
    v.some.episodes = 0;
    while (v.some.episodes < held_out->episodes &&
           held_out->offsets[v.some.episodes] < ENOUGH_STEPS)
        v.some.episodes++;
    v.some.steps = held_out->offsets[v.some.episodes];
    SLT_TRY(slt_parallel_for(s->context, group->count, ask, &v));
    *out = v.certainty;
    return SLT_OK;
}
