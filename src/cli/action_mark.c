// One character per action, for time lines.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "action_mark.h"

static char letter_of(const char *const *names, int32_t action) {
    char letter = names[action][0];
    for (int32_t a = 0; a < action; a++)
        if (names[a][0] == letter && letter >= 'a' && letter <= 'z') return (char)(letter - 32);
    return letter;
}

char cli_action_mark(const slt_dataset_info *info, const slt_episode *episode, int64_t step) {
    if (episode->actions_f32) return '*';
    int32_t action = slt_episode_action(episode, step);
    char mark =
        info->action_names ? letter_of(info->action_names, action) : (char)('0' + action % 10);
    return (char)(mark >= ' ' && mark <= '~' ? mark : '?'); // names come from a file
}
