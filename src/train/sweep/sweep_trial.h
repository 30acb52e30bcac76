// One trial: a training up to an epoch, and its result as a file FOLDER/0007-0/trial.ROUND.json.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_SWEEP_TRIAL_H
#define SLT_TRAIN_SWEEP_TRIAL_H

#include "core/json.h"
#include "core/text.h"
#include "slottar/train.h"

enum { SLT_REASON = 256 };

typedef struct {
    bool failed;
    char reason[SLT_REASON]; // the library's message when it failed
    int64_t epochs, best_epoch;
    slt_run_scores valid, test;
} slt_trial_result;

// what is the configuration's own fault (it diverged, its numbers do not fit together) is a result
slt_trial_result slt_trial_result_of(const slt_train_outcome *outcome);

slt_status slt_trial_write(const char *path, const slt_trial_result *result);
slt_status slt_trial_read(const char *path, slt_trial_result *out);

// the scores of a split as a member of a JSON object, with a comma before it; what is missing in
// the object comes back as NAN
void slt_trial_scores_write(slt_text *text, const char *name, const slt_run_scores *scores);
void slt_trial_scores_read(const json_t *object, slt_run_scores *out);

#endif
