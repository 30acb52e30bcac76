// Names of sub-tasks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/subtask_names.h"

#include "envs/craft.h"
#include "envs/minigrid.h"

// the last step of a segment names all of it
static void spread(const int32_t *segments, int length, int32_t *subtasks) {
    for (int t = length - 2; t >= 0; t--)
        if (segments[t] == segments[t + 1]) subtasks[t] = subtasks[t + 1];
}

// ---- Craft

// in the order of the kinds, from iron on
const char *const slt_craft_subtasks[SLT_CRAFT_SUBTASKS] = {
    "get iron", "get grass", "get wood", "get gold",    "get gem",    "make plank",  "make stick",
    "make axe", "make rope", "make bed", "make shears", "make cloth", "make bridge", "make ladder",
};

// what a workshop makes of the pocket; the pocket is changed
static int make(int workshop, uint8_t *pocket) {
    for (int i = 0; i < SLT_CRAFT_RECIPES; i++) {
        const slt_craft_recipe *r = &slt_craft_recipes[i];
        bool fits = r->workshop == workshop;
        for (int n = 0; n < 2; n++) fits = fits && (!r->needs[n] || pocket[r->needs[n]]);
        if (!fits) continue;
        for (int n = 0; n < 2; n++) pocket[r->needs[n]] -= r->needs[n] != 0;
        return r->output;
    }
    return -1;
}

void slt_craft_name(const slt_env_kind *kind, const slt_truth_steps *steps, const int32_t *segments,
                    int32_t *subtasks) {
    const slt_craft_task *task = slt_craft_variant_of(kind)->task;
    uint8_t pocket[SLT_CRAFT_KINDS] = {0};
    int done = 0;
    for (int t = 0; t < steps->length; t++) {
        subtasks[t] = -1;
        if (!(steps->rewards[t] > 0) || done >= task->length) continue;
        int item = task->sketch[done++];
        if (slt_craft_is_workshop(item)) item = make(item, pocket);
        if (item < SLT_CRAFT_IRON) continue;
        pocket[item]++;
        subtasks[t] = item - SLT_CRAFT_IRON;
    }
    spread(segments, steps->length, subtasks);
}

// ---- MiniGrid

enum {
    GET_KEY,
    GET_BALL,
    GET_BOX,
    DROP_KEY,
    DROP_BALL,
    DROP_BOX,
    UNLOCK_DOOR,
    OPEN_DOOR,
    CLOSE_DOOR,
    OPEN_BOX,
    REACH_GOAL,
    FINISH,
};

const char *const slt_minigrid_subtasks[SLT_MINIGRID_SUBTASKS] = {
    "get key",     "get ball",  "get box",    "drop key", "drop ball",  "drop box",
    "unlock door", "open door", "close door", "open box", "reach goal", "finish",
};

static int portable(int cell) { return (slt_cell_kind(cell) - SLT_KEY) / (SLT_BALL - SLT_KEY); }

static int toggled(int cell) {
    switch (slt_cell_kind(cell)) {
    case SLT_DOOR_LOCKED:
        return UNLOCK_DOOR;
    case SLT_DOOR_CLOSED:
        return OPEN_DOOR;
    case SLT_DOOR_OPEN:
        return CLOSE_DOOR;
    default:
        return OPEN_BOX;
    }
}

static int name_step(const slt_truth_steps *steps, int t) {
    const uint8_t *view = steps->observations + (size_t)t * SLT_VIEW_BYTES;
    int front = slt_cell_from_bytes(view + SLT_VIEW_FRONT);
    int own = slt_cell_from_bytes(view + SLT_VIEW_OWN);
    if (steps->events[t] == SLT_EVENT_PICKUP && slt_cell_portable(front))
        return GET_KEY + portable(front);
    if (steps->events[t] == SLT_EVENT_DROP && slt_cell_portable(own))
        return DROP_KEY + portable(own);
    if (steps->events[t] == SLT_EVENT_TOGGLE) return toggled(front);
    if (t + 1 < steps->length || !steps->terminated) return -1;
    return slt_cell_kind(front) == SLT_GOAL ? REACH_GOAL : FINISH;
}

void slt_minigrid_name(const slt_env_kind *kind, const slt_truth_steps *steps,
                       const int32_t *segments, int32_t *subtasks) {
    (void)kind;
    for (int t = 0; t < steps->length; t++) subtasks[t] = name_step(steps, t);
    spread(segments, steps->length, subtasks);
}
