// The answers of a segmenter in the form of a model's.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/inference/vote_answers.h"
#include <stdio.h>
#include <string.h>
#include "core/context_impl.h"

typedef struct {
    slt_dataset *data;
    slt_arena arena;
    slt_predict_visit visit;
    void *user;
} bridge;

static slt_status pass_on(void *user, const slt_segments *s) {
    bridge *b = user;
    slt_arena_mark mark = slt_arena_now(&b->arena);
    slt_segmentation answer = {.length = s->length, .calibrated = true, .vote = s->vote};
    slt_episode episode;
    SLT_TRY(slt_dataset_episode(b->data, s->episode, &episode));
    SLT_TRY(SLT_NEW(&b->arena, &answer.ids, (size_t)s->length));
    SLT_TRY(SLT_NEW(&b->arena, &answer.confidence, (size_t)s->length));
    SLT_TRY(SLT_NEW(&b->arena, &answer.ends, (size_t)s->length));
    SLT_TRY(SLT_NEW(&b->arena, &answer.types, (size_t)s->length));
    memcpy(answer.ids, s->ids, sizeof *s->ids * (size_t)s->length);
    for (int t = 0; t < s->length; t++) answer.types[t] = s->types[s->ids[t]];
    for (int i = 0; i < s->boundary_count; i++)
        answer.confidence[s->boundaries[i]] = answer.ends[s->boundaries[i]] = s->confidence[i];
    slt_status status = b->visit(b->user, &episode, &answer);
    slt_arena_reset(&b->arena, mark);
    return status;
}

slt_status slt_vote_answers(slt_segmenter *segmenter, slt_dataset *data,
                            const slt_segment_options *options, slt_predict_visit visit,
                            void *user) {
    bridge b = {.data = data, .visit = visit, .user = user};
    if (options->missed_by)
        SLT_FAIL(SLT_UNSUPPORTED, "missed_by is for trained models, not for a vote");
    slt_arena_init(&b.arena, &slt_system_allocator, 0);
    slt_status status = slt_segmenter_segment(segmenter, data, options, pass_on, &b);
    slt_arena_deinit(&b.arena);
    return status;
}

typedef struct {
    slt_segmenter *segmenter;
    slt_dataset *data;
    const slt_segment_options *options;
} source;

static slt_status run(void *user, slt_predict_visit visit, void *visit_user) {
    source *s = user;
    return slt_vote_answers(s->segmenter, s->data, s->options, visit, visit_user);
}

slt_status slt_vote_evaluate(slt_context *context, slt_segmenter *segmenter, slt_dataset *data,
                             const slt_segment_options *options, slt_evaluation *out,
                             int64_t *episodes) {
    source s = {segmenter, data, options};
    return slt_evaluate_answers(context, run, &s, out, episodes);
}

slt_trust slt_vote_trust(const slt_vote_result *r) {
    slt_trust out = {.trust = r->trust, .doubtful = r->doubtful, .calibrated = true};
    out.warning_count = r->warning_count < SLT_MOST_WARNINGS ? r->warning_count : SLT_MOST_WARNINGS;
    for (int i = 0; i < out.warning_count; i++)
        snprintf(out.warnings[i], sizeof out.warnings[i], "%s", r->warnings[i]);
    return out;
}
