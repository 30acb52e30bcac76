// Rows and profiles of CompILE's options.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/compile_options.h"

#define SWITCH_ROW(name, ours, reference, paper, values, help)                                     \
    SLT_OPTION_ROW(CHOICE, name, ours, 0, 0, values, help)
#define ALL_OPTIONS(X) SLT_COMPILE_SIZES(X) SLT_COMPILE_SWITCHES(SWITCH_ROW)

SLT_OPTIONS_TABLE(slt_compile_rows, slt_compile_options, ALL_OPTIONS)

static const slt_option_profile switches[] = {
#define PROFILE_ROW(name, ours, reference, paper, values, help)                                    \
    {#name, {#ours, #reference, #paper}},
    SLT_COMPILE_SWITCHES(PROFILE_ROW)
#undef PROFILE_ROW
};

slt_status slt_compile_profile(slt_compile_options *options, const char *profile) {
    const slt_options tables[] = {{slt_compile_rows(), options}, {NULL, NULL}};
    return slt_options_profile(tables, switches, sizeof switches / sizeof *switches, profile);
}
