// Setting and printing options.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/error.h"
#include "core/file.h"
#include "core/edit_distance.h"
#include "core/number.h"
#include "core/yaml_config.h"

enum { SHOWN = 100 }; // characters of a key or value in a message

static void *field(const slt_option *row, void *values) { return (char *)values + row->offset; }

// ---- choices are "one|other"

// moves to the next choice: *at is NULL before the first; false after the last
static bool next_choice(const char *choices, const char **at, size_t *length) {
    const char *start = *at ? *at + *length : choices;
    if (*at && *start == 0) return false;
    if (*at) start++;
    *at = start;
    *length = strcspn(start, "|");
    return true;
}

const char *slt_option_choice(const slt_option *row, int index, char out[64]) {
    const char *at = NULL;
    size_t length = 0;
    for (int i = 0; next_choice(row->choices, &at, &length); i++)
        if (i == index) return snprintf(out, 64, "%.*s", (int)length, at), out;
    return snprintf(out, 64, "%d", index), out;
}

static slt_status refuse_choice(const slt_option *row, const char *value) {
    const char *at = NULL, *near = NULL;
    size_t length = 0, near_length = 0;
    int best = slt_name_limit(value);
    while (next_choice(row->choices, &at, &length))
        if (slt_name_nearer(value, at, length, &best)) near = at, near_length = length;
    char hint[80] = "";
    if (near) snprintf(hint, sizeof hint, "; did you mean '%.*s'?", (int)near_length, near);
    SLT_FAIL(SLT_INVALID, "%s=%.*s: expected one of %s%s", row->name, SHOWN, value, row->choices,
             hint);
}

static int find_choice(const slt_option *row, const char *value) {
    const char *at = NULL;
    size_t length = 0;
    for (int i = 0; next_choice(row->choices, &at, &length); i++)
        if (strlen(value) == length && strncmp(value, at, length) == 0) return i;
    return -1;
}

static slt_status set_choice(const slt_option *row, void *values, const char *value) {
    int index = find_choice(row, value);
    if (index < 0) index = find_choice(row, slt_option_current_value(row->name, value));
    if (index < 0) return refuse_choice(row, value);
    *(int *)field(row, values) = index;
    return SLT_OK;
}

// ---- the other types

static slt_status set_int(const slt_option *row, void *values, const char *value) {
    int64_t number;
    bool fits = slt_number_whole(value, &number) && (double)number >= row->low &&
                (double)number <= row->high;
    if (!fits)
        SLT_FAIL(SLT_INVALID, "%s=%.*s: expected a whole number from %.0f to %.0f", row->name,
                 SHOWN, value, row->low, row->high);
    *(int64_t *)field(row, values) = number;
    return SLT_OK;
}

static slt_status set_real(const slt_option *row, void *values, const char *value) {
    double number;
    char low[SLT_NUMBER_TEXT], high[SLT_NUMBER_TEXT];
    if (!slt_number_real(value, &number) || number < row->low || number > row->high)
        SLT_FAIL(SLT_INVALID, "%s=%.*s: expected a number from %s to %s", row->name, SHOWN, value,
                 slt_number_print(row->low, low), slt_number_print(row->high, high));
    *(double *)field(row, values) = number;
    return SLT_OK;
}

static slt_status set_bool(const slt_option *row, void *values, const char *value) {
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0) return *(bool *)field(row, values) = i % 2, SLT_OK;
    SLT_FAIL(SLT_INVALID, "%s=%.*s: expected true or false", row->name, SHOWN, value);
}

static slt_status set_text(const slt_option *row, void *values, const char *value) {
    size_t length = strlen(value);
    if (length >= SLT_OPTION_TEXT_SIZE)
        SLT_FAIL(SLT_INVALID, "%s=%.*s...: expected at most %d characters, not %zu", row->name,
                 SHOWN, value, SLT_OPTION_TEXT_SIZE - 1, length);
    // the rest is zeroed: equal options are equal bytes
    memset(field(row, values), 0, SLT_OPTION_TEXT_SIZE);
    memcpy(field(row, values), value, length);
    return SLT_OK;
}

