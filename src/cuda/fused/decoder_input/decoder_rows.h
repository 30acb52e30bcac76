// The nodes that make the decoder's first rows, where nothing is joined to slots: join_slots,
// layer_norm and dense, one after the other (fuse_decoder_input.c).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_DECODER_ROWS_H
#define SLT_CUDA_DECODER_ROWS_H

#include "cuda/fused/common/family.h"

enum { SLT_DECODER_JOIN, SLT_DECODER_NORM, SLT_DECODER_DENSE };
// are nodes n .. n+2, of a part that ends with node `end`?
bool slt_are_decoder_rows(const slt_tape *tape, int n, int end);

#endif
