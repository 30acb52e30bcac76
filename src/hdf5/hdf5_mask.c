// robomimic's masks: lists of the names of the episodes of a split, mask/train and so on.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hdf5/hdf5_helper.h"
#include "slottar/dataset.h"

enum { LONGEST = 64 }; // bytes of a name

// "demo_12" is episode 12
static void mark(const char *name, size_t length, int64_t split, int64_t *splits,
                 int64_t episodes) {
    char text[LONGEST + 1], *end;
    if (length > LONGEST) return;
    memcpy(text, name, length);
    text[length] = 0;
    if (strncmp(text, "demo_", 5) != 0) return;
    long long index = strtoll(text + 5, &end, 10);
    if (end != text + 5 && *end == 0 && index >= 0 && index < episodes) splits[index] = split;
}

static slt_status mark_fixed(hid_t list, hid_t type, hsize_t count, int64_t split, int64_t *splits,
                             int64_t episodes) {
    size_t size = H5Tget_size(type);
    if (size < 1 || size > LONGEST) SLT_FAIL(SLT_FORMAT, "mask: names of %zu bytes", size);
    char *names = slt_alloc(&slt_system_allocator, (size_t)count, size);
    if (!names) return SLT_NOMEM;
    bool fine = H5Dread(list, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
    for (hsize_t i = 0; fine && i < count; i++)
        mark(names + i * size, strnlen(names + i * size, size), split, splits, episodes);
    slt_free(&slt_system_allocator, names);
    return fine ? SLT_OK : slt_fail(SLT_FORMAT, "mask: could not be read");
}

static slt_status mark_varied(hid_t list, hid_t type, hid_t space, hsize_t count, int64_t split,
                              int64_t *splits, int64_t episodes) {
    char **names = slt_alloc(&slt_system_allocator, (size_t)count, sizeof *names);
    if (!names) return SLT_NOMEM;
    bool fine = H5Dread(list, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
    for (hsize_t i = 0; fine && i < count; i++)
        if (names[i]) mark(names[i], strlen(names[i]), split, splits, episodes);
    if (fine) H5Dvlen_reclaim(type, space, H5P_DEFAULT, names);
    slt_free(&slt_system_allocator, names);
    return fine ? SLT_OK : slt_fail(SLT_FORMAT, "mask: could not be read");
}

static slt_status mark_list(hid_t list, int64_t split, int64_t *splits, int64_t episodes) {
    hid_t type = H5Dget_type(list), space = H5Dget_space(list);
    hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    slt_status status;
    if (type < 0 || H5Tget_class(type) != H5T_STRING || count < 0 || count > episodes)
        status = slt_fail(SLT_FORMAT, "mask: no list of at most %lld names", (long long)episodes);
    else if (H5Tis_variable_str(type) > 0)
        status = mark_varied(list, type, space, (hsize_t)count, split, splits, episodes);
    else
        status = mark_fixed(list, type, (hsize_t)count, split, splits, episodes);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return status;
}

slt_status slt_hdf5_masks(hid_t file, int64_t *splits, int64_t episodes, bool *any) {
    *any = false;
    for (int i = 0; i < SLT_SPLITS; i++) {
        char path[32];
        snprintf(path, sizeof path, "mask/%s", slt_split_name((slt_split)i));
        hid_t list = slt_hdf5_dataset(file, path);
        if (list < 0) continue;
        slt_status status = mark_list(list, i, splits, episodes);
        H5Dclose(list);
        SLT_TRY(status);
        *any = true;
    }
    return SLT_OK;
}
