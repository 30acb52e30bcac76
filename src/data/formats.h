// The formats of data sets: known by content where possible, and turned into the native one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_FORMATS_H
#define SLT_DATA_FORMATS_H

#include "data/array_set.h"
#include "data/source.h"

typedef struct {
    const char *name;
    const char *const *endings;             // of names of files to write; ends with NULL
    bool (*knows)(const char *path);        // looks at the file; NULL: native
    bool chooses;                           // reads columns that are chosen by pattern
    slt_status (*read)(slt_array_set *set); // NULL: native
    slt_status (*write)(slt_context *context, const char *native, const char *out); // NULL: cannot
} slt_data_format;

// the format of a file (a choice of columns behind its path is not looked at), native when no other
// knows it; of a name to be written, NULL when none fits
const slt_data_format *slt_data_format_of(const char *path);
const slt_data_format *slt_data_format_for(const char *path);

// A native file with the content of `path`, a choice of columns included: that path itself, or a
// temporary file, which the caller removes.
slt_status slt_data_as_native(slt_context *context, const char *path, char out[SLT_PATH],
                              bool *temporary);

// the file that holds the data, without a choice of columns: the path itself, or the HDF5 file of a
// Minari folder (minari.c)
void slt_data_file(const char *path, char out[SLT_PATH]);

// would slt_dataset_label write the format that the data came from? (write_labels.c)
slt_status slt_data_labels_back(const slt_dataset *data, const char *out, bool *back);

#endif
