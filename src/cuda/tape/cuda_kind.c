// The CUDA device as the engine sees it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/tape/cuda_kind.h"

#include "cuda/chains/cuda_chain_device.h"
#include "cuda/fused/fusion.h"
#include "cuda/ops/cuda_ops.h"
#include "cuda/tape/cuda_walk.h"

const slt_device_kind slt_device_cuda = {.name = "cuda",
                                         .check = slt_cuda_usable,
                                         .lag = SLT_CUDA_LAG,
                                         .runs = slt_cuda_find_fused,
                                         .fused = slt_cuda_fused,
                                         .open = slt_cuda_open,
                                         .close = slt_cuda_close,
                                         .store_open = slt_cuda_store_open,
                                         .store_close = slt_cuda_store_close,
                                         .store_fetch = slt_cuda_store_fetch,
                                         .gradients_fetch = slt_cuda_gradients_fetch,
                                         .gradients_send = slt_cuda_gradients_send,
                                         .norms_fetch = slt_cuda_norms_fetch,
                                         .device_rows_open = slt_cuda_device_rows_open,
                                         .device_rows_close = slt_cuda_device_rows_close,
                                         .device_rows_add = slt_cuda_device_rows_add,
                                         .knows = slt_cuda_knows,
                                         .path = slt_cuda_path,
                                         .peak = slt_cuda_peak,
                                         .tape_open = slt_cuda_tape_open,
                                         .tape_close = slt_cuda_tape_close,
                                         .forward = slt_cuda_forward,
                                         .backward = slt_cuda_backward,
                                         .adam = slt_cuda_adam_step,
                                         .step = slt_cuda_step,
                                         .wait = slt_cuda_wait,
                                         .ahead = SLT_CUDA_TURNS,
                                         .begin = slt_cuda_begin,
                                         .end = slt_cuda_end,
                                         .value = slt_cuda_value,
                                         .gradient = slt_cuda_gradient,
                                         .chains = &slt_cuda_chains,
                                         .symbols = &slt_cuda_symbols};
