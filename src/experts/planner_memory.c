// The map of a planner, and where on it the planner is.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/planner_memory.h"

#include <string.h>

static uint8_t *cell_at(slt_memory *memory, int x, int y) {
    return memory->cells + slt_grid_index(memory->rules->height, x, y);
}

// nothing is known but that the world ends somewhere
static void forget(slt_memory *memory) {
    memset(memory->cells, SLT_GREY_WALL, sizeof memory->cells);
    for (int x = 0; x < memory->rules->width; x++)
        memset(cell_at(memory, x, 0), SLT_UNSEEN, (size_t)memory->rules->height);
}

void slt_memory_init(slt_memory *memory, const slt_minigrid_rules *rules, slt_fits fits,
                     slt_point from, slt_point to) {
    *memory = (slt_memory){.rules = rules, .fits = fits, .carried = SLT_EMPTY};
    for (int x = from.x; x <= to.x; x++)
        for (int y = from.y; y <= to.y; y++) {
            memory->starts[x] |= (uint16_t)(1 << y);
            memory->start_count++;
        }
    memory->start = memory->place = to;
    forget(memory);
}

// where a cell of the view lies: column i from the left, row j from afar
static slt_point in_view(const slt_memory *memory, int i, int j) {
    int fx = slt_step_x[memory->direction], fy = slt_step_y[memory->direction];
    return (slt_point){memory->place.x + fx * (6 - j) - fy * (i - 3),
                       memory->place.y + fy * (6 - j) + fx * (i - 3)};
}

// ---- where did it start?

static bool fits(const slt_memory *memory, int x, int y, int cell) {
    const slt_minigrid_rules *rules = memory->rules;
    int right = rules->width - 1, bottom = rules->height - 1;
    if (x < 0 || y < 0 || x > right || y > bottom) return false;
    if (x == 0 || y == 0 || x == right || y == bottom) return cell == SLT_GREY_WALL;
    return memory->fits(rules, x, y, cell);
}

// does everything in the view fit, were the start moved by (dx, dy)?
static bool view_fits(const slt_memory *memory, const uint8_t *view, int dx, int dy) {
    for (int i = 0; i < SLT_VIEW; i++)
        for (int j = 0; j < SLT_VIEW; j++) {
            int cell = slt_cell_from_bytes(view + 3 * (i * SLT_VIEW + j));
            if (cell == SLT_UNSEEN || (i == 3 && j == 6)) continue;
            slt_point point = in_view(memory, i, j);
            if (!fits(memory, point.x + dx, point.y + dy, cell)) return false;
        }
    return true;
}

// draws the map for another start
static void move_map(slt_memory *memory, int dx, int dy) {
    slt_memory old = *memory;
    forget(memory);
    for (int x = 0; x < memory->rules->width; x++)
        for (int y = 0; y < memory->rules->height; y++) {
            int cell = slt_memory_cell(&old, x, y);
            if (cell == SLT_UNSEEN) continue;
            if (x + dx < 0 || x + dx >= memory->rules->width) continue;
            if (y + dy < 0 || y + dy >= memory->rules->height) continue;
            *cell_at(memory, x + dx, y + dy) = (uint8_t)cell;
        }
    memory->start = (slt_point){memory->start.x + dx, memory->start.y + dy};
    memory->place = (slt_point){memory->place.x + dx, memory->place.y + dy};
    if (memory->door.x) memory->door = (slt_point){memory->door.x + dx, memory->door.y + dy};
    memory->changed = true;
}

// drops starts that the view refutes; of those left it believes in the last, which has the most
// unknown cells to its left
static void locate(slt_memory *memory, const uint8_t *view) {
    slt_point last = memory->start;
    memory->start_count = 0;
    for (int x = 0; x < SLT_PLAN_SIDE; x++)
        for (int y = 0; y < SLT_PLAN_SIDE; y++) {
            if (!(memory->starts[x] >> y & 1)) continue;
            if (view_fits(memory, view, x - memory->start.x, y - memory->start.y)) {
                memory->start_count++;
                last = (slt_point){x, y};
            } else {
                memory->starts[x] &= (uint16_t) ~(1 << y);
            }
        }
    if (last.x != memory->start.x || last.y != memory->start.y)
        move_map(memory, last.x - memory->start.x, last.y - memory->start.y);
}

// ---- seeing and acting

static void note(slt_memory *memory, slt_point point, int cell) {
    if (point.x < 0 || point.x >= memory->rules->width) return;
    if (point.y < 0 || point.y >= memory->rules->height) return;
    if (slt_cell_kind(cell) == SLT_DOOR_LOCKED) memory->door = point;
    uint8_t *known = cell_at(memory, point.x, point.y);
    if (*known == cell) return;
    *known = (uint8_t)cell;
    memory->changed = true;
}

void slt_memory_see(slt_memory *memory, const uint8_t *view, int direction) {
    if (!memory->placed) memory->direction = direction;
    memory->placed = true;
    if (memory->start_count > 1) locate(memory, view);
    for (int i = 0; i < SLT_VIEW; i++)
        for (int j = 0; j < SLT_VIEW; j++) {
            int cell = slt_cell_from_bytes(view + 3 * (i * SLT_VIEW + j));
            if (cell == SLT_UNSEEN || (i == 3 && j == 6)) continue;
            note(memory, in_view(memory, i, j), cell);
        }

    // the own cell shows the hands; what one stands on is free
    int hands = slt_cell_from_bytes(view + SLT_VIEW_OWN);
    if (hands != memory->carried) memory->changed = true;
    memory->carried = hands;
    if (slt_memory_cell(memory, memory->place.x, memory->place.y) == SLT_UNSEEN)
        note(memory, memory->place, SLT_EMPTY);
}

// the cell in front has always been seen, so that the outcome is certain
void slt_memory_act(slt_memory *memory, int action) {
    if (action == SLT_TURN_LEFT) memory->direction = (memory->direction + 3) & 3;
    if (action == SLT_TURN_RIGHT) memory->direction = (memory->direction + 1) & 3;
    if (action != SLT_FORWARD) return;
    slt_point front = {memory->place.x + slt_step_x[memory->direction],
                       memory->place.y + slt_step_y[memory->direction]};
    int kind = slt_cell_kind(slt_memory_cell(memory, front.x, front.y));
    if (kind == SLT_EMPTY || kind == SLT_DOOR_OPEN || kind == SLT_GOAL) memory->place = front;
}

bool slt_memory_find(const slt_memory *memory, int kind, slt_point *out) {
    for (int x = 0; x < memory->rules->width; x++)
        for (int y = 0; y < memory->rules->height; y++)
            if (slt_cell_kind(slt_memory_cell(memory, x, y)) == kind) {
                *out = (slt_point){x, y};
                return true;
            }
    return false;
}
