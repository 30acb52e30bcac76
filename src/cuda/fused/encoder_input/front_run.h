// What is in front of the encoder's attention, in one launch each way: the observation's half of
// the joint embedding, the action's, the norm with positions, queries, keys and values:
//     y = relu(x·B + table[id]),  z = LN(y) + position,  z·W + c
// in tf32, for rows of 128 numbers, not too many of them (front_run.cu).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FRONT_RUN_H
#define SLT_CUDA_FRONT_RUN_H

#include "cuda/fused/layer/layer_run.h"

enum { SLT_FRONT_WIDTH = SLT_LAYER_WIDTH, SLT_FRONT_OUT = 3 * SLT_FRONT_WIDTH };

typedef struct {
    void *stream;
    slt_cuda_args norm;
    // the kernel in front writes neither weights nor the batch: they are read before it has ended
    bool early;
    int rows, each;     // of the launch; of a block, backward
    slt_cuda_view laid; // B and W, of this pass (layer_lay.cuh)
    slt_cuda_view x;    // (rows,128)
    slt_cuda_view ids, table, y;
    slt_cuda_view c, qkv; // (384), (rows,384)
    // backward
    slt_cuda_view dqkv, dz;  // dz: what others left there; may be absent
    slt_cuda_view gated, dy; // in front of the ReLU, twice: for who sums, for who multiplies
    slt_cuda_view dx;        // may be absent
    bool add_x;
} slt_front_run;

#ifdef __cplusplus
extern "C" {
#endif

bool slt_cuda_front_fits(void);
void slt_cuda_front_forward(const slt_front_run *run);
void slt_cuda_front_backward(const slt_front_run *run);

#ifdef __cplusplus
}
#endif
#endif
