// The devices of this build.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/device.h"

const slt_device_kind *const slt_device_kinds[] = {
#ifdef SLT_CUDA
    &slt_device_cuda,
#endif
    NULL,
};
