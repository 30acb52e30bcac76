// Opening the device of a context.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/device.h"

#include <string.h>

slt_status slt_device_open(slt_context *context, slt_device **out) {
    *out = context->device;
    if (!context->on_device || context->device) return SLT_OK;
    const char *name = context->options.device;
    for (int i = 0; slt_device_kinds[i]; i++) {
        if (strcmp(slt_device_kinds[i]->name, name) != 0) continue;
        SLT_TRY(slt_device_kinds[i]->open(context, &context->device));
        context->device_close = slt_device_kinds[i]->close;
        *out = context->device;
        return SLT_OK;
    }
    SLT_FAIL(SLT_DEVICE, "this build knows no device '%s': it was configured without SLT_CUDA",
             name);
}
