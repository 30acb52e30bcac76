// Answers in their public form, and the file of them: each array grows in its own spool; commit
// declares them all and copies them one after another.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/inference/segments.h"

#include <stdio.h>
#include <string.h>
#include "core/safetensors.h"
#include "core/spool.h"

// codes of the segments: those of the slots that cover them
static slt_status copy_codes(slt_arena *arena, const slt_segmentation *answer, slt_segments *out) {
    float *codes;
    size_t code = (size_t)answer->code;
    if (!answer->codes) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &codes, (size_t)out->segments * code));
    for (int t = 0; t < answer->length; t++) {
        const slt_real *from = answer->codes + (size_t)answer->ids[t] * code;
        for (size_t c = 0; c < code; c++) codes[(size_t)out->ids[t] * code + c] = (float)from[c];
    }
    out->code = answer->code;
    out->codes = codes;
    return SLT_OK;
}

// the kind of most of a segment's steps
static slt_status copy_types(slt_arena *arena, const slt_segmentation *answer, slt_segments *out) {
    int32_t *types, best = 0;
    if (!answer->types) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &types, (size_t)out->segments));
    for (int t = 0; t < answer->length; t++) {
        int32_t same = 0;
        bool first = t == 0 || out->ids[t] != out->ids[t - 1];
        for (int s = t; s < answer->length && out->ids[s] == out->ids[t]; s++)
            same += answer->types[s] == answer->types[t];
        if (!first && same <= best) continue;
        best = same;
        types[out->ids[t]] = answer->types[t];
    }
    out->types = types;
    return SLT_OK;
}

slt_status slt_segments_of(slt_arena *arena, int64_t episode, const slt_segmentation *answer,
                           const slt_calibration *calibration, slt_segments *out) {
    size_t T = (size_t)answer->length;
    int32_t *ids, *boundaries, count = 0;
    float *confidence;
    SLT_TRY(SLT_NEW(arena, &ids, T));
    SLT_TRY(SLT_NEW(arena, &boundaries, T));
    SLT_TRY(SLT_NEW(arena, &confidence, T));
    for (int t = 0; t < answer->length; t++) {
        ids[t] = count;
        if (t + 1 == answer->length || answer->ids[t] == answer->ids[t + 1]) continue;
        boundaries[count] = t;
        confidence[count++] = (float)slt_calibrate(calibration, (double)answer->confidence[t]);
    }
    *out = (slt_segments){.episode = episode,
                          .length = answer->length,
                          .ids = ids,
                          .boundary_count = count,
                          .boundaries = boundaries,
                          .confidence = confidence,
                          .calibrated = calibration->count > 0 || answer->calibrated,
                          .segments = count + 1,
                          .told_count = answer->told_count,
                          .slots = answer->slots,
                          .counts = answer->counts,
                          .masks = answer->slots ? answer->masks : NULL,
                          .attention = answer->slots ? answer->attention : NULL,
                          .slot_size = answer->slot_size,
                          .slot_vectors = answer->vectors,
                          .vote = answer->vote};
    SLT_TRY(copy_types(arena, answer, out));
    return copy_codes(arena, answer, out);
}

// the arrays in the order of the file, wide elements first: name, type, has a column per slot
// clang-format off
#define PARTS(X) \
    X(EPISODE,          "episode",          I64, false) \
    X(EPISODE_OFFSETS,  "episode_offsets",  I64, false) \
    X(BOUNDARY_OFFSETS, "boundary_offsets", I64, false) \
    X(COUNTS,           "counts",           F32, true)  \
    X(CONFIDENCE,       "confidence",       F32, false) \
    X(MASKS,            "masks",            F32, true)  \
    X(ATTENTION,        "attention",        F32, true)  \
    X(BOUNDARIES,       "boundaries",       I32, false) \
    X(SEGMENT,          "segment",          I32, false) \
    X(SLOT,             "slot",             I32, false)
// clang-format on

enum {
#define ROW(id, name, dtype, per_slot) id,
    PARTS(ROW)
#undef ROW
        PART_COUNT
};

static const struct {
    const char *name;
    slt_dtype dtype;
    bool per_slot;
} parts[PART_COUNT] = {
#define ROW(id, name, dtype, per_slot) {name, SLT_DTYPE_##dtype, per_slot},
    PARTS(ROW)
#undef ROW
};

struct slt_segments_file {
    slt_context *context;
    slt_arena arena;
    slt_safetensors_writer *writer;
    int slots; // 0: the model has none
    slt_calibration calibration;
    int64_t steps, boundaries; // so far
    slt_spool spools[PART_COUNT];
};

// what a model does not say stays empty
static void put(slt_segments_file *file, int part, const void *values, size_t count) {
    if (values)
        slt_spool_put(&file->spools[part], values, count * slt_dtype_size(parts[part].dtype));
}

