// True ends from actions and, in MiniGrid, from two cells of the agent's view.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/ground_truth.h"

enum { CRAFT_USE = 4 };
enum { PICKUP = 3, TOGGLE = 5 };         // MiniGrid actions
enum { EMPTY = 1, KEY = 5, BALL = 6 };   // MiniGrid objects
enum { DOOR_OPEN = 0, DOOR_LOCKED = 2 }; // MiniGrid door states

void slt_craft_ends(uint8_t *is_end, const int32_t *actions, int T) {
    for (int t = 0; t < T; t++) is_end[t] = actions[t] == CRAFT_USE;
}

void slt_minigrid_ends(uint8_t *is_end, const int32_t *actions, const int32_t *own_object,
                       const int32_t *front_state, int T) {
    for (int t = 0; t < T; t++) {
        // a last pickup counts unseen; a last toggle cannot be seen to count
        bool last = t + 1 == T;
        bool taken = last || (own_object[t] == EMPTY &&
                              (own_object[t + 1] == KEY || own_object[t + 1] == BALL));
        bool unlocked = !last && front_state[t] == DOOR_LOCKED && front_state[t + 1] == DOOR_OPEN;
        is_end[t] = (actions[t] == PICKUP && taken) || (actions[t] == TOGGLE && unlocked);
    }
}

void slt_truth_done(int32_t *ids, int T) { ids[T - 1] = -1; }
