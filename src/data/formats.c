// The table of formats, and conversion through the native one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "core/output_impl.h"
#include "data/csv.h"
#include "data/dataset_impl.h"
#include "data/minari.h"
#include "data/npz.h"

// ---- telling formats apart

static bool starts_with(const char *path, const void *bytes, size_t count) {
    unsigned char head[16];
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    ssize_t got = read(descriptor, head, count);
    close(descriptor);
    return got == (ssize_t)count && memcmp(head, bytes, count) == 0;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), wanted = strlen(ending);
    return length > wanted && strcasecmp(path + length - wanted, ending) == 0;
}

static bool is_npz(const char *path) { return starts_with(path, "PK\3\4", 4); }
static bool is_csv(const char *path) { return ends_with(path, ".csv"); }

// LeRobot keeps its steps in parquet files, which the Python package reads
static bool is_lerobot(const char *path) {
    char inside[SLT_PATH];
    int length = snprintf(inside, sizeof inside, "%s/meta/info.json", path);
    return length < SLT_PATH && access(inside, F_OK) == 0;
}

static slt_status refuse_lerobot(slt_array_set *set) {
    SLT_FAIL(SLT_UNSUPPORTED,
             "%s: a LeRobot folder; Python reads it: python -m slottar segment %s -o labelled/",
             set->path, set->path);
}

static const char *const native_endings[] = {".safetensors", NULL};
static const char *const npz_endings[] = {".npz", NULL};
static const char *const csv_endings[] = {".csv", NULL};
static const char *const minari_endings[] = {".hdf5", ".h5", "/", NULL};
static const char *const no_endings[] = {NULL};

static slt_status write_native(slt_context *context, const char *native, const char *out);

static const slt_data_format formats[] = {
    {"slottar", native_endings, NULL, false, NULL, write_native},
    {"npz", npz_endings, is_npz, false, slt_npz_read, slt_npz_write},
    {"csv", csv_endings, is_csv, true, slt_csv_read, NULL},
    {"minari", minari_endings, slt_minari_knows, true, slt_minari_read, slt_minari_write},
    {"lerobot", no_endings, is_lerobot, true, refuse_lerobot, NULL},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const slt_data_format *slt_data_format_of(const char *path) {
    slt_data_source source;
    if (slt_data_source_read(path, &source) != SLT_OK) return &formats[0];
    for (int i = 1; i < FORMATS; i++)
        if (formats[i].knows(source.path)) return &formats[i];
    return &formats[0];
}

const slt_data_format *slt_data_format_for(const char *path) {
    for (int i = 0; i < FORMATS; i++)
        for (const char *const *ending = formats[i].endings; *ending; ending++)
            if (ends_with(path, *ending)) return &formats[i];
    return NULL;
}

// ".npz" is an ending, the ".2" of "noise-0.2" is none
static bool has_ending(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot && dot[1] && strspn(dot + 1, "0123456789") < strlen(dot + 1);
}

slt_status slt_data_format_to_write(const char *path, bool or_native, const slt_data_format **out) {
    const slt_data_format *format = slt_data_format_for(path);
    if (!format && or_native && !has_ending(path)) format = &formats[0];
    if (!format || !format->write)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: cannot be written; what can ends in .safetensors, .npz, .hdf5 or / (Minari)",
                 path);
    *out = format;
    return SLT_OK;
}

bool slt_data_is_folder(const char *path) { return ends_with(path, "/"); }

// ---- reading any format

// observations that a reader did not take are named, with the word that takes them
static void tell_left_out(const slt_array_set *set) {
    for (int i = 0; i < set->metadata_count; i++)
        if (strcmp(set->metadata[i].key, "left_out") == 0)
            slt_context_log(set->context, SLT_LOG_INFO,
                            "%s: left out the pictures %.300s; --observations PATTERNS takes what "
                            "it names",
                            set->path, set->metadata[i].value);
}

static slt_status import(slt_context *context, const slt_data_format *format,
                         const slt_data_source *source, const char *out) {
    slt_array_set *set;
    SLT_TRY(SLT_ALLOC(&context->allocator, &set, 1));
    slt_array_set_init(set, context, source->path);
    set->actions = source->actions;
    set->observations = source->observations;
    set->episode = source->episode;
    slt_status status = format->read(set);
    if (status == SLT_OK) tell_left_out(set);
    if (status == SLT_OK) status = slt_array_set_import(set, out);
    slt_array_set_deinit(set);
    slt_free(&context->allocator, set);
    return status;
}

