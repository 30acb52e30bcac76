// Which nodes of a tape run together, and the launch of such a run (fusion.c).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FUSION_H
#define SLT_CUDA_FUSION_H

#include "cuda/fused/common/family.h"

// first and last time of the run that a node's forward and backward is in
void slt_cuda_find_fused(const slt_tape *tape, int *begin, int *end);
// the last node backward whose run leaves much of the device to others; 0: there is none
int slt_cuda_last_room(const slt_tape *tape);
// is the run that begins with node `first`, backward, of a pattern with `fills`?
bool slt_cuda_fused_fills(const slt_tape *tape, int first);
void slt_cuda_fused_forward(slt_tape *tape, int first, int last);
// seed: the loss's gradient, which the run sets to 1; absent where somebody did. both: forward as
// well
void slt_cuda_fused_backward(slt_tape *tape, int first, int last, slt_cuda_view seed, bool both);
// sums for the weights of node n, in the run that begins with `first`
void slt_cuda_fused_weights(slt_tape *tape, int first, int n);

// a row of the device's table: what became of a declared part
void slt_cuda_fused(const slt_tape *tape, slt_fusion fusion, int n, slt_fused *out);

// weights that the runs of a tape want packed
slt_status slt_cuda_runs_pack(slt_tape *tape);

#endif
