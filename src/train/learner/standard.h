// Standardisation: what a model takes off the columns of its data, from the training split, and
// what a checkpoint says about it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_STANDARD_H
#define SLT_TRAIN_STANDARD_H

#include "core/safetensors.h"
#include "train/learner/dataset_spec.h"

// fills columns, channels and channel of the task's model, and observed, for observations of
// numbers; in the arena. INVALID when no column of the actions varies
slt_status slt_standard_measure(slt_arena *arena, slt_dataset_spec *task);

// arrays `standard.*` of a checkpoint: after the weights, declared and then put. Nothing where
// actions are symbols
void slt_standard_declare(slt_safetensors_writer *writer, const slt_model_data *data);
void slt_standard_put(slt_safetensors_writer *writer, const slt_model_data *data);
// copies into the arena
slt_status slt_standard_read(slt_arena *arena, const slt_safetensors *file, slt_model_data *data);

#endif
