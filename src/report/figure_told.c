// What the model was told and what it makes of it: priors, and access of slots to past and future.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/bars.h"
#include "core/number.h"

// ---- priors

// the list or number of the configuration; false when training took it from labels
static bool told(const slt_report_run *run, slt_series *s) {
    const slt_yaml_entry *entry = slt_yaml_find(&run->config, "prior");
    if (!entry || entry->count != 1) return false;
    const char *text = entry->values[0];
    if (!strchr(text, ',')) {
        int number = atoi(text);
        if (number > 0 && number < SLT_BARS) s->bins[number] = 1;
        return number > 0;
    }
    for (int k = 1; k < SLT_BARS && *text; k++) {
        char *end;
        double value = slt_number_start(text, &end);
        if (end == text || !(value >= 0) || !isfinite(value)) break;
        s->bins[k] = value;
        text = *end ? end + 1 : end;
    }
    return true;
}

static slt_status count_training(const slt_report_set *set, slt_series *s) {
    const int64_t *train;
    int64_t count = slt_dataset_split(set->data, SLT_SPLIT_TRAIN, &train);
    for (int64_t i = 0; i < count; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(set->data, train[i], &episode));
        int64_t segments = slt_episode_segment_count(&episode);
        s->bins[segments < SLT_BARS ? segments : SLT_BARS - 1] += 1;
    }
    return SLT_OK;
}

slt_status slt_figure_priors(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    slt_bars *b;
    if (book->runs[set->runs[0]].vote) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &b, 1));
    slt_series *prior = slt_bars_add(b, "told", "bar truth", -1);
    if (!told(&book->runs[set->runs[0]], prior)) {
        if (!set->labelled) return SLT_OK;
        SLT_TRY(count_training(set, prior));
    }
    for (int r = 0; r < set->run_count; r++) {
        const slt_report_answers *answers = &book->runs[set->runs[r]].answers;
        if (!answers->list[0].counts) continue;
        slt_series *s = slt_bars_add_run(book, set, b, r);
        for (int64_t i = 0; i < set->count; i++)
            for (int k = 0; k < answers->slots && k + 1 < SLT_BARS; k++)
                s->bins[k + 1] += answers->list[i].counts[k];
    }
    for (int s = 0; s < b->count; s++) slt_series_to_shares(&b->list[s]);
    b->first = 1;
    b->last = 1;
    for (int s = 0; s < b->count; s++)
        for (int k = 1; k < SLT_BARS; k++)
            if (b->list[s].bins[k] > 0 && k > b->last) b->last = k;
    return slt_bars_draw(out, b, "prior and posterior number of segments", "probability",
                         "segments");
}

// ---- access

slt_status slt_figure_access(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    slt_bars *b;
    const slt_published_score *rows = book->request->published;
    SLT_TRY(SLT_NEW(&book->arena, &b, 1));
    for (int i = 0; i < book->request->published_count; i++) {
        if (!set->paper || strcmp(rows[i].set, set->paper) != 0 || isnan(rows[i].forward)) continue;
        slt_series *paper = slt_bars_add(b, "paper", "bar truth", -1);
        paper->bins[0] = rows[i].forward;
        paper->bins[1] = rows[i].backward;
    }
    for (int r = 0; r < set->run_count; r++) {
        const slt_report_scores *scores = &book->runs[set->runs[r]].scores;
        if (isnan(scores->forward)) return SLT_OK;
        slt_series *s = slt_bars_add_run(book, set, b, r);
        s->bins[0] = scores->forward;
        s->bins[1] = scores->backward;
    }
    b->last = 1;
    b->ticks[0] = "forward";
    b->ticks[1] = "backward";
    return slt_bars_draw(out, b, "forward and backward access", "steps",
                         "a slot looks at what it does not explain");
}
