// A golden file in memory, and the counters of a verification.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_VERIFY_GOLDEN_H
#define SLT_VERIFY_GOLDEN_H

#include <jansson.h>
#include "core/context_impl.h"
#include "verify/verify.h"

// the file's bytes (unpacked when it was gzip), zero-terminated
typedef struct {
    const char *path;
    const char *text;
    size_t length;
    json_t *head;  // the first line as JSON, or the whole text when that is one document; else NULL
    bool is_lines; // head is the first line
} slt_golden;

typedef struct {
    slt_context *context;
    slt_arena *arena; // lives as long as the verification
    slt_verify_result *result;
    const char *where; // a prefix for the first mismatch, set by the kind ("seed 7"); may be NULL
} slt_verification;

// a kind of golden file: knows looks at the content only; run compares everything in it
typedef struct {
    const char *kind;
    bool (*knows)(const slt_golden *golden);
    slt_status (*run)(slt_verification *verification, const slt_golden *golden);
} slt_verify_kind;

// walks the JSON lines: sets *line to a new reference (the caller's json_decref), NULL at the end
slt_status slt_golden_next(const slt_golden *golden, size_t *offset, json_t **line);

// each counts one comparison and keeps the first mismatch in words
void slt_verify_same(slt_verification *verification, int64_t want, int64_t got, const char *what);
void slt_verify_text(slt_verification *verification, const char *want, const char *got,
                     const char *what);
// |want - got| <= tolerance*scale; the error counted is |want-got|/scale
void slt_verify_near(slt_verification *verification, double want, double got, double tolerance,
                     double scale, const char *what);

#endif
