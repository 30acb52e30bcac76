// The rows' half of a Transformer layer in one launch, both ways (layer_run.cu): the product behind
// attention, the first norm, the mlp and the second norm,
//     y = LN(x + mixed·O + c),  z = LN(y + relu(y·W1 + c1)·W2 + c2)
// in tf32, rows of 128 numbers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_LAYER_RUN_H
#define SLT_CUDA_LAYER_RUN_H

#include "core/everywhere.h"
#include "cuda/cuda_op.h"

enum { SLT_LAYER_WIDTH = 128, SLT_LAYER_MOST = 512 }; // numbers of a row; of the middle, at most

// weights as the products want them, in the order in which they are asked for: pieces of one group
// of warps behind one another, then those of the other
enum { SLT_LAYER_GROUPS = 2, SLT_LAYER_PIECE = 64 * SLT_LAYER_WIDTH };

SLT_EVERYWHERE int slt_layer_pieces(int wide) { return 1 + wide / 64; } // of a group

typedef struct {
    void *stream;
    int members, wide;
    slt_cuda_view o, w1, w2; // (128,128), (128,wide), (wide,128)
    slt_cuda_view laid;      // forward's pieces
} slt_layer_weights;

typedef struct {
    slt_cuda_view gamma, beta;
    slt_cuda_view hat, factor; // kept for backward
    slt_cuda_view y;
    float epsilon;
} slt_layer_norm;

typedef struct {
    void *stream;
    slt_cuda_args batch; // of the first node
    int rows, wide;
    bool keep; // for backward
    slt_cuda_view laid, mixed, x;
    slt_cuda_view c, c1, c2;
    slt_cuda_view middle, signs;
    slt_layer_norm norm[2];
} slt_layer_run;

#ifdef __cplusplus
extern "C" {
#endif

// has a block room enough on this device?
bool slt_cuda_layer_fits(void);
void slt_cuda_layer_lay(const slt_layer_weights *weights);
void slt_cuda_layer_forward(const slt_layer_run *run);

#ifdef __cplusplus
}
#endif
#endif
