// Nodes fused into one launch: masks and losses, which work on trajectories one by one, with a
// block for each (fused_loss.cu). Which nodes form a run is known before memory is planned
// (fusion.c).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_FUSED_LOSS_H
#define SLT_FUSED_LOSS_H

#include "cuda/kernels/cuda_op.h"

enum { SLT_LOSS_NODES = 4 };

typedef enum {
    SLT_LOSS_MASK, // segment_mask
    SLT_LOSS_XENT, // prefix_xent
    SLT_LOSS_KL,   // halting_kl
    SLT_LOSS_ADD,  // add_loss
} slt_loss_kind;

// the nodes of a run, in the order of its pass
typedef struct {
    void *stream;
    slt_cuda_view seed; // gradient of the loss, to be set to 1; absent: somebody did
    int near;           // numbers of shared memory for a trajectory; 0: it does not fit
    int nodes;
    slt_loss_kind kind[SLT_LOSS_NODES];
    slt_cuda_args node[SLT_LOSS_NODES];
} slt_fused_loss;

#ifdef __cplusplus
extern "C" {
#endif

void slt_cuda_losses_forward(const slt_fused_loss *run);
void slt_cuda_losses_backward(const slt_fused_loss *run);
void slt_cuda_losses_both(const slt_fused_loss *run); // nodes in the order of backward

#ifdef __cplusplus
}
#endif
#endif
