// Guarded JSON parsing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/json.h"

#include <stdbool.h>
#include "core/file.h"

// the deepest level of brackets outside of strings; stops early beyond `limit`
static int nesting(const char *text, size_t length, int limit) {
    int level = 0, deepest = 0;
    bool quoted = false;
    for (size_t i = 0; i < length && deepest <= limit; i++) {
        char c = text[i];
        if (quoted) {
            if (c == '\\') i++;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            if (++level > deepest) deepest = level;
        } else if (c == '}' || c == ']') {
            level--;
        }
    }
    return deepest;
}

slt_status slt_json_parse(const char *name, const char *text, size_t length, int depth,
                          json_t **out) {
    if (nesting(text, length, depth) > depth)
        SLT_FAIL(SLT_FORMAT, "%s: JSON nests deeper than %d levels", name, depth);
    json_error_t error = {0};
    json_t *document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!document) {
        // jansson is silent about most of the places where memory ran out
        bool memory = json_error_code(&error) == json_error_out_of_memory || !error.text[0];
        SLT_FAIL(memory ? SLT_NOMEM : SLT_FORMAT, "%s: bad JSON at byte %d: %s", name,
                 error.position, error.text);
    }
    *out = document;
    return SLT_OK;
}

slt_status slt_json_read(const char *path, int depth, json_t **out) {
    slt_map map;
    SLT_TRY(slt_map_open(path, &map));
    slt_status status = slt_json_parse(path, (const char *)map.data, map.size, depth, out);
    slt_map_close(&map);
    return status;
}
