// Answers in their public form, and the file of them: `segments.safetensors` of a run, what the
// report draws (docs/formats.md).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_SEGMENTS_H
#define SLT_TRAIN_SEGMENTS_H

#include "slottar/model.h"
#include "metrics/calibration.h"
#include "train/inference/predict.h"

// ids in order of time, boundaries gathered, their confidence calibrated where the map has points;
// arrays are in the arena or the answer's
slt_status slt_segments_of(slt_arena *arena, int64_t episode, const slt_segmentation *answer,
                           const slt_calibration *calibration, slt_segments *out);

typedef struct slt_segments_file slt_segments_file;

// split: name of the only one in it, or NULL; the calibration is copied. The file appears at
// commit, whole.
slt_status slt_segments_file_create(slt_context *context, const char *path, const slt_setup *setup,
                                    const char *data, const char *split,
                                    const slt_calibration *calibration, slt_segments_file **out);
// an slt_predict_visit over a request with pictures; user is the file
slt_status slt_segments_file_add(void *user, const slt_episode *episode,
                                 const slt_segmentation *answer);
// both destroy the file's handle; destroy accepts NULL
slt_status slt_segments_file_commit(slt_segments_file *file);
void slt_segments_file_destroy(slt_segments_file *file);

#endif