typedef slt_status setter(const slt_option *row, void *values, const char *value);
static setter *const setters[] = {
    [SLT_OPTION_INT] = set_int,       [SLT_OPTION_REAL] = set_real, [SLT_OPTION_BOOL] = set_bool,
    [SLT_OPTION_CHOICE] = set_choice, [SLT_OPTION_TEXT] = set_text,
};

// ---- over all tables

slt_status slt_options_defaults(const slt_options *tables) {
    for (; tables->rows; tables++)
        for (const slt_option *row = tables->rows; row->name; row++)
            if (setters[row->type](row, tables->values, row->fallback) != SLT_OK)
                return slt_fail_in(SLT_INTERNAL, "default");
    return SLT_OK;
}

static slt_status refuse_key(const slt_options *tables, const char *key) {
    const char *near = NULL;
    int best = slt_name_limit(key);
    for (; tables->rows; tables++)
        for (const slt_option *row = tables->rows; row->name; row++)
            if (slt_name_nearer(key, row->name, strlen(row->name), &best)) near = row->name;
    if (near) SLT_FAIL(SLT_INVALID, "no option '%.*s'; did you mean '%s'?", SHOWN, key, near);
    SLT_FAIL(SLT_INVALID, "no option '%.*s'", SHOWN, key);
}

static const slt_options *find_table(const slt_options *tables, const char *key,
                                     const slt_option **out) {
    for (; tables->rows; tables++)
        for (const slt_option *row = tables->rows; row->name; row++)
            if (strcmp(row->name, key) == 0) return *out = row, tables;
    return NULL;
}

slt_status slt_option_set(const slt_options *tables, const char *key, const char *value) {
    const slt_option *row;
    const slt_options *table = find_table(tables, key, &row);
    if (!table) table = find_table(tables, slt_option_current_name(key), &row);
    return table ? setters[row->type](row, table->values, value) : refuse_key(tables, key);
}

slt_status slt_options_take(slt_context *context, const slt_options *tables, const char *setting) {
    char key[128];
    const char *equals = strchr(setting, '=');
    if (!equals || equals == setting || (size_t)(equals - setting) >= sizeof key)
        SLT_FAIL(SLT_INVALID, "'%.*s' is no key=value", SHOWN, setting);
    snprintf(key, sizeof key, "%.*s", (int)(equals - setting), setting);
    SLT_TRY(slt_option_set(tables, key, equals + 1));
    slt_option_log_renamed(context, tables, key, equals + 1);
    return SLT_OK;
}

slt_status slt_options_set(const slt_options *tables, const char *setting) {
    return slt_options_take(NULL, tables, setting);
}

slt_status slt_options_profile(const slt_options *tables, const slt_option_profile *list,
                               size_t count, const char *profile) {
    static const char *const names[] = {"default", "reference", "paper"};
    for (int column = 0; column < 3; column++) {
        if (strcmp(names[column], profile) != 0) continue;
        for (size_t i = 0; i < count; i++)
            SLT_TRY(slt_option_set(tables, list[i].name, list[i].value[column]));
        return SLT_OK;
    }
    SLT_FAIL(SLT_INVALID, "no profile '%s': default, reference or paper", profile);
}

// ---- printing

void slt_option_print(const slt_option *row, const void *values, slt_text *out) {
    const char *at = (const char *)values + row->offset;
    char text[64];
    switch (row->type) {
    case SLT_OPTION_INT:
        slt_text_add(out, "%" PRId64, *(const int64_t *)at);
        break;
    case SLT_OPTION_REAL:
        slt_text_add(out, "%s", slt_number_print(*(const double *)at, text));
        break;
    case SLT_OPTION_BOOL:
        slt_text_add(out, *(const bool *)at ? "true" : "false");
        break;
    case SLT_OPTION_CHOICE:
        slt_text_add(out, "%s", slt_option_choice(row, *(const int *)at, text));
        break;
    case SLT_OPTION_TEXT:
        slt_text_add(out, "%s", at);
        break;
    }
}

