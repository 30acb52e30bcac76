// The vote of a group's members, and the choice between groups.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/parallel_for.h"
#include "core/number.h"
#include "segmenter/segmenter_impl.h"

// groups closer than this are a near tie
static const double NEAR_TIE = .05;
// steps: shorter segments are events rather than sub-routines
static const double SHORT = 2.5;

enum { ROUNDS = 2 }; // of weighing runs by the answer

// ---- ballots

typedef struct {
    slt_segmenter *s;
    const slt_run_group *group;
    const slt_recording *recording;
    uint8_t **cut, **law;
} poll;

// boundaries become what the member's certainty makes of them
static void weigh_cuts(const slt_run_group *group, const slt_member *member, int64_t steps,
                       const uint8_t *law, uint8_t *cut) {
    for (int64_t t = 0; t + 1 < steps; t++) {
        if (!cut[t]) continue;
        int64_t at = slt_change_at(group, law, t);
        cut[t] = member->sure[law[at]][law[at + 1]];
    }
}

static slt_status ask(void *user, int i) {
    poll *p = user;
    return slt_member_segment(p->s, p->group, &p->group->members[i], p->recording, p->cut[i],
                              p->law[i], NULL);
}

slt_status slt_group_ballots(slt_segmenter *s, const slt_run_group *group,
                             const slt_recording *recording, slt_arena *arena, slt_ballots *out,
                             uint8_t ***laws) {
    poll p = {.s = s, .group = group, .recording = recording};
    SLT_TRY(SLT_NEW(arena, &p.cut, (size_t)group->count));
    SLT_TRY(SLT_NEW(arena, &p.law, (size_t)group->count));
    size_t steps = (size_t)recording->steps, numbers = (size_t)group->count * steps;
    uint8_t *cut, *law;
    SLT_TRY(SLT_NEW(arena, &cut, numbers + 1));
    SLT_TRY(SLT_NEW(arena, &law, numbers + 1));
    for (int i = 0; i < group->count; i++) {
        p.cut[i] = cut + (size_t)i * steps;
        p.law[i] = law + (size_t)i * steps;
    }
    bool device;
    SLT_TRY(slt_members_on_device(s, group, &device));
    if (device)
        SLT_TRY(slt_members_segment(s, group, recording, cut, law));
    else
        SLT_TRY(slt_parallel_for(s->context, group->count, ask, &p));
    for (int i = 0; i < group->count; i++)
        weigh_cuts(group, &group->members[i], recording->steps, p.law[i], p.cut[i]);
    *out = (slt_ballots){.runs = group->count,
                         .episodes = recording->episodes,
                         .steps = recording->steps,
                         .offsets = recording->offsets,
                         .cut = (const uint8_t *const *)p.cut};
    if (laws) *laws = p.law;
    return SLT_OK;
}

// ---- what a group says of itself

static double mean_off_diagonal(const float *agreement, int runs) {
    double sum = 0;
    for (int i = 0; i < runs; i++)
        for (int j = 0; j < runs; j++) sum += i == j ? 0 : agreement[i * runs + j];
    return runs > 1 ? sum / ((double)runs * (runs - 1)) : 0;
}

static double segments_per_episode(const uint8_t *cut, const slt_ballots *b) {
    int64_t count = 0;
    for (int64_t t = 0; t < b->steps; t++) count += cut[t];
    return b->episodes ? 1 + (double)count / (double)b->episodes : 0;
}

// the answer of some weights: its threshold, expected F1 and boundaries; told: may be NULL
static slt_status decide(const slt_vote_told *told, const slt_vote_rules *rules, slt_arena *arena,
                         const slt_ballots *ballots, slt_vote_of *vote, double *expected,
                         uint8_t *cut) {
    slt_candidates candidates;
    slt_vote_choice choice;
    SLT_TRY(slt_vote_candidates(arena, ballots, vote->weights, rules, &candidates));
    SLT_TRY(slt_vote_choose(arena, &candidates, &choice));
    vote->threshold = choice.threshold;
    vote->undecided =
        slt_vote_undecided(&candidates, vote->weights, ballots->runs, choice.threshold);
    *expected = choice.expected;
    slt_vote_keep(&candidates, choice.threshold, told, ballots->steps, cut, NULL);
    return SLT_OK;
}

