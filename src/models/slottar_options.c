// Rows and profiles of SloTTAr's options.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/slottar_options.h"

#define SWITCH_ROW(name, ours, reference, paper, values, help)                                     \
    SLT_OPTION_ROW(CHOICE, name, ours, 0, 0, values, help)
#define ALL_OPTIONS(X) SLT_SLOTTAR_SIZES(X) SLT_SLOTTAR_SWITCHES(SWITCH_ROW)

SLT_OPTIONS_TABLE(slt_slottar_rows, slt_slottar_options, ALL_OPTIONS)

static const slt_option_profile switches[] = {
#define PROFILE_ROW(name, ours, reference, paper, values, help)                                    \
    {#name, {#ours, #reference, #paper}},
    SLT_SLOTTAR_SWITCHES(PROFILE_ROW)
#undef PROFILE_ROW
};

slt_status slt_slottar_profile(slt_slottar_options *options, const char *profile) {
    const slt_options tables[] = {{slt_slottar_rows(), options}, {NULL, NULL}};
    return slt_options_profile(tables, switches, sizeof switches / sizeof *switches, profile);
}
