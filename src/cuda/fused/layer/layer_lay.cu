// Weights of a Transformer layer, laid down by a launch of their own (layer_lay.cuh).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/layer/layer_lay.cuh"

SLT_KERNEL lay(const __grid_constant__ slt_layer_weights p) {
    slt_begin();
    slt_lay_block(p, (int)blockIdx.x);
}

void slt_cuda_layer_lay(const slt_layer_weights *p) {
    dim3 grid((unsigned)slt_lay_blocks(p), 1, (unsigned)p->members);
    SLT_LAUNCH(p, lay, grid, SLT_THREADS, 0);
}
