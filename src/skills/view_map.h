// A memory for views that move with the agent: a map of what has left the view.
//
// Where a move shifts the view, a place of the observation takes over what another place had. From
// these takeovers places get positions: two places are the same thing at different positions when
// moves lead from one to the other. What leaves the view is remembered by its thing and position,
// moved with every step, and forgotten when its position is in view again.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_VIEW_MAP_H
#define SLT_SKILLS_VIEW_MAP_H

#include "core/context_impl.h"

enum {
    SLT_MAP_AXES = 2,
    SLT_MAP_REACH = 8,        // positions beyond the view that are remembered, on every side
    SLT_MAP_PLACES = 2048,    // of an observation, at most
    SLT_MAP_SPAN = 64,        // positions of a view along an axis, at most
    SLT_MAP_REMEMBERED = 512, // at most; later ones are not
    SLT_MAP_ONES = SLT_MAP_AXES * SLT_MAP_REMEMBERED,
    SLT_MAP_WIDTH = 16384 // places of what is remembered, at most
};

typedef struct {
    int16_t thing; // -1: the place does not move
    int16_t at[SLT_MAP_AXES];
} slt_map_place;

typedef struct {
    int places, actions, things;   // things 0: there is no map
    int8_t (*moves)[SLT_MAP_AXES]; // [actions] what an action adds to the positions of what is seen
    slt_map_place *place;          // [places]; positions of a thing begin at 0
    // laid from these
    int16_t (*size)[SLT_MAP_AXES]; // [things] positions in view
    int32_t *first;                // [things+1] places of remembered ones
    int32_t *seen_at;              // [things][SPAN][SPAN] place + 1; 0: none
    int width;                     // of what is remembered
} slt_view_map;

typedef struct {
    int count;
    slt_map_place item[SLT_MAP_REMEMBERED];
} slt_view_memory;

// observations one after another as their ones; episodes begin at `begins`
typedef struct {
    int64_t steps;
    const int64_t *start; // [steps+1] of the ones
    const uint16_t *ones;
    const uint8_t *actions, *begins; // [steps]
} slt_map_steps;

// things 0 when the view does not shift
slt_status slt_view_map_learn(slt_context *context, slt_arena *arena, const slt_map_steps *steps,
                              int places, int actions, slt_view_map *out);
// sizes and places from `moves` and `place`; false: they do not fit
slt_status slt_view_map_lay(slt_view_map *map, slt_arena *arena, bool *good);

// before, after: observations as bytes, 1 at their ones, [places]
void slt_view_memory_step(const slt_view_map *map, slt_view_memory *memory, const uint8_t *before,
                          int action, const uint8_t *after);
// The ones of what is remembered, counted from 0: things by their position along each axis alone,
// where all positions on one side of the view are one: more places are too many to learn. At most
// SLT_MAP_ONES; returns how many
int slt_view_memory_ones(const slt_view_map *map, const slt_view_memory *memory, uint16_t *out);

#endif
