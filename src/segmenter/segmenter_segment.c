// Answering: all members of the group segment a block of episodes, their vote is the answer.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "segmenter/segmenter_impl.h"

enum { BLOCK_STEPS = 50000 };

typedef struct {
    slt_segmenter *s;
    slt_dataset *data;
    const slt_segment_options *options;
    slt_segments_visit visit;
    void *user;
    slt_arena arena;
} answering;

slt_status slt_segmenter_take(slt_segmenter *s, const char *group, int answer) {
    int chosen = group ? -1 : s->elected;
    for (int g = 0; group && g < s->group_count; g++)
        if (strcmp(s->groups[g].spec->name, group) == 0) chosen = g;
    if (chosen < 0) SLT_FAIL(SLT_INVALID, "no group '%s' voted", group);
    if (answer < 0 || answer > s->groups[chosen].modes)
        SLT_FAIL(SLT_INVALID, "no answer %d: group %s has %d", answer, s->groups[chosen].spec->name,
                 s->groups[chosen].modes);
    if (chosen != s->result.chosen) slt_segmenter_choose(s, chosen);
    s->answer = answer;
    return SLT_OK;
}

// the law that most steps of a segment follow, by the run that counts most
static int32_t type_of(const uint8_t *law, int64_t from, int64_t to) {
    int count[256] = {0}, best = 0;
    for (int64_t t = from; t <= to; t++) count[law[t]]++;
    for (int k = 1; k < 256; k++)
        if (count[k] > count[best]) best = k;
    return best;
}

static const uint8_t *speaker(const slt_run_group *group, const slt_vote_of *vote, uint8_t **laws) {
    int best = 0;
    for (int i = 1; i < group->count; i++)
        if (vote->weights[i] > vote->weights[best]) best = i;
    return laws[best];
}

// what is known of a block of episodes: arrays over all their steps
typedef struct {
    const slt_ballots *ballots;
    uint8_t *cut;
    const uint8_t *law;
    float *height;
    float *heights; // of every step; NULL: no pictures
    float line;
    int answer_count;
    uint8_t *answers[SLT_MOST_ANSWERS];
} block;

// how the vote came about in one episode
static slt_status picture(answering *a, const block *b, int64_t at, int64_t length,
                          slt_vote_picture *out) {
    uint8_t *answers;
    SLT_TRY(SLT_NEW(&a->arena, &answers, (size_t)(SLT_MOST_ANSWERS * length)));
    for (int i = 0; i < b->answer_count; i++)
        memcpy(answers + i * length, b->answers[i] + at, (size_t)length);
    *out = (slt_vote_picture){b->heights + at, b->line, b->answer_count, answers};
    return SLT_OK;
}

static slt_status show(answering *a, int64_t episode, const block *b, int64_t at, int64_t length) {
    slt_arena_mark mark = slt_arena_now(&a->arena);
    const uint8_t *cut = b->cut + at, *law = b->law + at;
    const float *height = b->height + at;
    slt_vote_picture vote;
    slt_segments out = {.episode = episode, .length = (int32_t)length};
    int32_t *ids, *boundaries, *types;
    float *confidence;
    SLT_TRY(SLT_NEW(&a->arena, &ids, (size_t)length));
    SLT_TRY(SLT_NEW(&a->arena, &boundaries, (size_t)length));
    SLT_TRY(SLT_NEW(&a->arena, &types, (size_t)length));
    SLT_TRY(SLT_NEW(&a->arena, &confidence, (size_t)length));
    int64_t first = 0;
    for (int64_t t = 0; t < length; t++) {
        ids[t] = out.segments;
        if (t + 1 < length && !cut[t]) continue;
        types[out.segments++] = type_of(law, first, t);
        first = t + 1;
        if (t + 1 == length) break;
        boundaries[out.boundary_count] = (int32_t)t;
        confidence[out.boundary_count++] = height[t];
    }
    out.ids = ids;
    out.types = types;
    out.calibrated = true;
    out.boundaries = boundaries;
    out.confidence = confidence;
    if (b->heights) {
        SLT_TRY(picture(a, b, at, length, &vote));
        out.vote = &vote;
    }
    slt_status status = a->visit(a->user, &out);
    slt_arena_reset(&a->arena, mark);
    return status;
}

// boundaries, and their heights, by one vote of the group
static slt_status decide(answering *a, const slt_ballots *ballots, const slt_vote_of *vote,
                         const slt_vote_rules *rules, slt_candidates *candidates, uint8_t **cut,
                         float **height) {
    SLT_TRY(slt_vote_candidates(&a->arena, ballots, vote->weights, rules, candidates));
    SLT_TRY(SLT_NEW(&a->arena, cut, (size_t)ballots->steps + 1));
    SLT_TRY(SLT_NEW(&a->arena, height, (size_t)ballots->steps + 1));
    slt_vote_keep(candidates, vote->threshold, &a->s->vote_told, ballots->steps, *cut, *height);
    return SLT_OK;
}

