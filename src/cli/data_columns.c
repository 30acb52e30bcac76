// Choosing columns.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data_columns.h"

#include "slottar/dataset.h"

bool cli_choose_columns(cli_call *call, int index) {
    static char source[4096];
    slt_dataset_columns columns = {cli_value(call, "actions"), cli_value(call, "observations"),
                                   cli_value(call, "episode")};
    if (!columns.actions && !columns.observations && !columns.episode) return true;
    if (slt_dataset_source(call->arguments[index], &columns, source, sizeof source) != SLT_OK)
        return cli_misuse(call, "%s", slt_last_error()), false;
    call->arguments[index] = source;
    return true;
}
