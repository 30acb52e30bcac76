// Steps of a launch of the slots' part, once they are listed (slot_places.c).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FUSE_SLOTS_H
#define SLT_CUDA_FUSE_SLOTS_H

#include "cuda/fused/slots/fused_slots.h"

// the last step is a sum of which the product before it is a half: the product adds the other one
void slt_slots_join_sum(slt_fused_slots *run);
// steps that read nothing but weights, noise, and what such steps write come first
void slt_slots_advance(slt_fused_slots *run);
// halting comes last, next to a product that does not write what it reads: nobody waits for it
void slt_slots_postpone(slt_fused_slots *run);
// places of all rows, the products one after the other, what is prefetched
void slt_slots_connect(slt_fused_slots *run, bool backward);

#endif
