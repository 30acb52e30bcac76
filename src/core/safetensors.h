// safetensors files: named arrays after a JSON header. Reading maps the file and trusts nothing in
// it; writing streams, is all or nothing, and gives the same bytes for the same input.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_SAFETENSORS_H
#define SLT_CORE_SAFETENSORS_H

#include "core/array.h"

// ---- reading

typedef struct slt_safetensors slt_safetensors;

// Maps and checks the file; every refusal names the file and the tensor. Arrays point into the
// mapping (those that a foreign writer left misaligned, into aligned copies).
slt_status slt_safetensors_open(const slt_allocator *allocator, const char *path,
                                slt_safetensors **out);
// the same over bytes in memory, which stay the caller's; `name` is for messages
slt_status slt_safetensors_view(const slt_allocator *allocator, const char *name, const void *bytes,
                                size_t size, slt_safetensors **out);
void slt_safetensors_close(slt_safetensors *file);

const char *slt_safetensors_path(const slt_safetensors *file);
size_t slt_safetensors_count(const slt_safetensors *file);
const slt_array *slt_safetensors_at(const slt_safetensors *file, size_t index);       // by offset
const slt_array *slt_safetensors_find(const slt_safetensors *file, const char *name); // or NULL

// Finds an array that must be there with this type and shape (-1: any size; rank -1: any shape);
// FORMAT with file, name, what is there and what is wanted.
slt_status slt_safetensors_get(const slt_safetensors *file, const char *name, slt_dtype dtype,
                               int rank, const int64_t *shape, const slt_array **out);

// metadata: sorted by key
typedef struct {
    const char *key, *value;
} slt_metadata;

size_t slt_safetensors_metadata_count(const slt_safetensors *file);
slt_metadata slt_safetensors_metadata_at(const slt_safetensors *file, size_t index);
const char *slt_safetensors_metadata(const slt_safetensors *file, const char *key); // or NULL

// ---- writing: metadata and declarations first, then the bytes of all arrays in the order of their
// declaration, in pieces of any size, then commit. The first failure is kept; commit reports it.

typedef struct slt_safetensors_writer slt_safetensors_writer;

slt_status slt_safetensors_writer_open(const slt_allocator *allocator, const char *path,
                                       slt_safetensors_writer **out);
// written sorted by key, whatever the order of the calls; a key given twice keeps the last value
void slt_safetensors_describe(slt_safetensors_writer *writer, const char *key, const char *value);
// elements never become wider from one declaration to the next: that keeps all arrays aligned
void slt_safetensors_declare(slt_safetensors_writer *writer, const char *name, slt_dtype dtype,
                             int rank, const int64_t *shape);
void slt_safetensors_put(slt_safetensors_writer *writer, const void *bytes, size_t count);
// both free the writer; commit fails when bytes are missing, and leaves no file then
slt_status slt_safetensors_commit(slt_safetensors_writer *writer);
void slt_safetensors_abort(slt_safetensors_writer *writer); // accepts NULL

// All at once, laid out as the Python package does: by element type, then by name. Only name,
// dtype, rank, shape and data of an array are read.
slt_status slt_safetensors_save(const slt_allocator *allocator, const char *path,
                                const slt_array *arrays, size_t count, const slt_metadata *metadata,
                                size_t metadata_count);

#endif