slt_status slt_data_as_native(slt_context *context, const char *path, char out[SLT_PATH],
                              bool *temporary) {
    *temporary = false;
    slt_data_source source;
    SLT_TRY(slt_data_source_read(path, &source));
    const slt_data_format *format = slt_data_format_of(source.path);
    const bool chooses = slt_data_source_chooses(&source);
    if (chooses && access(source.path, F_OK) != 0)
        SLT_FAIL(SLT_IO, "%s: %s", source.path, strerror(errno));
    if (chooses && !format->chooses)
        SLT_FAIL(SLT_INVALID, "%s: columns are chosen in csv and HDF5 files, this one is %s",
                 source.path, format->read ? format->name : "none of them");
    *temporary = format->read != NULL;
    if (!*temporary) return strcpy(out, source.path), SLT_OK;
    SLT_TRY(slt_file_temporary(".safetensors", out, SLT_PATH));
    slt_status status = import(context, format, &source, out);
    if (status != SLT_OK) unlink(out);
    return status;
}

slt_status slt_dataset_open(slt_context *context, const char *path, slt_dataset **out) {
    char native[SLT_PATH];
    bool temporary;
    SLT_TRY(slt_data_as_native(context, path, native, &temporary));
    slt_status status = slt_dataset_open_native(context, path, native, out);
    if (temporary) unlink(native); // the mapping stays
    return status;
}

// ---- writing

// episode by episode: what is written has been checked
static slt_status copy_episodes(slt_dataset *data, slt_dataset_builder *builder) {
    int64_t episodes = slt_dataset_about(data)->episodes;
    for (size_t i = 0; i < slt_dataset_text_count(data); i++) {
        slt_metadata one = slt_dataset_text_at(data, i);
        if (!slt_dataset_is_reserved(one.key))
            SLT_TRY(slt_dataset_builder_describe(builder, one.key, one.value));
    }
    for (int64_t i = 0; i < episodes; i++) {
        slt_episode episode;
        SLT_TRY(slt_context_check(data->context));
        SLT_TRY(slt_dataset_episode(data, i, &episode));
        SLT_TRY(slt_dataset_builder_add(builder, &episode));
    }
    return SLT_OK;
}

static slt_status save_native(slt_dataset *data, const char *out) {
    slt_dataset_builder *builder;
    SLT_TRY(slt_dataset_builder_native(data->context, out, &data->info, &builder));
    slt_status status = copy_episodes(data, builder);
    if (status == SLT_OK) return slt_dataset_builder_commit(builder);
    slt_dataset_builder_destroy(builder);
    return status;
}

static slt_status write_native(slt_context *context, const char *native, const char *out) {
    slt_dataset *data;
    SLT_TRY(slt_dataset_open_native(context, native, native, &data));
    slt_status status = save_native(data, out);
    slt_dataset_close(data);
    return status;
}

static slt_status check_native(slt_context *context, const char *path) {
    slt_dataset *data;
    SLT_TRY(slt_dataset_open_native(context, path, path, &data));
    slt_status status = slt_dataset_check(data);
    slt_dataset_close(data);
    return status;
}

static slt_status convert(slt_context *context, const slt_data_format *format, const char *path,
                          const char *out) {
    char native[SLT_PATH];
    bool temporary;
    SLT_TRY(slt_data_as_native(context, path, native, &temporary));
    slt_status status = temporary ? SLT_OK : check_native(context, native);
    if (status == SLT_OK) status = format->write(context, native, out);
    if (temporary) unlink(native);
    return status;
}

static slt_status save_as(slt_dataset *data, const slt_data_format *format, const char *out) {
    char native[SLT_PATH];
    if (!format->read) return save_native(data, out);
    SLT_TRY(slt_file_temporary(".safetensors", native, sizeof native));
    slt_status status = save_native(data, native);
    if (status == SLT_OK) status = format->write(data->context, native, out);
    unlink(native);
    return status;
}

static slt_status claim(slt_lock *lock, slt_context *context, const char *input, const char *out,
                        bool overwrite, const slt_data_format **format) {
    slt_output_request request = {.path = out,
                                  .folder = slt_data_is_folder(out),
                                  .overwrite = overwrite,
                                  .inputs = &input,
                                  .input_count = 1};
    SLT_TRY(slt_data_format_to_write(out, false, format));
    return slt_output_claim(lock, context, &request);
}

slt_status slt_dataset_save(slt_dataset *data, const char *out, bool overwrite) {
    const slt_data_format *format;
    slt_lock lock;
    const char *input = data->file ? data->path : NULL; // NULL: it is in memory
    SLT_TRY(claim(&lock, data->context, input, out, overwrite, &format));
    slt_status status = save_as(data, format, out);
    slt_lock_release(&lock);
    return status;
}

slt_status slt_dataset_convert(slt_context *context, const char *path, const char *out,
                               bool overwrite) {
    const slt_data_format *format;
    slt_lock lock;
    SLT_TRY(claim(&lock, context, path, out, overwrite, &format));
    slt_status status = convert(context, format, path, out);
    slt_lock_release(&lock);
    return status;
}
