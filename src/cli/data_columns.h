// Flags that say which columns of a csv file, or keys of an HDF5 file, are what; the same for every
// command that reads data.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_DATA_COLUMNS_H
#define SLT_CLI_DATA_COLUMNS_H

#include "cli.h"

// rows for a command's table of flags
// clang-format off
#define CLI_COLUMN_FLAGS                                                                           \
    {"actions", 0, "PATTERNS", "columns (csv) or keys (HDF5) that are the action: 'a*,gripper'"},  \
    {"observations", 0, "PATTERNS", "those that are the observation: 'q*'; '': none"},             \
    {"episode", 0, "COLUMN", "csv: the column that tells episodes apart; '': the file is one"}
// clang-format on

// puts the choice of the flags into argument number `index`, the path of a data set; prints what is
// wrong and returns false
bool cli_choose_columns(cli_call *call, int index);

#endif
