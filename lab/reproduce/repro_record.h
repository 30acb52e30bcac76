// What came of one run: a file record.json in its directory, or a line of records.jsonl. A run with
// a record is done.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPRODUCE_RECORD_H
#define SLT_REPRODUCE_RECORD_H

#include "core/json.h"
#include "core/text.h"
#include "slottar/train.h"

enum { SLT_REPRO_WORD = 64, SLT_REPRO_REASON = 1024 };

typedef struct {
    bool failed; // it diverged: there are no scores
    char reason[SLT_REPRO_REASON];
    char version[SLT_REPRO_WORD], commit[SLT_REPRO_WORD], device[SLT_REPRO_WORD];
    char precision[SLT_REPRO_WORD]; // of matrix products; "": not recorded
    double seconds; // of training and evaluation; NAN: not known, a part of it was killed
    int together;   // runs that had these seconds together
    int64_t epochs, best_epoch, steps;
    slt_run_scores valid, test;
    int64_t missed;   // test trajectories that SLT_REPRO_RIVAL gets wrong
    double missed_f1; // on them; NAN: not looked at
    // of restarts
    int members, picked, agreeing; // members 0: it had none
    double gap;                    // infinite without a runner-up
    char warning[SLT_WARNING_TEXT];
    // of the vote
    char group[SLT_REPRO_WORD]; // that answers; "": no vote
    double trust, alone;        // alone: mean F1 of its runs, each on its own; NAN: no vote
} slt_repro_record;

slt_repro_record slt_repro_record_of(const slt_train_result *result);
slt_status slt_repro_record_write(const char *path, const slt_repro_record *record);
// a line of JSON, with the run's name unless that is NULL
void slt_repro_record_add(slt_text *text, const char *run, const slt_repro_record *record);
// FORMAT when the file is damaged
slt_status slt_repro_record_read(const char *path, slt_repro_record *out);
slt_status slt_repro_record_parse(const char *where, const json_t *document, slt_repro_record *out);

#endif
