// Reading safetensors: 8 bytes of header length, a JSON header, the data. What is checked is in
// docs/formats.md; the checks go from the outside in: sizes of the file, JSON, each entry, and then
// that the entries tile the data without overlaps or holes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/safetensors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/file.h"
#include "core/json.h"

enum {
    PREFIX = 8,         // bytes of the header's length
    LARGEST = 8 << 20,  // bytes of a header; 100 000 tensors fit
    DEEPEST = 3,        // header, tensor, shape
    MOST_OF_NAME = 120, // characters of a name in a message
};

typedef struct {
    slt_array array;
    uint64_t start, end;
} placed;

struct slt_safetensors {
    const slt_allocator *allocator;
    slt_arena arena;
    slt_map map; // empty for bytes in memory
    const char *path;
    placed *entries;          // by offset
    const slt_array **sorted; // by name
    slt_metadata *metadata;   // by key
    size_t count, metadata_count;
};

const char *slt_safetensors_path(const slt_safetensors *file) { return file->path; }
size_t slt_safetensors_count(const slt_safetensors *file) { return file->count; }
size_t slt_safetensors_metadata_count(const slt_safetensors *file) { return file->metadata_count; }

const slt_array *slt_safetensors_at(const slt_safetensors *file, size_t index) {
    return index < file->count ? &file->entries[index].array : NULL;
}

slt_metadata slt_safetensors_metadata_at(const slt_safetensors *file, size_t index) {
    return index < file->metadata_count ? file->metadata[index] : (slt_metadata){NULL, NULL};
}

// ---- one entry of the header

#define REFUSE(file, name, format, ...)                                                            \
    SLT_FAIL(SLT_FORMAT, "%s: tensor '%.*s': " format, (file)->path, MOST_OF_NAME, name,           \
             __VA_ARGS__)

static slt_status read_dtype(const slt_safetensors *file, const json_t *value, slt_array *array) {
    if (!json_is_string(value)) REFUSE(file, array->name, "%s", "dtype is missing or no text");
    if (!slt_dtype_find(json_string_value(value), &array->dtype))
        REFUSE(file, array->name, "dtype '%.40s' is unknown", json_string_value(value));
    return SLT_OK;
}

static slt_status read_shape(const slt_safetensors *file, const json_t *value, slt_array *array) {
    if (!json_is_array(value)) REFUSE(file, array->name, "%s", "shape is missing or no list");
    size_t rank = json_array_size(value);
    if (rank > SLT_ARRAY_RANK)
        REFUSE(file, array->name, "shape has %zu dimensions, at most %d are read", rank,
               SLT_ARRAY_RANK);
    array->rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        const json_t *size = json_array_get(value, i);
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            REFUSE(file, array->name, "shape[%zu] is no whole number from 0 up", i);
        array->shape[i] = json_integer_value(size);
    }
    char text[SLT_SHAPE_TEXT];
    if (!slt_array_measure(array))
        REFUSE(file, array->name, "shape %s has more bytes than can be counted",
               slt_shape_text(array->shape, array->rank, text));
    return SLT_OK;
}

static slt_status read_offsets(const slt_safetensors *file, const json_t *value, placed *entry) {
    const char *name = entry->array.name;
    if (!json_is_array(value) || json_array_size(value) != 2)
        REFUSE(file, name, "%s", "data_offsets is missing or no list of two");
    const json_t *start = json_array_get(value, 0), *end = json_array_get(value, 1);
    if (!json_is_integer(start) || !json_is_integer(end) || json_integer_value(start) < 0 ||
        json_integer_value(end) < json_integer_value(start))
        REFUSE(file, name, "%s", "data_offsets are no two whole numbers, the first not larger");
    entry->start = (uint64_t)json_integer_value(start);
    entry->end = (uint64_t)json_integer_value(end);
    return SLT_OK;
}

