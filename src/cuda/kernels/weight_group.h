// Gradients of weights in one launch (weight_group.cu): dW (+)= xᵀ·dy and dc (+)= Σ over rows of
// dy, in tf32, of one member. They wait until the chain leaves room for them (weight_streams.c).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_WEIGHT_GROUP_H
#define SLT_CUDA_WEIGHT_GROUP_H

#include "cuda/kernels/cuda_op.h"

// products; bytes of partial sums; rows and columns of a tile
enum { SLT_WEIGHT_GROUP = 16, SLT_WEIGHT_ROOM = 10 << 20, SLT_WEIGHT_TILE = 128 };

typedef struct slt_weight_product {
    const float *x;  // (rows,in); of bits their marks, (rows/32,in) words
    const float *dy; // (rows,out)
    float *dw, *dc;  // (in,out), (out); dc may be NULL
    int rows, in, out;
    bool bits, add_w, add_c;
    // of the launch
    int parts;        // of the rows: blocks that share a tile of dW
    int end, sum_end; // the block after its own, of both kernels
    float *partial;   // (parts,in+1,out), where there is more than one
} slt_weight_product;

// what runs concurrently with a group
typedef enum { SLT_BESIDE_SMALL, SLT_BESIDE_FRONT, SLT_BESIDE_NOTHING } slt_weight_time;

typedef struct {
    void *stream;
    float *room; // for partial sums
    slt_weight_time time;
    int count;
    slt_weight_product product[SLT_WEIGHT_GROUP];
} slt_weight_group;

#ifdef __cplusplus
extern "C" {
#endif

// can it be one of a group?
bool slt_cuda_weights_fit(const slt_weight_product *product);
// all products, in parts; then the sums of parts
void slt_cuda_weights_multiply(slt_weight_group *group);
void slt_cuda_weights_add(const slt_weight_group *group);

#ifdef __cplusplus
}
#endif
#endif
