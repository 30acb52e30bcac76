// A copy of an HDF5 file with the segment of every step added, where its layout keeps labels.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/file.h"
#include "hdf5/hdf5_helper.h"

typedef struct {
    const slt_hdf5_layout *layout;
    hid_t file;
    const int64_t *offsets; // [episodes+1]
    int64_t episodes;
    const int32_t *segments;
} labeller;

// ---- one episode

// the numbers of a file that somebody changed meanwhile do not fit
static slt_status check_steps(const labeller *to, hid_t episode, int64_t steps) {
    slt_hdf5_field actions;
    int64_t rows = steps;
    SLT_TRY(slt_hdf5_column(episode, to->layout->actions, &actions));
    if (actions.count) SLT_TRY(slt_hdf5_rows(episode, &actions, &rows));
    if (rows != steps)
        SLT_FAIL(SLT_FORMAT, "%" PRId64 " steps, but %" PRId64 " labels", rows, steps);
    return SLT_OK;
}

// the folder of the labels, made where it is missing
static slt_status make_folder(hid_t episode, const char *path) {
    char folder[SLT_LEAF_NAME];
    const char *slash = strchr(path, '/');
    if (!slash) return SLT_OK;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    hid_t group = slt_hdf5_group(episode, folder);
    if (group < 0) group = H5Gcreate2(episode, folder, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) SLT_FAIL(SLT_FORMAT, "%s: is no group", folder);
    H5Gclose(group);
    return SLT_OK;
}

static slt_status put_labels(const labeller *to, hid_t episode, int64_t first, int64_t steps) {
    const char *path = to->layout->segment;
    SLT_TRY(check_steps(to, episode, steps));
    SLT_TRY(make_folder(episode, path));
    if (slt_hdf5_has(episode, path) && H5Ldelete(episode, path, H5P_DEFAULT) < 0)
        SLT_FAIL(SLT_IO, "%s: could not be replaced", path);
    hid_t space = H5Screate_simple(1, &(hsize_t){(hsize_t)steps}, NULL);
    hid_t dataset = space < 0 ? -1
                              : H5Dcreate2(episode, path, H5T_STD_I32LE, space, H5P_DEFAULT,
                                           H5P_DEFAULT, H5P_DEFAULT);
    bool fine = dataset >= 0 && H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                         to->segments + first) >= 0;
    if (dataset >= 0 && H5Dclose(dataset) < 0) fine = false;
    if (space >= 0) H5Sclose(space);
    if (!fine) SLT_FAIL(SLT_IO, "%s: could not be written", path);
    return SLT_OK;
}

// ---- the file

static slt_status label_episodes(const labeller *to) {
    const char *form = to->layout->episode;
    bool table = !form;
    for (int64_t i = 0; i < (table ? 1 : to->episodes); i++) {
        char name[64] = "/";
        if (form) snprintf(name, sizeof name, form, i);
        hid_t episode =
            table ? H5Gopen2(to->file, "/", H5P_DEFAULT) : slt_hdf5_group(to->file, name);
        if (episode < 0) SLT_FAIL(SLT_FORMAT, "%s: missing", name);
        int64_t first = to->offsets[i], last = to->offsets[table ? to->episodes : i + 1];
        slt_status status = put_labels(to, episode, first, last - first);
        H5Gclose(episode);
        if (status != SLT_OK) return slt_fail_in(status, name);
    }
    return SLT_OK;
}

static slt_status label_file(labeller *to, const char *path) {
    to->file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (to->file < 0) SLT_FAIL(SLT_FORMAT, "no HDF5 file, or a damaged one");
    slt_status status = slt_hdf5_find_layout(to->file, &to->layout);
    if (status == SLT_OK) status = label_episodes(to);
    if (H5Fclose(to->file) < 0 && status == SLT_OK) SLT_FAIL(SLT_IO, "could not close");
    return status;
}

static slt_status copy_bytes(const char *path, int to) {
    static char piece[1 << 16];
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0) SLT_FAIL(SLT_IO, "%s", strerror(errno));
    ssize_t got;
    bool fine = true;
    while (fine && (got = read(from, piece, sizeof piece)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        fine = got > 0;
        for (ssize_t at = 0, done; fine && at < got; at += done) {
            done = write(to, piece + at, (size_t)(got - at));
            if (done < 0 && errno == EINTR) done = 0;
            if (done < 0) fine = false;
        }
    }
    int error = errno;
    close(from);
    if (!fine) SLT_FAIL(SLT_IO, "could not copy: %s", strerror(error));
    return SLT_OK;
}

// temporary name, sync, rename
static slt_status write_copy(labeller *to, const char *path, const char *out) {
    char name[4096];
    if (snprintf(name, sizeof name, "%s.part-XXXXXX", out) >= (int)sizeof name)
        SLT_FAIL(SLT_INVALID, "file name too long");
    int descriptor = slt_part_create(name);
    if (descriptor < 0) SLT_FAIL(SLT_IO, "could not create: %s", strerror(errno));
    slt_status status = copy_bytes(path, descriptor);
    if (status == SLT_OK) status = label_file(to, name);
    if (status == SLT_OK && (fsync(descriptor) != 0 || rename(name, out) != 0))
        status = slt_fail(SLT_IO, "%s", strerror(errno));
    if (status != SLT_OK) unlink(name);
    close(descriptor);
    return status;
}

slt_status slt_hdf5_label(slt_context *context, const char *path, const char *out,
                          const slt_hdf5_choice *choice) {
    slt_safetensors *file;
    const slt_array *segments, *offsets;
    if (!choice->labels) SLT_FAIL(SLT_INVALID, "labels= is missing");
    SLT_TRY(slt_safetensors_open(&context->allocator, choice->labels, &file));
    slt_status status =
        slt_safetensors_get(file, "segment", SLT_DTYPE_I32, 1, (int64_t[]){-1}, &segments);
    if (status == SLT_OK)
        status = slt_safetensors_get(file, "episode_offsets", SLT_DTYPE_I64, 1, (int64_t[]){-1},
                                     &offsets);
    if (status == SLT_OK) {
        labeller to = {.offsets = offsets->data,
                       .episodes = (int64_t)offsets->count - 1,
                       .segments = segments->data};
        status = write_copy(&to, path, out);
    }
    slt_safetensors_close(file);
    return status;
}
