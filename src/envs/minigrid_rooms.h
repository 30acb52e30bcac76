// Room grids: rooms of one size in rows and columns that share their walls. Walls of a room are
// numbered like directions.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENVS_MINIGRID_ROOMS_H
#define SLT_ENVS_MINIGRID_ROOMS_H

#include "envs/minigrid_layout.h"

enum { SLT_ROOMS = 9 };

// what is needed while a layout is made, and no longer
typedef struct {
    const slt_minigrid_rules *rules;
    slt_minigrid *grid;
    slt_spot door[SLT_ROOMS][4];  // where a door would be; x = 0: no room behind this wall
    bool connected[SLT_ROOMS][4]; // by a door or a gap
    bool locked[SLT_ROOMS];
} slt_rooms;

// walls and candidate doors, and the agent's provisional place, from which objects keep away
void slt_rooms_init(slt_rooms *rooms, const slt_minigrid_rules *rules, slt_minigrid *grid);
slt_spot slt_rooms_add_door(slt_rooms *rooms, int column, int row, int wall, int colour,
                            bool locked);
// thing: a cell code with its colour
void slt_rooms_add_object(slt_rooms *rooms, int column, int row, int thing);
// not facing an object or a door
void slt_rooms_add_agent(slt_rooms *rooms, int column, int row);
// joins a room with the one above it
void slt_rooms_remove_wall_up(slt_rooms *rooms, int column, int row);
// random unlocked doors until every room can be reached
void slt_rooms_connect_all(slt_rooms *rooms);

#endif
