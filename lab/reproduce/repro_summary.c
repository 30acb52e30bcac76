// Means, spreads and what the held-out loss would have kept.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "reproduce/repro_summary.h"

#include <math.h>

slt_repro_scores slt_repro_scores_of(const slt_run_scores *scores) {
    slt_repro_scores out;
#define FIELD(name, path) out.name = scores->path;
    SLT_REPRO_SCORES(FIELD)
#undef FIELD
    return out;
}

static void add_mean(const slt_repro_record *records, int count, slt_repro_summary *out) {
#define ADD(name, path) out->mean.name += records[i].test.path / out->runs;
    for (int i = 0; i < count; i++) {
        if (records[i].failed) continue;
        SLT_REPRO_SCORES(ADD)
        out->epochs += (double)records[i].epochs / out->runs;
    }
#undef ADD
}

static void add_sd(const slt_repro_record *records, int count, slt_repro_summary *out) {
#define SQUARE(name, path)                                                                         \
    {                                                                                              \
        double away = records[i].test.path - out->mean.name;                                       \
        out->sd.name += away * away;                                                               \
    }
    for (int i = 0; i < count; i++)
        if (!records[i].failed) {
            SLT_REPRO_SCORES(SQUARE)
        }
#undef SQUARE
#define ROOT(name, path)                                                                           \
    out->sd.name = out->runs > 1 ? sqrt(out->sd.name / (out->runs - 1)) : (double)NAN;
    SLT_REPRO_SCORES(ROOT)
#undef ROOT
}

// runs that were not asked make it NAN
static void add_missed(const slt_repro_record *records, int count, slt_repro_summary *out) {
    double squares = 0;
    for (int i = 0; i < count; i++)
        if (!records[i].failed) out->missed += records[i].missed_f1 / out->runs;
    for (int i = 0; i < count; i++)
        if (!records[i].failed) squares += pow(records[i].missed_f1 - out->missed, 2);
    out->missed_sd = out->runs > 1 ? sqrt(squares / (out->runs - 1)) : (double)NAN;
}

// labels have no say in which run is kept
static void keep(const slt_repro_record *records, int count, slt_repro_summary *out) {
    out->kept = -1;
    for (int i = 0; i < count; i++) {
        if (records[i].failed) continue;
        if (out->kept < 0 || records[i].valid.loss < records[out->kept].valid.loss) out->kept = i;
    }
    if (out->kept >= 0) out->kept_scores = slt_repro_scores_of(&records[out->kept].test);
}

static void count_runs(const slt_repro_record *record, slt_repro_summary *out) {
    out->right += record->test.scores.mean.f1 > SLT_REPRO_RIGHT;
    out->warned += record->warning[0] != 0;
    out->told_count |= record->test.told_count;
    out->counts_done |= record->test.counts_done;
    out->worst = fmin(out->worst, record->test.scores.mean.f1);
    if (!record->members) return;
    out->least_gap = fmin(out->least_gap, record->gap);
    out->largest_gap = fmax(out->largest_gap, record->gap);
}

static void add_seconds(const slt_repro_record *records, int count, slt_repro_summary *out) {
    double sum = 0, known = 0;
    for (int i = 0; i < count; i++) {
        if (records[i].failed || isnan(records[i].seconds)) continue;
        sum += records[i].seconds;
        known++;
        if (records[i].together > out->together) out->together = records[i].together;
    }
    out->seconds = known > 0 ? sum / known : (double)NAN;
}

void slt_repro_summarise(const slt_repro_record *records, int count, slt_repro_summary *out) {
    *out = (slt_repro_summary){.worst = NAN, .least_gap = NAN, .largest_gap = NAN};
    for (int i = 0; i < count; i++) {
        out->failed += records[i].failed;
        out->runs += !records[i].failed;
        if (!records[i].failed) count_runs(&records[i], out);
    }
    add_mean(records, count, out);
    add_sd(records, count, out);
    add_missed(records, count, out);
    add_seconds(records, count, out);
    keep(records, count, out);
}

slt_status slt_repro_records(const slt_repro *r, slt_arena *arena, const slt_repro_set *set,
                             const slt_repro_variant *variant, int runs, slt_repro_record **out,
                             int **indices, int *count) {
    *count = 0;
    SLT_TRY(SLT_NEW(arena, out, (size_t)runs));
    SLT_TRY(SLT_NEW(arena, indices, (size_t)runs));
    for (int i = 0; i < runs; i++) {
        bool there;
        SLT_TRY(slt_repro_record_find(r, set, variant, i, &there, &(*out)[*count]));
        if (there) (*indices)[(*count)++] = i;
    }
    return SLT_OK;
}

void slt_repro_trust_add(slt_repro_trust *trust, const slt_repro_record *record) {
    if (record->failed || !record->members) return;
    bool wrong = record->test.scores.mean.f1 < SLT_REPRO_WRONG, loud = record->warning[0] != 0;
    trust->quiet += !loud;
    trust->quiet_wrong += !loud && wrong;
    trust->loud += loud;
    trust->loud_wrong += loud && wrong;
}
