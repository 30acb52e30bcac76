// The one function that libslottar_cuda.so exports (devices/device_load.c).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/tape/cuda_kind.h"
#include "engine/device_plugin.h"

SLT_API slt_device_plugin_call slt_device_plugin;

const slt_device_kind *slt_device_plugin(const slt_device_host *host) {
    slt_device_host here = slt_device_host_here();
    return memcmp(&here, host, sizeof here) == 0 ? &slt_device_cuda : NULL;
}