static slt_status read_entry(slt_safetensors *file, const char *name, const json_t *value,
                             uint64_t size, placed *entry) {
    char *copy, text[SLT_SHAPE_TEXT];
    SLT_TRY(slt_arena_text(&file->arena, name, strlen(name), &copy));
    slt_array *array = &entry->array;
    array->name = copy;
    if (!json_is_object(value)) REFUSE(file, name, "%s", "is no JSON object");
    SLT_TRY(read_dtype(file, json_object_get(value, "dtype"), array));
    SLT_TRY(read_shape(file, json_object_get(value, "shape"), array));
    SLT_TRY(read_offsets(file, json_object_get(value, "data_offsets"), entry));
    if (entry->end > size)
        REFUSE(file, name,
               "data_offsets [%" PRIu64 ", %" PRIu64 "] exceed the %" PRIu64
               " bytes of data (truncated file?)",
               entry->start, entry->end, size);
    if (entry->end - entry->start != array->bytes)
        REFUSE(file, name,
               "data_offsets [%" PRIu64 ", %" PRIu64 "] hold %" PRIu64
               " bytes, but shape %s of %s needs %zu",
               entry->start, entry->end, entry->end - entry->start,
               slt_shape_text(array->shape, array->rank, text), slt_dtype_name(array->dtype),
               array->bytes);
    return SLT_OK;
}

// ---- metadata: an object of texts

static int by_key(const void *left, const void *right) {
    return strcmp(((const slt_metadata *)left)->key, ((const slt_metadata *)right)->key);
}

static slt_status read_metadata(slt_safetensors *file, json_t *object) {
    if (!json_is_object(object)) SLT_FAIL(SLT_FORMAT, "%s: __metadata__ is no object", file->path);
    SLT_TRY(SLT_NEW(&file->arena, &file->metadata, json_object_size(object)));
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        if (!json_is_string(value))
            SLT_FAIL(SLT_FORMAT, "%s: __metadata__ '%.*s' is no text", file->path, MOST_OF_NAME,
                     key);
        char *copy[2];
        SLT_TRY(slt_arena_text(&file->arena, key, strlen(key), &copy[0]));
        SLT_TRY(slt_arena_text(&file->arena, json_string_value(value), json_string_length(value),
                               &copy[1]));
        file->metadata[file->metadata_count++] = (slt_metadata){copy[0], copy[1]};
    }
    qsort(file->metadata, file->metadata_count, sizeof *file->metadata, by_key);
    return SLT_OK;
}

// ---- all entries together

static int by_offset(const void *left, const void *right) {
    const placed *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->end != b->end) return a->end < b->end ? -1 : 1;
    return strcmp(a->array.name, b->array.name);
}

static slt_status check_tiling(const slt_safetensors *file, uint64_t size) {
    uint64_t expected = 0;
    for (size_t i = 0; i < file->count; i++) {
        const placed *entry = &file->entries[i];
        if (entry->start < expected)
            REFUSE(file, entry->array.name,
                   "data_offsets [%" PRIu64 ", %" PRIu64 "] overlap tensor '%.*s'", entry->start,
                   entry->end, MOST_OF_NAME, entry[-1].array.name);
        if (entry->start > expected)
            REFUSE(file, entry->array.name,
                   "data_offsets [%" PRIu64 ", %" PRIu64 "] leave a hole of %" PRIu64
                   " bytes in front",
                   entry->start, entry->end, entry->start - expected);
        expected = entry->end;
    }
    if (expected != size)
        SLT_FAIL(SLT_FORMAT, "%s: %" PRIu64 " bytes after the last tensor belong to no tensor",
                 file->path, size - expected);
    return SLT_OK;
}

