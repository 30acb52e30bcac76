// Mapping and all-or-nothing writing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/number.h"

static slt_status map_descriptor(const char *path, int descriptor, slt_map *out) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) SLT_FAIL(SLT_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode)) SLT_FAIL(SLT_IO, "%s: not a regular file", path);
    if (info.st_size == 0) {
        *out = (slt_map){(const unsigned char *)"", 0};
        return SLT_OK;
    }
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) SLT_FAIL(SLT_IO, "%s: could not map: %s", path, strerror(errno));
    *out = (slt_map){data, (size_t)info.st_size};
    return SLT_OK;
}

slt_status slt_map_open(const char *path, slt_map *out) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) SLT_FAIL(SLT_IO, "%s: %s", path, strerror(errno));
    slt_status status = map_descriptor(path, descriptor, out);
    close(descriptor);
    return status;
}

void slt_map_close(slt_map *map) {
    if (map->size) munmap((void *)map->data, map->size);
    *map = (slt_map){0};
}

// mkostemp would give the file to its owner alone; here the umask decides
int slt_part_create(char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char *end = name + strlen(name) - 6;
    for (int i = 0; i < 100; i++) {
        unsigned char random[6];
        if (getrandom(random, sizeof random, 0) != sizeof random) return -1;
        for (int k = 0; k < 6; k++) end[k] = letters[random[k] % (sizeof letters - 1)];
        int descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

slt_status slt_writer_open(slt_writer *writer, const char *path) {
    writer->descriptor = -1;
    writer->status = SLT_OK;
    writer->written = writer->fill = 0;
    int length = snprintf(writer->temporary, sizeof writer->temporary, "%s.part-XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof writer->temporary)
        SLT_FAIL(SLT_INVALID, "file name of %zu characters is too long", strlen(path));
    snprintf(writer->path, sizeof writer->path, "%s", path);
    writer->descriptor = slt_part_create(writer->temporary);
    if (writer->descriptor < 0) SLT_FAIL(SLT_IO, "%s: could not create: %s", path, strerror(errno));
    return SLT_OK;
}

static void write_out(slt_writer *writer, const unsigned char *bytes, size_t count) {
    while (count && writer->status == SLT_OK) {
        ssize_t done = write(writer->descriptor, bytes, count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            writer->status = slt_fail(SLT_IO, "%s: could not write: %s", writer->path,
                                      done == 0 ? "nothing was taken" : strerror(errno));
            return;
        }
        bytes += done;
        count -= (size_t)done;
    }
}

static void flush(slt_writer *writer) {
    write_out(writer, writer->buffer, writer->fill);
    writer->fill = 0;
}

void slt_write(slt_writer *writer, const void *bytes, size_t count) {
    if (writer->status != SLT_OK) return;
    writer->written += count;
    if (count > sizeof writer->buffer - writer->fill) flush(writer);
    if (count > sizeof writer->buffer) {
        write_out(writer, bytes, count);
    } else if (count) {
        memcpy(writer->buffer + writer->fill, bytes, count);
        writer->fill += count;
    }
}

void slt_write_text(slt_writer *writer, const char *format, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = slt_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text) {
        if (writer->status == SLT_OK)
            writer->status = slt_fail(SLT_INTERNAL, "%s: line too long", writer->path);
        return;
    }
    slt_write(writer, text, (size_t)length);
}

static slt_status sync_folder(const char *path) {
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", path);
    int descriptor = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return SLT_OK; // the rename itself has worked
    fsync(descriptor);
    close(descriptor);
    return SLT_OK;
}

slt_status slt_writer_commit(slt_writer *writer) {
    flush(writer);
    if (writer->status == SLT_OK && fsync(writer->descriptor) != 0)
        writer->status = slt_fail(SLT_IO, "%s: could not sync: %s", writer->path, strerror(errno));
    if (writer->status != SLT_OK) {
        slt_writer_abort(writer);
        return writer->status;
    }
    int closed = close(writer->descriptor);
    writer->descriptor = -1;
    if (closed != 0 || rename(writer->temporary, writer->path) != 0) {
        slt_status status = slt_fail(SLT_IO, "%s: %s", writer->path, strerror(errno));
        unlink(writer->temporary);
        return status;
    }
    return sync_folder(writer->path);
}

void slt_writer_abort(slt_writer *writer) {
    if (writer->descriptor < 0) return;
    close(writer->descriptor);
    unlink(writer->temporary);
    writer->descriptor = -1;
}

slt_status slt_file_write(const char *path, const void *bytes, size_t count) {
    slt_writer writer;
    SLT_TRY(slt_writer_open(&writer, path));
    slt_write(&writer, bytes, count);
    return slt_writer_commit(&writer);
}

// NAME.part-XXXXXX, of the name or of any
static bool is_part(const char *entry, const char *name) {
    const char *part = strstr(entry, ".part-");
    if (!part || strlen(part) != strlen(".part-XXXXXX")) return false;
    size_t length = (size_t)(part - entry);
    return !name || (strlen(name) == length && memcmp(entry, name, length) == 0);
}

enum { DEPTH = 8 };

static void remove_tree(const char *path, int depth) {
    char inside[4096 + 512];
    DIR *list = depth < DEPTH ? opendir(path) : NULL;
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) < (int)sizeof inside &&
            unlink(inside) != 0)
            remove_tree(inside, depth + 1);
    }
    if (list) closedir(list);
    rmdir(path);
}

void slt_folder_remove(const char *path) { remove_tree(path, 0); }

void slt_parts_remove(const char *folder, const char *name) {
    char path[4096 + 256];
    DIR *list = opendir(folder);
    if (!list) return;
    for (const struct dirent *entry; (entry = readdir(list));) {
        if (!is_part(entry->d_name, name)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0 && name) slt_folder_remove(path);
    }
    closedir(list);
}

static slt_status make_one(const char *path) {
    struct stat info;
    if (mkdir(path, 0777) == 0) return SLT_OK;
    int error = errno;
    if (error == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return SLT_OK;
    SLT_FAIL(SLT_IO, "%s: could not make the folder: %s", path, strerror(error));
}

slt_status slt_folder_make(const char *path) {
    char part[4096];
    for (size_t i = 1; path[i]; i++) {
        if (path[i] != '/') continue;
        if (i >= sizeof part) SLT_FAIL(SLT_INVALID, "folder name of %zu characters", strlen(path));
        memcpy(part, path, i);
        part[i] = 0;
        SLT_TRY(make_one(part));
    }
    return make_one(path);
}

slt_status slt_file_temporary(const char *ending, char *out, size_t size) {
    const char *folder = getenv("TMPDIR");
    int length =
        snprintf(out, size, "%s/slottar-XXXXXX%s", folder && folder[0] ? folder : "/tmp", ending);
    int descriptor = length < (int)size ? mkostemps(out, (int)strlen(ending), O_CLOEXEC) : -1;
    if (descriptor < 0) SLT_FAIL(SLT_IO, "%s: no temporary file: %s", out, strerror(errno));
    close(descriptor);
    return SLT_OK;
}
