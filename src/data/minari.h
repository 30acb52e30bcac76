// Minari data sets: main_data.hdf5 with metadata.json next to it, in OUT/data; and plain HDF5 files
// of Minari, robomimic and D4RL.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_MINARI_H
#define SLT_DATA_MINARI_H

#include "data/array_set.h"

// an HDF5 file, or a folder with main_data.hdf5 or data/main_data.hdf5
bool slt_minari_knows(const char *path);
slt_status slt_minari_read(slt_array_set *set);
// a folder, or a file when the name ends in .hdf5 or .h5
slt_status slt_minari_write(slt_context *context, const char *native, const char *out);

// minari_json.c: metadata.json
slt_status slt_minari_read_json(slt_array_set *set, const char *path);
slt_status slt_minari_write_json(slt_context *context, const char *native, const char *out,
                                 const char *id);

#endif
