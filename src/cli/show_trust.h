// How far to trust a result, the same words in every command.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef CLI_SHOW_TRUST_H
#define CLI_SHOW_TRUST_H

#include <stdio.h>
#include "slottar/trust.h"

// "trust: 0.97", then a line per sentence: "warning: ..." of a doubtful result, else "note: ..."
void cli_print_trust(FILE *out, const slt_trust *trust);
// {"trust":0.97,"doubtful":false,"calibrated":true,"warnings":[]}
void cli_json_trust(FILE *out, const slt_trust *trust);

#endif
