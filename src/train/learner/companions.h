// Fixed companions: K training trajectories whose observations the decoder sees at test time, the
// same for every trajectory, so that an answer does not depend on its neighbours. They are a
// function of the training split alone, and travel in the checkpoint.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_COMPANIONS_H
#define SLT_TRAIN_COMPANIONS_H

#include "core/safetensors.h"
#include "train/learner/learner.h"

// does a model of this setup need them?
bool slt_companions_needed(const slt_setup *setup);

// gives a learner that needs them K episodes spread evenly over a list; views of the data set, the
// array is in the arena
slt_status slt_companions_choose(slt_arena *arena, slt_dataset *data, const int64_t *episodes,
                                 int64_t count, slt_learner *learner);

// arrays `companions.*` of a checkpoint: after the weights, declared and then put
void slt_companions_declare(slt_safetensors_writer *writer, const slt_learner *learner);
void slt_companions_put(slt_safetensors_writer *writer, const slt_learner *learner);
// copies into the arena; every value is checked against what the model knows
slt_status slt_companions_read(slt_arena *arena, const slt_safetensors *file,
                               const slt_model_data *data, int K, const slt_episode **out);

#endif
