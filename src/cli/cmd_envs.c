// slottar envs: lists the environments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "commands.h"
#include "json_text.h"
#include "slottar/env.h"

static void print_row(const slt_env_info *info) {
    char shape[48];
    int used = 0;
    for (int i = 0; i < info->rank; i++)
        used +=
            snprintf(shape + used, sizeof shape - (size_t)used, i ? " x %d" : "%d", info->shape[i]);
    printf("%-40s %7d  %-12s %6d\n", info->id, info->actions, shape, info->step_limit);
}

static void print_json(const slt_env_info *info) {
    fputs("{\"id\":", stdout);
    cli_json_text(stdout, info->id);
    printf(",\"actions\":%d,\"action_names\":[", info->actions);
    for (int i = 0; i < info->actions; i++) {
        if (i) putchar(',');
        cli_json_text(stdout, info->action_names[i]);
    }
    fputs("],\"observation_shape\":[", stdout);
    for (int i = 0; i < info->rank; i++) printf(i ? ",%d" : "%d", info->shape[i]);
    printf("],\"step_limit\":%d}", info->step_limit);
}

static int run(cli_call *call) {
    if (call->json)
        fputs("{\"envs\":[", stdout);
    else
        printf("%-40s %7s  %-12s %6s\n", "id", "actions", "observation", "limit");
    for (int i = 0; i < slt_env_count(); i++) {
        slt_env_info info;
        slt_status status = slt_env_describe(i, &info);
        if (status != SLT_OK) return cli_fail(status);
        if (call->json && i) fputs(",\n", stdout);
        (call->json ? print_json : print_row)(&info);
    }
    if (call->json) puts("]}");
    return CLI_DONE;
}

const cli_command cli_envs = {
    .name = "envs",
    .arguments = "",
    .summary = "lists the environments",
    .text =
        "Per environment: id, number of actions, shape of the observation (bytes), step limit.\n\n"
        "  slottar envs\n"
        "  slottar envs --json\n",
    .least = 0,
    .most = 0,
    .run = run,
};
