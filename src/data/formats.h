// The formats of data sets: known by content where possible, and turned into the native one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_FORMATS_H
#define SLT_DATA_FORMATS_H

#include "core/lock.h"
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

// the format of a file (a choice of columns after its path is not looked at), native when no other
// knows it; of a name to be written, NULL when none fits
const slt_data_format *slt_data_format_of(const char *path);
const slt_data_format *slt_data_format_for(const char *path);
// the format to write under a name, by its ending; with or_native a name without an ending is
// native, too. UNSUPPORTED when there is none
slt_status slt_data_format_to_write(const char *path, bool or_native, const slt_data_format **out);
// a name to be written that stands for a folder ("demos-v0/")
bool slt_data_is_folder(const char *path);

// where a builder's native file goes (builder_output.c)
typedef struct {
    slt_lock lock;                 // of the output
    const slt_data_format *format; // of the output; NULL: what is written is the output
    char output[SLT_PATH], native[SLT_PATH];
} slt_delivery;

// the lock and the temporary file are the builder's from here on
void slt_dataset_builder_deliver(slt_dataset_builder *builder, const slt_delivery *delivery);

// A native file with the content of `path`, a choice of columns included: that path itself, or a
// temporary file, which the caller removes.
slt_status slt_data_as_native(slt_context *context, const char *path, char out[SLT_PATH],
                              bool *temporary);

// the file that holds the data, without a choice of columns: the path itself, or the HDF5 file of a
// Minari folder (minari.c)
void slt_data_file(const char *path, char out[SLT_PATH]);
// of that file and of the choice (data_checksum.c)
slt_status slt_data_checksum(const char *path, uint32_t *out);

// would slt_dataset_label write the format that the data came from? (write_labels.c)
slt_status slt_data_labels_back(const slt_dataset *data, const char *out, bool *back);

#endif
