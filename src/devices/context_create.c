// Contexts with the devices of this build.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "engine/device.h"
#ifdef SLT_CUDA
#include "cuda/tape/cuda_kind.h"
#endif

static const slt_device_kind *const kinds[] = {
#ifdef SLT_CUDA
    &slt_device_cuda,
#endif
    NULL,
};

static slt_status open_device(slt_context *context) {
    const char *name = context->options.device;
    for (int i = 0; kinds[i]; i++) {
        if (strcmp(kinds[i]->name, name) != 0) continue;
        SLT_TRY(kinds[i]->open(context, &context->device));
        context->device->kind = kinds[i];
        context->device_close = kinds[i]->close;
        return SLT_OK;
    }
    SLT_FAIL(SLT_DEVICE, "this build knows no device '%s': it was configured without SLT_CUDA",
             name);
}

slt_status slt_context_create(const slt_context_options *options, slt_context **out) {
    return slt_context_make(options, open_device, out);
}
