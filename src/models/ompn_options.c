// Rows and profiles of OMPN's options.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/ompn_options.h"

#define SWITCH_ROW(type, name, ours, reference, paper, low, high, choices, help)                   \
    SLT_OPTION_ROW(type, name, ours, low, high, choices, help)
#define ALL_OPTIONS(X) SLT_OMPN_SIZES(X) SLT_OMPN_SWITCHES(SWITCH_ROW)

SLT_OPTIONS_TABLE(slt_ompn_rows, slt_ompn_options, ALL_OPTIONS)

static const slt_option_profile switches[] = {
#define PROFILE_ROW(type, name, ours, reference, paper, low, high, choices, help)                  \
    {#name, {#ours, #reference, #paper}},
    SLT_OMPN_SWITCHES(PROFILE_ROW)
#undef PROFILE_ROW
};

slt_status slt_ompn_profile(slt_ompn_options *options, const char *profile) {
    const slt_options tables[] = {{slt_ompn_rows(), options}, {NULL, NULL}};
    return slt_options_profile(tables, switches, sizeof switches / sizeof *switches, profile);
}
