// Names with commas between them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/error.h"

slt_status slt_names_split(slt_arena *arena, const char *key, const char *joined, int64_t count,
                           const char *const **out) {
    if (!joined) return *out = NULL, SLT_OK;
    int64_t found = 1;
    for (const char *c = joined; *c; c++) found += *c == ',';
    if (found != count)
        SLT_FAIL(SLT_FORMAT, "%s: %" PRId64 " names for %" PRId64 " %s", key, found, count,
                 strcmp(key, "action_names") == 0 ? "actions" : "numbers");
    const char **names;
    char *copy;
    SLT_TRY(SLT_NEW(arena, &names, (size_t)count));
    SLT_TRY(slt_arena_text(arena, joined, strlen(joined), &copy));
    for (int64_t i = 0; i < count; i++) {
        names[i] = copy;
        copy += strcspn(copy, ",");
        *copy++ = 0;
    }
    *out = names;
    return SLT_OK;
}

void slt_names_join(slt_text *text, const char *const *names, int64_t count) {
    for (int64_t i = 0; i < count; i++) slt_text_add(text, "%s%s", i ? "," : "", names[i]);
}

const char *slt_name_quote(const char *const *names, int64_t column, char out[SLT_NAME_TEXT]) {
    out[0] = 0;
    if (names) snprintf(out, SLT_NAME_TEXT, " ('%.60s')", names[column]);
    return out;
}
