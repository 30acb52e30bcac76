// The rows' half of a Transformer layer in one launch, both ways (layer_run.cu, layer_back.cu): the
// product behind attention, the first norm, the mlp and the second norm,
//     y = LN(x + mixed·O + c),  z = LN(y + relu(y·W1 + c1)·W2 + c2)
// in tf32, rows of 128 numbers; and what else is done to the same rows behind them: a narrow layer,
// the model's output, or the end of an encoder,
//     LN(mlp(LN(z + position)))·KV.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_LAYER_RUN_H
#define SLT_CUDA_LAYER_RUN_H

#include "core/everywhere.h"
#include "cuda/cuda_op.h"

enum { SLT_LAYER_WIDTH = 128, SLT_LAYER_MOST = 512 }; // numbers of a row; of the middle, at most
enum { SLT_LAYER_ROWS = 64, SLT_LAYER_OUT = 8 }; // of a block; columns of the narrow layer, at most

// ---- weights as the products want them, in the order in which they are asked for: those of a pass
// forward, then backward; of one group of warps, then of the other

enum { SLT_LAYER_GROUPS = 2, SLT_LAYER_PIECE = 64 * SLT_LAYER_WIDTH };

// of a group: O, the mlp's; the end's mlp, keys and values
SLT_EVERYWHERE int slt_layer_pieces(int wide, bool end) { return 1 + wide / 64 + (end ? 4 : 0); }

typedef struct slt_layer_weights {
    void *stream;
    int members, wide, passes;
    slt_cuda_view o, w1, w2;              // (128,128), (128,wide), (wide,128)
    slt_cuda_view end_w1, end_w2, end_kv; // (128,128), (128,128), (128,256); or absent
    slt_cuda_view laid;                   // (passes, groups, pieces)
} slt_layer_weights;

// ---- rows

typedef struct {
    slt_cuda_view gamma, beta, y;
    slt_cuda_view hat, factor; // kept for backward
    slt_cuda_view parts;       // backward: a block's sums for γ and β
    float epsilon;
} slt_layer_norm;

typedef struct {
    slt_cuda_view c1, c2;
    slt_cuda_view middle, signs;
    slt_cuda_view dwide, dmiddle; // backward: of its output, of what is in front of the ReLU
    int wide;
} slt_layer_mlp;

// z = y·W + c
typedef struct {
    slt_cuda_view w, c, z, dz;
    int out; // columns; 0: there is no such layer
} slt_layer_head;

typedef struct {
    bool there;
    slt_cuda_view w, c; // z + (t·w + c), t: the position
    slt_layer_norm norm[2];
    slt_layer_mlp mlp;
    slt_cuda_view kv, dkv; // (rows,256)
    slt_cuda_view dsum;    // of the first norm's input
} slt_layer_end;

typedef struct {
    void *stream;
    slt_cuda_args batch; // of the first node
    int rows;
    bool keep;          // for backward
    bool early;         // weights are there before the kernel in front has ended
    slt_cuda_view laid; // of this pass
    slt_cuda_view mixed, x, c;
    slt_layer_norm norm[2];
    slt_layer_mlp mlp;
    slt_layer_head head;
    slt_layer_end end;
    // backward
    slt_cuda_view dy;               // of the second norm; absent where more is behind it
    slt_cuda_view dout, dx, dmixed; // of the first product; the last two may be absent
    bool add_x, add_mixed;
} slt_layer_run;

#ifdef __cplusplus
extern "C" {
#endif

// has a block room enough on this device?
bool slt_cuda_layer_fits(void);
void slt_cuda_layer_lay(const slt_layer_weights *weights);
void slt_cuda_layer_forward(const slt_layer_run *run);
void slt_cuda_layer_backward(const slt_layer_run *run);

#ifdef __cplusplus
}
#endif
#endif
