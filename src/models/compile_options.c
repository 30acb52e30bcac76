// Rows and profiles of CompILE's options.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/compile_options.h"

#include <string.h>
#include "core/error.h"

#define SWITCH_ROW(name, ours, reference, paper, values, help)                                     \
    SLT_OPTION_ROW(CHOICE, name, ours, 0, 0, values, help)
#define ALL_OPTIONS(X) SLT_COMPILE_SIZES(X) SLT_COMPILE_SWITCHES(SWITCH_ROW)

SLT_OPTIONS_TABLE(slt_compile_rows, slt_compile_options, ALL_OPTIONS)

static const struct {
    const char *name, *value[3];
} switches[] = {
#define PROFILE_ROW(name, ours, reference, paper, values, help)                                    \
    {#name, {#ours, #reference, #paper}},
    SLT_COMPILE_SWITCHES(PROFILE_ROW)
#undef PROFILE_ROW
};

slt_status slt_compile_profile(slt_compile_options *options, const char *profile) {
    static const char *const names[] = {"default", "reference", "paper"};
    const slt_options tables[] = {{slt_compile_rows(), options}, {NULL, NULL}};
    for (int column = 0; column < 3; column++) {
        if (strcmp(names[column], profile) != 0) continue;
        for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
            SLT_TRY(slt_option_set(tables, switches[i].name, switches[i].value[column]));
        return SLT_OK;
    }
    SLT_FAIL(SLT_INVALID, "no profile '%s': default, reference or paper", profile);
}
