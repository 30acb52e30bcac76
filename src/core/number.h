// Numbers as text, whatever the host program's locale.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_NUMBER_H
#define SLT_CORE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

// the whole text is a number; false otherwise, for hexadecimal, infinity and NaN too
bool slt_number_whole(const char *text, int64_t *out);
bool slt_number_real(const char *text, double *out);

enum { SLT_NUMBER_TEXT = 40 };
// the shortest decimal that reads back as the same number; gives `out` back
const char *slt_number_print(double value, char out[SLT_NUMBER_TEXT]);

#endif
