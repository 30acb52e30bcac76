// slottar play ENV, slottar play DATA: an environment or a recorded episode in the terminal.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <unistd.h>
#include "commands.h"
#include "play.h"

static const cli_flag flags[] = {
    {"episode", 0, "N", "the data set's episode to begin with (default 0)"},
    {"expert", 0, "EXPERT", "who plays ENV, step by step: as for collect"},
    {NULL, 0, NULL, NULL},
};

// an id is an environment, unless an episode is asked for; a file is a data set
static int run(cli_call *call) {
    const char *name = call->arguments[0];
    int64_t episode;
    if (!cli_number(call, "episode", 0, INT64_MAX, 0, &episode)) return CLI_USAGE;
    slt_env_info info;
    bool recorded = cli_value(call, "episode") != NULL;
    slt_status status = recorded ? SLT_OK : slt_env_describe_id(name, &info);
    if (recorded || (status != SLT_OK && access(name, F_OK) == 0)) {
        if (cli_value(call, "expert")) return cli_misuse(call, "--expert plays an environment");
        return play_episode(call, name, episode);
    }
    return status == SLT_OK ? play_world(call, name) : cli_fail(status);
}

const cli_command cli_play = {
    .name = "play",
    .arguments = "ENV|DATA [--episode N] [--expert EXPERT]",
    .summary = "plays an environment or a recorded episode in the terminal",
    .text =
        "Craft:     arrows (h j k l) move, space or u uses, . does nothing\n"
        "MiniGrid:  left, right (h l) turn, up (k, f) goes forward, p picks up, d drops,\n"
        "           t toggles a door or box, . does nothing\n"
        "both:      r the next episode, q quit\n"
        "an expert: e one step; of skills, or a policy over skills, the present skill is shown\n"
        "an episode of DATA: left, right (h l) one step, 0 and $ first and last step, n and p the\n"
        "           next and the last episode, q quit. Actions by their first letters (a\n"
        "           capital where two begin alike), a colour for each true segment; the picture "
        "is\n"
        "           what the agent saw\n\n"
        "MiniGrid's marks: # wall, / open, D closed, L locked door, k key, o ball, B box, G goal.\n"
        "Craft's: # edge, ~ water, % stone, T toolshed, W workbench, F factory, i iron,\n"
        "g grass, w wood, $ gold, * gem.\n\n"
        "Without a terminal, keys are the characters of standard input and every frame is "
        "printed.\n"
        "Without colours, a letter after a MiniGrid object is its colour (e: grey).\n\n"
        "  slottar play MiniGrid-DoorKey-8x8-v0 --seed 1\n"
        "  slottar play makebedfull-v0\n"
        "  slottar play makebedfull-v0 --expert skills.safetensors\n"
        "  slottar play craft-full.safetensors --episode 3\n"
        "  printf 'ffq' | slottar play MiniGrid-DoorKey-8x8-v0 --seed 1\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .run = run,
};
