// Minari data sets, through the helper program.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/minari.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "data/formats.h"
#include "data/hdf5_spawn.h"

// ---- finding the file

static bool is_hdf5(const char *path) {
    char head[8];
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    ssize_t got = read(descriptor, head, sizeof head);
    close(descriptor);
    return got == sizeof head && memcmp(head, "\x89HDF\r\n\x1a\n", sizeof head) == 0;
}

// the HDF5 file of a data set, and the metadata next to it
static bool find_file(const char *path, char file[SLT_PATH], char json[SLT_PATH]) {
    static const char *const inside[] = {"", "/main_data.hdf5", "/data/main_data.hdf5"};
    char copy[SLT_PATH];
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        int length = snprintf(file, SLT_PATH, "%s%s", path, inside[i]);
        if (length >= SLT_PATH || !is_hdf5(file)) continue;
        memcpy(copy, file, sizeof copy);
        return snprintf(json, SLT_PATH, "%s/metadata.json", dirname(copy)) < SLT_PATH;
    }
    return false;
}

bool slt_minari_knows(const char *path) {
    char file[SLT_PATH], json[SLT_PATH];
    return find_file(path, file, json);
}

void slt_data_file(const char *path, char out[SLT_PATH]) {
    char json[SLT_PATH];
    slt_data_source source;
    if (slt_data_source_read(path, &source) != SLT_OK) snprintf(source.path, SLT_PATH, "%s", path);
    if (!find_file(source.path, out, json)) memcpy(out, source.path, SLT_PATH);
}

// ---- reading

static bool is_in(const slt_map *map, const slt_array *array) {
    const unsigned char *data = array->data;
    return array->bytes == 0 || (data >= map->data && data < map->data + map->size);
}

// the arrays of the file that the helper wrote; their bytes stay mapped with the set
static slt_status take_arrays(slt_array_set *set, const char *path) {
    slt_map map;
    slt_safetensors *file;
    SLT_TRY(slt_map_open(path, &map));
    slt_status status =
        slt_safetensors_view(&set->context->allocator, path, map.data, map.size, &file);
    if (status != SLT_OK) {
        slt_map_close(&map);
        return status;
    }
    set->maps[set->map_count++] = map;
    for (size_t i = 0; status == SLT_OK && i < slt_safetensors_count(file); i++) {
        const slt_array *array = slt_safetensors_at(file, i);
        if (!slt_array_set_knows(array->name)) continue;
        status = is_in(&map, array) ? slt_array_set_add(set, array)
                                    : slt_fail(SLT_INTERNAL, "%s: misaligned", array->name);
    }
    // what the helper says of the columns
    static const char *const keys[] = {"action_names", "observation_names", "left_out"};
    for (size_t i = 0; status == SLT_OK && i < sizeof keys / sizeof *keys; i++) {
        const char *value = slt_safetensors_metadata(file, keys[i]);
        if (value) status = slt_array_set_describe(set, keys[i], value);
    }
    slt_safetensors_close(file);
    return status;
}

static void add_word(char word[SLT_PATH + 32], const char **words, const char *key,
                     const char *patterns) {
    if (!patterns) return;
    snprintf(word, SLT_PATH + 32, "%s=%s", key, patterns);
    *words = word;
}

slt_status slt_minari_read(slt_array_set *set) {
    char file[SLT_PATH], json[SLT_PATH], arrays[SLT_PATH];
    if (!find_file(set->path, file, json)) SLT_FAIL(SLT_FORMAT, "%s: no HDF5 file", set->path);
    if (set->episode)
        SLT_FAIL(SLT_INVALID, "%s: --episode is for csv; HDF5 has a group per episode", set->path);
    char text[2][SLT_PATH + 32];
    const char *words[3] = {NULL};
    add_word(text[0], &words[0], "actions", set->actions);
    add_word(text[1], &words[words[0] != NULL], "observations", set->observations);
    SLT_TRY(slt_file_temporary(".safetensors", arrays, sizeof arrays));
    slt_status status = slt_hdf5_spawn(set->context, "read", file, arrays, words, set->path);
    if (status == SLT_OK) status = take_arrays(set, arrays);
    unlink(arrays);
    if (status == SLT_OK && access(json, F_OK) == 0) status = slt_minari_read_json(set, json);
    return status;
}

// ---- writing

static bool is_file_name(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".h5") == 0);
}

// Minari's names end in a version: "my set" becomes "my-set-v0"
static void make_id(const char *name, char out[SLT_PATH]) {
    snprintf(out, SLT_PATH, "%.*s", SLT_PATH - 8, name);
    for (char *c = out; *c; c++)
        if (!strchr("-_", *c) && !isalnum((unsigned char)*c)) *c = '-';
    size_t length = strlen(out), digits = 0;
    while (digits < length && isdigit((unsigned char)out[length - 1 - digits])) digits++;
    bool versioned =
        digits && length >= digits + 3 && memcmp(out + length - digits - 2, "-v", 2) == 0;
    if (!versioned) strcat(out, "-v0");
}

// the files of a data set `out`, in that folder or in a temporary one
static slt_status fill_folder(slt_context *context, const char *native, const char *into,
                              const char *out) {
    char folder[SLT_PATH], path[SLT_PATH], copy[SLT_PATH];
    snprintf(folder, sizeof folder, "%.*s/data", SLT_PATH - 32, into);
    SLT_TRY(slt_folder_make(folder));
    slt_parts_remove(folder, NULL);
    snprintf(path, sizeof path, "%.*s/data/main_data.hdf5", SLT_PATH - 32, into);
    SLT_TRY(slt_hdf5_spawn(context, "write", native, path, NULL, out));
    snprintf(path, sizeof path, "%.*s/data/metadata.json", SLT_PATH - 32, into);
    snprintf(copy, sizeof copy, "%s", out);
    make_id(basename(copy), folder);
    return slt_minari_write_json(context, native, path, folder);
}

// a new folder appears whole, with the last rename: NAME.part-XXXXXX/set becomes NAME
static slt_status write_folder(slt_context *context, const char *native, const char *out) {
    char name[SLT_PATH], parent[SLT_PATH], part[SLT_PATH], set[SLT_PATH];
    snprintf(name, sizeof name, "%s", out);
    for (size_t n = strlen(name); n > 1 && name[n - 1] == '/';) name[--n] = 0;
    snprintf(parent, sizeof parent, "%s", name);
    char *slash = strrchr(parent, '/');
    if (slash) *(slash == parent ? slash + 1 : slash) = 0;
    if (slash) SLT_TRY(slt_folder_make(parent));
    slt_parts_remove(slash ? parent : ".", slash ? strrchr(name, '/') + 1 : name);
    snprintf(part, sizeof part, "%.*s.part-XXXXXX", SLT_PATH - 32, name);
    if (!mkdtemp(part)) SLT_FAIL(SLT_IO, "%s: %s", part, strerror(errno));
    snprintf(set, sizeof set, "%.*s/set", SLT_PATH - 16, part);
    slt_status status = fill_folder(context, native, set, out);
    if (status == SLT_OK && rename(set, name) != 0)
        status = slt_fail(SLT_IO, "%s: %s", name, strerror(errno));
    slt_folder_remove(part);
    return status;
}

slt_status slt_minari_write(slt_context *context, const char *native, const char *out) {
    if (is_file_name(out)) return slt_hdf5_spawn(context, "write", native, out, NULL, out);
    if (strlen(out) >= SLT_PATH - 64) SLT_FAIL(SLT_INVALID, "file name is too long");
    bool there = access(out, F_OK) == 0;
    return there ? fill_folder(context, native, out, out) : write_folder(context, native, out);
}