// points the arrays at their data; misaligned data is copied, so that readers need not care
static slt_status attach(slt_safetensors *file, const unsigned char *data) {
    for (size_t i = 0; i < file->count; i++) {
        slt_array *array = &file->entries[i].array;
        array->data = data + file->entries[i].start;
        if ((uintptr_t)array->data % slt_dtype_size(array->dtype) == 0) continue;
        unsigned char *copy;
        SLT_TRY(SLT_NEW(&file->arena, &copy, array->bytes));
        if (array->bytes) memcpy(copy, array->data, array->bytes);
        array->data = copy;
    }
    return SLT_OK;
}

static int by_name(const void *left, const void *right) {
    return strcmp((*(const slt_array *const *)left)->name,
                  (*(const slt_array *const *)right)->name);
}

static slt_status sort_names(slt_safetensors *file) {
    SLT_TRY(SLT_NEW(&file->arena, &file->sorted, file->count));
    for (size_t i = 0; i < file->count; i++) file->sorted[i] = &file->entries[i].array;
    qsort(file->sorted, file->count, sizeof *file->sorted, by_name);
    return SLT_OK;
}

static slt_status read_header(slt_safetensors *file, json_t *header, const unsigned char *data,
                              uint64_t size) {
    if (!json_is_object(header)) SLT_FAIL(SLT_FORMAT, "%s: header is no object", file->path);
    SLT_TRY(SLT_NEW(&file->arena, &file->entries, json_object_size(header)));
    const char *name;
    json_t *value;
    json_object_foreach(header, name, value) {
        if (strcmp(name, "__metadata__") == 0)
            SLT_TRY(read_metadata(file, value));
        else
            SLT_TRY(read_entry(file, name, value, size, &file->entries[file->count++]));
    }
    qsort(file->entries, file->count, sizeof *file->entries, by_offset);
    SLT_TRY(check_tiling(file, size));
    SLT_TRY(attach(file, data));
    return sort_names(file);
}

// what a file looks like that is none of ours; NULL: nothing known
static const char *looks_like(const unsigned char *bytes, size_t size) {
    static const struct {
        const char *magic, *what;
    } kinds[] = {
        {"\x89PNG", "a PNG picture"}, {"\xff\xd8\xff", "a JPEG picture"},
        {"GIF8", "a GIF picture"},    {"%PDF", "a PDF document"},
        {"PK\3\4", "a zip archive"},  {"\x1f\x8b", "a gzip file"},
        {"PAR1", "a Parquet file"},   {"\x93NUMPY", "a NumPy array"},
        {"\x80\x04", "a pickle"},     {"\x89HDF", "an HDF5 file"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].magic);
        if (size >= length && memcmp(bytes, kinds[i].magic, length) == 0) return kinds[i].what;
    }
    size_t plain = 0;
    while (plain < size && plain < 64 && (bytes[plain] >= ' ' || strchr("\t\r\n", bytes[plain])) &&
           bytes[plain] < 0x7f && bytes[plain])
        plain++;
    return plain && (plain == size || plain == 64) ? "text" : NULL;
}

#define EXPECTED "expected is a data set or checkpoint: .safetensors, .npz, .hdf5, .csv or a folder"

static slt_status read_all(slt_safetensors *file, const unsigned char *bytes, size_t size) {
    if (size == 0) SLT_FAIL(SLT_FORMAT, "%s: is empty; " EXPECTED, file->path);
    if (size < PREFIX)
        SLT_FAIL(SLT_FORMAT, "%s: %zu bytes are too few for a safetensors file", file->path, size);
    uint64_t length = 0;
    for (int i = PREFIX - 1; i >= 0; i--) length = length << 8 | bytes[i];
    const char *kind = length > LARGEST ? looks_like(bytes, size) : NULL;
    if (kind) SLT_FAIL(SLT_FORMAT, "%s: looks like %s; " EXPECTED, file->path, kind);
    if (length > LARGEST)
        SLT_FAIL(SLT_FORMAT, "%s: header length %" PRIu64 " is above the limit of %d", file->path,
                 length, LARGEST);
    if (length > size - PREFIX)
        SLT_FAIL(SLT_FORMAT, "%s: header length %" PRIu64 " does not fit in a file of %zu bytes",
                 file->path, length, size);
    const char *text = (const char *)bytes + PREFIX;
    if (length == 0 || text[0] != '{')
        SLT_FAIL(SLT_FORMAT, "%s: header does not start with '{'", file->path);
    json_t *header;
    SLT_TRY(slt_json_parse(file->path, text, (size_t)length, DEEPEST, &header));
    size_t front = PREFIX + (size_t)length;
    slt_status status = read_header(file, header, bytes + front, size - front);
    json_decref(header);
    return status;
}

