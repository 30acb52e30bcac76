// Learning types of segments: by effect where observations are symbols, by cluster elsewhere.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include "skills/types_impl.h"

static slt_status learn(slt_types *types, slt_segment_source *source,
                        const slt_types_options *options) {
    bool symbols = !types->continuous;
    SLT_TRY(slt_types_choose(source->arena, source->data, options->episodes, &source->episodes,
                             &source->count));
    if (symbols) SLT_TRY(slt_effects_learn(types, source, &symbols));
    if (!symbols) SLT_TRY(slt_clusters_learn(types, source, options->clusters));
    if (!types->count)
        SLT_FAIL(SLT_INVALID, "%s: no type of segment occurs often enough; is it segmented?",
                 slt_dataset_path(source->data));
    return SLT_OK;
}

slt_status slt_types_learn(slt_context *context, slt_dataset *data, const int32_t *segments,
                           const slt_types_options *options, slt_types **out) {
    static const slt_types_options defaults = {0};
    slt_arena arena;
    slt_types *types;
    slt_segment_source source = {
        .data = data, .info = slt_dataset_about(data), .segments = segments, .arena = &arena};
    const slt_types_options *chosen = options ? options : &defaults;
    if (chosen->episodes < 0 || chosen->clusters < 0 || chosen->clusters > SLT_MOST_TYPES)
        SLT_FAIL(SLT_INVALID, "types from %" PRId64 " episodes, %d clusters", chosen->episodes,
                 chosen->clusters);
    SLT_TRY(slt_types_create(context, source.info, &types));
    slt_arena_init(&arena, &context->allocator, 0);
    slt_status status = learn(types, &source, chosen);
    slt_arena_deinit(&arena);
    if (status != SLT_OK) return slt_types_close(types), status;
    *out = types;
    return SLT_OK;
}
