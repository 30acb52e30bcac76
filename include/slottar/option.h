// What an option is: one row gives a field of a struct, a key=value on the command line, a key of a
// YAML file, a Python keyword and a line of documentation.
//
//     for (const slt_option *option = slt_train_options_of("slottar", 0); option->name; option++)
//         printf("%s=%s  %s\n", option->name, option->fallback, option->help);
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_OPTION_H
#define SLOTTAR_OPTION_H

#include <stddef.h>
#include "slottar/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    SLT_OPTION_INT,
    SLT_OPTION_REAL,
    SLT_OPTION_BOOL,
    SLT_OPTION_CHOICE,
    SLT_OPTION_TEXT,
} slt_option_type;

// A list of options ends with a row whose name is NULL. All texts are static.
typedef struct {
    const char *name;
    slt_option_type type;
    size_t offset;        // of the field in the struct of values; for the library
    const char *fallback; // the default, as text
    double low, high;     // bounds of whole and real numbers
    const char *choices;  // "one|other" for SLT_OPTION_CHOICE, else NULL
    const char *help;
} slt_option;

// Options that were renamed are still accepted by their earlier names. These give the current name
// of an option, and of a choice of the option with that (current) name; a text that was not renamed
// is returned as it is.
SLT_API const char *slt_option_current_name(const char *name);
SLT_API const char *slt_option_current_value(const char *name, const char *value);

#ifdef __cplusplus
}
#endif
#endif
