// Scores of a run on the trajectories of its set, one by one and in the mean: the numbers of
// `eval`, and where the boundaries went.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdlib.h>
#include "metrics/access.h"
#include "metrics/labels.h"
#include "report/report_impl.h"

double slt_report_mean_confidence(const slt_report_answer *answer) {
    double sum = 0;
    if (answer->segments < 2) return 1;
    for (int i = 0; i < answer->segments - 1; i++) sum += (double)answer->confidence[i];
    return sum / (answer->segments - 1);
}

// ---- scores

static slt_status score(slt_report_book *book, const slt_report_set *set, slt_report_run *run) {
    size_t count = (size_t)set->count;
    slt_sequence *truth, *predicted;
    SLT_TRY(SLT_NEW(&book->arena, &run->each, count));
    SLT_TRY(SLT_NEW(&book->arena, &truth, count));
    SLT_TRY(SLT_NEW(&book->arena, &predicted, count));
    for (size_t i = 0; i < count; i++) {
        slt_episode episode;
        const slt_report_answer *a = &run->answers.list[i];
        SLT_TRY(slt_report_episode(set, (int64_t)i, &episode));
        truth[i] = (slt_sequence){episode.segments, (int32_t)episode.length};
        predicted[i] = (slt_sequence){a->ids, a->length};
    }
    SLT_TRY(slt_score_many(book->context, truth, predicted, count, SLT_TOLERANCE, &run->summary,
                           run->each));
    const slt_scores *mean = &run->summary.mean;
    run->scores.f1 = mean->f1;
    run->scores.f1_one = mean->f1_one;
    run->scores.align = mean->align;
    run->scores.ari = mean->ari;
    run->scores.covering = mean->covering;
    return SLT_OK;
}

// forward and backward access as `eval` has it: over the first G slots
static slt_status score_access(const slt_report_set *set, slt_report_run *run) {
    double forward = 0, backward = 0;
    for (int64_t i = 0; i < set->count; i++) {
        const slt_report_answer *a = &run->answers.list[i];
        slt_episode episode;
        if (!a->masks || !a->attention) return SLT_OK;
        SLT_TRY(slt_report_episode(set, i, &episode));
        slt_access access = slt_access_score(a->attention, a->masks, a->length, run->answers.slots,
                                             slt_episode_segment_count(&episode));
        forward += access.forward;
        backward += access.backward;
    }
    run->scores.forward = forward / (double)set->count;
    run->scores.backward = backward / (double)set->count;
    return SLT_OK;
}

// ---- boundaries

// the one of n values that is nearest; the earlier one on ties. n >= 1
static int32_t nearest(const int32_t *values, int n, int32_t to) {
    int32_t best = values[0];
    for (int i = 1; i < n; i++)
        if (abs(values[i] - to) < abs(best - to)) best = values[i];
    return best;
}

static void compare(slt_report_run *run, const int32_t *truth, int G, const int32_t *predicted,
                    int P, const float *confidence) {
    run->true_boundaries += (uint64_t)G;
    for (int i = 0; i < G; i++) {
        int32_t off = P ? nearest(predicted, P, truth[i]) - truth[i] : SLT_REPORT_OFFSETS + 1;
        if (abs(off) > SLT_REPORT_OFFSETS)
            run->missed++;
        else
            run->offsets[off + SLT_REPORT_OFFSETS]++;
    }
    for (int i = 0; i < P; i++) {
        int32_t off = G ? nearest(truth, G, predicted[i]) - predicted[i] : SLT_REPORT_OFFSETS + 1;
        slt_reliability_add(&run->reliability, (double)confidence[i], abs(off) <= SLT_TOLERANCE);
        run->extra += abs(off) > SLT_REPORT_OFFSETS;
    }
}

static slt_status score_boundaries(slt_report_book *book, const slt_report_set *set,
                                   slt_report_run *run) {
    for (int64_t i = 0; i < set->count; i++) {
        const slt_report_answer *a = &run->answers.list[i];
        slt_episode episode;
        int32_t *truth, *predicted;
        slt_arena_mark mark = slt_arena_now(&book->arena);
        SLT_TRY(slt_report_episode(set, i, &episode));
        SLT_TRY(SLT_NEW(&book->arena, &truth, (size_t)a->length));
        SLT_TRY(SLT_NEW(&book->arena, &predicted, (size_t)a->length));
        int G = slt_boundaries(truth, episode.segments, a->length);
        int P = slt_boundaries(predicted, a->ids, a->length);
        compare(run, truth, G, predicted, P, a->confidence);
        slt_arena_reset(&book->arena, mark);
    }
    return SLT_OK;
}

slt_status slt_report_score(slt_report_book *book, slt_report_run *run) {
    const slt_report_set *set = &book->sets[run->set];
#define UNKNOWN(field, title) run->scores.field = NAN;
    SLT_REPORT_SCORES(UNKNOWN)
#undef UNKNOWN
    run->scores.accuracy = run->answers.accuracy;
    if (!set->labelled) return SLT_OK;
    SLT_TRY(score(book, set, run));
    SLT_TRY(score_access(set, run));
    SLT_TRY(score_boundaries(book, set, run));
    run->scores.ece = slt_reliability_error(&run->reliability);
    return SLT_OK;
}
