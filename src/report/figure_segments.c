// Bars about segments and boundaries: numbers, durations, offsets, scores.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "report/bars.h"

// ---- numbers of segments

slt_status slt_figure_counts(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    slt_bars *b;
    SLT_TRY(SLT_NEW(&book->arena, &b, 1));
    if (set->labelled) {
        slt_series *truth = slt_bars_add(b, "true", "bar truth", -1);
        for (int i = 0; i < SLT_COUNT_BINS; i++)
            truth->bins[i < SLT_BARS ? i : SLT_BARS - 1] +=
                (double)book->runs[set->runs[0]].summary.true_counts[i];
    }
    for (int r = 0; r < set->run_count; r++) {
        slt_series *s = slt_bars_add_run(book, set, b, r);
        for (int64_t i = 0; i < set->count; i++) {
            int segments = book->runs[set->runs[r]].answers.list[i].segments;
            s->bins[segments < SLT_BARS ? segments : SLT_BARS - 1] += 1;
        }
    }
    for (int s = 0; s < b->count; s++) slt_series_to_shares(&b->list[s]);
    slt_bars_find_range(b);
    return slt_bars_draw(out, b, "numbers of segments", "trajectories", "segments");
}

// ---- durations

static void add_durations(slt_series *s, const int32_t *ids, int64_t length) {
    for (int64_t t = 0, start = 0; t < length; t++) {
        if (t + 1 < length && ids[t + 1] == ids[t]) continue;
        int64_t steps = t + 1 - start;
        s->bins[steps < SLT_BARS ? steps : SLT_BARS - 1] += 1;
        start = t + 1;
    }
}

slt_status slt_figure_durations(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    slt_bars *b;
    SLT_TRY(SLT_NEW(&book->arena, &b, 1));
    slt_series *truth = set->labelled ? slt_bars_add(b, "true", "bar truth", -1) : NULL;
    for (int64_t i = 0; truth && i < set->count; i++) {
        slt_episode episode;
        SLT_TRY(slt_report_episode(set, i, &episode));
        add_durations(truth, episode.segments, episode.length);
    }
    for (int r = 0; r < set->run_count; r++) {
        slt_series *s = slt_bars_add_run(book, set, b, r);
        for (int64_t i = 0; i < set->count; i++) {
            const slt_report_answer *a = &book->runs[set->runs[r]].answers.list[i];
            add_durations(s, a->ids, a->length);
        }
    }
    for (int s = 0; s < b->count; s++) slt_series_to_shares(&b->list[s]);
    slt_bars_find_range(b);
    return slt_bars_draw(out, b, "durations of segments", "segments", "steps");
}

// ---- offsets of boundaries

slt_status slt_figure_offsets(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    static const char *const names[] = {"−5", "−4", "−3", "−2", "−1", "0",
                                        "+1", "+2", "+3", "+4", "+5", "none"};
    slt_bars *b;
    if (!set->labelled) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &b, 1));
    for (int r = 0; r < set->run_count; r++) {
        const slt_report_run *run = &book->runs[set->runs[r]];
        slt_series *s = slt_bars_add_run(book, set, b, r);
        for (int i = 0; i <= 2 * SLT_REPORT_OFFSETS; i++) s->bins[i] = (double)run->offsets[i];
        s->bins[2 * SLT_REPORT_OFFSETS + 1] = (double)run->missed;
        slt_series_to_shares(s);
    }
    b->last = 2 * SLT_REPORT_OFFSETS + 1;
    for (int i = 0; i <= b->last; i++) b->ticks[i] = names[i];
    return slt_bars_draw(out, b, "offsets of boundaries", "boundaries", "steps from true to found");
}

// ---- scores of single trajectories

slt_status slt_figure_quality(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    static const char *const names[] = {"0",  "10", "20", "30", "40", "50",
                                        "60", "70", "80", "90", "100"};
    slt_bars *b;
    if (!set->labelled) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &b, 1));
    for (int r = 0; r < set->run_count; r++) {
        slt_series *s = slt_bars_add_run(book, set, b, r);
        for (int64_t i = 0; i < set->count; i++)
            s->bins[lround(10 * book->runs[set->runs[r]].each[i].f1_one)] += 1;
        slt_series_to_shares(s);
    }
    b->last = 10;
    for (int i = 0; i <= b->last; i++) b->ticks[i] = names[i];
    return slt_bars_draw(out, b, "scores of single trajectories", "trajectories",
                         "F1 1:1, percent");
}
