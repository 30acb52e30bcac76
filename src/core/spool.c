// Spools.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER = 256 * 1024 };

void slt_spool_init(slt_spool *spool, const slt_allocator *allocator, const char *target) {
    *spool = (slt_spool){.allocator = allocator, .target = target, .descriptor = -1};
}

void slt_spool_deinit(slt_spool *spool) {
    if (spool->descriptor >= 0) close(spool->descriptor);
    slt_free(spool->allocator, spool->buffer);
    slt_spool_init(spool, spool->allocator, spool->target);
}

// a file without a name in the folder of `target`
static int open_nameless(const char *target) {
    char path[4096], folder[4096];
    if (!target) {
        const char *chosen = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/slottar", chosen && chosen[0] ? chosen : "/tmp");
        snprintf(path, sizeof path, "%s", folder);
        return open_nameless(path);
    }
    snprintf(folder, sizeof folder, "%s", target);
    int descriptor = open(dirname(folder), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0) return descriptor;
    // not every file system has them
    if (snprintf(path, sizeof path, "%s.XXXXXX", target) >= (int)sizeof path) return -1;
    descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0) unlink(path);
    return descriptor;
}

static slt_status failed(const slt_spool *spool) {
    const char *where = spool->target ? spool->target : "temporary folder";
    return slt_fail(SLT_IO, "%s: temporary file: %s", where, strerror(errno));
}

static slt_status write_all(slt_spool *spool, const unsigned char *bytes, size_t count) {
    if (spool->descriptor < 0) spool->descriptor = open_nameless(spool->target);
    if (spool->descriptor < 0) return failed(spool);
    while (count) {
        ssize_t done = write(spool->descriptor, bytes, count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return failed(spool);
        bytes += done;
        count -= (size_t)done;
    }
    return SLT_OK;
}

static void flush(slt_spool *spool) {
    if (spool->status == SLT_OK && spool->fill)
        spool->status = write_all(spool, spool->buffer, spool->fill);
    spool->fill = 0;
}

void slt_spool_put(slt_spool *spool, const void *bytes, size_t count) {
    if (spool->status != SLT_OK || count == 0) return;
    if (!spool->buffer) spool->status = SLT_ALLOC(spool->allocator, &spool->buffer, BUFFER);
    if (spool->status != SLT_OK) return;
    if (count > BUFFER - spool->fill) flush(spool);
    if (count > BUFFER) {
        if (spool->status == SLT_OK) spool->status = write_all(spool, bytes, count);
    } else {
        memcpy(spool->buffer + spool->fill, bytes, count);
        spool->fill += count;
    }
    spool->size += count;
}

slt_status slt_spool_read(slt_spool *spool,
                          void (*take)(void *user, const void *bytes, size_t count), void *user) {
    SLT_TRY(spool->status);
    if (spool->descriptor < 0) {
        if (spool->fill) take(user, spool->buffer, spool->fill);
        return SLT_OK;
    }
    flush(spool);
    SLT_TRY(spool->status);
    if (lseek(spool->descriptor, 0, SEEK_SET) < 0) return failed(spool);
    for (;;) {
        ssize_t done = read(spool->descriptor, spool->buffer, BUFFER);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return failed(spool);
        if (done == 0) return SLT_OK;
        take(user, spool->buffer, (size_t)done);
    }
}

// what never left the buffer is copied into memory of its own
static void *map_buffer(const slt_spool *spool) {
    void *data =
        mmap(NULL, (size_t)spool->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return data == MAP_FAILED ? data : memcpy(data, spool->buffer, spool->fill);
}

slt_status slt_spool_map(slt_spool *spool, slt_map *out) {
    SLT_TRY(spool->status);
    *out = (slt_map){(const unsigned char *)"", 0};
    if (spool->size == 0) return SLT_OK;
    if (spool->size > SIZE_MAX) SLT_FAIL(SLT_NOMEM, "a temporary file is too large to map");
    bool small = spool->descriptor < 0;
    if (!small) flush(spool);
    SLT_TRY(spool->status);
    void *data =
        small ? map_buffer(spool)
              : mmap(NULL, (size_t)spool->size, PROT_READ, MAP_PRIVATE, spool->descriptor, 0);
    if (data == MAP_FAILED) return failed(spool);
    *out = (slt_map){data, (size_t)spool->size};
    return SLT_OK;
}
