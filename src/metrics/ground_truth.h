// From what a demonstration shows to the truth.
//
// Baselines and the trailing DONE: the reference scores CompILE (and OMPN on Craft) over T+1 steps
// with the truth -1 at DONE; we score the T real steps. slt_truth_done makes
// the reference's truth.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_GROUND_TRUTH_H
#define SLT_METRICS_GROUND_TRUTH_H

#include "metrics/labels.h"

// truth of Craft: every USE ends a segment
void slt_craft_ends(uint8_t *is_end, const int32_t *actions, int T);

// truth of MiniGrid as the reference reads it off observations (rule `ref`): a pickup that is the
// last step or fills the empty hand with a key or a ball, a toggle that opens a locked door.
// own_object and front_state: object code in the agent's own cell and state code of the cell in
// front of it, in the observation before each action.
void slt_minigrid_ends(uint8_t *is_end, const int32_t *actions, const int32_t *own_object,
                       const int32_t *front_state, int T);

// the reference's truth for baselines: DONE at step T-1 belongs to no segment
void slt_truth_done(int32_t *ids, int T);

#endif
