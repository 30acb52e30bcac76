// delimiter: a cut after every occurrence of the actions that the delimiter search has chosen.
//
// It reaches 100/100 where a set of actions ends the segments, without labels: the baseline that a
// model has to beat where that assumption fails.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/delimiter.h"

#include <math.h>
#include <stdio.h>

static slt_symbol_set as_symbols(const slt_delimiter_data *data, const slt_cut_set *set) {
    slt_symbol_set out = {.count = set->count, .nats = set->count_nats + set->action_nats};
    for (int i = 0; i < set->count; i++) out.symbols[i] = data->symbols[set->members[i]];
    return out;
}

// "{3,5}", cut short when long
static const char *in_braces(const slt_symbol_set *set, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "{");
    for (int i = 0; i < set->count && used + 16 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", i ? "," : "", set->symbols[i]);
    snprintf(text + used, size - used, "}");
    return text;
}

static void describe(slt_baseline_job *job, const slt_delimiter_data *data) {
    const slt_baseline_report *report = job->report;
    char best[64], second[64];
    slt_baseline_note(job, "boundaries after %s, %.2f nats",
                      in_braces(&report->chosen, best, sizeof best), report->chosen.nats);
    if (isfinite(report->runner_up.nats))
        slt_baseline_note(job, "next best %s, %.2f",
                          in_braces(&report->runner_up, second, sizeof second),
                          report->runner_up.nats);
    if (!report->exhaustive)
        slt_baseline_note(job, "%d actions: searched small sets, then step by step", data->used);
    if (data->history.order < 2)
        slt_baseline_note(job, "%d of history instead of 2", data->history.order);
}

static slt_status prepare(slt_baseline_job *job) {
    slt_delimiter_data data;
    slt_delimiter_found found;
    SLT_TRY(slt_delimiter_pack(job->arena, job->input, &data));
    SLT_TRY(slt_delimiter_search(job->context, job->arena, &data, &found));
    job->report->chosen = as_symbols(&data, &found.best);
    job->report->runner_up = as_symbols(&data, &found.second);
    job->report->sets_searched = found.searched;
    job->report->exhaustive = found.exhaustive;
    describe(job, &data);

    uint8_t *is_delimiter; // (actions)
    SLT_TRY(SLT_NEW(job->arena, &is_delimiter, (size_t)job->input->actions));
    for (int i = 0; i < job->report->chosen.count; i++)
        is_delimiter[job->report->chosen.symbols[i]] = 1;
    job->learned = is_delimiter;
    return SLT_OK;
}

static slt_status cut(slt_baseline_job *job, uint8_t *is_end, size_t index, int cuts) {
    (void)cuts;
    const slt_sequence *target = &job->input->target[index];
    const uint8_t *is_delimiter = job->learned;
    for (int t = 0; t < target->length; t++) is_end[t] = is_delimiter[target->values[t]];
    return SLT_OK;
}

const slt_baseline slt_baseline_delimiter = {
    .name = "delimiter",
    .help = "a boundary after each action of the set that makes the rest cheapest to describe",
    .needs = SLT_NEEDS_TRAIN | SLT_NEEDS_VALID | SLT_NEEDS_PRIOR | SLT_NEEDS_SYMBOLS,
    .prepare = prepare,
    .cut = cut,
};
