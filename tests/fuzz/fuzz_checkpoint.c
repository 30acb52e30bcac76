// Fuzz target: what a checkpoint says about itself, its fixed companions included.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "fuzz.h"
#include "slottar/model.h"

int fuzz_one(const uint8_t *bytes, size_t size) {
    static slt_context *context;
    if (!context)
        FUZZ_REQUIRE(slt_context_create(&(slt_context_options){.threads = 1}, &context) == 0);
    char path[64];
    int descriptor = fuzz_file(bytes, size, path);
    slt_model *model;
    int accepted = slt_model_open(context, path, &model) == SLT_OK;
    if (accepted) {
        const slt_model_info *about = slt_model_about(model);
        FUZZ_REQUIRE(about->slots >= 1 && about->length >= 1 && about->actions >= 1);
        slt_model_close(model);
    }
    close(descriptor);
    return accepted;
}
