// The trust that a finished run puts into its best checkpoint, so that whoever uses the checkpoint
// alone knows it too: metadata 'trust', as metrics/trust_build.h writes it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "core/safetensors.h"
#include "train/learner/checkpoint.h"

// the same file with other metadata; weights are copied byte for byte
static slt_status copy_with(const slt_safetensors *file, slt_safetensors_writer *writer,
                            const char *trust) {
    for (size_t i = 0; i < slt_safetensors_metadata_count(file); i++) {
        slt_metadata one = slt_safetensors_metadata_at(file, i);
        slt_safetensors_describe(writer, one.key, one.value);
    }
    slt_safetensors_describe(writer, "trust", trust);
    for (size_t i = 0; i < slt_safetensors_count(file); i++) {
        const slt_array *array = slt_safetensors_at(file, i);
        slt_safetensors_declare(writer, array->name, array->dtype, array->rank, array->shape);
    }
    for (size_t i = 0; i < slt_safetensors_count(file); i++) {
        const slt_array *array = slt_safetensors_at(file, i);
        slt_safetensors_put(writer, array->data, array->bytes);
    }
    return slt_safetensors_commit(writer);
}

static slt_status rewrite(const slt_allocator *allocator, const char *path, const char *trust) {
    slt_safetensors *file;
    slt_safetensors_writer *writer;
    SLT_TRY(slt_safetensors_open(allocator, path, &file));
    slt_status status = slt_safetensors_writer_open(allocator, path, &writer);
    if (status == SLT_OK) status = copy_with(file, writer, trust);
    slt_safetensors_close(file);
    return status;
}

slt_status slt_checkpoint_put_trust(slt_context *context, const char *path, const slt_trust *trust,
                                    const slt_calibration *calibration) {
    slt_text text;
    slt_text_init(&text, &context->allocator);
    slt_trust_write(&text, trust, calibration);
    slt_status status = text.status;
    if (status == SLT_OK) status = rewrite(&context->allocator, path, text.bytes);
    slt_text_deinit(&text);
    return status;
}

slt_status slt_checkpoint_read_trust(const char *path, const char *text, slt_checkpoint *out) {
    json_t *object;
    slt_trust_init(&out->trust);
    if (!text) {
        slt_trust_note(&out->trust, "not finished, or trained by an earlier version: trust is "
                                    "unknown and confidence is not calibrated");
        return SLT_OK;
    }
    SLT_TRY(slt_json_parse(path, text, strlen(text), 3, &object));
    slt_status status = slt_trust_read(path, object, &out->trust, &out->calibration);
    json_decref(object);
    return status;
}
