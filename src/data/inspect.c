// Looking into files.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "slottar/inspect.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "data/dataset_impl.h"
#include "data/formats.h"
#include "slottar/segmenter.h"

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool has_members(const char *folder) {
    char path[SLT_PATH];
    int length = snprintf(path, sizeof path, "%s/%s", folder, SLT_MEMBERS_FILE);
    return length > 0 && length < SLT_PATH && access(path, F_OK) == 0;
}

slt_status slt_file_look(slt_context *context, const char *path, slt_file_kind *out) {
    if (access(path, F_OK) != 0 && strchr(path, '?')) return *out = SLT_FILE_DATASET, SLT_OK;
    if (slt_data_format_of(path)->read) return *out = SLT_FILE_DATASET, SLT_OK;
    if (is_folder(path)) return *out = has_members(path) ? SLT_FILE_MEMBERS : SLT_FILE_RUN, SLT_OK;
    slt_safetensors *file;
    SLT_TRY(slt_safetensors_open(&context->allocator, path, &file));
    const char *format = slt_safetensors_metadata(file, "format");
    bool data = format && strncmp(format, "slottar-data-", 13) == 0;
    bool members = format && strncmp(format, "slottar-members-", 16) == 0;
    *out = data ? SLT_FILE_DATASET : members ? SLT_FILE_MEMBERS : SLT_FILE_TENSORS;
    slt_safetensors_close(file);
    return SLT_OK;
}

struct slt_tensor_list {
    slt_context *context;
    slt_safetensors *file;
};

slt_status slt_tensor_list_open(slt_context *context, const char *path, slt_tensor_list **out) {
    slt_tensor_list *list;
    SLT_TRY(SLT_ALLOC(&context->allocator, &list, 1));
    list->context = context;
    slt_status status = slt_safetensors_open(&context->allocator, path, &list->file);
    if (status == SLT_OK)
        *out = list;
    else
        slt_tensor_list_close(list);
    return status;
}

void slt_tensor_list_close(slt_tensor_list *list) {
    if (!list) return;
    slt_safetensors_close(list->file);
    slt_free(&list->context->allocator, list);
}

size_t slt_tensor_list_count(const slt_tensor_list *list) {
    return slt_safetensors_count(list->file);
}

slt_tensor_entry slt_tensor_list_at(const slt_tensor_list *list, size_t index) {
    const slt_array *array = slt_safetensors_at(list->file, index);
    slt_tensor_entry entry = {0};
    if (!array) return entry;
    entry = (slt_tensor_entry){
        array->name, slt_dtype_name(array->dtype), array->rank, {0}, array->bytes};
    memcpy(entry.shape, array->shape, sizeof entry.shape);
    return entry;
}

size_t slt_tensor_list_texts(const slt_tensor_list *list) {
    return slt_safetensors_metadata_count(list->file);
}

void slt_tensor_list_text(const slt_tensor_list *list, size_t index, const char **key,
                          const char **value) {
    slt_metadata one = slt_safetensors_metadata_at(list->file, index);
    *key = one.key;
    *value = one.value;
}
