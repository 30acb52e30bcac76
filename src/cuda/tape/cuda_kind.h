// The CUDA device, for the table of devices (devices/context_create.c).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_KIND_H
#define SLT_CUDA_KIND_H

#include "engine/device.h"

extern const slt_device_kind slt_device_cuda;

#endif
