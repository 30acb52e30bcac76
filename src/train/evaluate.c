// Answers scored against the truth.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "metrics/access.h"
#include "metrics/id_rules.h"
#include "metrics/score_tally.h"
#include "train/answer.h"

typedef struct {
    slt_context *context;
    const slt_answer_request *request;
    int length; // L
    slt_arena arena;
    slt_tally tally, with_done;
    bool told_count, done_first;
    int64_t done_seen, accessed;
    double forward, backward;
    int64_t labelled, seen;
} scorer;

// forward and backward access, over the first G slots
static void add_access(scorer *s, const slt_episode *episode, const slt_segmentation *answer) {
    if (!answer->masks || !answer->attention || !answer->slots) return;
    int T = answer->length, K = answer->slots;
    int64_t segments = slt_episode_segment_count(episode);
    slt_access_case c = {.attention = {answer->attention, 1, K},
                         .mask = {answer->masks, T, 1},
                         .T = T,
                         .L = T,
                         .K = K,
                         .G = segments < K ? (int)segments : K,
                         .threshold = 0.8f,
                         .form = SLT_ACCESS_REFERENCE};
    slt_access access = slt_access_mean(&c);
    s->forward += access.forward;
    s->backward += access.backward;
    s->accessed++;
}

// scored with DONE as a step that belongs to no segment, as the reference does for the baselines
static slt_status score_done(scorer *s, const slt_episode *episode,
                             const slt_segmentation *answer) {
    int T = answer->length;
    int32_t *truth;
    slt_scored scored;
    if (!answer->has_done) return SLT_OK;
    SLT_TRY(SLT_NEW(&s->arena, &truth, (size_t)T + 1));
    memcpy(truth, episode->segments, (size_t)T * sizeof *truth);
    slt_truth_done(truth, T + 1);
    SLT_TRY(slt_score_ids(&s->arena, &scored, truth, answer->done_ids, T + 1, SLT_TOLERANCE));
    slt_tally_add(&s->with_done, &scored);
    s->done_seen++;
    s->done_first = answer->done_first;
    return SLT_OK;
}

static slt_status score(void *user, const slt_episode *episode, const slt_segmentation *answer) {
    scorer *s = user;
    s->seen++;
    s->told_count = s->told_count || answer->told_count;
    if (s->request->visit) SLT_TRY(s->request->visit(s->request->user, episode, answer));
    if (!episode->segments) return SLT_OK;
    slt_arena_mark mark = slt_arena_now(&s->arena);
    slt_scored scored;
    SLT_TRY(slt_score_ids(&s->arena, &scored, episode->segments, answer->ids, answer->length,
                          SLT_TOLERANCE));
    slt_tally_add(&s->tally, &scored);
    SLT_TRY(score_done(s, episode, answer));
    slt_arena_reset(&s->arena, mark);
    add_access(s, episode, answer);
    s->labelled++;
    return SLT_OK;
}

slt_status slt_evaluate(slt_learner *learner, slt_dataset *data, const int64_t *episodes,
                        int64_t count, const slt_answer_request *request, slt_evaluation *out) {
    scorer *s;
    SLT_TRY(SLT_ALLOC(&learner->context->allocator, &s, 1));
    s->context = learner->context;
    s->request = request;
    slt_arena_init(&s->arena, &learner->context->allocator, 0);
    slt_answer_request scored = *request;
    scored.visit = score;
    scored.user = s;
    slt_evaluation found = {0};
    slt_status status = slt_answer(learner, data, episodes, count, &scored, &found.losses);
    if (status == SLT_OK) {
        found.has_labels = s->labelled > 0 && s->labelled == s->seen;
        found.told_count = s->told_count;
        found.has_done = found.has_labels && s->done_seen == s->seen;
        found.done_first = found.has_done && s->done_first;
        if (found.has_labels) found.scores = slt_tally_read(&s->tally);
        if (found.has_done) found.other = slt_tally_read(&s->with_done);
        if (found.done_first) {
            slt_score_summary fair = found.scores;
            found.scores = found.other;
            found.other = fair;
        }
        found.forward = s->accessed ? s->forward / (double)s->accessed : NAN;
        found.backward = s->accessed ? s->backward / (double)s->accessed : NAN;
        *out = found;
    }
    slt_arena_deinit(&s->arena);
    slt_free(&learner->context->allocator, s);
    return status;
}
