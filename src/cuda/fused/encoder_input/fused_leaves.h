// The first nodes of a tape, which wait for nothing: noise, products of a few rows of weights, bits
// or numbers of observations. One launch has blocks for each (fused_leaves.cu), and for weights
// that are laid down for layers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FUSED_LEAVES_H
#define SLT_CUDA_FUSED_LEAVES_H

#include "cuda/fused/layer/fused_layer.h"

typedef enum {
    SLT_INPUT_NOISE, // noise
    SLT_INPUT_TABLE, // dense, of weights alone or of observations
    SLT_INPUT_BITS,  // dense_bits
} slt_leaf_kind;

enum { SLT_INPUT_NODES = 3, SLT_INPUT_LAYERS = 4, SLT_INPUT_WIDEST = 256, SLT_INPUT_ROWS = 4224 };

typedef struct {
    void *stream;
    int nodes;
    slt_leaf_kind kind[SLT_INPUT_NODES];
    int end[SLT_INPUT_NODES]; // blocks of the node and of those after it
    slt_cuda_args node[SLT_INPUT_NODES];
    int layers;
    slt_layer_weights layer[SLT_INPUT_LAYERS];
    int packed[SLT_INPUT_LAYERS]; // blocks of all before it and its own, after those of the nodes
} slt_fused_leaves;

#ifdef __cplusplus
extern "C" {
#endif

void slt_cuda_leaves_forward(slt_fused_leaves *run); // fills `end`, `packed`

#ifdef __cplusplus
}
#endif
#endif
