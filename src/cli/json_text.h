// JSON on standard output: the one thing printf cannot do, quoted text.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_JSON_TEXT_H
#define SLT_CLI_JSON_TEXT_H

#include <stdio.h>

// prints the text in quotes, with escapes
static inline void cli_json_text(FILE *out, const char *text) {
    putc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 32)
            fprintf(out, "\\u%04x", *c);
        else
            putc(*c, out);
    }
    putc('"', out);
}

#endif
