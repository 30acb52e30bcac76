// Files: mapping for reading, and writing that is all or nothing (a temporary name in the same
// folder, NAME.part-XXXXXX, sync, rename, sync of the folder).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_FILE_H
#define SLT_CORE_FILE_H

#include "core/memory.h"

// a regular file mapped read-only; an empty file has size 0 and data != NULL
typedef struct {
    const unsigned char *data;
    size_t size;
} slt_map;

slt_status slt_map_open(const char *path, slt_map *out);
void slt_map_close(slt_map *map);

// all or nothing: after commit the file is there whole, after abort it was never touched.
// The first failure is kept: later writes do nothing, commit reports it.
typedef struct {
    int descriptor; // -1: not open
    slt_status status;
    uint64_t written;
    char path[4096], temporary[4096];
    size_t fill;
    unsigned char buffer[64 * 1024];
} slt_writer;

// a new file of the name NAME.part-XXXXXX, whose X are replaced; -1 and errno on failure
int slt_part_create(char *name);
slt_status slt_writer_open(slt_writer *writer, const char *path);
void slt_write(slt_writer *writer, const void *bytes, size_t count);
void slt_write_text(slt_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
slt_status slt_writer_commit(slt_writer *writer);
void slt_writer_abort(slt_writer *writer); // no effect when not open

// a small text at once
slt_status slt_file_write(const char *path, const void *bytes, size_t count);

// removes what killed processes left half written: of one file or folder, or (name NULL) all files
// in the folder. Who calls it holds the lock on them (core/lock.h)
void slt_parts_remove(const char *folder, const char *name);

// a folder of our own with all that is in it; links are removed, not followed
void slt_folder_remove(const char *path);

// a new, empty file in the folder for temporary ones, with a name that ends so
slt_status slt_file_temporary(const char *ending, char *out, size_t size);

// makes a folder and those above it; one that is there already is fine
slt_status slt_folder_make(const char *path);

#endif
