// Where segments end, by rule. The rule of the reference program is kept with its quirks: drops,
// boxes and doors that were not locked do not count.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/segment_truth.h"

#include <string.h>
#include "envs/minigrid_layout.h"

// as they are asked for, and as data sets name them
static const char *const names[SLT_TRUTHS] = {"effects", "reference", "natural"};
static const char *const stored[SLT_TRUTHS] = {"pt", "ref", "nat"};

slt_truth slt_truth_find(const char *name) {
    int rule = 0;
    while (rule < SLT_TRUTHS && strcmp(name, names[rule]) != 0 && strcmp(name, stored[rule]) != 0)
        rule++;
    return (slt_truth)rule;
}

const char *slt_truth_name(slt_truth rule) { return names[rule]; }
const char *slt_truth_stored(slt_truth rule) { return stored[rule]; }

static bool ends_pt(const slt_env_kind *kind, const slt_truth_steps *steps, int step) {
    (void)kind;
    return steps->events[step] == SLT_EVENT_PICKUP || steps->events[step] == SLT_EVENT_TOGGLE;
}

static bool ends_nat(const slt_env_kind *kind, const slt_truth_steps *steps, int step) {
    bool drops = slt_minigrid_rules_of(kind)->layout == slt_blocked_layout;
    return ends_pt(kind, steps, step) || (drops && steps->events[step] == SLT_EVENT_DROP);
}

enum { BYTE_EMPTY = 1, BYTE_KEY = 5, BYTE_BALL = 6, STATE_OPEN = 0, STATE_LOCKED = 2 };

// compares the views before and after; there is one after each step but the last
static bool ends_ref(const slt_env_kind *kind, const slt_truth_steps *steps, int step) {
    (void)kind;
    const uint8_t *before = steps->observations + (size_t)step * SLT_VIEW_BYTES;
    const uint8_t *after = before + SLT_VIEW_BYTES;
    if (steps->actions[step] == SLT_PICKUP) {
        int held = after[SLT_VIEW_OWN];
        return before[SLT_VIEW_OWN] == BYTE_EMPTY && (held == BYTE_KEY || held == BYTE_BALL);
    }
    const int state = SLT_VIEW_FRONT + 2;
    return steps->actions[step] == SLT_TOGGLE && before[state] == STATE_LOCKED &&
           after[state] == STATE_OPEN;
}

int slt_truth_segments(slt_truth rule, const slt_env_kind *kind, const slt_truth_steps *steps,
                       int32_t *segments) {
    static bool (*const ends[SLT_TRUTHS])(const slt_env_kind *, const slt_truth_steps *,
                                          int) = {ends_pt, ends_ref, ends_nat};
    int id = 0;
    for (int step = 0; step < steps->length; step++) {
        segments[step] = id;
        // the last step always ends the last segment
        if (step + 1 < steps->length && ends[rule](kind, steps, step)) id++;
    }
    return steps->length ? id + 1 : 0;
}
