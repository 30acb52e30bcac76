// Builders of outputs under a user's name: the rule for outputs, and the format of the name.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <unistd.h>
#include "data/dataset_impl.h"
#include "data/formats.h"

// another format than the native one is written at the end, from a temporary file
static slt_status begin(slt_context *context, slt_output_request *request,
                        const slt_dataset_info *info, slt_delivery *delivery,
                        slt_dataset_builder **out) {
    const slt_data_format *format;
    SLT_TRY(slt_data_format_to_write(request->path, true, &format));
    request->folder = slt_data_is_folder(request->path);
    SLT_TRY(slt_output_claim(&delivery->lock, context, request));
    if (!format->read) return slt_dataset_builder_native(context, request->path, info, out);
    snprintf(delivery->output, SLT_PATH, "%s", request->path); // the lock was longer
    SLT_TRY(slt_file_temporary(".safetensors", delivery->native, SLT_PATH));
    delivery->format = format;
    return slt_dataset_builder_native(context, delivery->native, info, out);
}

slt_status slt_dataset_builder_claim(slt_context *context, const slt_output_request *request,
                                     const slt_dataset_info *info, slt_dataset_builder **out) {
    slt_delivery delivery = {.format = NULL};
    slt_output_request output = *request;
    slt_status status = begin(context, &output, info, &delivery, out);
    if (status == SLT_OK) return slt_dataset_builder_deliver(*out, &delivery), SLT_OK;
    if (delivery.format) unlink(delivery.native);
    slt_lock_release(&delivery.lock);
    return status;
}

slt_status slt_dataset_builder_create(slt_context *context, const char *path, bool overwrite,
                                      const slt_dataset_info *info, slt_dataset_builder **out) {
    slt_output_request request = {.path = path, .overwrite = overwrite};
    return slt_dataset_builder_claim(context, &request, info, out);
}
