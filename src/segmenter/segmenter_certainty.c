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
    slt_certainty *out;
} survey;

// what a member says of the episodes
typedef struct {
    uint8_t *cut, *law;
    float *chance;
} account;

// Where a boundary is a change of the law, the laws tell what kind it is: one that is always found
// at the same step, or one that may be anywhere in a slow change or among stray actions. Boundaries
// of event chains end with a symbol, and count in full.
static void measure_kinds(const slt_run_group *group, const slt_recording *r, const account *a,
                          slt_member *member) {
    double sum[SLT_MOST_LAWS][SLT_MOST_LAWS] = {{0}}, all = 0;
    int64_t count[SLT_MOST_LAWS][SLT_MOST_LAWS] = {{0}}, boundaries = 0;
    for (int64_t t = 0; t + 1 < r->steps; t++) {
        if (!a->cut[t]) continue;
        double near = a->chance[t] + a->chance[t + 1] + (t ? a->chance[t - 1] : 0);
        int64_t at = slt_change_at(group, a->law, t);
        sum[a->law[at]][a->law[at + 1]] += near = fmin(1, near);
        count[a->law[at]][a->law[at + 1]]++;
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

// laws that are one have the same boundaries
static void share_kinds(slt_member *member) {
    const uint8_t *group = member->symbols.group;
    for (int j = 0; j < member->symbols.K; j++)
        for (int k = 0; k < member->symbols.K; k++)
            member->sure[j][k] = member->sure[group[j]][group[k]];
}

// F1 of a run's boundaries and of all ends that it found before it knew the events
static double without_stray(const slt_run_group *group, const slt_member *member) {
    if (group->spec->kind != SLT_GROUP_EVENTS) return 1;
    double kept = 1 - member->symbols.stray;
    return 2 * kept / (1 + kept);
}

static slt_status measure(survey *v, slt_arena *arena, int i) {
    const slt_recording *r = &v->some;
    slt_member *member = &v->group->members[i];
    slt_group_kind kind = v->group->spec->kind;
    account a = {.chance = v->out->chance[i]};
    SLT_TRY(SLT_NEW(arena, &a.cut, (size_t)r->steps + 1));
    SLT_TRY(SLT_NEW(arena, &a.law, (size_t)r->steps + 1));
    SLT_TRY(slt_member_segment(v->s, v->group, member, r, a.cut, a.law, a.chance));
    memset(member->sure, SLT_SURE, sizeof member->sure);
    if (kind == SLT_GROUP_SWITCHING || kind == SLT_GROUP_PHASES)
        measure_kinds(v->group, r, &a, member);
    if (kind == SLT_GROUP_PHASES) share_kinds(member);
    v->out->own[i] = without_stray(v->group, member);
    if (!slt_group_is_linear(kind)) return SLT_OK;
    return slt_vote_certainty(arena, &v->out->shape, &v->group->rules, a.cut, a.chance,
                              &v->out->own[i]);
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
                               const slt_recording *held_out, slt_certainty *out) {
    survey v = {.s = s, .group = group, .some = *held_out, .out = out};
    v.some.episodes = 0;
    while (v.some.episodes < held_out->episodes &&
           held_out->offsets[v.some.episodes] < ENOUGH_STEPS)
        v.some.episodes++;
    v.some.steps = held_out->offsets[v.some.episodes];
    out->shape = (slt_ballots){
        .episodes = v.some.episodes, .steps = v.some.steps, .offsets = v.some.offsets};
    SLT_TRY(SLT_NEW(arena, &out->own, (size_t)group->count));
    SLT_TRY(SLT_NEW(arena, &out->chance, (size_t)group->count));
    for (int i = 0; i < group->count; i++)
        SLT_TRY(SLT_NEW(arena, &out->chance[i], (size_t)v.some.steps + 1));
    return slt_parallel_for(s->context, group->count, ask, &v);
}

// Symbol chains see the same record, so they can agree on ends that it does not determine: two of
// them must agree when each draws its boundaries from what it holds possible. The chances of linear
// chains are wider than the data make them, since their variances have floors.
slt_status slt_certainty_of(slt_arena *arena, const slt_run_group *group,
                            const slt_certainty *certainty, const double *weights, double *out) {
    int64_t steps = certainty->shape.steps;
    float *mean;
    *out = 0;
    for (int i = 0; i < group->count; i++) *out += weights[i] * certainty->own[i];
    if (slt_group_is_linear(group->spec->kind)) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &mean, (size_t)steps + 1));
    for (int i = 0; i < group->count; i++)
        for (int64_t t = 0; t < steps; t++) mean[t] += (float)weights[i] * certainty->chance[i][t];
    *out *= slt_vote_draws(&certainty->shape, &group->rules, mean);
    return SLT_OK;
}
