// A trained model, from the inside.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_MODEL_API_H
#define SLT_TRAIN_MODEL_API_H

#include "slottar/model.h"
#include "train/learner/checkpoint.h"

slt_context *slt_model_context(const slt_model *model);
const char *slt_model_path(const slt_model *model); // of its checkpoint
bool slt_model_is_run(const slt_model *model);      // it lies in a run directory

// types that were learned or read; the model closes them
struct slt_types *slt_model_held_types(const slt_model *model);
void slt_model_hold_types(slt_model *model, struct slt_types *types);
// slt_model_segment with types that are there, or NULL
slt_status slt_model_segment_as(slt_model *model, slt_dataset *data,
                                const slt_segment_options *options, const struct slt_types *types,
                                slt_segments_visit visit, void *user);
// a vote of laws has types of its own
bool slt_model_has_laws(slt_model *model);

const slt_checkpoint *slt_model_checkpoint(const slt_model *model);

// what all streams of a model read: made in the model's arena by the first of them
slt_arena *slt_model_arena(slt_model *model);
void **slt_model_stream_plan(slt_model *model);
// A learner that holds the weights, to copy from; the caller destroys it.
slt_status slt_model_read_weights(slt_model *model, slt_learner **out);

#endif
