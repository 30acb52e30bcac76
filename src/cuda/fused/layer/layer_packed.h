// Weights that are packed for fused launches, of layers and of encoder inputs, at the beginning
// of a pass: by whoever takes them first, or else by the first such launch.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_LAYER_PACKED_H
#define SLT_CUDA_LAYER_PACKED_H

#include "cuda/device/cuda_tape.h"
#include "cuda/fused/layer/fused_layer.h"

// room for those that the tape's `pack` names
slt_status slt_cuda_layers_open(slt_tape *tape);
void slt_cuda_layers_close(slt_tape *tape);
void slt_cuda_layers_begin(slt_tape *tape);
int slt_cuda_layers_take(const slt_tape *tape, slt_layer_weights *out, int room);
bool slt_cuda_layers_pack(const slt_tape *tape); // true: they were packed long ago
slt_cuda_view slt_cuda_packed(const slt_tape *tape, int n, bool backward);

#endif