bool slt_option_same(const slt_option *row, const void *a, const void *b) {
    const char *x = (const char *)a + row->offset, *y = (const char *)b + row->offset;
    switch (row->type) {
    case SLT_OPTION_INT:
        return *(const int64_t *)x == *(const int64_t *)y;
    case SLT_OPTION_REAL:
        return *(const double *)x == *(const double *)y;
    case SLT_OPTION_BOOL:
        return *(const bool *)x == *(const bool *)y;
    case SLT_OPTION_CHOICE:
        return *(const int *)x == *(const int *)y;
    case SLT_OPTION_TEXT:
        return strcmp(x, y) == 0;
    }
    return false;
}

void slt_options_to_yaml(const slt_options *tables, slt_text *out) {
    for (; tables->rows; tables++)
        for (const slt_option *row = tables->rows; row->name; row++) {
            slt_text_add(out, "%s: ", row->name);
            if (row->type == SLT_OPTION_TEXT)
                slt_text_quote(out, (const char *)tables->values + row->offset);
            else
                slt_option_print(row, tables->values, out);
            slt_text_add(out, "\n");
        }
}

slt_status slt_options_from_yaml(slt_context *context, const slt_options *tables, const char *name,
                                 const char *text, size_t length) {
    slt_arena arena;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    slt_yaml yaml;
    slt_status status = slt_yaml_parse(&arena, name, text, length, &yaml);
    for (size_t i = 0; status == SLT_OK && i < yaml.count; i++) {
        const slt_yaml_entry *entry = &yaml.entries[i];
        if (entry->is_list)
            status =
                slt_fail(SLT_INVALID, "'%.*s' is a list, one value is wanted", SHOWN, entry->key);
        else
            status = slt_option_set(tables, entry->key, entry->values[0]);
        if (status == SLT_OK) {
            slt_option_log_renamed(context, tables, entry->key, entry->values[0]);
            continue;
        }
        char where[320];
        snprintf(where, sizeof where, "%.280s:%d", name, entry->line);
        status = slt_fail_in(status, where);
    }
    slt_arena_deinit(&arena);
    return status;
}

slt_status slt_options_read(slt_context *context, const slt_options *tables, const char *path) {
    slt_map map;
    if (!path) return SLT_OK;
    SLT_TRY(slt_map_open(path, &map));
    slt_status status =
        slt_options_from_yaml(context, tables, path, (const char *)map.data, map.size);
    slt_map_close(&map);
    return status;
}

// ---- documentation

static void describe_values(const slt_option *row, slt_text *out) {
    char low[SLT_NUMBER_TEXT], high[SLT_NUMBER_TEXT];
    const char *at = NULL;
    size_t length = 0;
    switch (row->type) {
    case SLT_OPTION_INT:
        slt_text_add(out, "%.0f … %.0f", row->low, row->high);
        break;
    case SLT_OPTION_REAL:
        slt_text_add(out, "%s … %s", slt_number_print(row->low, low),
                     slt_number_print(row->high, high));
        break;
    case SLT_OPTION_BOOL:
        slt_text_add(out, "true, false");
        break;
    case SLT_OPTION_CHOICE:
        while (next_choice(row->choices, &at, &length))
            slt_text_add(out, "%s%.*s", at == row->choices ? "" : ", ", (int)length, at);
        break;
    case SLT_OPTION_TEXT:
        slt_text_add(out, "text");
        break;
    }
}

void slt_options_to_markdown(const slt_option *rows, slt_text *out) {
    slt_text_add(out, "| option | values | default | meaning |\n|---|---|---|---|\n");
    for (const slt_option *row = rows; row->name; row++) {
        slt_text_add(out, "| `%s` | ", row->name);
        describe_values(row, out);
        slt_text_add(out, " | %s | %s |\n", row->fallback, row->help);
    }
}
