// What an environment is made of. An environment is one row of env_table.c: its state is a plain
// struct without pointers (generator included), so a copy is a snapshot; reset, step and observe
// allocate nothing and cannot fail.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENVS_ENV_IMPL_H
#define SLT_ENVS_ENV_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "slottar/draw.h"

// what a step did to the world; rules for ground-truth segments are built on it
typedef enum {
    SLT_EVENT_NONE,
    SLT_EVENT_PICKUP, // something was taken
    SLT_EVENT_DROP,   // something was put down
    SLT_EVENT_TOGGLE, // a door was opened, closed or unlocked, or a box opened
    SLT_EVENT_USE,    // Craft: the USE action, whatever it did
} slt_event;

typedef struct {
    double reward;
    bool terminated, truncated;
    slt_event event;
} slt_env_result;

typedef struct slt_env_kind slt_env_kind;
struct slt_env_kind {
    const char *id;
    int actions;
    const char *const *action_names; // [actions]
    int rank, shape[3];              // of the observation
    int observation_size;            // product of the shape; an observation is that many bytes
    int step_limit;
    size_t state_size;
    const void *parameters; // the family's own

    // a new generator from a seed of any size: 32-bit words, least significant first, count >= 1
    void (*seed)(const slt_env_kind *kind, void *state, const uint32_t *words, int count);
    // the next layout, from the generator in the state
    void (*reset)(const slt_env_kind *kind, void *state);
    // action: 0..actions-1, checked by the caller
    slt_env_result (*step)(const slt_env_kind *kind, void *state, int action);
    void (*observe)(const slt_env_kind *kind, const void *state, uint8_t *out);
    // whether bytes from outside are a state that the functions above can take; NULL: any are
    bool (*valid)(const slt_env_kind *kind, const void *state);
    // pictures: of the whole world, and of what an observation shows
    void (*draw)(const slt_env_kind *kind, const void *state, slt_canvas *out);
    void (*draw_view)(const uint8_t *observation, slt_canvas *out);
};

// rows by id ("MiniGrid-DoorKey-8x8-v0"); NULL when there is none
const slt_env_kind *slt_env_find(const char *id);
// all rows in the order of the table, NULL after the last
const slt_env_kind *slt_env_row(int index);

#endif
