// Labels back into what the data came from: a copy of its file or folder in the same format.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "data/csv.h"
#include "data/dataset_impl.h"
#include "data/formats.h"
#include "data/hdf5_spawn.h"

// ---- where to

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), wanted = strlen(ending);
    return length >= wanted && strcmp(path + length - wanted, ending) == 0;
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// what is going to be written
typedef struct {
    slt_data_source source;
    char from[SLT_PATH], to[SLT_PATH]; // the files that hold the data
    bool csv, folder;                  // folder: a Minari data set
} plan;

// false: the format of the source has no place for labels, or another one is asked for
static slt_status make_plan(const slt_dataset *data, const char *out, plan *p, bool *back) {
    char name[SLT_PATH];
    SLT_TRY(slt_data_source_read(data->path, &p->source));
    const slt_data_format *format = slt_data_format_of(p->source.path);
    p->csv = strcmp(format->name, "csv") == 0;
    p->folder = is_folder(p->source.path);
    bool hdf5 = strcmp(format->name, "minari") == 0, into = ends_with(out, "/");
    bool same = p->csv ? ends_with(out, ".csv") : ends_with(out, ".hdf5") || ends_with(out, ".h5");
    *back = data->file && (p->csv || hdf5) && (into || (same && !p->folder));
    if (!*back) return SLT_OK;
    slt_data_file(p->source.path, p->from);
    memcpy(name, p->from, sizeof name);
    int length = p->folder ? snprintf(p->to, SLT_PATH, "%sdata/main_data.hdf5", out)
                 : into    ? snprintf(p->to, SLT_PATH, "%s%s", out, basename(name))
                           : snprintf(p->to, SLT_PATH, "%s", out);
    if (length >= SLT_PATH) SLT_FAIL(SLT_INVALID, "file name is too long");
    return SLT_OK;
}

slt_status slt_data_labels_back(const slt_dataset *data, const char *out, bool *back) {
    plan p;
    return make_plan(data, out, &p, back);
}

slt_status slt_dataset_label_path(slt_dataset *data, const char *out, char *path, size_t size) {
    plan p;
    bool back;
    SLT_TRY(make_plan(data, out, &p, &back));
    const char *to = back ? p.to : out;
    if (strlen(to) >= size) SLT_FAIL(SLT_INVALID, "file name is too long");
    strcpy(path, to);
    return SLT_OK;
}

// ---- the formats

static slt_status label_csv(slt_dataset *data, const plan *p, const int32_t *segments) {
    slt_array_set *set;
    SLT_TRY(SLT_ALLOC(&data->context->allocator, &set, 1));
    slt_array_set_init(set, data->context, p->source.path);
    set->actions = p->source.actions;
    set->observations = p->source.observations;
    set->episode = p->source.episode;
    slt_status status = slt_csv_label(set, segments, data->info.steps, p->to);
    slt_array_set_deinit(set);
    slt_free(&data->context->allocator, set);
    return status;
}

static slt_status copy_metadata(const plan *p) {
    char from[SLT_PATH + 16], to[SLT_PATH + 16], folder[SLT_PATH];
    memcpy(folder, p->from, sizeof folder);
    snprintf(from, sizeof from, "%s/metadata.json", dirname(folder));
    memcpy(folder, p->to, sizeof folder);
    snprintf(to, sizeof to, "%s/metadata.json", dirname(folder));
    slt_map map;
    if (access(from, F_OK) != 0) return SLT_OK;
    SLT_TRY(slt_map_open(from, &map));
    slt_status status = slt_file_write(to, map.data, map.size);
    slt_map_close(&map);
    return status;
}

static slt_status label_hdf5(slt_dataset *data, const plan *p, const int32_t *segments) {
    char labels[SLT_PATH], word[SLT_PATH + 16];
    const char *const words[] = {word, NULL};
    slt_array arrays[] = {
        {.name = "episode_offsets",
         .dtype = SLT_DTYPE_I64,
         .rank = 1,
         .shape = {data->info.episodes + 1},
         .data = data->offsets},
        {.name = "segment",
         .dtype = SLT_DTYPE_I32,
         .rank = 1,
         .shape = {data->info.steps},
         .data = segments},
    };
    SLT_TRY(slt_file_temporary(".safetensors", labels, sizeof labels));
    slt_status status = slt_safetensors_save(&data->context->allocator, labels, arrays, 2, NULL, 0);
    snprintf(word, sizeof word, "labels=%s", labels);
    if (status == SLT_OK)
        status = slt_hdf5_spawn(data->context, "label", p->from, p->to, words, p->source.path);
    unlink(labels);
    return status == SLT_OK && p->folder ? copy_metadata(p) : status;
}

// ---- any other: a data set of its own with the labels in it

static slt_status label_other(slt_dataset *data, const int32_t *segments, const char *out,
                              bool overwrite) {
    slt_dataset labelled = *data;
    slt_array array = {.name = "segment", .dtype = SLT_DTYPE_I32, .rank = 1, .data = segments};
    array.shape[0] = data->info.steps;
    slt_array_measure(&array);
    labelled.segment = &array;
    labelled.info.has_segments = true;
    return slt_dataset_save(&labelled, out, overwrite);
}

static slt_status label_back(slt_dataset *data, const plan *p, const int32_t *segments,
                             bool overwrite) {
    char folder[SLT_PATH];
    memcpy(folder, p->to, sizeof folder);
    SLT_TRY(slt_folder_make(dirname(folder)));
    slt_lock lock;
    const char *input = p->from;
    slt_output_request output = {p->to, false, overwrite, &input, 1};
    SLT_TRY(slt_output_claim(&lock, data->context, &output));
    slt_status status = (p->csv ? label_csv : label_hdf5)(data, p, segments);
    slt_lock_release(&lock);
    return status;
}

slt_status slt_dataset_label(slt_dataset *data, const int32_t *segments, const char *out,
                             bool overwrite) {
    plan p;
    bool back;
    for (int64_t t = 0; t < data->info.steps; t++)
        if (segments[t] < -1)
            SLT_FAIL(SLT_RANGE, "segment: %d at step %lld", (int)segments[t], (long long)t);
    SLT_TRY(make_plan(data, out, &p, &back));
    return back ? label_back(data, &p, segments, overwrite)
                : label_other(data, segments, out, overwrite);
}
