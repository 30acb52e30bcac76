// The inside of a data set: its arrays in the mapped file.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_DATASET_IMPL_H
#define SLT_DATA_DATASET_IMPL_H

#include "core/context_impl.h"
#include "core/output_impl.h"
#include "core/safetensors.h"
#include "slottar/dataset.h"

#define SLT_DATA_FORMAT "slottar-data-1"

enum {
    SLT_DATA_MOST_ACTIONS = 1 << 20, // a larger symbol is damage, not data
    SLT_DATA_MOST_BITS = 1 << 16,    // places of ones are u16
};

struct slt_dataset {
    slt_context *context;
    slt_arena arena;
    slt_safetensors *file;     // NULL: in memory
    const slt_metadata *texts; // in memory: its metadata
    size_t text_count;
    slt_dataset_info info;
    const char *path;
    const int64_t *offsets; // [episodes+1]
    const slt_array *actions, *observations, *finals;
    const slt_array *bits, *bits_offsets, *final_bits, *final_bits_offsets;
    const slt_array *rewards, *segment, *subtask, *split, *terminated, *truncated, *seed, *task;
    unsigned char *checked; // [episodes], 1: its observations and rewards are fine
    int64_t *members[SLT_SPLITS], member_count[SLT_SPLITS];
};

// dataset.c: metadata, of a file or in memory; lists of the episodes of each split
size_t slt_dataset_text_count(const slt_dataset *data);
slt_metadata slt_dataset_text_at(const slt_dataset *data, size_t index);
slt_status slt_dataset_list_splits(slt_dataset *data);

// dataset_fields.c: finds the arrays and checks their types and shapes
slt_status slt_dataset_find_fields(slt_dataset *data);

// dataset_check.c: values; at opening, and at the first look at an episode
// a file of the native format; errors name `path`, which it stands for
slt_status slt_dataset_open_native(slt_context *context, const char *path, const char *native,
                                   slt_dataset **out);

slt_status slt_dataset_check_values(const slt_dataset *data);
slt_status slt_dataset_check_episode(const slt_dataset *data, int64_t index);

// dataset_pack.c: the same episodes with observations as bits. SHAPE when they are others than
// zeros and ones. `from` must stay open; its arrays are used
slt_status slt_dataset_pack(slt_context *context, const slt_dataset *from, slt_dataset **out);

// builder_check.c: what a builder refuses, before anything is written
slt_status slt_dataset_check_info(const slt_dataset_info *info);
slt_status slt_dataset_check_addition(const slt_dataset_info *info, const slt_episode *episode);
// metadata that the builder writes itself
bool slt_dataset_is_reserved(const char *key);

// builders of a native file that is no user's output, and of an output with its inputs
slt_status slt_dataset_builder_native(slt_context *context, const char *path,
                                      const slt_dataset_info *info, slt_dataset_builder **out);
slt_status slt_dataset_builder_claim(slt_context *context, const slt_output_request *request,
                                     const slt_dataset_info *info, slt_dataset_builder **out);

#endif
