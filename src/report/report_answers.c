// What a run says about every trajectory of its data set: read from what training left, or asked of
// the model again (another data set, another split, an older run).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "report/report_segments.h"
#include "slottar/model.h"

typedef struct {
    slt_report_book *book;
    const slt_report_set *set;
    slt_report_answers *answers;
    int64_t next;
} keeper;

static slt_status keep_bytes(slt_arena *arena, const void *from, size_t count, size_t size,
                             const void **out) {
    if (!from || !count) return SLT_OK;
    void *copy = slt_arena_take(arena, count, size);
    if (!copy) return SLT_NOMEM;
    memcpy(copy, from, count * size);
    *out = copy;
    return SLT_OK;
}

// the slot of every step is the one with the largest mask, the lowest on ties; without masks the
// number of the segment
static slt_status keep_ids(slt_arena *arena, const slt_segments *s, const int32_t **out) {
    size_t T = (size_t)s->length;
    int32_t *ids;
    SLT_TRY(SLT_NEW(arena, &ids, T));
    memcpy(ids, s->ids, T * sizeof *ids);
    for (size_t t = 0; s->masks && t < T; t++) {
        int best = 0;
        for (int k = 1; k < s->slots; k++)
            if (s->masks[(size_t)k * T + t] > s->masks[(size_t)best * T + t]) best = k;
        ids[t] = best;
    }
    *out = ids;
    return SLT_OK;
}

static slt_status keep_vote(slt_arena *arena, const slt_vote_picture *vote, size_t T,
                            slt_report_answer *a) {
    a->line = vote->line;
    a->answer_count = vote->answer_count;
    SLT_TRY(keep_bytes(arena, vote->heights, T, sizeof(float), (const void **)&a->heights));
    return keep_bytes(arena, vote->answers, (size_t)vote->answer_count * T, 1,
                      (const void **)&a->answers);
}

static slt_status keep(void *user, const slt_segments *s) {
    keeper *k = user;
    const slt_report_set *set = k->set;
    slt_arena *arena = &k->book->arena;
    if (k->next >= set->count || set->episodes[k->next] != s->episode) return SLT_OK; // left out
    slt_report_answer *a = &k->answers->list[k->next++];
    size_t T = (size_t)s->length, K = (size_t)s->slots;
    a->length = s->length;
    a->segments = s->segments;
    k->answers->slots = s->slots;
    k->answers->told_count = s->told_count;
    SLT_TRY(keep_ids(arena, s, &a->ids));
    SLT_TRY(keep_bytes(arena, s->confidence, (size_t)s->boundary_count, sizeof(float),
                       (const void **)&a->confidence));
    SLT_TRY(keep_bytes(arena, s->counts, K, sizeof(double), (const void **)&a->counts));
    SLT_TRY(keep_bytes(arena, s->masks, K * T, sizeof(float), (const void **)&a->masks));
    SLT_TRY(
        keep_bytes(arena, s->types, (size_t)s->segments, sizeof(int32_t), (const void **)&a->laws));
    if (s->vote) SLT_TRY(keep_vote(arena, s->vote, T, a));
    return keep_bytes(arena, s->attention, K * T, sizeof(float), (const void **)&a->attention);
}

// laws by how common they are: 0 for the one with the most segments
enum { LAWS = 256 };
static void rank_laws(slt_report_answers *answers, int64_t count) {
    int64_t often[LAWS] = {0};
    int32_t rank[LAWS] = {0};
    for (int64_t i = 0; i < count; i++)
        for (int n = 0; answers->list[i].laws && n < answers->list[i].segments; n++)
            often[answers->list[i].laws[n] & (LAWS - 1)]++;
    for (int k = 0; k < LAWS; k++)
        for (int j = 0; j < LAWS; j++)
            rank[k] += often[j] > often[k] || (often[j] == often[k] && j < k);
    for (int64_t i = 0; i < count; i++)
        for (int n = 0; answers->list[i].laws && n < answers->list[i].segments; n++)
            answers->list[i].laws[n] = rank[answers->list[i].laws[n] & (LAWS - 1)];
}

static slt_told told_of(const slt_vote_result *vote) {
    if (strcmp(vote->told, "nothing") == 0) return SLT_KNOWS_NOTHING;
    return strchr(vote->told, ',') ? SLT_KNOWS_HISTOGRAM : SLT_KNOWS_COUNT;
}

static slt_status ask_model(slt_report_book *book, slt_model *model, slt_report_run *run) {
    const slt_report_set *set = &book->sets[run->set];
    bool all = set->whole || (set->own_splits && run->vote); // a vote has no splits of its own
    slt_segment_options options = {.one_split = !all,
                                   .split = book->request->split,
                                   .pictures = true,
                                   .seed = book->request->seed};
    slt_run_scores scores;
    keeper k = {book, set, &run->answers, 0};
    SLT_TRY(slt_model_segment(model, set->data, &options, keep, &k));
    if (k.next != set->count)
        SLT_FAIL(SLT_INTERNAL, "%s: %lld answers for %lld trajectories", run->path,
                 (long long)k.next, (long long)set->count);
    rank_laws(&run->answers, set->count);
    run->answers.accuracy = NAN;
    if (run->vote) run->told = told_of(run->vote);
    if (run->vote) return SLT_OK;
    SLT_TRY(slt_model_score(model, set->data, &options, &scores));
    run->answers.accuracy = scores.accuracy;
    run->told = scores.told;
    return SLT_OK;
}

static slt_status open_and_ask(slt_report_book *book, slt_report_run *run) {
    slt_model *model;
    SLT_TRY(slt_model_open(book->context, run->path, &model));
    const slt_model_info *info = slt_model_about(model);
    char *name;
    slt_status status = slt_arena_text(&book->arena, info->name, strlen(info->name), &name);
    if (status == SLT_OK) {
        run->model = name;
        run->trust = info->trust;
        if (run->best_epoch < 0) run->best_epoch = info->epoch;
        status = ask_model(book, model, run);
    }
    slt_model_close(model);
    return status;
}

slt_status slt_report_ask(slt_report_book *book, slt_report_run *run) {
    const slt_report_set *set = &book->sets[run->set];
    bool own = !book->request->data && book->request->split == SLT_SPLIT_TEST && !set->whole;
    SLT_TRY(SLT_NEW(&book->arena, &run->answers.list, (size_t)set->count));
    if (!own || !run->model || !slt_report_has_segments(run->path)) return open_and_ask(book, run);
    run->answers.accuracy = run->test_accuracy;
    run->answers.told_count = run->test_told_count;
    return slt_report_read_segments(book, run->path, set, &run->answers);
}
