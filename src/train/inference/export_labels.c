// A copy of a data set with the model's segments as its labels.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "core/context_impl.h"
#include "core/error.h"
#include "data/dataset_impl.h"
#include "data/formats.h"
#include "train/inference/model_api.h"

typedef struct {
    slt_dataset *data;
    slt_dataset_builder *builder;
    int32_t *ids; // [steps]
} copier;

static slt_status copy(void *user, const slt_segments *segments) {
    copier *c = user;
    slt_episode episode;
    SLT_TRY(slt_dataset_episode(c->data, segments->episode, &episode));
    episode.segments = segments->ids;
    return slt_dataset_builder_add(c->builder, &episode);
}

// ---- back into what it came from

static slt_status keep(void *user, const slt_segments *segments) {
    copier *c = user;
    int64_t first = slt_dataset_offsets(c->data)[segments->episode];
    memcpy(c->ids + first, segments->ids, (size_t)segments->length * sizeof *c->ids);
    return SLT_OK;
}

// episodes that are not asked for have no labels
static slt_status write_back(slt_model *model, slt_dataset *data,
                             const slt_segment_options *options, const char *path) {
    copier c = {.data = data};
    const slt_allocator *allocator = &slt_model_context(model)->allocator;
    int64_t steps = slt_dataset_about(data)->steps;
    SLT_TRY(SLT_ALLOC(allocator, &c.ids, (size_t)steps));
    for (int64_t t = 0; t < steps; t++) c.ids[t] = -1;
    slt_status status = slt_model_segment(model, data, options, keep, &c);
    if (status == SLT_OK)
        status = slt_dataset_label(data, c.ids, path, options && options->overwrite);
    slt_free(allocator, c.ids);
    return status;
}

// ---- into a data set of its own

static slt_status write_copy(slt_model *model, slt_dataset *data,
                             const slt_segment_options *options, const slt_output_request *output) {
    copier c = {.data = data};
    slt_dataset_info info = *slt_dataset_about(data);
    info.has_segments = true;
    SLT_TRY(slt_dataset_builder_claim(slt_model_context(model), output, &info, &c.builder));
    slt_status status = slt_dataset_builder_describe(c.builder, "segments", "found by a model");
    if (status == SLT_OK) status = slt_model_segment(model, data, options, copy, &c);
    if (status == SLT_OK) return slt_dataset_builder_commit(c.builder);
    slt_dataset_builder_destroy(c.builder);
    return status;
}

slt_status slt_model_label(slt_model *model, slt_dataset *data, const slt_segment_options *options,
                           const char *path) {
    bool back;
    char file[SLT_PATH];
    const char *inputs[] = {slt_dataset_path(data), slt_model_path(model)};
    slt_output_request output = {file, false, options && options->overwrite, inputs, 2};
    SLT_TRY(slt_data_labels_back(data, path, &back));
    SLT_TRY(slt_dataset_label_path(data, path, file, sizeof file));
    if (!back) return write_copy(model, data, options, &output);
    SLT_TRY(slt_output_check(&output)); // before it works for a name that it may not write
    return write_back(model, data, options, path);
}
