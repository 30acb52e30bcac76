// Weights of a Transformer layer, packed by a launch of their own (pack_weights.cuh).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/layer/pack_weights.cuh"

SLT_KERNEL lay(const __grid_constant__ slt_layer_weights p) {
    slt_begin();
    slt_pack_block(p, (int)blockIdx.x);
}

void slt_cuda_pack_weights(const slt_layer_weights *p) {
    dim3 grid((unsigned)slt_pack_blocks(p), 1, (unsigned)p->members);
    SLT_LAUNCH(p, lay, grid, SLT_THREADS, 0);
}
