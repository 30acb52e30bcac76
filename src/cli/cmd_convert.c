// slottar convert IN OUT: between the formats of data sets.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "commands.h"
#include "slottar/dataset.h"

static int run(cli_call *call) {
    slt_status status = slt_dataset_convert(call->context, call->arguments[0], call->arguments[1]);
    return status == SLT_OK ? CLI_DONE : cli_fail(status);
}

const cli_command cli_convert = {
    .name = "convert",
    .arguments = "IN OUT",
    .summary = "converts a data set to another format",
    .text =
        "IN is known by its content: the native format, npz, or csv (by its name: a row per step\n"
        "with the columns episode, action, optional segment, reward, split, task, seed; all\n"
        "others are the observation). The ending of OUT decides what is written:\n"
        ".safetensors (native), .npz.\n\n"
        "  slottar convert steps.csv demos.safetensors\n"
        "  slottar convert demos.safetensors demos.npz\n",
    .least = 2,
    .most = 2,
    .run = run,
};
