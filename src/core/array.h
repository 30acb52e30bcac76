// A named array as files hold it: element type, shape, bytes. Shared by all formats.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_ARRAY_H
#define SLT_CORE_ARRAY_H

#include "core/memory.h"

// element types, in the order in which the Python package of safetensors lays them out (wide ones
// first): name in a safetensors file, bytes, descriptor in an npy file
// clang-format off
#define SLT_DTYPE_LIST(X) \
    X(U64,  8, "<u8") \
    X(I64,  8, "<i8") \
    X(F64,  8, "<f8") \
    X(F32,  4, "<f4") \
    X(U32,  4, "<u4") \
    X(I32,  4, "<i4") \
    X(BF16, 2, NULL)  \
    X(F16,  2, "<f2") \
    X(U16,  2, "<u2") \
    X(I16,  2, "<i2") \
    X(I8,   1, "|i1") \
    X(U8,   1, "|u1") \
    X(BOOL, 1, "|b1")
// clang-format on

typedef enum {
#define SLT_DTYPE_ENUM(name, bytes, npy) SLT_DTYPE_##name,
    SLT_DTYPE_LIST(SLT_DTYPE_ENUM)
#undef SLT_DTYPE_ENUM
        SLT_DTYPES
} slt_dtype;

enum { SLT_ARRAY_RANK = 8 }; // the most dimensions we read

typedef struct {
    const char *name;
    slt_dtype dtype;
    int rank;
    int64_t shape[SLT_ARRAY_RANK];
    size_t count;     // product of the shape, 1 for a scalar
    size_t bytes;     // count times the element's size
    const void *data; // little-endian, aligned to its elements; borrowed
} slt_array;

size_t slt_dtype_size(slt_dtype dtype);
const char *slt_dtype_name(slt_dtype dtype);
const char *slt_dtype_npy(slt_dtype dtype); // NULL when npy has no such type
bool slt_dtype_find(const char *name, slt_dtype *out);

// fills count and bytes from dtype, rank and shape; false on a negative size or an overflow
bool slt_array_measure(slt_array *array);

enum { SLT_SHAPE_TEXT = 192 };
// "[3, 4]", for messages; gives `out` back
const char *slt_shape_text(const int64_t *shape, int rank, char out[SLT_SHAPE_TEXT]);

#endif
