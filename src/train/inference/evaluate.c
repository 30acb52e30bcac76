// Answers scored against the truth.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "core/group_impl.h"
#include "metrics/access.h"
#include "metrics/ground_truth.h"
#include "metrics/score_tally.h"
#include "train/inference/predict.h"

// what was found so far; goes from process to process as it is
typedef struct {
    slt_tally tally, with_done;
    bool told_count, done_first;
    int64_t done_seen, accessed;
    double forward, backward;
    int64_t labelled, seen;
    slt_reliability reliability;
} findings;

typedef struct {
    slt_context *context;
    const slt_predict_request *request;
    slt_arena arena;
    findings found;
} scorer;

// forward and backward access, over the first G slots
static void add_access(scorer *s, const slt_episode *episode, const slt_segmentation *answer) {
    if (!answer->masks || !answer->attention || !answer->slots) return;
    slt_access access = slt_access_score(answer->attention, answer->masks, answer->length,
                                         answer->slots, slt_episode_segment_count(episode));
    s->found.forward += access.forward;
    s->found.backward += access.backward;
    s->found.accessed++;
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
    slt_tally_add(&s->found.with_done, &scored);
    s->found.done_seen++;
    s->found.done_first = answer->done_first;
    return SLT_OK;
}

// is every boundary right, within a step, as often as its confidence says?
static void add_reliability(scorer *s, const slt_episode *episode, const slt_segmentation *answer) {
    static const slt_calibration none = {0};
    const slt_calibration *map = s->request->calibration ? s->request->calibration : &none;
    const int32_t *truth = episode->segments;
    for (int t = 0; t + 1 < answer->length; t++) {
        if (answer->ids[t] == answer->ids[t + 1]) continue;
        bool right = false;
        for (int i = t - SLT_TOLERANCE; i <= t + SLT_TOLERANCE; i++)
            right = right || (i >= 0 && i + 1 < answer->length && truth[i] != truth[i + 1]);
        slt_reliability_add(&s->found.reliability,
                            slt_calibrate(map, (double)answer->confidence[t]), right);
    }
}

static slt_status score(void *user, const slt_episode *episode, const slt_segmentation *answer) {
    scorer *s = user;
    s->found.seen++;
    s->found.told_count = s->found.told_count || answer->told_count;
    if (s->request->visit) SLT_TRY(s->request->visit(s->request->user, episode, answer));
    if (!episode->segments) return SLT_OK;
    slt_arena_mark mark = slt_arena_now(&s->arena);
    slt_scored scored;
    SLT_TRY(slt_score_ids(&s->arena, &scored, episode->segments, answer->ids, answer->length,
                          SLT_TOLERANCE));
    slt_tally_add(&s->found.tally, &scored);
    SLT_TRY(score_done(s, episode, answer));
    slt_arena_reset(&s->arena, mark);
    add_access(s, episode, answer);
    add_reliability(s, episode, answer);
    s->found.labelled++;
    return SLT_OK;
}

// ---- findings of several processes

static void merge(findings *to, const findings *from) {
    slt_tally_merge(&to->tally, &from->tally);
    slt_tally_merge(&to->with_done, &from->with_done);
    to->told_count |= from->told_count;
    to->done_first |= from->done_first;
    to->done_seen += from->done_seen;
    to->accessed += from->accessed;
    to->forward += from->forward;
    to->backward += from->backward;
    to->labelled += from->labelled;
    to->seen += from->seen;
    slt_reliability_merge(&to->reliability, &from->reliability);
}

// room in process 0, and how much comes from each
static slt_status reserve(scorer *s, findings **all, size_t **counts) {
    size_t ranks = (size_t)slt_group_size(s->context);
    SLT_TRY(SLT_NEW(&s->arena, all, ranks));
    SLT_TRY(SLT_NEW(&s->arena, counts, ranks));
    for (size_t r = 0; r < ranks; r++) (*counts)[r] = sizeof **all;
    return SLT_OK;
}

