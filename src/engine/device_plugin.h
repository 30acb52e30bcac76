// A device in a library of its own. It calls functions of the library that loads it (SLT_PLUGIN)
// and reads its structs: both must be of one build.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_DEVICE_PLUGIN_H
#define SLT_ENGINE_DEVICE_PLUGIN_H

#include <string.h>
#include "engine/device.h"
#include "engine/tape_impl.h"
#include "slottar/version.h"

// what must be the same on both sides
typedef struct {
    char version[16];
    const void *self; // a function of the library: there may be two in one process
    size_t sizes[5];
} slt_device_host;

static inline slt_device_host slt_device_host_here(void) {
    slt_device_host here;
    memset(&here, 0, sizeof here);
    strncpy(here.version, SLT_VERSION, sizeof here.version - 1);
    here.self = (const void *)slt_fail;
    size_t sizes[] = {sizeof(slt_context), sizeof(slt_store), sizeof(slt_tape), sizeof(slt_op),
                      sizeof(slt_device_kind)};
    memcpy(here.sizes, sizes, sizeof sizes);
    return here;
}

// what the library of a device exports; NULL: the other side is not its own
#define SLT_DEVICE_PLUGIN "slt_device_plugin"
typedef const slt_device_kind *slt_device_plugin_call(const slt_device_host *host);

#endif
