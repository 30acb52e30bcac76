// Paths with a choice of columns.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/source.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/error.h"

static const char *const keys[] = {"actions", "observations", "episode"};
enum { KEYS = sizeof keys / sizeof *keys };

// ---- writing

// what would end a choice, or the folder of a path, is written as %XX
static bool put(char *out, size_t size, size_t *at, const char *text) {
    for (; *text; text++) {
        bool plain = !strchr("%&?/", *text);
        int length = snprintf(out + *at, size - *at, plain ? "%c" : "%%%02X", *text);
        if (*at + (size_t)length >= size) return false;
        *at += (size_t)length;
    }
    return true;
}

slt_status slt_dataset_source(const char *path, const slt_dataset_columns *columns, char *out,
                              size_t size) {
    const char *const values[KEYS] = {columns->actions, columns->observations, columns->episode};
    size_t at = strlen(path);
    bool fits = at < size, chosen = false;
    if (fits) memcpy(out, path, at + 1);
    for (int i = 0; fits && i < KEYS; i++) {
        if (!values[i]) continue;
        int length = snprintf(out + at, size - at, "%c%s=", chosen ? '&' : '?', keys[i]);
        chosen = true;
        fits = at + (size_t)length < size;
        at += (size_t)length;
        fits = fits && put(out, size, &at, values[i]);
    }
    if (!fits) SLT_FAIL(SLT_INVALID, "%.200s: path and patterns are too long", path);
    return SLT_OK;
}

// ---- reading

static void decode(char *text) {
    char *to = text;
    for (; *text; text++) {
        char digits[3] = {0}, *end = digits;
        if (text[0] == '%' && text[1] && text[2]) memcpy(digits, text + 1, 2);
        long value = digits[0] ? strtol(digits, &end, 16) : 0;
        bool coded = end == digits + 2 && value > 0;
        *to++ = coded ? (char)value : *text;
        if (coded) text += 2;
    }
    *to = 0;
}

static slt_status read_choice(char *choice, slt_data_source *out) {
    const char **const values[KEYS] = {&out->actions, &out->observations, &out->episode};
    char *equals = strchr(choice, '=');
    if (equals) *equals = 0;
    for (int i = 0; equals && i < KEYS; i++)
        if (strcmp(choice, keys[i]) == 0) {
            decode(equals + 1);
            *values[i] = equals + 1;
            return SLT_OK;
        }
    SLT_FAIL(SLT_INVALID,
             "%.200s: '%.60s' chooses nothing; there are actions=, observations= and episode=",
             out->path, choice);
}

slt_status slt_data_source_read(const char *text, slt_data_source *out) {
    out->actions = out->observations = out->episode = NULL;
    size_t length = strlen(text), path = strcspn(text, "?");
    if (length >= SLT_PATH) SLT_FAIL(SLT_INVALID, "file name is too long");
    if (text[path] && access(text, F_OK) == 0) path = length;
    memcpy(out->path, text, path);
    out->path[path] = 0;
    if (path == length) return SLT_OK;
    strcpy(out->text, text + path + 1);
    for (char *choice = out->text, *next; choice; choice = next) {
        next = strchr(choice, '&');
        if (next) *next++ = 0;
        SLT_TRY(read_choice(choice, out));
    }
    return SLT_OK;
}

bool slt_pattern_matches(const char *patterns, const char *name) {
    while (*patterns) {
        char one[256];
        size_t length = strcspn(patterns, ",");
        if (length && length < sizeof one) {
            memcpy(one, patterns, length);
            one[length] = 0;
            if (fnmatch(one, name, 0) == 0) return true;
        }
        patterns += length + (patterns[length] == ',');
    }
    return false;
}
