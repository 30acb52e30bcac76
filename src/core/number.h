// Numbers as text, whatever the host program's locale: the decimal point is a point. Everything
// else in the library that prints or reads floating-point numbers goes through here
// (tools/numbers).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_NUMBER_H
#define SLT_CORE_NUMBER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// the whole text is a number; false otherwise, for hexadecimal, infinity and NaN too
bool slt_number_whole(const char *text, int64_t *out);
bool slt_number_real(const char *text, double *out);

enum { SLT_NUMBER_TEXT = 40 };
// the shortest decimal that reads back as the same number; gives `out` back
const char *slt_number_print(double value, char out[SLT_NUMBER_TEXT]);

// strtod: the number at the start of a text
double slt_number_start(const char *text, char **end);

// snprintf, vsnprintf and sscanf
int slt_format(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int slt_format_list(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
int slt_scan(const char *text, const char *format, ...) __attribute__((format(scanf, 2, 3)));

#endif
