// Devices other than the CPU.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DEVICE_LOAD_H
#define SLT_DEVICE_LOAD_H

#include "engine/device.h"

// the CUDA device: from libslottar_cuda.so, or from this program in tests that link its kernels
// (tests/device_linked.c)
slt_status slt_device_load(const slt_device_kind **out);

#endif
