// Recipes: what it takes to learn a world. Those of the paper, by id.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "core/error.h"
#include "experts/policy_options.h"
#include "slottar/policy.h"

SLT_OPTIONS_TABLE(slt_policy_rows, slt_policy_options, SLT_POLICY_OPTIONS)

const slt_option *slt_policy_options_of(void) { return slt_policy_rows(); }

// clang-format off
static const struct {
    const char *id, *settings;
} presets[] = {
    // from scratch, next to smaller rooms
    {"MiniGrid-DoorKey-8x8-v0", "worlds=MiniGrid-DoorKey-5x5-v0,MiniGrid-DoorKey-6x6-v0 goal=0.974"},
    // by way of what comes before: the door, then what follows it, then what is in its way; the
    // bonus leads on from an open door
    {"MiniGrid-UnlockPickup-v0", "worlds=MiniGrid-Unlock-v0 memory=map bonus=0.005 goal=0.94"},
    {"MiniGrid-BlockedUnlockPickup-v0", "worlds=MiniGrid-Unlock-v0,MiniGrid-UnlockPickup-v0 memory=map bonus=0.005 frames=60000000 goal=0.95"},
    // all tasks of Craft: a reward for the goal alone
    {"craft", "hidden=128 copies=16 steps=32 minibatches=4 eval_interval=4 frames=3000000 goal=0.9"},
    // few decisions are needed where each one is a whole skill
    {"skills", "sees=still hidden=32 copies=8 steps=8 epochs=16 minibatches=2 lr=0.01 entropy=0.003 eval_interval=2 frames=500000 goal=0.9"},
    // the planner shows it first
    {"MiniGrid-KeyCorridorS4R3-v0", "clone=1000000 memory=map entropy=0.003 goal=0.93"},
};
// clang-format on

enum { PRESETS = sizeof presets / sizeof *presets };

const char *slt_policy_preset(int index) {
    return index >= 0 && index < PRESETS ? presets[index].id : NULL;
}
const char *slt_policy_recipe(int index) {
    return index >= 0 && index < PRESETS ? presets[index].settings : NULL;
}

static slt_status set_all(const slt_options *tables, const char *settings) {
    char word[SLT_OPTION_TEXT_SIZE + 64];
    int used;
    while (sscanf(settings, " %575s%n", word, &used) == 1) {
        SLT_TRY(slt_options_set(tables, word));
        settings += used;
    }
    return SLT_OK;
}

slt_status slt_policy_preset_set(const slt_options *tables, const char *id) {
    for (int i = 0; i < PRESETS; i++)
        if (strcmp(presets[i].id, id) == 0) return set_all(tables, presets[i].settings);
    SLT_FAIL(SLT_INVALID, "there is no recipe for '%.80s'; there are those for %s, ...", id,
             presets[0].id);
}
