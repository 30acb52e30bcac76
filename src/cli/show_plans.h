// Plans: which types of segments come together.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_SHOW_PLANS_H
#define SLT_CLI_SHOW_PLANS_H

#include <stdio.h>
#include "slottar/skills.h"

// of the training split, all episodes where there are no splits. model NULL: boundaries are the
// labelled ones. *out NULL: nothing is segmented there
slt_status cli_learn_plans(slt_context *context, slt_dataset *data, slt_model *model,
                           const slt_types *types, bool split_by_type, slt_plans **out);
void cli_print_plans(FILE *out, const slt_plans *plans);
void cli_json_plans(FILE *out, const slt_plans *plans);

#endif
