// Writing safetensors: declarations make the header, then the data streams after it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/safetensors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/file.h"
#include "core/text.h"

typedef struct declaration declaration;
struct declaration {
    declaration *next;
    slt_array array;
    uint64_t start;
};

typedef struct pair pair;
struct pair {
    pair *next;
    slt_metadata metadata;
};

struct slt_safetensors_writer {
    const slt_allocator *allocator;
    slt_arena arena;
    slt_status status;
    bool started; // the header is written
    declaration *first, *last;
    pair *metadata; // sorted by key
    uint64_t size, put;
    slt_writer file;
};

slt_status slt_safetensors_writer_open(const slt_allocator *allocator, const char *path,
                                       slt_safetensors_writer **out) {
    slt_safetensors_writer *writer;
    SLT_TRY(SLT_ALLOC(allocator, &writer, 1));
    writer->allocator = allocator;
    slt_arena_init(&writer->arena, allocator, 16 * 1024);
    slt_status status = slt_writer_open(&writer->file, path);
    if (status == SLT_OK)
        *out = writer;
    else
        slt_free(allocator, writer);
    return status;
}

// ---- declaring

static slt_status add_pair(slt_safetensors_writer *writer, const char *key, const char *value) {
    if (writer->started) SLT_FAIL(SLT_INVALID, "metadata '%s' comes after data", key);
    char *copy;
    SLT_TRY(slt_arena_text(&writer->arena, value, strlen(value), &copy));
    pair **at = &writer->metadata;
    while (*at && strcmp((*at)->metadata.key, key) < 0) at = &(*at)->next;
    if (*at && strcmp((*at)->metadata.key, key) == 0) {
        (*at)->metadata.value = copy;
        return SLT_OK;
    }
    pair *added;
    char *name;
    SLT_TRY(slt_arena_text(&writer->arena, key, strlen(key), &name));
    SLT_TRY(SLT_NEW(&writer->arena, &added, 1));
    *added = (pair){*at, {name, copy}};
    *at = added;
    return SLT_OK;
}

void slt_safetensors_describe(slt_safetensors_writer *writer, const char *key, const char *value) {
    if (writer->status == SLT_OK) writer->status = add_pair(writer, key, value);
}

static slt_status check_declaration(const slt_safetensors_writer *writer, const slt_array *array) {
    if (writer->started) SLT_FAIL(SLT_INVALID, "tensor '%s' is declared after data", array->name);
    if (strcmp(array->name, "__metadata__") == 0)
        SLT_FAIL(SLT_INVALID, "no tensor can be named __metadata__");
    for (const declaration *one = writer->first; one; one = one->next)
        if (strcmp(one->array.name, array->name) == 0)
            SLT_FAIL(SLT_INVALID, "tensor '%s' is declared twice", array->name);
    const declaration *last = writer->last;
    if (last && slt_dtype_size(array->dtype) > slt_dtype_size(last->array.dtype))
        SLT_FAIL(SLT_INVALID, "tensor '%s' of %s comes after '%s' of narrower %s", array->name,
                 slt_dtype_name(array->dtype), last->array.name, slt_dtype_name(last->array.dtype));
    return SLT_OK;
}

static slt_status add_declaration(slt_safetensors_writer *writer, slt_array array) {
    SLT_TRY(check_declaration(writer, &array));
    char *name;
    SLT_TRY(slt_arena_text(&writer->arena, array.name, strlen(array.name), &name));
    array.name = name;
    if (!slt_array_measure(&array)) SLT_FAIL(SLT_RANGE, "tensor '%s' is too large", name);
    declaration *added;
    SLT_TRY(SLT_NEW(&writer->arena, &added, 1));
    *added = (declaration){NULL, array, writer->size};
    if (__builtin_add_overflow(writer->size, array.bytes, &writer->size) ||
        writer->size > INT64_MAX)
        SLT_FAIL(SLT_RANGE, "tensor '%s' is too large", name);
    if (writer->last)
        writer->last->next = added;
    else
        writer->first = added;
    writer->last = added;
    return SLT_OK;
}

void slt_safetensors_declare(slt_safetensors_writer *writer, const char *name, slt_dtype dtype,
                             int rank, const int64_t *shape) {
    if (writer->status != SLT_OK) return;
    slt_array array = {.name = name, .dtype = dtype, .rank = rank};
    for (int i = 0; i < rank && i < SLT_ARRAY_RANK; i++) array.shape[i] = shape[i];
    writer->status = add_declaration(writer, array);
}

// ---- the header

static void add_metadata(slt_text *text, const pair *pairs) {
    slt_text_add(text, "\"__metadata__\":{");
    for (const pair *one = pairs; one; one = one->next) {
        slt_text_quote(text, one->metadata.key);
        slt_text_add(text, ":");
        slt_text_quote(text, one->metadata.value);
        if (one->next) slt_text_add(text, ",");
    }
    slt_text_add(text, "}");
}

