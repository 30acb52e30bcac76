// Options: one list makes the struct, the table, the command line's key=value, the YAML keys and
// the documentation. How to add one: docs/dev/add-option.md.
//
//     #define BAKE_OPTIONS(X)              (each line but the last ends with a backslash)
//         X(INT,    loaves, 3,    1, 100, NULL,         "number of loaves")
//         X(REAL,   heat,   0.75, 0, 1,   NULL,         "share of full heat")
//         X(BOOL,   salt,   true, 0, 0,   NULL,         "with salt")
//         X(CHOICE, flour,  rye,  0, 0,   "rye|wheat",  "kind of flour")
//         X(TEXT,   baker,  Ann,  0, 0,   NULL,         "who bakes")
//     SLT_OPTIONS_STRUCT(bake_options, BAKE_OPTIONS);                 // in the header
//     SLT_OPTIONS_TABLE(bake_rows, bake_options, BAKE_OPTIONS)        // in the source
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_OPTIONS_H
#define SLT_CORE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/text.h"
#include "slottar/context.h"
#include "slottar/option.h"

enum { SLT_OPTION_TEXT_SIZE = 512 }; // bytes of a text option, its zero included

// ---- struct and table from one list

#define SLT_OPTION_FIELD_INT(name)    int64_t name;
#define SLT_OPTION_FIELD_REAL(name)   double name;
#define SLT_OPTION_FIELD_BOOL(name)   bool name;
#define SLT_OPTION_FIELD_CHOICE(name) int name; // index into the choices
#define SLT_OPTION_FIELD_TEXT(name)   char name[SLT_OPTION_TEXT_SIZE];
#define SLT_OPTION_FIELD(type, name, fallback, low, high, choices, help)                           \
    SLT_OPTION_FIELD_##type(name)
#define SLT_OPTION_ROW(type, name, fallback, low, high, choices, help)                             \
    {#name, SLT_OPTION_##type, offsetof(slt_options_here, name), #fallback, low, high, choices,    \
     help},

// a struct without pointers: a copy is a copy
#define SLT_OPTIONS_STRUCT(struct_name, LIST)                                                      \
    typedef struct {                                                                               \
        LIST(SLT_OPTION_FIELD)                                                                     \
    } struct_name

// a function that gives the rows
#define SLT_OPTIONS_TABLE(function, struct_name, LIST)                                             \
    const slt_option *function(void) {                                                             \
        typedef struct_name slt_options_here;                                                      \
        static const slt_option rows[] = {                                                         \
            LIST(SLT_OPTION_ROW){NULL, 0, 0, NULL, 0, 0, NULL, NULL}};                             \
        return rows;                                                                               \
    }

// ---- values; a list of tables ends with rows NULL: {{bake_rows(), &bake}, {NULL, NULL}}

typedef struct {
    const slt_option *rows;
    void *values;
} slt_options;

// INTERNAL when a default breaks its own bounds
slt_status slt_options_defaults(const slt_options *tables);

// Sets one option, by its name or by an earlier one (option_names.c); messages hold the key, the
// value and what is wanted, and for a misspelled key or choice the nearest one. The values are
// unchanged on failure.
slt_status slt_option_set(const slt_options *tables, const char *key, const char *value);
// the same from "key=value"
slt_status slt_options_set(const slt_options *tables, const char *setting);
// the same for a user's setting: earlier names are logged; context NULL: not
slt_status slt_options_take(slt_context *context, const slt_options *tables, const char *setting);

// values of an option in the profiles default, reference and paper
typedef struct {
    const char *name, *value[3];
} slt_option_profile;
// sets the options of the list to their values in a profile
slt_status slt_options_profile(const slt_options *tables, const slt_option_profile *list,
                               size_t count, const char *profile);

// the value as text that slt_option_set reads back to the same bits
void slt_option_print(const slt_option *row, const void *values, slt_text *out);
// the same value in two structs of values?
bool slt_option_same(const slt_option *row, const void *a, const void *b);
// the name of a choice, for messages and files
const char *slt_option_choice(const slt_option *row, int index, char out[64]);

// a line "key: value" for each option
void slt_options_to_yaml(const slt_options *tables, slt_text *out);
// from a YAML text; `name` is the file's, for messages. Earlier names are logged; context NULL: not
slt_status slt_options_from_yaml(slt_context *context, const slt_options *tables, const char *name,
                                 const char *text, size_t length);
// from a YAML file; NULL: none
slt_status slt_options_read(slt_context *context, const slt_options *tables, const char *path);

// ---- options that were renamed (option_names.c)

// logs the current name of a key or a choice that is given by an earlier one
void slt_option_log_renamed(slt_context *context, const slt_options *tables, const char *key,
                            const char *value);
// the lines "key: value" of a file, with current names
void slt_option_current_lines(const char *text, slt_text *out);

// a Markdown table: option, values, default, meaning
void slt_options_to_markdown(const slt_option *rows, slt_text *out);

#endif
