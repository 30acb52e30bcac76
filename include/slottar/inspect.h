// What is in a file.
//
//     slt_file_kind kind;
//     slt_file_look(context, "demos.safetensors", &kind);
//     if (kind == SLT_FILE_DATASET) puts("a data set");
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_INSPECT_H
#define SLOTTAR_INSPECT_H

#include <stddef.h>
#include <stdint.h>
#include "slottar/context.h"

#ifdef __cplusplus
extern "C" {
#endif

// A data set of any format, any other safetensors file (a checkpoint, say), a run directory
// (run.h), or members that vote: their file or a run directory with it (segmenter.h).
typedef enum { SLT_FILE_DATASET, SLT_FILE_TENSORS, SLT_FILE_RUN, SLT_FILE_MEMBERS } slt_file_kind;

SLT_API slt_status slt_file_look(slt_context *context, const char *path, slt_file_kind *out);

// The tensors of a safetensors file, in their order in the file.
typedef struct slt_tensor_list slt_tensor_list;

enum { SLT_TENSOR_RANK = 8 };

// Texts live as long as the list.
typedef struct {
    const char *name, *dtype; // dtype: "F32" and so on
    int rank;
    int64_t shape[SLT_TENSOR_RANK];
    uint64_t bytes;
} slt_tensor_entry;

SLT_API slt_status slt_tensor_list_open(slt_context *context, const char *path,
                                        slt_tensor_list **out);
SLT_API void slt_tensor_list_close(slt_tensor_list *list);
SLT_API size_t slt_tensor_list_count(const slt_tensor_list *list);
SLT_API slt_tensor_entry slt_tensor_list_at(const slt_tensor_list *list, size_t index);
// Metadata, sorted by key.
SLT_API size_t slt_tensor_list_texts(const slt_tensor_list *list);
SLT_API void slt_tensor_list_text(const slt_tensor_list *list, size_t index, const char **key,
                                  const char **value);

#ifdef __cplusplus
}
#endif
#endif
