// A MiniGrid world under verification, and what both of its golden files ask of it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_VERIFY_MINIGRID_WORLD_H
#define SLT_VERIFY_MINIGRID_WORLD_H

#include "envs/minigrid.h"
#include "verify/golden.h"

typedef struct {
    const slt_env_kind *kind;
    slt_minigrid *state;
    char where[96]; // id and seed
} slt_minigrid_world;

// whether the lines of a file are of MiniGrid and have this list
bool slt_world_has(const slt_golden *golden, const char *list);

// from a line's "env" and "seed"; the state lies in the arena and is seeded, not reset
slt_status slt_world_open(slt_arena *arena, const json_t *line, slt_minigrid_world *world);
// "w", "h" and "max_steps" of a line or an episode
void slt_world_same_sizes(slt_verification *verification, const slt_minigrid_world *world,
                          const json_t *want);
// "start" and "mission" after a reset
void slt_world_same_start(slt_verification *verification, const slt_minigrid_world *world,
                          const json_t *want);
// CRCs of the whole grid and of the observation
void slt_world_grid_crc(const slt_minigrid_world *world, char out[9]);
void slt_world_view_crc(const slt_minigrid_world *world, char out[9]);

// the text of a field; "" when there is none
const char *slt_world_text(const json_t *object, const char *name);
// the number in a field; -1000000 when there is none
int64_t slt_world_number(const json_t *object, const char *name);

#endif
