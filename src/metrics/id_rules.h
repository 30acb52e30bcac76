// From what a model says to segment ids, and from what a demonstration shows to the truth.
//
// Baselines and the trailing DONE: the reference scores CompILE (and OMPN on Craft) over T+1 steps
// with the truth -1 at DONE; we score the T real steps. The rules below take the number of steps to
// label, so both ways are the same code; slt_truth_done makes the reference's truth.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_ID_RULES_H
#define SLT_METRICS_ID_RULES_H

#include "metrics/access.h"
#include "metrics/labels.h"

// SloTTAr: the slot with the largest mask; ties and steps without a mask go to the lowest slot
void slt_mask_ids(int32_t *ids, const slt_slot_view *mask, int K, int T);

// CompILE: boundaries[k] is the step that opens segment k+1. The smallest k < G with
// t < boundaries[k]; 0 where there is none.
void slt_compile_ids(int32_t *ids, const int32_t *boundaries, int G, int T);

// OMPN: p_hat is (T, levels), level 0 ends the episode. Marks the G steps of least depth
// (sum over j of j*p_hat[t][j]; step 0 counts as the deepest); slt_ids_from_ends does the rest.
slt_status slt_ompn_ends(slt_arena *scratch, uint8_t *is_end, const float *p_hat, int levels, int T,
                         int G);

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