static slt_status settle_modes(slt_segmenter *s, slt_run_group *group, slt_arena *arena,
                               const slt_recording *held_out, const slt_ballots *ballots,
                               const uint8_t *answer, slt_vote_group *out) {
    slt_modes modes;
    uint8_t *cut, *first;
    double expected;
    SLT_TRY(SLT_NEW(arena, &first, (size_t)ballots->steps + 1));
    SLT_TRY(SLT_NEW(arena, &cut, (size_t)ballots->steps + 1));
    SLT_TRY(slt_vote_modes(arena, group->agreement, group->count, &modes, group->mode));
    group->modes = out->answer_count = modes.count;
    for (int i = 0; i < group->count; i++) group->mode[i]++;
    for (int m = 0; m < modes.count; m++) {
        slt_vote_of *vote = &group->votes[1 + m];
        for (int i = 0; i < group->count; i++)
            vote->weights[i] = group->mode[i] == 1 + m ? 1. / modes.size[m] : 0;
        SLT_TRY(decide(&s->vote_told, &group->rules, arena, ballots, vote, &expected, cut));
        if (!m) memcpy(first, cut, (size_t)ballots->steps);
        SLT_TRY(
            slt_answer_describe(s, arena, held_out, first, m ? cut : NULL, out->answers[m].words));
        slt_ballots one = *ballots;
        const uint8_t *only[1] = {answer};
        double all = 1;
        one.runs = 1;
        one.cut = only;
        out->answers[m].runs = modes.size[m];
        out->answers[m].segments = segments_per_episode(cut, ballots);
        SLT_TRY(
            slt_vote_support(arena, &one, &all, &group->rules, cut, &out->answers[m].agreement));
    }
    return SLT_OK;
}

static double trust_of(const slt_vote_group *g) {
    return fmin(fmin(g->expected, g->equal), fmin(g->support, g->certainty));
}

static slt_status settle(slt_segmenter *s, slt_run_group *group, slt_arena *keep, slt_arena *arena,
                         const slt_recording *held_out, slt_vote_group *out) {
    slt_ballots ballots;
    slt_vote_of equal = {0};
    uint8_t *cut, *other;
    slt_certainty certainty;
    int half = 0;
    SLT_TRY(slt_group_certainty(s, group, arena, held_out, &certainty));
    SLT_TRY(slt_group_ballots(s, group, held_out, arena, &ballots, NULL));
    SLT_TRY(slt_vote_agreement(keep, &ballots, &group->rules, &group->agreement));
    SLT_TRY(SLT_NEW(arena, &cut, (size_t)ballots.steps + 1));
    SLT_TRY(SLT_NEW(arena, &other, (size_t)ballots.steps + 1));
    SLT_TRY(SLT_NEW(arena, &equal.weights, (size_t)group->count));
    SLT_TRY(slt_vote_weights(arena, group->agreement, group->count, group->votes[0].weights));
    SLT_TRY(decide(NULL, &group->rules, arena, &ballots, &group->votes[0], &out->expected, cut));
    for (int round = 1; round <= ROUNDS; round++) {
        // what is told changes the last answer, not what a run is worth
        const slt_vote_told *told = round == ROUNDS ? &s->vote_told : NULL;
        SLT_TRY(slt_vote_reweigh(arena, &ballots, &group->rules, cut, group->votes[0].weights));
        SLT_TRY(
            decide(told, &group->rules, arena, &ballots, &group->votes[0], &out->expected, cut));
    }
    for (int i = 0; i < group->count; i++) half += group->votes[0].weights[i] > 0;
    for (int i = 0; i < group->count; i++)
        equal.weights[i] = group->votes[0].weights[i] > 0 ? 1. / half : 0;
    SLT_TRY(decide(NULL, &group->rules, arena, &ballots, &equal, &out->equal, other));
    SLT_TRY(slt_vote_support(arena, &ballots, equal.weights, &group->rules, cut, &out->support));
    SLT_TRY(slt_certainty_of(arena, group, &certainty, equal.weights, &out->certainty));
    out->agreement = mean_off_diagonal(group->agreement, group->count);
    out->segments = segments_per_episode(cut, &ballots);
    group->length = (double)ballots.steps / (out->segments * (double)ballots.episodes);
    out->trust = trust_of(out);
    return settle_modes(s, group, arena, held_out, &ballots, cut, out);
}

slt_status slt_group_settle(slt_segmenter *s, slt_run_group *group, slt_arena *keep,
                            const slt_recording *held_out, slt_vote_group *out) {
    slt_arena arena;
    *out = (slt_vote_group){.runs = group->count}; // it may have spoken before, with fewer runs
    snprintf(out->name, sizeof out->name, "%s", group->spec->name);
    for (int i = 0; i < 1 + SLT_MOST_MODES; i++) {
        group->votes[i] = (slt_vote_of){0};
        SLT_TRY(SLT_NEW(keep, &group->votes[i].weights, (size_t)group->count));
    }
    SLT_TRY(SLT_NEW(keep, &group->mode, (size_t)group->count));
    slt_arena_init(&arena, &s->context->allocator, 0);
    slt_status status = settle(s, group, keep, &arena, held_out, out);
    slt_arena_deinit(&arena);
    return status;
}

slt_status slt_group_standing(slt_segmenter *s, const slt_run_group *group, int members,
                              const slt_recording *held_out, char *words, size_t size) {
    slt_run_group copy = *group;
    slt_vote_group out = {0};
    slt_arena arena;
    copy.count = members;
    slt_arena_init(&arena, &s->context->allocator, 0);
    slt_status status = slt_group_settle(s, &copy, &arena, held_out, &out);
    if (status == SLT_OK)
        slt_format(words, size, "%d runs: trust %.2f, %.1f boundaries per episode", members,
                   out.trust, out.segments - 1);
    slt_arena_deinit(&arena);
    return status;
}

