// Contexts with the devices that are here.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "devices/device_load.h"
#include "engine/gemm.h"

static slt_status fail_with_advice(slt_status status) {
    char why[800];
    snprintf(why, sizeof why, "%s", slt_last_error());
    SLT_FAIL(status, "device cuda: %s; device auto takes the CPU then", why);
}

static slt_status open_device(slt_context *context) {
    const slt_device_kind *kind;
    slt_status status = slt_device_load(&kind);
    if (status == SLT_OK) status = kind->open(context, &context->device);
    if (status != SLT_OK) return fail_with_advice(status);
    context->device->kind = kind;
    context->device_close = kind->close;
    return SLT_OK;
}

slt_status slt_device_check(const char *device) {
    const slt_device_kind *kind;
    if (!device || strcmp(device, "cpu") == 0) return SLT_OK;
    if (strcmp(device, "cuda") != 0 && strcmp(device, "cuda:0") != 0)
        SLT_FAIL(SLT_INVALID, "no device '%s': cpu or cuda", device);
    SLT_TRY(slt_device_load(&kind));
    return kind->check();
}

// what the CPU computes in: fp32, and bf16 where it has instructions for that
static slt_status check_precision(const slt_context_options *options) {
    const char *device = options->device ? options->device : "cpu";
    bool bf16 = options->precision && strcmp(options->precision, "bf16") == 0;
    if (bf16 && strcmp(device, "cpu") == 0 && !slt_gemm_bf16_works())
        SLT_FAIL(SLT_INVALID,
                 "precision bf16 needs a processor with AMX (x86) or BF16 (ARM); this one computes "
                 "in fp32");
    return SLT_OK;
}

// the GPU where there is one; else the CPU, which has no tf32
static slt_status create_on_best(slt_context_options options, slt_context **out) {
    char why[400] = "";
    options.device = "cuda";
    if (slt_device_check("cuda") != SLT_OK) {
        snprintf(why, sizeof why, "%s", slt_last_error());
        options.device = "cpu";
        if (options.precision && strcmp(options.precision, "tf32") == 0) options.precision = NULL;
    }
    SLT_TRY(check_precision(&options));
    SLT_TRY(slt_context_make(&options, open_device, out));
    if (why[0])
        slt_context_log(*out, SLT_LOG_INFO, "device auto: the CPU; %s", why);
    else
        slt_context_log(*out, SLT_LOG_INFO, "device auto: cuda");
    return SLT_OK;
}

slt_status slt_context_create(const slt_context_options *options, slt_context **out) {
    if (options && options->device && strcmp(options->device, "auto") == 0)
        return create_on_best(*options, out);
    if (options) SLT_TRY(check_precision(options));
    return slt_context_make(options, open_device, out);
}
