// From the masks of slots to segments, at test time: SloTTAr and CompILE.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_SLOT_IDS_H
#define SLT_MODELS_SLOT_IDS_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/real.h"

// segment of every step: the slot with the largest mask, the lowest on ties. masks: row k starts at
// masks + k·stride. active [K]: a slot that is off counts as 0; NULL: all are on
void slt_slot_ids(const slt_real *masks, int stride, const bool *active, int K, int T,
                  int32_t *ids);

#endif
