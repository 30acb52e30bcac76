// Room grids: in the order of the package's draws.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_rooms.h"

#include <stdlib.h>

static int room_at(const slt_rooms *rooms, int column, int row) {
    return row * rooms->rules->columns + column;
}

// the room behind a wall; its wall is (wall + 2) mod 4
static int neighbour(const slt_rooms *rooms, int room, int wall) {
    return room + slt_step_x[wall] + slt_step_y[wall] * rooms->rules->columns;
}

static slt_area room_area(const slt_rooms *rooms, int column, int row) {
    int size = rooms->rules->room_size;
    return (slt_area){column * (size - 1), row * (size - 1), size, size};
}

// a candidate door, seen from both sides
static void set_door(slt_rooms *rooms, int room, int wall, slt_spot spot) {
    rooms->door[room][wall] = spot;
    rooms->door[neighbour(rooms, room, wall)][(wall + 2) % 4] = spot;
}

static void draw_doors(slt_rooms *rooms, int column, int row) {
    slt_area area = room_area(rooms, column, row);
    int right = area.x + area.width - 1, bottom = area.y + area.height - 1;
    int room = room_at(rooms, column, row);
    if (column < rooms->rules->columns - 1)
        set_door(rooms, room, 0, (slt_spot){right, slt_draw(rooms->grid, area.y + 1, bottom)});
    if (row < rooms->rules->rows - 1)
        set_door(rooms, room, 1, (slt_spot){slt_draw(rooms->grid, area.x + 1, right), bottom});
}

void slt_rooms_init(slt_rooms *rooms, const slt_minigrid_rules *rules, slt_minigrid *grid) {
    *rooms = (slt_rooms){.rules = rules, .grid = grid};
    slt_grid_clear(rules, grid);
    for (int row = 0; row < rules->rows; row++)
        for (int column = 0; column < rules->columns; column++) {
            slt_grid_walls(rules, grid, room_area(rooms, column, row));
            draw_doors(rooms, column, row);
        }
    slt_area middle = room_area(rooms, rules->columns / 2, rules->rows / 2);
    grid->x = (int8_t)(middle.x + rules->room_size / 2);
    grid->y = (int8_t)(middle.y + rules->room_size / 2);
    grid->direction = 0;
}

static void connect(slt_rooms *rooms, int room, int wall) {
    rooms->connected[room][wall] = true;
    rooms->connected[neighbour(rooms, room, wall)][(wall + 2) % 4] = true;
}

slt_spot slt_rooms_add_door(slt_rooms *rooms, int column, int row, int wall, int colour,
                            bool locked) {
    int room = room_at(rooms, column, row);
    slt_spot spot = rooms->door[room][wall];
    *slt_cell_at(rooms->rules, rooms->grid, spot.x, spot.y) =
        (uint8_t)((locked ? SLT_DOOR_LOCKED : SLT_DOOR_CLOSED) | colour);
    connect(rooms, room, wall);
    rooms->locked[room] = locked;
    return spot;
}

static bool near_agent(const slt_minigrid *grid, int x, int y, const void *argument) {
    (void)argument;
    return abs(x - grid->x) + abs(y - grid->y) < 2;
}

void slt_rooms_add_object(slt_rooms *rooms, int column, int row, int thing) {
    slt_place(rooms->rules, rooms->grid, thing, room_area(rooms, column, row), near_agent, NULL);
}

void slt_rooms_add_agent(slt_rooms *rooms, int column, int row) {
    slt_minigrid *grid = rooms->grid;
    int front;
    do {
        slt_place_agent(rooms->rules, grid, room_area(rooms, column, row));
        front = *slt_cell_at(rooms->rules, grid, grid->x + slt_step_x[grid->direction],
                             grid->y + slt_step_y[grid->direction]);
    } while (front != SLT_EMPTY && front != SLT_GREY_WALL);
}

void slt_rooms_remove_wall_up(slt_rooms *rooms, int column, int row) {
    slt_area area = room_area(rooms, column, row);
    for (int x = area.x + 1; x < area.x + area.width - 1; x++)
        *slt_cell_at(rooms->rules, rooms->grid, x, area.y) = SLT_EMPTY;
    connect(rooms, room_at(rooms, column, row), 3);
}

// marks all rooms that can be reached from one; returns how many are new
static int flood(const slt_rooms *rooms, int room, bool reached[SLT_ROOMS]) {
    if (reached[room]) return 0;
    reached[room] = true;
    int count = 1;
    for (int wall = 0; wall < 4; wall++)
        if (rooms->connected[room][wall])
            count += flood(rooms, neighbour(rooms, room, wall), reached);
    return count;
}

static bool all_connected(const slt_rooms *rooms) {
    const slt_minigrid_rules *rules = rooms->rules;
    int side = rules->room_size - 1;
    bool reached[SLT_ROOMS] = {false};
    int start = room_at(rooms, rooms->grid->x / side, rooms->grid->y / side);
    return flood(rooms, start, reached) == rules->rows * rules->columns;
}

void slt_rooms_connect_all(slt_rooms *rooms) {
    const slt_minigrid_rules *rules = rooms->rules;
    while (!all_connected(rooms)) {
        int column = slt_draw(rooms->grid, 0, rules->columns);
        int row = slt_draw(rooms->grid, 0, rules->rows);
        int wall = slt_draw(rooms->grid, 0, 4);
        int room = room_at(rooms, column, row);
        if (rooms->door[room][wall].x == 0 || rooms->connected[room][wall]) continue;
        if (rooms->locked[room] || rooms->locked[neighbour(rooms, room, wall)]) continue;
        slt_rooms_add_door(rooms, column, row, wall, slt_draw_colour(rooms->grid), false);
    }
}
