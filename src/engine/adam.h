// Adam in the reference's form, with clipping by the global norm.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_ADAM_H
#define SLT_ENGINE_ADAM_H

#include "engine/tape.h"

// one step for every active member, with the learning rate and bounds of the tape's frames. A
// member whose gradient is not finite is left as it was; store->norm tells (after
// slt_store_fetch).
slt_status slt_adam_step(slt_tape *tape);

// the learning rate with both corrections of step adam_count
SLT_PLUGIN slt_real slt_adam_rate(const slt_step *step);

#endif
