// The CUDA device of tests that link its kernels instead of loading libslottar_cuda.so.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/tape/cuda_kind.h"
#include "devices/device_load.h"

slt_status slt_device_load(const slt_device_kind **out) {
    *out = &slt_device_cuda;
    return SLT_OK;
}