static slt_status bring_together(scorer *s) {
    findings *all = NULL;
    size_t *counts = NULL;
    if (!s->request->shared || slt_group_size(s->context) == 1) return SLT_OK;
    SLT_TRY(slt_group_agree(s->context, reserve(s, &all, &counts)));
    SLT_TRY(slt_group_gather(s->context, &s->found, sizeof s->found, all, counts));
    for (int r = 1; slt_group_leads(s->context) && r < slt_group_size(s->context); r++)
        merge(&s->found, &all[r]);
    return slt_group_share(s->context, &s->found, sizeof s->found);
}

// ---- the whole

static slt_evaluation sum_up(const findings *f, const slt_predict_losses *losses) {
    slt_evaluation out = {
        .losses = *losses, .told_count = f->told_count, .reliability = f->reliability};
    out.has_labels = f->labelled > 0 && f->labelled == f->seen;
    out.has_done = out.has_labels && f->done_seen == f->seen;
    out.done_first = out.has_done && f->done_first;
    if (out.has_labels) out.scores = slt_tally_read(&f->tally);
    if (out.has_done) out.other = slt_tally_read(&f->with_done);
    if (out.done_first) {
        slt_score_summary fair = out.scores;
        out.scores = out.other;
        out.other = fair;
    }
    out.forward = f->accessed ? f->forward / (double)f->accessed : NAN;
    out.backward = f->accessed ? f->backward / (double)f->accessed : NAN;
    return out;
}

// scorers and the requests that reach them
static slt_status prepare(slt_arena *arena, slt_context *context,
                          const slt_predict_request *requests, int members, scorer **scorers,
                          slt_predict_request **scored) {
    SLT_TRY(SLT_NEW(arena, scorers, (size_t)members));
    SLT_TRY(SLT_NEW(arena, scored, (size_t)members));
    for (int i = 0; i < members; i++) {
        scorer *s = &(*scorers)[i];
        s->context = context;
        s->request = &requests[i];
        slt_arena_init(&s->arena, &context->allocator, 0);
        (*scored)[i] = requests[i];
        (*scored)[i].visit = score;
        (*scored)[i].user = s;
    }
    return SLT_OK;
}

slt_status slt_evaluate(slt_learner *learner, slt_dataset *data, const int64_t *episodes,
                        int64_t count, const slt_predict_request *requests, int members,
                        slt_evaluation *out) {
    slt_arena arena;
    scorer *scorers = NULL;
    slt_predict_request *scored = NULL;
    slt_predict_losses *losses = NULL;
    slt_arena_init(&arena, &learner->context->allocator, 0);
    slt_status status = SLT_NEW(&arena, &losses, (size_t)members);
    if (status == SLT_OK)
        status = prepare(&arena, learner->context, requests, members, &scorers, &scored);
    bool ready = status == SLT_OK;
    if (ready) status = slt_predict(learner, data, episodes, count, scored, members, losses);
    for (int i = 0; i < members && status == SLT_OK; i++) status = bring_together(&scorers[i]);
    for (int i = 0; i < members && status == SLT_OK; i++)
        out[i] = sum_up(&scorers[i].found, &losses[i]);
    for (int i = 0; i < members && ready; i++) slt_arena_deinit(&scorers[i].arena);
    slt_arena_deinit(&arena);
    return status;
}

slt_status slt_evaluate_answers(slt_context *context, slt_answer_source source, void *user,
                                slt_evaluation *out, int64_t *episodes) {
    static const slt_predict_request request = {0};
    static const slt_predict_losses unknown = {NAN, NAN, NAN, NAN};
    scorer s = {.context = context, .request = &request};
    slt_arena_init(&s.arena, &context->allocator, 0);
    slt_status status = source(user, score, &s);
    slt_arena_deinit(&s.arena);
    if (status != SLT_OK) return status;
    *out = sum_up(&s.found, &unknown);
    *episodes = s.found.seen;
    return SLT_OK;
}
