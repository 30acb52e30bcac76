// What a data set means for a model: its splits, its symbols, its prior.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_DATASET_SPEC_H
#define SLT_TRAIN_DATASET_SPEC_H

#include "train/learner/learner.h"

enum { SLT_MOST_STEPS = 65536 }; // positions of a model

typedef struct {
    slt_dataset *data;
    const int64_t *episodes[SLT_SPLITS];
    int64_t count[SLT_SPLITS];
    bool own_splits; // the file has none: every ninth and tenth episode of ten are held out
    slt_model_data model;
    double prior[SLT_LEARNER_SLOTS];
} slt_dataset_spec;

// opens the data set and reads it for the setup; UNSUPPORTED for continuous actions where the
// model takes none, RANGE for trajectories longer than the setup's length
slt_status slt_task_open(slt_context *context, slt_arena *arena, const slt_setup *setup,
                         const char *path, slt_dataset_spec *out);
void slt_task_close(slt_dataset_spec *task);

// checks that another data set, the caller's, fits a trained model, and splits it
slt_status slt_task_fit(slt_arena *arena, const slt_model_data *model, slt_dataset *data,
                        slt_dataset_spec *out);

#endif
