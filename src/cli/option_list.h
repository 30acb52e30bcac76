// Lists of options as help shows them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_OPTION_LIST_H
#define SLT_CLI_OPTION_LIST_H

#include <stdio.h>
#include <string.h>
#include "slottar/option.h"

// the default: that of "key=value ..." where it is named there, else that of the row
static inline int cli_default_of(const slt_option *row, const char *settings, const char **out) {
    size_t length = strlen(row->name);
    for (*out = settings; **out; *out += strcspn(*out, " "), *out += strspn(*out, " "))
        if (strncmp(*out, row->name, length) == 0 && (*out)[length] == '=') {
            *out += length + 1;
            return (int)strcspn(*out, " ");
        }
    *out = row->fallback;
    return (int)strlen(row->fallback);
}

// a line per option: name, meaning, choices, default
static inline void cli_list_options(const slt_option *rows, const char *settings) {
    for (; rows && rows->name; rows++) {
        const char *text;
        int length = cli_default_of(rows, settings, &text);
        printf("  %-16s %s", rows->name, rows->help);
        if (rows->choices) printf(": %s", rows->choices);
        if (length) printf(" (default %.*s)", length, text);
        putchar('\n');
    }
}

#endif
