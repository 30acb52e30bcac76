// A trained model, from the inside.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_MODEL_API_H
#define SLT_TRAIN_MODEL_API_H

#include "slottar/model.h"

slt_context *slt_model_context(const slt_model *model);
const char *slt_model_path(const slt_model *model); // of its checkpoint

#endif
