// From halting to the slots that are used, at test time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_SLOTTAR_SEGMENT_H
#define SLT_MODELS_SLOTTAR_SEGMENT_H

#include "engine/real.h"
#include "models/slottar_options.h"

// which slots are used: active[k] for k < K. uniform [K]: one draw in [0,1) per slot, for the rules
// that sample; may be NULL for SLT_HALT_ARGMAX. Slot 0 is always active, and so is the one that
// halts
void slt_slottar_active(slt_halting_kind rule, const slt_real *lambda, const slt_real *halting,
                        const float *uniform, int K, bool *active);

#endif
