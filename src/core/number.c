// Numbers as text.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// glibc hands out one static object for "C"
static locale_t plain(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

bool slt_number_whole(const char *text, int64_t *out) {
    char *end;
    if (text[strspn(text, "+-0123456789")]) return false; // no blanks in front
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || end == text || *end) return false;
    *out = value;
    return true;
}

double slt_number_start(const char *text, char **end) {
    locale_t locale = plain();
    double value = strtod_l(text, end, locale);
    freelocale(locale);
    return value;
}

bool slt_number_real(const char *text, double *out) {
    char *end;
    if (text[strspn(text, "+-.0123456789eE")]) return false;
    double value = slt_number_start(text, &end);
    if (end == text || *end || !isfinite(value)) return false;
    *out = value;
    return true;
}

const char *slt_number_print(double value, char out[SLT_NUMBER_TEXT]) {
    for (int digits = 1; digits <= 17; digits++) {
        slt_format(out, SLT_NUMBER_TEXT, "%.*g", digits, value);
        if (slt_number_start(out, NULL) == value) break;
    }
    return out;
}

// the locale of the calling thread alone; other threads and the host's setlocale are untouched
int slt_format_list(char *out, size_t size, const char *format, va_list arguments) {
    locale_t locale = plain(), before = uselocale(locale);
    int length = vsnprintf(out, size, format, arguments);
    uselocale(before);
    freelocale(locale);
    return length;
}

int slt_format(char *out, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = slt_format_list(out, size, format, arguments);
    va_end(arguments);
    return length;
}

int slt_scan(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    locale_t locale = plain(), before = uselocale(locale);
    int count = vsscanf(text, format, arguments);
    uselocale(before);
    freelocale(locale);
    va_end(arguments);
    return count;
}
