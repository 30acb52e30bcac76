// A locale with a decimal comma, made in the test's folder: few machines have one installed.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_COMMA_LOCALE_H
#define SLT_TESTS_COMMA_LOCALE_H

#include <locale.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"

// as a Qt or GTK program does at its start
static inline void use_comma_locale(void) {
    char folder[4096], text[8];
    int made = system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >localedef.log 2>&1");
    assert_non_null(getcwd(folder, sizeof folder));
    assert_int_equal(setenv("LOCPATH", folder, 1), 0);
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        fail_msg("localedef (%d) made no locale: see %s/localedef.log; 'make deps' installs "
                 "what it needs",
                 made, folder);
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
}

#endif
