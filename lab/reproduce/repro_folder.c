// What the stages of a reproduction share: names of files in its folder, lists, time, the commit.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/number.h"
#include "reproduce/repro_impl.h"

#ifndef SLT_COMMIT
#define SLT_COMMIT "unknown"
#endif
const char *slt_repro_commit(void) { return SLT_COMMIT; }

const char *slt_repro_path(const slt_repro *r, char out[SLT_REPRO_PATH], const char *format, ...) {
    va_list arguments;
    int used = snprintf(out, SLT_REPRO_PATH, "%s/", r->request->folder);
    va_start(arguments, format);
    slt_format_list(out + used, SLT_REPRO_PATH - (size_t)used, format, arguments);
    va_end(arguments);
    return out;
}

bool slt_repro_there(const char *path) { return access(path, F_OK) == 0; }

bool slt_repro_in(const char *const *list, int most, const char *name) {
    for (int i = 0; i < most && list[i]; i++)
        if (strcmp(list[i], name) == 0) return true;
    return false;
}

bool slt_repro_over(slt_repro *r) {
    return slt_context_is_cancelled(r->context) || slt_seconds() >= r->until;
}

bool slt_repro_wants(const slt_repro *r, slt_repro_kind kind) {
    for (int i = 0; i < r->table_count; i++)
        if (r->tables[i]->kind == kind) return true;
    return false;
}
