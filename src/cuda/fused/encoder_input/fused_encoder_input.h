// What is before the encoder's attention, in one launch each way: the observation's half of
// the joint embedding, the action's, the norm with positions, queries, keys and values:
//     y = relu(x·B + table[id]),  z = LN(y) + position,  z·W + c
// in tf32, for rows of 64, 96 or 128 numbers, not too many of them (fused_encoder_input.cu).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FUSED_ENCODER_INPUT_H
#define SLT_CUDA_FUSED_ENCODER_INPUT_H

#include "cuda/fused/layer/fused_layer.h"

typedef struct {
    void *stream;
    slt_cuda_args norm;
    // the previous kernel writes neither weights nor the batch: they are read before it has ended
    bool early;
    int rows, each;       // of the launch; of a block, backward
    slt_cuda_view packed; // B and W, of this pass (pack_weights.cuh)
    slt_cuda_view x;      // (rows,d)
    slt_cuda_view ids, table, y;
    slt_cuda_view c, qkv; // (3d), (rows,3d)
    // backward
    slt_cuda_view dqkv, dz;  // dz: what others left there; may be absent
    slt_cuda_view gated, dy; // before the ReLU, twice: for who sums, for who multiplies
    slt_cuda_view dx;        // may be absent
    bool add_x;
    int width; // d
} slt_fused_encoder_input;

#ifdef __cplusplus
extern "C" {
#endif

bool slt_encoder_input_fits(int width);
void slt_encoder_input_forward(const slt_fused_encoder_input *run);
void slt_encoder_input_backward(const slt_fused_encoder_input *run);

#ifdef __cplusplus
}
#endif
#endif
