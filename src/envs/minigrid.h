// MiniGrid: a walled grid, an agent that sees 7x7 cells before it, keys, doors, balls and boxes.
//
// Bit for bit the worlds of the Python package minigrid 3.0 (Chevalier-Boisvert et al., "Minigrid &
// Miniworld", NeurIPS 2023) with numpy's generator: same seed, same layouts, observations and
// rewards. x grows to the right, y downward; directions are 0 right, 1 down, 2 left, 3 up.
//
// A cell is one byte: what it is (4 bits) and its colour (3 bits). Bit 6 says that it blocks sight.
// The grid lies column by column between SLT_GRID_RIM cells of wall, so that the window before the
// agent can be read without asking where the grid ends; columns share the wall between them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENVS_MINIGRID_H
#define SLT_ENVS_MINIGRID_H

#include "core/pcg64.h"
#include "envs/env_impl.h"

typedef enum {
    SLT_TURN_LEFT,
    SLT_TURN_RIGHT,
    SLT_FORWARD,
    SLT_PICKUP,
    SLT_DROP,
    SLT_TOGGLE,
    SLT_DONE,
    SLT_MINIGRID_ACTIONS,
} slt_minigrid_action;

// the colour codes of observations
enum { SLT_RED, SLT_GREEN, SLT_BLUE, SLT_PURPLE, SLT_YELLOW, SLT_GREY };

// a cell without its colour; from SLT_WALL on it blocks sight
enum {
    SLT_UNSEEN = 0 << 3,
    SLT_EMPTY = 1 << 3,
    SLT_KEY = 2 << 3,
    SLT_BALL = 3 << 3,
    SLT_BOX = 4 << 3,
    SLT_GOAL = 5 << 3,
    SLT_DOOR_OPEN = 6 << 3,
    SLT_LAVA = 7 << 3,
    SLT_WALL = 8 << 3,
    SLT_DOOR_CLOSED = 9 << 3,
    SLT_DOOR_LOCKED = 10 << 3,
    SLT_CELL_CODES = 11 << 3,

    SLT_GREY_WALL = SLT_WALL | SLT_GREY,
    SLT_GREEN_GOAL = SLT_GOAL | SLT_GREEN,
    SLT_RED_LAVA = SLT_LAVA | SLT_RED,
};

static inline int slt_cell_kind(int cell) { return cell & ~7; }
static inline int slt_cell_colour(int cell) { return cell & 7; }
static inline bool slt_cell_portable(int cell) { return cell >= SLT_KEY && cell < SLT_GOAL; }
static inline bool slt_cell_is_door(int cell) {
    int kind = slt_cell_kind(cell);
    return kind == SLT_DOOR_OPEN || kind == SLT_DOOR_CLOSED || kind == SLT_DOOR_LOCKED;
}

// the world: plain bytes, a copy of state_size bytes is a snapshot
typedef struct {
    slt_pcg64 rng;
    int32_t steps;
    int8_t x, y; // of the agent; it is no object of the grid
    uint8_t direction;
    uint8_t carried;           // a cell code; SLT_EMPTY: nothing
    uint8_t target;            // what the mission is about, where it names something
    uint8_t moved;             // PutNear: what to move
    uint8_t phrase;            // Fetch: the words of the mission
    int8_t target_x, target_y; // PutNear: where the target lay, else the door
    uint8_t unused[3];
    uint8_t cells[]; // (width + 2*RIM) columns of height + RIM, and a tail
} slt_minigrid;

typedef struct slt_minigrid_rules slt_minigrid_rules;
struct slt_minigrid_rules {
    int width, height;
    int room_size, rows, columns; // of room grids
    int count, largest;           // objects; or rooms and their largest side; or a row of lava
    bool sees_through_walls;
    void (*layout)(const slt_minigrid_rules *rules, slt_minigrid *grid);
    // ends beyond reaching a goal: may set result->terminated; true when the reward is due
    // result->event: what the action did. NULL: none
    bool (*ending)(const slt_minigrid_rules *rules, const slt_minigrid *grid, int action,
                   slt_env_result *result);
    // NULL: the text in `mission`
    void (*describe)(const slt_minigrid *grid, char *out, size_t size);
    const char *mission;
};

enum {
    SLT_GRID_RIM = 6,  // the window reaches six cells before the agent
    SLT_GRID_TAIL = 8, // the last column's lower rim, and what a load of eight bytes takes beyond
    SLT_VIEW = 7,
    SLT_VIEW_BYTES = 3 * SLT_VIEW * SLT_VIEW,
    SLT_VIEW_OWN = 3 * (3 * SLT_VIEW + 6),   // the agent's own cell: shows what it carries
    SLT_VIEW_FRONT = 3 * (3 * SLT_VIEW + 5), // the cell before it
};

// bytes of the cells of a grid
#define SLT_GRID_BYTES(width, height)                                                              \
    (((width) + 2 * SLT_GRID_RIM) * ((height) + SLT_GRID_RIM) + SLT_GRID_RIM + SLT_GRID_TAIL)

// the place of a cell in `cells`, -RIM <= x < width+RIM, -RIM <= y < height+RIM
static inline int slt_grid_index(int height, int x, int y) {
    return (x + SLT_GRID_RIM) * (height + SLT_GRID_RIM) + SLT_GRID_RIM + y;
}

// steps to the cell in a direction
extern const int8_t slt_step_x[4], slt_step_y[4];

// the cell code of three observation bytes, and the bytes of a code; SLT_UNSEEN for what is none
int slt_cell_from_bytes(const uint8_t bytes[3]);
void slt_cell_to_bytes(int cell, uint8_t bytes[3]);

extern const slt_env_kind slt_minigrid_kinds[]; // an empty id after the last

static inline const slt_minigrid_rules *slt_minigrid_rules_of(const slt_env_kind *kind) {
    return kind->parameters;
}
// true for rows of slt_minigrid_kinds
bool slt_minigrid_is(const slt_env_kind *kind);

// the mission as text; size >= 1, cut when it does not fit
void slt_minigrid_mission(const slt_env_kind *kind, const void *state, char *out, size_t size);
// the whole grid as width*height*3 bytes, index (x*height + y)*3 + channel, without the agent
void slt_minigrid_dump(const slt_env_kind *kind, const void *state, uint8_t *out);

// ---- the functions of the rows
slt_env_result slt_minigrid_step(const slt_env_kind *kind, void *state, int action);
void slt_minigrid_observe(const slt_env_kind *kind, const void *state, uint8_t *out);
bool slt_minigrid_valid(const slt_env_kind *kind, const void *state);
void slt_minigrid_draw(const slt_env_kind *kind, const void *state, slt_canvas *out);
void slt_minigrid_draw_view(const uint8_t *observation, slt_canvas *out);

// ---- the view, for who keeps a map of the same form
// the window before the agent as seven words, one a column from left to right; byte j of a word is
// row j, from far to near. cell: the agent's; stride: height + RIM
void slt_view_window(const uint8_t *cell, int stride, int direction, uint64_t columns[SLT_VIEW]);
// what of the window can be seen: byte j holds the bits of row j, bit i column i
uint64_t slt_view_visible(const uint64_t columns[SLT_VIEW]);

#endif
