// Options and choices that were renamed: the earlier spelling is still accepted, in settings, in
// YAML files and in checkpoints. A row per name.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "core/context_impl.h"
#include "core/options.h"

// option: NULL for the name of an option, else the option whose choice was renamed
static const struct {
    const char *option, *before, *now;
} names[] = {
    {NULL, "slack", "prior_spread"},   {NULL, "starts", "init"},
    {NULL, "thin", "prune_margin"},    {NULL, "head", "boundary_input"},
    {NULL, "cuts", "boundaries"},      {"boundaries", "paid", "coded"},
    {NULL, "toll", "exception_cost"},  {NULL, "price", "code_cost"},
    {NULL, "spread", "boundary_init"}, {"slot_pad", "uniform", "reference"},
    {NULL, "parts", "minibatches"},    {NULL, "lap", "eval_interval"},
    {NULL, "judged", "eval_episodes"},
};

static const char *now(const char *option, const char *word) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool same =
            option ? names[i].option && strcmp(names[i].option, option) == 0 : !names[i].option;
        if (same && strcmp(names[i].before, word) == 0) return names[i].now;
    }
    return word;
}

const char *slt_option_current_name(const char *name) { return now(NULL, name); }

const char *slt_option_current_value(const char *name, const char *value) {
    return now(name, value);
}

static bool has(const slt_options *tables, const char *key) {
    for (; tables->rows; tables++)
        for (const slt_option *row = tables->rows; row->name; row++)
            if (strcmp(row->name, key) == 0) return true;
    return false;
}

void slt_option_log_renamed(slt_context *context, const slt_options *tables, const char *key,
                            const char *value) {
    const char *name = slt_option_current_name(key);
    const char *choice = slt_option_current_value(name, value);
    if (!context || !has(tables, name)) return;
    if (name != key && !has(tables, key))
        slt_context_log(context, SLT_LOG_INFO, "note: option '%s' is now called '%s'", key, name);
    if (choice != value)
        slt_context_log(context, SLT_LOG_INFO, "note: %s=%s is now called %s=%s", name, value, name,
                        choice);
}

static void put_line(slt_text *out, const char *line, size_t length) {
    char key[128], value[640];
    const char *colon = memchr(line, ':', length);
    size_t size = colon ? (size_t)(colon - line) : 0;
    bool is_setting = size && size < sizeof key && length >= size + 2 &&
                      length - size - 2 < sizeof value && colon[1] == ' ';
    if (!is_setting) {
        slt_text_add(out, "%.*s\n", (int)length, line);
        return;
    }
    snprintf(key, sizeof key, "%.*s", (int)size, line);
    snprintf(value, sizeof value, "%.*s", (int)(length - size - 2), line + size + 2);
    const char *name = slt_option_current_name(key);
    slt_text_add(out, "%s: %s\n", name, slt_option_current_value(name, value));
}

void slt_option_current_lines(const char *text, slt_text *out) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        put_line(out, text, length);
        text += length + (text[length] != 0);
    }
}
