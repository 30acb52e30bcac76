// A policy that starts as a clone of demonstrations.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_POLICY_CLONE_H
#define SLT_EXPERTS_POLICY_CLONE_H

#include "experts/policy_file.h"
#include "experts/policy_learner.h"

// Imitates the actions of a data set's training split, and keeps the epoch that predicts held-out
// episodes best: the valid split, or every tenth episode. The weights are the learner's afterwards;
// its optimiser starts anew. SHAPE when observations or actions are not those of the policy.
slt_status slt_policy_clone(slt_context *context, const char *data, const slt_policy_file *file,
                            slt_policy_learner *learner);

#endif
