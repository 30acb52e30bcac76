// Lists of options as help shows them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_OPTION_LIST_H
#define SLT_CLI_OPTION_LIST_H

#include <stdio.h>
#include "slottar/option.h"

// a line per option: name, meaning, choices, default
static inline void cli_list_options(const slt_option *rows) {
    for (; rows && rows->name; rows++) {
        printf("  %-16s %s", rows->name, rows->help);
        if (rows->choices) printf(": %s", rows->choices);
        if (*rows->fallback) printf(" (default %s)", rows->fallback);
        putchar('\n');
    }
}

#endif
