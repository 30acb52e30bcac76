// Reading what a search varies: "a,b,c", "low..high", "log:low..high", or a list of a YAML file.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "core/number.h"
#include "core/yaml_config.h"
#include "train/sweep/sweep_plan.h"

SLT_OPTIONS_TABLE(slt_sweep_options_of, slt_sweep_options, SLT_SWEEP_OPTIONS)

enum { MOST_VALUES = 1000, MOST_AXES = 200 };

static const slt_option *find_row(const slt_option *rows, const char *key) {
    for (; rows->name; rows++)
        if (strcmp(rows->name, key) == 0) return rows;
    return NULL;
}

// the row of an option that may vary; NULL for another
static const slt_option *find_option(slt_sweep_plan *plan, const char *key) {
    slt_options tables[3];
    slt_setup_tables(&plan->setup, tables);
    const slt_option *row = NULL;
    for (const slt_options *table = tables; table->rows && !row; table++)
        row = find_row(table->rows, key);
    return row;
}

// ---- values

// the value is one that the option takes; a misspelled key is refused with the nearest name
static slt_status check_value(slt_sweep_plan *plan, const char *key, const char *value) {
    slt_options tables[4];
    slt_setup scratch = plan->setup;
    slt_sweep_options options = plan->options;
    slt_setup_tables(&scratch, tables);
    tables[2] = (slt_options){slt_sweep_options_of(), &options};
    tables[3] = (slt_options){NULL, NULL};
    return slt_option_set(tables, key, value);
}

static slt_status read_range(slt_sweep_plan *plan, const slt_option *row, const char *text,
                             slt_sweep_axis *axis) {
    const char *dots = strstr(text, "..");
    axis->logarithmic = strncmp(text, "log:", 4) == 0;
    const char *from = axis->logarithmic ? text + 4 : text;
    char *low, *high;
    SLT_TRY(slt_arena_text(plan->arena, from, (size_t)(dots - from), &low));
    SLT_TRY(slt_arena_text(plan->arena, dots + 2, strlen(dots + 2), &high));
    SLT_TRY(check_value(plan, axis->key, low));
    SLT_TRY(check_value(plan, axis->key, high));
    axis->is_range = true;
    axis->whole = row->type == SLT_OPTION_INT;
    if (!slt_number_real(low, &axis->low) || !slt_number_real(high, &axis->high) ||
        axis->low >= axis->high)
        SLT_FAIL(SLT_INVALID, "%s=%s: a range goes from a smaller number to a larger one",
                 axis->key, text);
    if (axis->logarithmic && (axis->low <= 0 || axis->whole))
        SLT_FAIL(SLT_INVALID, "%s=%s: a logarithmic range is of real numbers above 0", axis->key,
                 text);
    return SLT_OK;
}

// words between commas; an option that is a text has one value: it may hold commas itself
static slt_status split(slt_sweep_plan *plan, const slt_option *row, const char *text,
                        slt_sweep_axis *axis) {
    const char **values;
    SLT_TRY(SLT_NEW(plan->arena, &values, MOST_VALUES));
    for (const char *word = text;; axis->count++) {
        size_t length = row->type == SLT_OPTION_TEXT ? strlen(word) : strcspn(word, ",");
        char *copy;
        if (axis->count == MOST_VALUES)
            SLT_FAIL(SLT_INVALID, "%s: more than %d values", axis->key, MOST_VALUES);
        SLT_TRY(slt_arena_text(plan->arena, word, length, &copy));
        SLT_TRY(check_value(plan, axis->key, copy));
        values[axis->count] = copy;
        if (!word[length]) break;
        word += length + 1;
    }
    axis->count++;
    axis->values = values;
    return SLT_OK;
}

static slt_status read_values(slt_sweep_plan *plan, const char *text, slt_sweep_axis *axis) {
    const slt_option *row = find_option(plan, axis->key);
    if (!row) return check_value(plan, axis->key, text); // refused, with the nearest name
    bool number = row->type == SLT_OPTION_INT || row->type == SLT_OPTION_REAL;
    if (number && strstr(text, "..")) return read_range(plan, row, text, axis);
    return split(plan, row, text, axis);
}

// ---- axes

// the place of a key: what comes later says the last word, in the place of the first
static slt_status axis_of(slt_sweep_plan *plan, const char *key, slt_sweep_axis **out) {
    key = slt_option_current_name(key);
    for (int i = 0; i < plan->axis_count; i++)
        if (strcmp(plan->axes[i].key, key) == 0) {
            *out = &plan->axes[i];
            **out = (slt_sweep_axis){.key = plan->axes[i].key};
            return SLT_OK;
        }
    if (plan->axis_count == MOST_AXES) SLT_FAIL(SLT_INVALID, "more than %d settings", MOST_AXES);
    *out = &plan->axes[plan->axis_count++];
    (*out)->key = key;
    return SLT_OK;
}

