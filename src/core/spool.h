// A spool: bytes of unknown number, kept in memory while they are few, then in a nameless temporary
// file. Written once from front to back, then read.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_SPOOL_H
#define SLT_CORE_SPOOL_H

#include "core/file.h"

typedef struct {
    const slt_allocator *allocator;
    const char *target; // a path in the folder for the file, borrowed; NULL: $TMPDIR or /tmp
    int descriptor;     // -1: no file yet
    slt_status status;  // the first failure
    unsigned char *buffer;
    size_t fill;
    uint64_t size; // bytes in all
} slt_spool;

// allocates nothing yet
void slt_spool_init(slt_spool *spool, const slt_allocator *allocator, const char *target);
void slt_spool_deinit(slt_spool *spool);
void slt_spool_put(slt_spool *spool, const void *bytes, size_t count);

// hands all bytes over in pieces
slt_status slt_spool_read(slt_spool *spool,
                          void (*take)(void *user, const void *bytes, size_t count), void *user);
// all bytes as a mapping, which outlives the spool; close with slt_map_close
slt_status slt_spool_map(slt_spool *spool, slt_map *out);

#endif
