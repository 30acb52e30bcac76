// How MiniGrid looks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/env_draw.h"
#include "envs/minigrid_layout.h"

// by kind of cell; things and doors have the cell's own colour in front
static const struct {
    char mark;
    bool tinted;
    uint8_t back;
} looks[SLT_CELL_CODES >> 3] = {
    [SLT_UNSEEN >> 3] = {' ', false, SLT_INK_PLAIN},
    [SLT_EMPTY >> 3] = {'.', false, SLT_INK_PLAIN},
    [SLT_KEY >> 3] = {'k', true, SLT_INK_PLAIN},
    [SLT_BALL >> 3] = {'o', true, SLT_INK_PLAIN},
    [SLT_BOX >> 3] = {'B', true, SLT_INK_PLAIN},
    [SLT_GOAL >> 3] = {'G', false, SLT_INK_GREEN},
    [SLT_DOOR_OPEN >> 3] = {'/', true, SLT_INK_PLAIN},
    [SLT_LAVA >> 3] = {'~', false, SLT_INK_RED},
    [SLT_WALL >> 3] = {'#', false, SLT_INK_GREY},
    [SLT_DOOR_CLOSED >> 3] = {'D', true, SLT_INK_PLAIN},
    [SLT_DOOR_LOCKED >> 3] = {'L', true, SLT_INK_PLAIN},
};

// by colour of cell
static const uint8_t inks[8] = {
    [SLT_RED] = SLT_INK_RED,       [SLT_GREEN] = SLT_INK_GREEN,   [SLT_BLUE] = SLT_INK_BLUE,
    [SLT_PURPLE] = SLT_INK_PURPLE, [SLT_YELLOW] = SLT_INK_YELLOW, [SLT_GREY] = SLT_INK_GREY,
};

static void put_cell(slt_canvas *canvas, int x, int y, int cell) {
    int kind = cell >> 3;
    char mark = looks[kind].mark ? looks[kind].mark : ' ';
    int front = looks[kind].tinted ? inks[slt_cell_colour(cell)] : SLT_INK_PLAIN;
    slt_canvas_put(canvas, x, y, (slt_canvas_cell){mark, (uint8_t)front, looks[kind].back});
}

static void name_carried(slt_canvas *canvas, int cell) {
    if (slt_cell_portable(cell))
        slt_canvas_say(canvas->pocket, "%s %s", slt_colour_name(cell), slt_thing_name(cell));
}

void slt_minigrid_draw(const slt_env_kind *kind, const void *state, slt_canvas *out) {
    static const char arrows[4] = {'>', 'v', '<', '^'};
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(kind);
    const slt_minigrid *grid = state;
    slt_canvas_init(out, rules->width, rules->height);
    out->tinted = true;
    for (int x = 0; x < rules->width; x++)
        for (int y = 0; y < rules->height; y++)
            put_cell(out, x, y, grid->cells[slt_grid_index(rules->height, x, y)]);
    slt_canvas_agent(out, grid->x, grid->y, arrows[grid->direction]);
    slt_minigrid_mission(kind, state, out->task, sizeof out->task);
    name_carried(out, grid->carried);
}

// the own cell shows what the agent carries
void slt_minigrid_draw_view(const uint8_t *observation, slt_canvas *out) {
    slt_canvas_init(out, SLT_VIEW, SLT_VIEW);
    out->tinted = true;
    for (int x = 0; x < SLT_VIEW; x++)
        for (int y = 0; y < SLT_VIEW; y++)
            put_cell(out, x, y, slt_cell_from_bytes(observation + 3 * (x * SLT_VIEW + y)));
    slt_canvas_agent(out, SLT_VIEW / 2, SLT_VIEW - 1, '^');
    name_carried(out, slt_cell_from_bytes(observation + SLT_VIEW_OWN));
}