static void add_tensor(slt_text *text, const declaration *one) {
    const slt_array *array = &one->array;
    slt_text_quote(text, array->name);
    slt_text_add(text, ":{\"dtype\":\"%s\",\"shape\":[", slt_dtype_name(array->dtype));
    for (int i = 0; i < array->rank; i++)
        slt_text_add(text, "%s%" PRId64, i ? "," : "", array->shape[i]);
    slt_text_add(text, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", one->start,
                 one->start + array->bytes);
}

// the JSON text, padded so that the data starts at a multiple of 64 bytes
static void make_header(slt_safetensors_writer *writer, slt_text *text) {
    slt_text_add(text, "{");
    if (writer->metadata) add_metadata(text, writer->metadata);
    for (const declaration *one = writer->first; one; one = one->next) {
        if (text->length > 1) slt_text_add(text, ",");
        add_tensor(text, one);
    }
    slt_text_add(text, "}");
    while (text->status == SLT_OK && (text->length + 8) % SLT_ALIGN) slt_text_put(text, " ", 1);
}

static void start(slt_safetensors_writer *writer) {
    if (writer->started || writer->status != SLT_OK) return;
    writer->started = true;
    slt_text text;
    slt_text_init(&text, writer->allocator);
    make_header(writer, &text);
    writer->status = text.status;
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)text.length >> 8 * i);
    slt_write(&writer->file, length, sizeof length);
    slt_write(&writer->file, text.bytes, text.length);
    slt_text_deinit(&text);
}

// ---- the data

void slt_safetensors_put(slt_safetensors_writer *writer, const void *bytes, size_t count) {
    start(writer);
    if (writer->status != SLT_OK) return;
    if (count > writer->size - writer->put)
        writer->status =
            slt_fail(SLT_INVALID, "%s: more data than was declared", writer->file.path);
    if (writer->status != SLT_OK) return;
    writer->put += count;
    slt_write(&writer->file, bytes, count);
}

static slt_status check_complete(const slt_safetensors_writer *writer) {
    for (const declaration *one = writer->first; one; one = one->next)
        if (writer->put < one->start + one->array.bytes)
            SLT_FAIL(SLT_INVALID, "%s: tensor '%s' got %" PRIu64 " of its %zu bytes",
                     writer->file.path, one->array.name,
                     writer->put > one->start ? writer->put - one->start : 0, one->array.bytes);
    return SLT_OK;
}

void slt_safetensors_abort(slt_safetensors_writer *writer) {
    if (!writer) return;
    slt_writer_abort(&writer->file);
    slt_arena_deinit(&writer->arena);
    slt_free(writer->allocator, writer);
}

slt_status slt_safetensors_commit(slt_safetensors_writer *writer) {
    start(writer);
    slt_status status = writer->status;
    if (status == SLT_OK) status = check_complete(writer);
    if (status == SLT_OK) status = slt_writer_commit(&writer->file);
    slt_safetensors_abort(writer); // frees; a committed file stays
    return status;
}

// ---- all at once

static int by_layout(const void *left, const void *right) {
    const slt_array *a = *(const slt_array *const *)left, *b = *(const slt_array *const *)right;
    if (a->dtype != b->dtype) return a->dtype < b->dtype ? -1 : 1;
    return strcmp(a->name, b->name);
}

static slt_status save(slt_safetensors_writer *writer, const slt_array *arrays, size_t count) {
    const slt_array **order;
    SLT_TRY(SLT_NEW(&writer->arena, &order, count));
    for (size_t i = 0; i < count; i++) order[i] = &arrays[i];
    qsort(order, count, sizeof *order, by_layout);
    for (size_t i = 0; i < count; i++)
        slt_safetensors_declare(writer, order[i]->name, order[i]->dtype, order[i]->rank,
                                order[i]->shape);
    for (size_t i = 0; i < count && writer->status == SLT_OK; i++) {
        slt_array measured = *order[i];
        slt_array_measure(&measured);
        slt_safetensors_put(writer, measured.data, measured.bytes);
    }
    return writer->status;
}

slt_status slt_safetensors_save(const slt_allocator *allocator, const char *path,
                                const slt_array *arrays, size_t count, const slt_metadata *metadata,
                                size_t metadata_count) {
    slt_safetensors_writer *writer;
    SLT_TRY(slt_safetensors_writer_open(allocator, path, &writer));
    for (size_t i = 0; i < metadata_count; i++)
        slt_safetensors_describe(writer, metadata[i].key, metadata[i].value);
    slt_status status = save(writer, arrays, count);
    if (status == SLT_OK) return slt_safetensors_commit(writer);
    slt_safetensors_abort(writer);
    return status;
}