// ---- between groups

static void warn(slt_vote_result *r, const char *text) {
    if (r->warning_count < SLT_MOST_VOTE_WARNINGS)
        snprintf(r->warnings[r->warning_count++], sizeof r->warnings[0], "%s", text);
}

// The more trusted one. Of two that are nearly tied the one that found the number of segments by
// itself, where the other was told it; else the one with longer segments, or, where these are
// alike, the one whose runs agree more.
static bool better(const slt_segmenter *s, const slt_vote_result *r, int first, int second) {
    const slt_vote_group *a = &r->groups[first], *b = &r->groups[second];
    bool counts = slt_group_counts(s, &s->groups[first]);
    double more = a->trust - b->trust;
    if (more > NEAR_TIE || more < -NEAR_TIE) return more > 0;
    if (counts != (slt_group_counts(s, &s->groups[second]) != NULL)) return !counts;
    bool alike = a->segments < 1.05 * b->segments && b->segments < 1.05 * a->segments;
    return alike ? a->agreement > b->agreement : a->segments < b->segments;
}

static void warn_of_trust(slt_vote_result *r, const slt_vote_group *best) {
    char text[256];
    bool certain = best->certainty > best->trust;
    if (best->trust >= SLT_ENOUGH_TRUST) return;
    slt_format(text, sizeof text,
               "The runs %s (trust %.2f): check the boundaries, or give more episodes",
               certain ? "do not agree on where segments end"
                       : "agree, but are not certain that these are all ends of segments",
               best->trust);
    warn(r, text);
}

// windows know where a boundary is only so far
static void warn_of_windows(slt_vote_result *r, const slt_run_group *group) {
    char text[256];
    if (!group->hop) return;
    slt_format(text, sizeof text,
               "Boundaries are between windows: they and their confidence are within %d steps",
               group->hop);
    warn(r, text);
}

static void warn_of_answers(slt_vote_result *r, const slt_vote_group *best) {
    char text[256];
    int others = 0;
    for (int i = 1; i < best->answer_count; i++) others += best->answers[i].runs;
    if (others && 2 * others > best->answers[0].runs) {
        slt_format(text, sizeof text, "%d runs give %s (%s): see --answer 2", others,
                   best->answer_count > 2 ? "other answers" : "another answer",
                   best->answers[1].words);
        warn(r, text);
    }
    if (best->segments < 1.05) warn(r, "One segment in nearly every episode was found");
}

static void warn_of_tie(slt_vote_result *r, const slt_vote_group *best) {
    char text[256];
    const slt_vote_group *second = NULL;
    for (int g = 0; g < r->group_count; g++)
        if (&r->groups[g] != best && (!second || r->groups[g].trust > second->trust))
            second = &r->groups[g];
    if (!second || second->trust <= best->trust - NEAR_TIE) return;
    slt_format(text, sizeof text,
               "%s (trust %.2f) and %s (trust %.2f) are nearly tied: look at both, then choose "
               "with kind= or --group",
               best->name, best->trust, second->name, second->trust);
    warn(r, text);
}

void slt_segmenter_elect(slt_segmenter *s) {
    slt_vote_result *r = &s->result;
    r->chosen = 0;
    for (int g = 1; g < r->group_count; g++)
        if (better(s, r, g, r->chosen)) r->chosen = g;
    r->trust = r->groups[r->chosen].trust;
    s->elected = r->chosen;
}

void slt_segmenter_judge(slt_segmenter *s, int groups) {
    slt_segmenter_elect(s);
    slt_vote_result *r = &s->result;
    const slt_vote_group *best = &r->groups[r->chosen];
    warn_of_trust(r, best);
    warn_of_windows(r, &s->groups[r->chosen]);
    warn_of_tie(r, best);
    warn_of_answers(r, best);
    if (s->groups[r->chosen].length < SHORT)
        warn(r,
             "Segments have one or two steps on average: the runs agree on single events; tell the "
             "number of segments with prior=");
    if (s->groups[r->chosen].undivided)
        warn(r, "One episode has no halves: all runs learned from the same steps, so trust is too "
                "high");
    if (r->group_count < groups)
        warn(r, "Stopped before every group voted: run it again with --force for all of them");
    r->doubtful = r->warning_count > 0;
}

// a user who asks for a group knows of the others
void slt_segmenter_choose(slt_segmenter *s, int group) {
    slt_vote_result *r = &s->result;
    const slt_vote_group *best = &r->groups[group];
    r->chosen = group;
    r->trust = best->trust;
    r->warning_count = 0;
    warn_of_trust(r, best);
    warn_of_windows(r, &s->groups[group]);
    warn_of_answers(r, best);
    r->doubtful = r->warning_count > 0;
}
