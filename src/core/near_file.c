// Finding files next to the library or the command. Paths are relative, so that an installed tree
// can be moved.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/near_file.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

void slt_own_path(char out[SLT_NEAR_PATH]) {
    Dl_info own;
    out[0] = 0;
    if (dladdr((void *)slt_near_file, &own) && own.dli_fname)
        snprintf(out, SLT_NEAR_PATH, "%s", own.dli_fname);
}

static bool is_near(char *file, const char *const *places, const char *name, int mode,
                    char out[SLT_NEAR_PATH]) {
    const char *folder = dirname(file);
    for (; *places; places++) {
        int length = snprintf(out, SLT_NEAR_PATH, "%s/%s/%s", folder, *places, name);
        if (length < SLT_NEAR_PATH && access(out, mode) == 0) return true;
    }
    return false;
}

bool slt_near_file(const char *const *places, const char *name, int mode, char out[SLT_NEAR_PATH]) {
    char library[SLT_NEAR_PATH], program[SLT_NEAR_PATH] = "";
    slt_own_path(library);
    if (library[0] && is_near(library, places, name, mode, out)) return true;
    return readlink("/proc/self/exe", program, sizeof program - 1) > 0 &&
           is_near(program, places, name, mode, out);
}
