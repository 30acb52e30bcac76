// What the runs of a cell say together.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPRODUCE_SUMMARY_H
#define SLT_REPRODUCE_SUMMARY_H

#include "reproduce/repro_impl.h"

// the scores of tables: name, where a run has it
// clang-format off
#define SLT_REPRO_SCORES(X)                                                                        \
    X(f1, scores.mean.f1) X(f1_one, scores.mean.f1_one) X(align, scores.mean.align)                \
    X(ari, scores.mean.ari) X(covering, scores.mean.covering) X(accuracy, accuracy)                \
    X(forward, forward) X(backward, backward)
// clang-format on

// NAN: does not apply
typedef struct {
#define SLT_REPRO_FIELD(name, path) double name;
    SLT_REPRO_SCORES(SLT_REPRO_FIELD)
#undef SLT_REPRO_FIELD
} slt_repro_scores;

static const double SLT_REPRO_RIGHT = 0.95; // F1 of a run that has found the segments
static const double SLT_REPRO_WRONG = 0.9;  // below it a segmentation is wrong

typedef struct {
    int runs, failed;              // with scores; that diverged
    slt_repro_scores mean, sd;     // over the runs; sd divides by n-1, NAN for a single one
    int kept;                      // the run with the least held-out loss: no label; -1: none
    slt_repro_scores kept_scores;  // its scores on the test split
    double missed, missed_sd;      // F1 where the rival is wrong; NAN: not looked at
    double worst;                  // F1
    int right, warned;             // runs with F1 above 0.95; with a warning
    double least_gap, largest_gap; // of restarts; NAN: none has any
    double seconds;                // mean of the runs whose time is known; NAN: none
    int together;                  // so many runs had these seconds together, at most
    double epochs;                 // mean
    bool told_count;               // the models were told the true number of segments
    bool counts_done;              // the step DONE is scored, too, as the reference does
} slt_repro_summary;

slt_repro_scores slt_repro_scores_of(const slt_run_scores *scores);
void slt_repro_summarise(const slt_repro_record *records, int count, slt_repro_summary *out);

// reads the records that a cell has, runs of them at most, into the arena; a damaged file is FORMAT
slt_status slt_repro_records(const slt_repro *r, slt_arena *arena, const slt_repro_set *set,
                             const slt_repro_variant *variant, int runs, slt_repro_record **out,
                             int **indices, int *count);

// of all groups of restarts in the folder
typedef struct {
    int quiet, quiet_wrong, loud, loud_wrong;
} slt_repro_trust;
void slt_repro_trust_add(slt_repro_trust *trust, const slt_repro_record *record);

#endif
