// Proof that this build agrees with the reference programs.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_VERIFY_H
#define SLOTTAR_VERIFY_H

#include <stdint.h>
#include "slottar/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *kind;             // what the file holds; static text
    uint64_t checked, mismatches; // values compared, and those that differ
    double max_error;             // largest difference, in units of the tolerance's scale
    char first[256];              // the first mismatch in words; "" when there is none
} slt_verify_result;

// Reads a golden file (known by its content, not by its name), computes everything in it again and
// compares. Mismatches are counted in the result and are no failure of the call; FORMAT when the
// file is of no known kind.
slt_status slt_verify_file(slt_context *context, const char *path, slt_verify_result *result);

#ifdef __cplusplus
}
#endif
#endif
