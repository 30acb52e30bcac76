// Reading golden files and counting comparisons.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/golden.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

slt_status slt_golden_next(const slt_golden *golden, size_t *offset, json_t **line) {
    *line = NULL;
    while (*offset < golden->length) {
        const char *start = golden->text + *offset;
        const char *end = memchr(start, '\n', golden->length - *offset);
        size_t length = end ? (size_t)(end - start) : golden->length - *offset;
        *offset += length + 1;
        if (length == 0) continue;
        json_error_t error;
        *line = json_loadb(start, length, JSON_ALLOW_NUL, &error);
        if (!*line) SLT_FAIL(SLT_FORMAT, "%s: bad JSON line: %s", golden->path, error.text);
        return SLT_OK;
    }
    return SLT_OK;
}

// counts; true when this is the first mismatch and wants words
static bool count(slt_verification *verification, bool same) {
    slt_verify_result *result = verification->result;
    result->checked++;
    if (same) return false;
    return ++result->mismatches == 1;
}

#define SAY(verification, format, ...)                                                             \
    snprintf((verification)->result->first, sizeof(verification)->result->first, "%s%s" format,    \
             (verification)->where ? (verification)->where : "",                                   \
             (verification)->where ? ": " : "", __VA_ARGS__)

void slt_verify_same(slt_verification *verification, int64_t want, int64_t got, const char *what) {
    if (count(verification, want == got))
        SAY(verification, "%s is %lld, not %lld", what, (long long)got, (long long)want);
    double error = fabs((double)want - (double)got);
    if (error > verification->result->max_error) verification->result->max_error = error;
}

void slt_verify_text(slt_verification *verification, const char *want, const char *got,
                     const char *what) {
    if (count(verification, strcmp(want, got) == 0))
        SAY(verification, "%s is '%.80s', not '%.80s'", what, got, want);
}

void slt_verify_near(slt_verification *verification, double want, double got, double tolerance,
                     double scale, const char *what) {
    double error = fabs(want - got) / scale;
    bool same = want == got || error <= tolerance; // false for NaN
    if (count(verification, same)) SAY(verification, "%s is %.9g, not %.9g", what, got, want);
    if (want != got && !(error <= verification->result->max_error))
        verification->result->max_error = error;
}