// ---- opening and asking

static slt_status begin(const slt_allocator *allocator, const char *path, slt_safetensors **out) {
    slt_safetensors *file;
    SLT_TRY(SLT_ALLOC(allocator, &file, 1));
    file->allocator = allocator;
    slt_arena_init(&file->arena, allocator, 16 * 1024);
    char *copy;
    slt_status status = slt_arena_text(&file->arena, path, strlen(path), &copy);
    if (status == SLT_OK) {
        file->path = copy;
        *out = file;
    } else {
        slt_safetensors_close(file);
    }
    return status;
}

slt_status slt_safetensors_view(const slt_allocator *allocator, const char *name, const void *bytes,
                                size_t size, slt_safetensors **out) {
    slt_safetensors *file;
    SLT_TRY(begin(allocator, name, &file));
    slt_status status = read_all(file, bytes, size);
    if (status == SLT_OK)
        *out = file;
    else
        slt_safetensors_close(file);
    return status;
}

slt_status slt_safetensors_open(const slt_allocator *allocator, const char *path,
                                slt_safetensors **out) {
    slt_map map;
    SLT_TRY(slt_map_open(path, &map));
    slt_status status = slt_safetensors_view(allocator, path, map.data, map.size, out);
    if (status == SLT_OK)
        (*out)->map = map;
    else
        slt_map_close(&map);
    return status;
}

void slt_safetensors_close(slt_safetensors *file) {
    if (!file) return;
    slt_map_close(&file->map);
    slt_arena_deinit(&file->arena);
    slt_free(file->allocator, file);
}

const slt_array *slt_safetensors_find(const slt_safetensors *file, const char *name) {
    const slt_array key = {.name = name}, *wanted = &key;
    const slt_array **found =
        bsearch(&wanted, file->sorted, file->count, sizeof *file->sorted, by_name);
    return found ? *found : NULL;
}

const char *slt_safetensors_metadata(const slt_safetensors *file, const char *key) {
    const slt_metadata wanted = {key, NULL};
    if (!file->metadata) return NULL;
    const slt_metadata *found =
        bsearch(&wanted, file->metadata, file->metadata_count, sizeof wanted, by_key);
    return found ? found->value : NULL;
}

slt_status slt_safetensors_get(const slt_safetensors *file, const char *name, slt_dtype dtype,
                               int rank, const int64_t *shape, const slt_array **out) {
    const slt_array *array = slt_safetensors_find(file, name);
    if (!array) SLT_FAIL(SLT_FORMAT, "%s: tensor '%s' is missing", file->path, name);
    bool fits = array->dtype == dtype && (rank < 0 || array->rank == rank);
    for (int i = 0; fits && i < rank; i++) fits = shape[i] < 0 || shape[i] == array->shape[i];
    if (!fits) {
        char is[SLT_SHAPE_TEXT], wanted[SLT_SHAPE_TEXT] = "";
        if (rank >= 0) slt_shape_text(shape, rank, wanted);
        REFUSE(file, name, "is %s %s, but %s %s is wanted", slt_dtype_name(array->dtype),
               slt_shape_text(array->shape, array->rank, is), slt_dtype_name(dtype), wanted);
    }
    *out = array;
    return SLT_OK;
}