static void describe(slt_segments_file *file, const slt_setup *setup, const char *data,
                     const char *split) {
    const char *calibrated = file->calibration.count ? "true" : "false";
    slt_safetensors_describe(file->writer, "calibrated", calibrated);
    slt_safetensors_describe(file->writer, "format", "slottar-segments-1");
    slt_safetensors_describe(file->writer, "model", setup->kind->name);
    slt_safetensors_describe(file->writer, "data", data);
    if (split) slt_safetensors_describe(file->writer, "split", split);
}

// the spools go into the folder of the file
static slt_status begin(slt_segments_file *file, const char *path) {
    char *copy;
    SLT_TRY(slt_arena_text(&file->arena, path, strlen(path), &copy));
    for (int i = 0; i < PART_COUNT; i++) file->spools[i].target = copy;
    return slt_safetensors_writer_open(&file->context->allocator, path, &file->writer);
}

slt_status slt_segments_file_create(slt_context *context, const char *path, const slt_setup *setup,
                                    const char *data, const char *split,
                                    const slt_calibration *calibration, slt_segments_file **out) {
    slt_segments_file *file;
    SLT_TRY(SLT_ALLOC(&context->allocator, &file, 1));
    file->context = context;
    file->slots = setup->kind->slots(setup->model);
    file->calibration = *calibration;
    slt_arena_init(&file->arena, &context->allocator, 0);
    for (int i = 0; i < PART_COUNT; i++)
        slt_spool_init(&file->spools[i], &context->allocator, NULL);
    slt_status status = begin(file, path);
    if (status != SLT_OK) {
        slt_segments_file_destroy(file);
        return status;
    }
    describe(file, setup, data, split);
    put(file, EPISODE_OFFSETS, &file->steps, 1);
    put(file, BOUNDARY_OFFSETS, &file->boundaries, 1);
    *out = file;
    return SLT_OK;
}

// [K][T] becomes [T][K]
static void put_masks(slt_segments_file *file, const slt_segmentation *answer) {
    for (int t = 0; answer->masks && t < answer->length; t++)
        for (int k = 0; k < answer->slots; k++)
            put(file, MASKS, &answer->masks[k * answer->length + t], 1);
}

slt_status slt_segments_file_add(void *user, const slt_episode *episode,
                                 const slt_segmentation *answer) {
    slt_segments_file *file = user;
    slt_segments s;
    slt_arena_mark mark = slt_arena_now(&file->arena);
    SLT_TRY(slt_segments_of(&file->arena, episode->index, answer, &file->calibration, &s));
    size_t T = (size_t)s.length, K = (size_t)s.slots, boundaries = (size_t)s.boundary_count;
    file->slots = s.slots;
    file->steps += s.length;
    file->boundaries += s.boundary_count;
    put(file, EPISODE, &s.episode, 1);
    put(file, EPISODE_OFFSETS, &file->steps, 1);
    put(file, BOUNDARY_OFFSETS, &file->boundaries, 1);
    for (size_t k = 0; k < K; k++) put(file, COUNTS, &(float){(float)s.counts[k]}, 1);
    put(file, CONFIDENCE, s.confidence, boundaries);
    put_masks(file, answer);
    put(file, ATTENTION, s.attention, T * K);
    put(file, BOUNDARIES, s.boundaries, boundaries);
    put(file, SEGMENT, s.ids, T);
    put(file, SLOT, answer->ids, T);
    slt_arena_reset(&file->arena, mark);
    return SLT_OK;
}

static void take(void *user, const void *bytes, size_t count) {
    slt_safetensors_put(((slt_segments_file *)user)->writer, bytes, count);
}

// a model without slots, or without attention, has no such array
static bool is_missing(const slt_segments_file *file, int part) {
    return parts[part].per_slot && file->steps && file->spools[part].size == 0;
}

static void declare(slt_segments_file *file, int part) {
    int64_t count = (int64_t)(file->spools[part].size / slt_dtype_size(parts[part].dtype));
    int64_t columns = parts[part].per_slot ? file->slots : 1;
    slt_safetensors_declare(file->writer, parts[part].name, parts[part].dtype,
                            parts[part].per_slot ? 2 : 1, (int64_t[]){count / columns, columns});
}

static slt_status copy_parts(slt_segments_file *file) {
    char slots[16];
    snprintf(slots, sizeof slots, "%d", file->slots);
    slt_safetensors_describe(file->writer, "slots", slots);
    for (int i = 0; i < PART_COUNT; i++)
        if (!is_missing(file, i)) declare(file, i);
    for (int i = 0; i < PART_COUNT; i++) SLT_TRY(slt_spool_read(&file->spools[i], take, file));
    return SLT_OK;
}

slt_status slt_segments_file_commit(slt_segments_file *file) {
    slt_status status = copy_parts(file);
    if (status == SLT_OK) {
        status = slt_safetensors_commit(file->writer);
        file->writer = NULL; // it is gone
    }
    slt_segments_file_destroy(file);
    return status;
}

void slt_segments_file_destroy(slt_segments_file *file) {
    if (!file) return;
    slt_safetensors_abort(file->writer);
    for (int i = 0; i < PART_COUNT; i++) slt_spool_deinit(&file->spools[i]);
    slt_arena_deinit(&file->arena);
    slt_free(&file->context->allocator, file);
}
