// The rows' half of a Transformer layer in one launch, both ways (fused_layer.cu,
// fused_layer_backward.cu): the product after attention, the first norm, the mlp and the second
// norm,
//     y = LN(x + mixed·O + c),  z = LN(y + relu(y·W1 + c1)·W2 + c2)
// in tf32, rows of 64, 96 or 128 numbers; and what else is done to the same rows after them: a
// narrow layer, the model's output, or the end of an encoder,
//     LN(mlp(LN(z + position)))·KV.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FUSED_LAYER_H
#define SLT_CUDA_FUSED_LAYER_H

#include "core/host_device.h"
#include "cuda/fused/common/widths.h"
#include "cuda/kernels/cuda_op.h"

enum { SLT_LAYER_MOST = 512 }; // numbers of the middle, at most
enum { SLT_LAYER_OUT = 8 };    // columns of the narrow layer, at most

// rows of a block: what the tensor cores take at once, or half of it where rows of all members are
// few and most of the device would be idle
#ifdef SLT_EMULATED
enum { SLT_LAYER_ROWS = 64, SLT_LAYER_FEW = 40 };
#else
enum { SLT_LAYER_ROWS = 64, SLT_LAYER_FEW = 2112 };
#endif
static inline int slt_layer_each(int rows, int members) {
    return rows * members <= SLT_LAYER_FEW ? SLT_LAYER_ROWS / 2 : SLT_LAYER_ROWS;
}

// ---- weights as the products want them, in the order in which they are asked for: those of a pass
// forward, then backward; of one group of warps, then of the other

// channels of a group in a product, or its columns: the first group has the first 64, and zeros
// are after the last
enum { SLT_LAYER_GROUPS = 2, SLT_LAYER_PART = 64, SLT_LAYER_BOTH = 2 * SLT_LAYER_PART };

// numbers of a piece
SLT_HOST_DEVICE int slt_layer_piece(int width) { return SLT_LAYER_PART * width; }
// parts that each group has of so many columns
SLT_HOST_DEVICE int slt_layer_parts(int columns) {
    return (columns + SLT_LAYER_BOTH - 1) / SLT_LAYER_BOTH;
}
// of a group: O, the mlp's; the mlp, keys and values of an end of so many numbers, 0: there is none
SLT_HOST_DEVICE int slt_layer_pieces(int wide, int end) {
    return 1 + 2 * slt_layer_parts(wide) + 2 * slt_layer_parts(end) + slt_layer_parts(2 * end);
}
// widths of rows, and of an encoder's end, that have kernels: the same, or 128 and 64
static inline bool slt_layer_may_end(int width, int end) {
    return end == width || (width == 128 && end == 64);
}

typedef struct slt_layer_weights {
    void *stream;
    int members, width, wide, passes;     // d: the width
    int end;                              // S: of an encoder's end, 0: there is none
    slt_cuda_view o, w1, w2;              // (d,d), (d,wide), (wide,d)
    slt_cuda_view end_w1, end_w2, end_kv; // (d,S), (S,S), (S,2S); or absent
    slt_cuda_view front_b, front_w;       // (d,d), (d,3d): of a front alone (fused_encoder_input.h)
    slt_cuda_view packed;                 // (passes, groups, pieces)
} slt_layer_weights;

// of a front and a group: one of the embedding, three of queries, keys and values
enum { SLT_ENCODER_INPUT_PIECES = 4 };

SLT_HOST_DEVICE int slt_pack_pieces(const slt_layer_weights *p) {
    return p->front_w.at ? (int)SLT_ENCODER_INPUT_PIECES : slt_layer_pieces(p->wide, p->end);
}

// ---- rows

// the norms of a layer and of an encoder's end, in order, with what is added before them
enum { SLT_LAYER_NORMS = 2, SLT_LAYER_ALL_NORMS = 4, SLT_LAYER_LAST = SLT_LAYER_ALL_NORMS - 1 };

typedef struct {
    slt_cuda_view bias, gamma, beta, y;
    slt_cuda_view hat, factor;   // kept for backward
    slt_cuda_view parts, dinput; // backward: a block's sums for γ and β; of what it reads
    float epsilon;
} slt_layer_norm_args;

typedef struct {
    slt_cuda_view c1, middle, signs;
    slt_cuda_view dmiddle; // backward: of what is before the ReLU
    int wide;
} slt_layer_mlp;

// z = y·W + c
typedef struct {
    slt_cuda_view w, c, z, dz;
    int out; // columns; 0: there is no such layer
} slt_layer_output;

typedef struct {
    void *stream;
    slt_cuda_args batch;  // of the first node
    int rows, each;       // of the launch, of a block
    bool keep;            // for backward
    bool early;           // weights are there before the previous kernel has ended
    int norms;            // SLT_LAYER_NORMS, or all: with the end of an encoder
    slt_cuda_view packed; // of this pass
    slt_cuda_view mixed, x;
    slt_layer_norm_args norm[SLT_LAYER_ALL_NORMS];
    slt_layer_mlp mlp[2];
    slt_layer_output head;
    slt_cuda_view position; // (d), times the position
    slt_cuda_view kv, dkv;  // (rows,2S)
    // backward
    slt_cuda_view dy;         // of the second norm; absent where more is after it
    slt_cuda_view dx, dmixed; // may be absent
    bool add_x, add_mixed;
    int width, end; // d, S
} slt_fused_layer;

#ifdef __cplusplus
extern "C" {
#endif

// has a block room enough on this device?
bool slt_cuda_layer_fits(int width);
void slt_cuda_pack_weights(const slt_layer_weights *weights);
void slt_cuda_layer_forward(const slt_fused_layer *run);
void slt_cuda_layer_backward(const slt_fused_layer *run);

#ifdef __cplusplus
}
#endif
#endif
