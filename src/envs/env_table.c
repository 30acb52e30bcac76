// All environments: the rows of all families, one after the other.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/env_table.h"

#include <string.h>

// clang-format off
static const slt_env_kind *const families[] = {
#define ROW(name) slt_##name##_kinds,
    SLT_ENV_FAMILIES(ROW)
#undef ROW
    NULL,
};
// clang-format on

const slt_env_kind *slt_env_row(int index) {
    for (int f = 0; index >= 0 && families[f]; f++)
        for (const slt_env_kind *row = families[f]; row->id; row++)
            if (index-- == 0) return row;
    return NULL;
}

const slt_env_kind *slt_env_find(const char *id) {
    for (int f = 0; families[f]; f++)
        for (const slt_env_kind *row = families[f]; row->id; row++)
            if (strcmp(row->id, id) == 0) return row;
    return NULL;
}
