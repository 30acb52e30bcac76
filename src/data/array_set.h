// The arrays of a foreign file, in the names of ours but of any type: what importers hand over.
//
// Names: those of docs/formats.md. Instead of `episode_offsets` there may be `episode` (a number
// per step that rises from episode to episode) or `terminals` and `timeouts` (1 at the last step of
// an episode, as in D4RL).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_ARRAY_SET_H
#define SLT_DATA_ARRAY_SET_H

#include "core/array.h"
#include "core/context_impl.h"
#include "core/file.h"
#include "core/safetensors.h"
#include "core/spool.h"
#include "slottar/dataset.h"

enum { SLT_SET_ARRAYS = 32, SLT_SET_TEXTS = 64 };

typedef struct {
    slt_context *context;
    const char *path; // of the foreign file; borrowed
    // which columns are what: patterns as in source.h; borrowed
    const char *actions, *observations, *episode;
    slt_arena arena;
    slt_array arrays[SLT_SET_ARRAYS];
    int count;
    slt_map maps[SLT_SET_ARRAYS]; // what the arrays point into
    int map_count;
    slt_metadata metadata[SLT_SET_TEXTS];
    int metadata_count;
} slt_array_set;

void slt_array_set_init(slt_array_set *set, slt_context *context, const char *path);
void slt_array_set_deinit(slt_array_set *set);

// is it a name that an import looks at?
bool slt_array_set_knows(const char *name);
const slt_array *slt_array_set_find(const slt_array_set *set, const char *name); // or NULL

// array is copied, its name too; refused when it is there already
slt_status slt_array_set_add(slt_array_set *set, const slt_array *array);
// an array from the bytes of a spool, which can be dropped afterwards; -1 in the shape: what fits
slt_status slt_array_set_add_spool(slt_array_set *set, const char *name, slt_dtype dtype, int rank,
                                   const int64_t *shape, slt_spool *spool);
slt_status slt_array_set_describe(slt_array_set *set, const char *key, const char *value);
// texts from a JSON object of texts
slt_status slt_array_set_describe_json(slt_array_set *set, const char *json, size_t length);

// import.c: writes a native data set
slt_status slt_array_set_import(slt_array_set *set, const char *out);

// numbers of any type; whole: false when it is none
double slt_array_real(const slt_array *array, size_t index);
bool slt_array_whole(const slt_array *array, size_t index, int64_t *out);

#endif