// all places that were voted on, and what each answer says
static slt_status draw_block(answering *a, const slt_run_group *group, const slt_vote_of *vote,
                             const slt_vote_rules *rules, const slt_candidates *candidates,
                             block *b) {
    slt_candidates others;
    float *unused;
    SLT_TRY(SLT_NEW(&a->arena, &b->heights, (size_t)b->ballots->steps + 1));
    for (int64_t i = 0; i < candidates->count; i++)
        b->heights[candidates->list[i].step] = candidates->list[i].height;
    b->line = a->s->told ? 0 : (float)vote->threshold;
    b->answer_count = group->modes;
    for (int i = 0; i < group->modes; i++)
        SLT_TRY(
            decide(a, b->ballots, &group->votes[1 + i], rules, &others, &b->answers[i], &unused));
    return SLT_OK;
}

static slt_status answer_block(answering *a, const int64_t *episodes, int64_t count) {
    slt_segmenter *s = a->s;
    slt_run_group *group = &s->groups[s->result.chosen];
    const slt_vote_of *vote = &group->votes[s->answer];
    slt_vote_rules rules = group->rules;
    slt_recording recording;
    slt_ballots ballots;
    slt_candidates candidates;
    uint8_t **laws;
    block b = {.ballots = &ballots};
    if (a->options->min_length) rules.least_length = a->options->min_length;
    SLT_TRY(slt_recording_read(s, &a->arena, group, a->data, episodes, count, &recording));
    SLT_TRY(slt_group_ballots(s, group, &recording, &a->arena, &ballots, &laws));
    SLT_TRY(decide(a, &ballots, vote, &rules, &candidates, &b.cut, &b.height));
    b.law = speaker(group, vote, laws);
    if (a->options->pictures) SLT_TRY(draw_block(a, group, vote, &rules, &candidates, &b));
    for (int64_t e = 0; e < count; e++) {
        int64_t at = ballots.offsets[e];
        SLT_TRY(show(a, episodes[e], &b, at, ballots.offsets[e + 1] - at));
    }
    return SLT_OK;
}

static slt_status check(const slt_segmenter *s, slt_dataset *data) {
    const slt_dataset_info *info = slt_dataset_about(data);
    bool continuous = info->action_kind == SLT_ACTIONS_CONTINUOUS;
    int actions = continuous ? info->action_size : info->action_count;
    if (continuous != s->continuous)
        SLT_FAIL(SLT_SHAPE, "%s has %s actions, the segmenter learned from %s ones",
                 slt_dataset_path(data), continuous ? "continuous" : "discrete",
                 s->continuous ? "continuous" : "discrete");
    if (continuous ? actions != s->actions : actions > s->actions)
        SLT_FAIL(SLT_SHAPE, "%s has %d %s, the segmenter knows %d", slt_dataset_path(data), actions,
                 continuous ? "numbers per action" : "actions", s->actions);
    if (info->observation_size != s->observation)
        SLT_FAIL(SLT_SHAPE, "%s has observations of %lld numbers, the segmenter knows %d",
                 slt_dataset_path(data), (long long)info->observation_size, s->observation);
    return SLT_OK;
}

static slt_status answer_all(answering *a, const int64_t *episodes, int64_t count) {
    const int64_t *offsets = slt_dataset_offsets(a->data);
    for (int64_t i = 0, end; i < count; i = end) {
        int64_t steps = 0;
        for (end = i; end < count && (steps < BLOCK_STEPS || end == i); end++)
            steps += offsets[episodes[end] + 1] - offsets[episodes[end]];
        slt_arena_mark mark = slt_arena_now(&a->arena);
        SLT_TRY(slt_context_check(a->s->context));
        SLT_TRY(answer_block(a, episodes + i, end - i));
        slt_arena_reset(&a->arena, mark);
    }
    return SLT_OK;
}

slt_status slt_segmenter_segment(slt_segmenter *s, slt_dataset *data,
                                 const slt_segment_options *options, slt_segments_visit visit,
                                 void *user) {
    slt_segment_options chosen = options ? *options : (slt_segment_options){0};
    answering a = {.s = s, .data = data, .options = &chosen, .visit = visit, .user = user};
    const int64_t *episodes;
    int64_t *all, count;
    SLT_TRY(check(s, data));
    slt_arena_init(&a.arena, &s->context->allocator, 0);
    count = slt_dataset_about(data)->episodes;
    slt_status status = SLT_NEW(&a.arena, &all, (size_t)count + 1);
    for (int64_t i = 0; status == SLT_OK && i < count; i++) all[i] = i;
    episodes = all;
    if (chosen.one_split) count = slt_dataset_split(data, chosen.split, &episodes);
    if (chosen.episodes) episodes = chosen.episodes, count = chosen.episode_count;
    if (status == SLT_OK) status = answer_all(&a, episodes, count);
    slt_arena_deinit(&a.arena);
    return status;
}