static slt_status add_entry(slt_sweep_plan *plan, const slt_yaml_entry *entry) {
    slt_sweep_axis *axis = NULL;
    if (find_row(slt_sweep_options_of(), entry->key)) return SLT_OK; // read before
    SLT_TRY(axis_of(plan, entry->key, &axis));
    if (!entry->is_list) return read_values(plan, entry->values[0], axis);
    if (entry->count == 0 || entry->count > MOST_VALUES)
        SLT_FAIL(SLT_INVALID, "%s: a list of %zu values", axis->key, entry->count);
    for (size_t i = 0; i < entry->count; i++)
        SLT_TRY(check_value(plan, axis->key, entry->values[i]));
    axis->values = entry->values;
    axis->count = (int)entry->count;
    return SLT_OK;
}

static slt_status add_setting(slt_sweep_plan *plan, const char *setting) {
    char *key;
    slt_sweep_axis *axis = NULL;
    const char *equals = strchr(setting, '=');
    if (!equals || equals == setting) SLT_FAIL(SLT_INVALID, "'%.100s' is no key=value", setting);
    SLT_TRY(slt_arena_text(plan->arena, setting, (size_t)(equals - setting), &key));
    if (find_row(slt_sweep_options_of(), key)) return SLT_OK; // read before
    SLT_TRY(axis_of(plan, key, &axis));
    return read_values(plan, equals + 1, axis);
}

// ---- the options of the search

static slt_status set_option(slt_sweep_plan *plan, const char *key, const char *value) {
    slt_options tables[] = {{slt_sweep_options_of(), &plan->options}, {NULL, NULL}};
    if (!value || !find_row(slt_sweep_options_of(), key)) return SLT_OK;
    return slt_option_set(tables, key, value);
}

static slt_status read_options(slt_sweep_plan *plan, const slt_sweep_request *request,
                               const slt_yaml *yaml) {
    slt_options tables[] = {{slt_sweep_options_of(), &plan->options}, {NULL, NULL}};
    SLT_TRY(slt_options_defaults(tables));
    for (size_t i = 0; i < yaml->count; i++)
        if (!yaml->entries[i].is_list)
            SLT_TRY(set_option(plan, yaml->entries[i].key, yaml->entries[i].values[0]));
        else if (find_row(slt_sweep_options_of(), yaml->entries[i].key))
            SLT_FAIL(SLT_INVALID, "%s:%d: '%s' has one value, not a list", request->spec,
                     yaml->entries[i].line, yaml->entries[i].key);
    for (int i = 0; i < request->setting_count; i++) {
        char key[64];
        size_t length = strcspn(request->settings[i], "=");
        snprintf(key, sizeof key, "%.*s", (int)length, request->settings[i]);
        if (request->settings[i][length])
            SLT_TRY(set_option(plan, key, request->settings[i] + length + 1));
    }
    SLT_TRY(set_option(plan, "model", request->model));
    SLT_TRY(set_option(plan, "data", request->data));
    SLT_TRY(set_option(plan, "profile", request->profile));
    return set_option(plan, "preset", request->preset);
}

static const char *or_null(const char *text) { return *text ? text : NULL; }

slt_status slt_sweep_axes_read(slt_sweep_plan *plan, const slt_sweep_request *request) {
    slt_yaml yaml = {0};
    if (request->spec) SLT_TRY(slt_yaml_load(plan->arena, request->spec, &yaml));
    SLT_TRY(read_options(plan, request, &yaml));
    const slt_sweep_options *o = &plan->options;
    if (!*o->model || !*o->data) SLT_FAIL(SLT_INVALID, "a search needs a model and a data set");
    SLT_TRY(slt_setup_init(&plan->setup, o->model, or_null(o->profile), or_null(o->preset)));
    SLT_TRY(SLT_NEW(plan->arena, &plan->axes, MOST_AXES));
    for (size_t i = 0; i < yaml.count; i++) {
        slt_status status = add_entry(plan, &yaml.entries[i]);
        char where[320];
        snprintf(where, sizeof where, "%.280s:%d", request->spec, yaml.entries[i].line);
        if (status != SLT_OK) return slt_fail_in(status, where);
    }
    for (int i = 0; i < request->setting_count; i++)
        SLT_TRY(add_setting(plan, request->settings[i]));
    return SLT_OK;
}
