// How good the runs of a vote are one by one: what a single chain reaches without it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "segmenter/segmenter_impl.h"
#include "segmenter/segmenter_model.h"

// F1 of one run, summed over the episodes
static slt_status score_run(slt_segmenter *s, slt_dataset *data, const int64_t *episodes,
                            const slt_ballots *ballots, int run, int32_t *ids, double *sum) {
    for (int64_t e = 0; e < ballots->episodes; e++) {
        slt_episode episode;
        slt_scores scores;
        const uint8_t *cut = ballots->cut[run] + ballots->offsets[e];
        SLT_TRY(slt_dataset_episode(data, episodes[e], &episode));
        if (!episode.segments)
            SLT_FAIL(SLT_INVALID, "%s: scores need labels ('segment')", slt_dataset_path(data));
        ids[0] = 0;
        for (int64_t t = 1; t < episode.length; t++) ids[t] = ids[t - 1] + (cut[t - 1] != 0);
        SLT_TRY(slt_score_pair(s->context, episode.segments, ids, (int32_t)episode.length,
                               SLT_TOLERANCE, &scores));
        *sum += scores.f1_one;
    }
    return SLT_OK;
}

static slt_status score_all(slt_segmenter *s, slt_arena *arena, slt_dataset *data,
                            const int64_t *episodes, int64_t count, double *out) {
    const slt_run_group *group = &s->groups[s->result.chosen];
    slt_recording recording;
    slt_ballots ballots;
    uint8_t **laws;
    int32_t *ids;
    double sum = 0;
    SLT_TRY(slt_recording_read(s, arena, group, data, episodes, count, &recording));
    SLT_TRY(slt_group_ballots(s, group, &recording, arena, &ballots, &laws));
    SLT_TRY(SLT_NEW(arena, &ids, (size_t)slt_dataset_about(data)->longest + 1));
    for (int run = 0; run < ballots.runs; run++)
        SLT_TRY(score_run(s, data, episodes, &ballots, run, ids, &sum));
    *out = sum / ((double)ballots.runs * (double)count);
    return SLT_OK;
}

slt_status slt_segmenter_alone(slt_segmenter *s, slt_dataset *data, slt_split split, double *out) {
    const int64_t *episodes;
    int64_t count = slt_dataset_split(data, split, &episodes);
    slt_arena arena;
    if (!count)
        SLT_FAIL(SLT_INVALID, "%s: no episodes in its %s split", slt_dataset_path(data),
                 slt_split_name(split));
    slt_arena_init(&arena, &s->context->allocator, 0);
    slt_status status = score_all(s, &arena, data, episodes, count, out);
    slt_arena_deinit(&arena);
    return status;
}
