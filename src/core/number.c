// Numbers as text.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
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

bool slt_number_real(const char *text, double *out) {
    char *end;
    if (text[strspn(text, "+-.0123456789eE")]) return false;
    locale_t locale = plain();
    double value = strtod_l(text, &end, locale);
    freelocale(locale);
    if (end == text || *end || !isfinite(value)) return false;
    *out = value;
    return true;
}

const char *slt_number_print(double value, char out[SLT_NUMBER_TEXT]) {
    locale_t locale = plain(), before = uselocale(locale);
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, SLT_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    uselocale(before);
    freelocale(locale);
    return out;
}
