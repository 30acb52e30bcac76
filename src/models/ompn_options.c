// Rows and profiles of OMPN's options.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/ompn_options.h"

#include <string.h>
#include "core/error.h"

#define SWITCH_ROW(type, name, ours, reference, paper, low, high, choices, help)                   \
    SLT_OPTION_ROW(type, name, ours, low, high, choices, help)
#define ALL_OPTIONS(X) SLT_OMPN_SIZES(X) SLT_OMPN_SWITCHES(SWITCH_ROW)

SLT_OPTIONS_TABLE(slt_ompn_rows, slt_ompn_options, ALL_OPTIONS)

static const struct {
    const char *name, *value[3];
} switches[] = {
#define PROFILE_ROW(type, name, ours, reference, paper, low, high, choices, help)                  \
    {#name, {#ours, #reference, #paper}},
    SLT_OMPN_SWITCHES(PROFILE_ROW)
#undef PROFILE_ROW
};

slt_status slt_ompn_profile(slt_ompn_options *options, const char *profile) {
    static const char *const names[] = {"default", "reference", "paper"};
    const slt_options tables[] = {{slt_ompn_rows(), options}, {NULL, NULL}};
    for (int column = 0; column < 3; column++) {
        if (strcmp(names[column], profile) != 0) continue;
        for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
            SLT_TRY(slt_option_set(tables, switches[i].name, switches[i].value[column]));
        return SLT_OK;
    }
    SLT_FAIL(SLT_INVALID, "no profile '%s': default, reference or paper", profile);
}
