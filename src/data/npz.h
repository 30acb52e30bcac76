// npz files (NumPy): a zip archive with an npy file for each array.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_NPZ_H
#define SLT_DATA_NPZ_H

#include "data/array_set.h"

// npy.c: the head of an npy file. Fills dtype, rank, shape, count and bytes of the array and gives
// the number of bytes before the data; refusals start with "path: name".
slt_status slt_npy_read(const char *path, const unsigned char *bytes, size_t size, slt_array *array,
                        size_t *front);
// a head of a multiple of 64 bytes
enum { SLT_NPY_HEAD = 512 };
slt_status slt_npy_write(const slt_array *array, unsigned char out[SLT_NPY_HEAD], size_t *size);

// npz_read.c: the arrays that an import knows; the texts of metadata_json become metadata
slt_status slt_npz_read(slt_array_set *set);

// npz_write.c: every array of a native file, and its metadata as metadata_json (JSON as u8 [n])
slt_status slt_npz_write(slt_context *context, const char *native, const char *out);

#endif
