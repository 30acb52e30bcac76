// The head of an npy file: magic, version, length, and a Python dict
//     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// Reference: numpy.lib.format.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "data/npz.h"

// the dict's text, read from left to right
typedef struct {
    const char *at, *end;
} scan;

static void blanks(scan *text) {
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n')) text->at++;
}

// takes the word when it comes next
static bool word(scan *text, const char *wanted) {
    blanks(text);
    size_t length = strlen(wanted);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, wanted, length) != 0)
        return false;
    text->at += length;
    return true;
}

// a text in single or double quotes, without escapes
static bool quoted(scan *text, char out[24]) {
    blanks(text);
    if (text->at >= text->end || (*text->at != '\'' && *text->at != '"')) return false;
    char quote = *text->at++;
    size_t length = 0;
    while (text->at < text->end && *text->at != quote && length < 23) out[length++] = *text->at++;
    out[length] = 0;
    return text->at < text->end && *text->at++ == quote;
}

static bool size(scan *text, int64_t *out) {
    blanks(text);
    int digits = 0;
    for (*out = 0; text->at < text->end && *text->at >= '0' && *text->at <= '9'; digits++) {
        if (__builtin_mul_overflow(*out, 10, out)) return false;
        if (__builtin_add_overflow(*out, *text->at++ - '0', out)) return false;
    }
    if (digits && text->at < text->end && *text->at == 'L') text->at++; // Python 2
    return digits > 0;
}

static bool shape(scan *text, slt_array *array) {
    array->rank = 0;
    if (!word(text, "(")) return false;
    while (!word(text, ")")) {
        if (array->rank == SLT_ARRAY_RANK || !size(text, &array->shape[array->rank++]))
            return false;
        if (!word(text, ",")) return word(text, ")");
    }
    return true;
}

static slt_status type(const char *path, const char *descr, slt_array *array) {
    // one byte has no order
    for (int i = 0; i < SLT_DTYPES; i++) {
        const char *npy = slt_dtype_npy((slt_dtype)i);
        if (!npy) continue;
        bool same = slt_dtype_size((slt_dtype)i) == 1
                        ? strcmp(npy + 1, descr + (descr[0] != 0)) == 0
                        : strcmp(npy, descr) == 0;
        if (same) return array->dtype = (slt_dtype)i, SLT_OK;
    }
    SLT_FAIL(SLT_FORMAT, "%s: %s: type '%s' is not read (little-endian numbers are)", path,
             array->name, descr);
}

static slt_status dict(const char *path, scan *text, slt_array *array) {
    char key[24], descr[24] = "";
    bool fortran = false, has_shape = false, fine = word(text, "{");
    while (fine && !word(text, "}")) {
        fine = quoted(text, key) && word(text, ":");
        if (fine && strcmp(key, "descr") == 0)
            fine = quoted(text, descr);
        else if (fine && strcmp(key, "fortran_order") == 0)
            fine = (fortran = word(text, "True")) || word(text, "False");
        else if (fine && strcmp(key, "shape") == 0)
            fine = has_shape = shape(text, array);
        else
            fine = false;
        if (fine && !word(text, ",")) fine = word(text, "}"), text->at -= fine;
    }
    if (!fine || !has_shape || !descr[0])
        SLT_FAIL(SLT_FORMAT, "%s: %s: bad npy header", path, array->name);
    SLT_TRY(type(path, descr, array));
    if (fortran && array->rank > 1)
        SLT_FAIL(SLT_FORMAT, "%s: %s: Fortran order is not read", path, array->name);
    return SLT_OK;
}

slt_status slt_npy_read(const char *path, const unsigned char *bytes, size_t size_,
                        slt_array *array, size_t *front) {
    size_t prefix = size_ > 6 && bytes[6] > 1 ? 12 : 10;
    if (size_ < prefix || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 3)
        SLT_FAIL(SLT_FORMAT, "%s: %s: no npy file", path, array->name);
    size_t length = bytes[8] + 256u * bytes[9];
    if (prefix == 12) length += 65536u * bytes[10] + 16777216u * (size_t)bytes[11];
    if (length > size_ - prefix || length > 1 << 16)
        SLT_FAIL(SLT_FORMAT, "%s: %s: npy header of %zu bytes does not fit", path, array->name,
                 length);
    const char *text = (const char *)bytes + prefix;
    SLT_TRY(dict(path, &(scan){text, text + length}, array));
    char is[SLT_SHAPE_TEXT];
    size_t left = size_ - prefix - length;
    if (!slt_array_measure(array) || array->bytes != left)
        SLT_FAIL(SLT_FORMAT, "%s: %s: shape %s of %s does not fit the %zu bytes of data", path,
                 array->name, slt_shape_text(array->shape, array->rank, is),
                 slt_dtype_name(array->dtype), left);
    *front = prefix + length;
    return SLT_OK;
}

slt_status slt_npy_write(const slt_array *array, unsigned char out[SLT_NPY_HEAD], size_t *bytes) {
    const char *descr = slt_dtype_npy(array->dtype);
    if (!descr)
        SLT_FAIL(SLT_UNSUPPORTED, "tensor '%s': npy has no type %s", array->name,
                 slt_dtype_name(array->dtype));
    char text[SLT_NPY_HEAD];
    int at =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < array->rank; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%" PRId64 "%s", array->shape[i],
                       i + 1 < array->rank ? ", "
                       : array->rank == 1  ? ","
                                           : "");
    at += snprintf(text + at, sizeof text - (size_t)at, "), }");
    // blanks and a line end, up to a multiple of 64
    size_t total = ((size_t)at + 11 + 63) / 64 * 64, length = total - 10;
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (unsigned char)length;
    out[9] = (unsigned char)(length >> 8);
    memcpy(out + 10, text, (size_t)at);
    memset(out + 10 + at, ' ', length - (size_t)at);
    out[total - 1] = '\n';
    *bytes = total;
    return SLT_OK;
}
