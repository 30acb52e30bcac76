// Loaded before a program (LD_PRELOAD), it sets the locale TEST_LOCALE as a Qt or GTK host does, so
// that the program's tests run with its decimal comma. tests/comma_locale makes the locale.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void set_locale(void) {
    const char *name = getenv("TEST_LOCALE");
    if (!name || !*name) return;
    if (setlocale(LC_ALL, name) && localeconv()->decimal_point[0] == ',') return;
    fprintf(stderr, "host_locale: no locale '%s' with a decimal comma\n", name);
    abort();
}
