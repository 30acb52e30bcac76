// Segments split where their types show a boundary that the model missed.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/inference/split_segments.h"

#include <string.h>
#include "skills/types_impl.h"

// codes of the new segments: those of the segments that they are parts of
static slt_status copy_codes(slt_arena *arena, const int32_t *ids, slt_segments *s) {
    size_t code = (size_t)s->code;
    float *codes;
    if (!s->codes) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &codes, (size_t)s->segments * code));
    for (int t = 0; t < s->length; t++)
        memcpy(codes + (size_t)s->ids[t] * code, s->codes + (size_t)ids[t] * code,
               code * sizeof *codes);
    s->codes = codes;
    return SLT_OK;
}

slt_status slt_split_segments(slt_arena *arena, const slt_types *types, slt_dataset *data,
                              slt_segments *s) {
    size_t T = (size_t)s->length;
    const int32_t *old = s->ids;
    int32_t *ids, *boundaries, count = 0, kept = 0;
    float *missing, *confidence;
    SLT_TRY(SLT_NEW(arena, &missing, T));
    SLT_TRY(SLT_NEW(arena, &ids, T));
    SLT_TRY(SLT_NEW(arena, &boundaries, T));
    SLT_TRY(SLT_NEW(arena, &confidence, T));
    SLT_TRY(slt_types_missing(types, data, s->episode, old, missing));
    for (int t = 0; t < s->length; t++) {
        bool end = t + 1 < s->length && old[t] != old[t + 1];
        ids[t] = count;
        if (!end && missing[t] <= 0) continue;
        boundaries[count] = t;
        confidence[count++] = end ? s->confidence[kept++] : missing[t];
    }
    s->ids = ids;
    s->boundaries = boundaries;
    s->confidence = confidence;
    s->boundary_count = count;
    s->segments = count + 1;
    return copy_codes(arena, old, s);
}
