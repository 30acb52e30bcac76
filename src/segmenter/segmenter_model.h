// A segmenter as a model: what slt_model_open needs to know of it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SEGMENTER_MODEL_H
#define SLT_SEGMENTER_MODEL_H

#include "slottar/metrics.h"
#include "slottar/segmenter.h"

// is it a file of members? One that cannot be read is none
slt_status slt_segmenter_is(slt_context *context, const char *path, bool *out);

typedef struct {
    bool continuous;
    int actions, observation; // actions: how many, or numbers per action
    const char *data;         // what it learned from
} slt_segmenter_fits;
slt_segmenter_fits slt_segmenter_takes(const slt_segmenter *segmenter);
slt_told slt_segmenter_told(const slt_segmenter *segmenter);
// F1 within one step, one to one, on a labelled split: the mean over the runs of the group that
// answers, each on its own
slt_status slt_segmenter_alone(slt_segmenter *segmenter, slt_dataset *data, slt_split split,
                               double *out);

slt_context *slt_segmenter_context(const slt_segmenter *segmenter);

#endif
