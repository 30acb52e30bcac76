// slottar convert IN OUT: between the formats of data sets.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "commands.h"
#include "data_columns.h"
#include "slottar/dataset.h"

static const cli_flag flags[] = {CLI_FORCE, CLI_COLUMN_FLAGS, {NULL, 0, NULL, NULL}};

static int run(cli_call *call) {
    if (!cli_choose_columns(call, 0)) return CLI_USAGE;
    slt_status status = slt_dataset_convert(call->context, call->arguments[0], call->arguments[1],
                                            cli_value(call, "force") != NULL);
    return status == SLT_OK ? CLI_DONE : cli_fail(status);
}

const cli_command cli_convert = {
    .name = "convert",
    .arguments = "IN OUT [--force]",
    .summary = "converts a data set to another format",
    .text =
        "The format of IN is detected from its content: the native format, npz, HDF5 (Minari,\n"
        "robomimic, D4RL; a Minari data set is a folder), or csv (by its name: a row per step\n"
        "with the columns episode, action, optional segment, reward, split, task, seed; all\n"
        "others are the observation). --actions, --observations and --episode choose other\n"
        "columns, or keys of HDF5 files. The ending of OUT decides what is written: .safetensors\n"
        "(native), .npz, .hdf5 (Minari's file), / (a Minari data set: a folder).\n\n"
        "  slottar convert steps.csv demos.safetensors\n"
        "  slottar convert joints.csv demos.safetensors --actions 'a*,gripper' \\\n"
        "      --observations 'q*' --episode demo\n"
        "  slottar convert demos.safetensors demos-v0/\n"
        "  slottar convert ~/.minari/datasets/D4RL/door/human-v2 door.safetensors\n",
    .flags = flags,
    .least = 2,
    .most = 2,
    .run = run,
};
