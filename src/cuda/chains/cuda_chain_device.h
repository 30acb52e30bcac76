// Chains on the CUDA device, for its table of functions.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_CHAIN_DEVICE_H
#define SLT_CUDA_CHAIN_DEVICE_H

#include "engine/chain_device.h"
#include "engine/device_symbols.h"

extern const slt_chain_device slt_cuda_chains;
extern const slt_symbol_device slt_cuda_symbols;

#endif
