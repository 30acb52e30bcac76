// How Craft looks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/craft.h"
#include "envs/env_draw.h"

// clang-format off
static const struct {
    const char *name;
    slt_canvas_cell cell;
} looks[SLT_CRAFT_KINDS] = {
    [SLT_CRAFT_EMPTY]     = {"nothing",   {'.', SLT_INK_PLAIN,  SLT_INK_PLAIN}},
    [SLT_CRAFT_BOUNDARY]  = {"boundary",  {'#', SLT_INK_PLAIN,  SLT_INK_GREY}},
    [SLT_CRAFT_WATER]     = {"water",     {'~', SLT_INK_PLAIN,  SLT_INK_BLUE}},
    [SLT_CRAFT_STONE]     = {"stone",     {'%', SLT_INK_PLAIN,  SLT_INK_GREY}},
    [SLT_CRAFT_TOOLSHED]  = {"toolshed",  {'T', SLT_INK_PLAIN,  SLT_INK_PURPLE}},
    [SLT_CRAFT_WORKBENCH] = {"workbench", {'W', SLT_INK_PLAIN,  SLT_INK_PURPLE}},
    [SLT_CRAFT_FACTORY]   = {"factory",   {'F', SLT_INK_PLAIN,  SLT_INK_PURPLE}},
    [SLT_CRAFT_IRON]      = {"iron",      {'i', SLT_INK_CYAN,   SLT_INK_PLAIN}},
    [SLT_CRAFT_GRASS]     = {"grass",     {'g', SLT_INK_GREEN,  SLT_INK_PLAIN}},
    [SLT_CRAFT_WOOD]      = {"wood",      {'w', SLT_INK_YELLOW, SLT_INK_PLAIN}},
    [SLT_CRAFT_GOLD]      = {"gold",      {'$', SLT_INK_YELLOW, SLT_INK_PLAIN}},
    [SLT_CRAFT_GEM]       = {"gem",       {'*', SLT_INK_BLUE,   SLT_INK_PLAIN}},
    [SLT_CRAFT_PLANK]     = {"plank",     {'p', SLT_INK_YELLOW, SLT_INK_PLAIN}},
    [SLT_CRAFT_STICK]     = {"stick",     {'s', SLT_INK_YELLOW, SLT_INK_PLAIN}},
    [SLT_CRAFT_AXE]       = {"axe",       {'a', SLT_INK_CYAN,   SLT_INK_PLAIN}},
    [SLT_CRAFT_ROPE]      = {"rope",      {'r', SLT_INK_GREEN,  SLT_INK_PLAIN}},
    [SLT_CRAFT_BED]       = {"bed",       {'b', SLT_INK_YELLOW, SLT_INK_PLAIN}},
    [SLT_CRAFT_SHEARS]    = {"shears",    {'h', SLT_INK_CYAN,   SLT_INK_PLAIN}},
    [SLT_CRAFT_CLOTH]     = {"cloth",     {'c', SLT_INK_GREEN,  SLT_INK_PLAIN}},
    [SLT_CRAFT_BRIDGE]    = {"bridge",    {'d', SLT_INK_YELLOW, SLT_INK_PLAIN}},
    [SLT_CRAFT_LADDER]    = {"ladder",    {'l', SLT_INK_YELLOW, SLT_INK_PLAIN}},
};

//                             down up  left right
static const char arrows[4] = {'v', '^', '<', '>'};
// clang-format on

static void name_pocket(slt_canvas *canvas, const uint8_t *counts) {
    for (int kind = 0; kind < SLT_CRAFT_KINDS; kind++) {
        if (!counts[kind]) continue;
        const char *comma = canvas->pocket[0] ? ", " : "";
        if (counts[kind] == 1)
            slt_canvas_say(canvas->pocket, "%s%s", comma, looks[kind].name);
        else
            slt_canvas_say(canvas->pocket, "%s%d %s", comma, counts[kind], looks[kind].name);
    }
}

static void name_task(slt_canvas *canvas, const slt_craft_task *task, int done) {
    slt_canvas_say(canvas->task, "%s: %d of %d done", task->name, done, task->length);
    for (int i = done; i < task->length; i++)
        slt_canvas_say(canvas->task, "%s%s", i == done ? ", next " : ", ",
                       looks[task->sketch[i]].name);
}

// y grows upwards in the world, downward on the canvas
void slt_craft_draw(const slt_env_kind *kind, const void *state, slt_canvas *out) {
    const slt_craft_world *world = state;
    const int top = SLT_CRAFT_SIZE - 1;
    slt_canvas_init(out, SLT_CRAFT_SIZE, SLT_CRAFT_SIZE);
    for (int x = 0; x < SLT_CRAFT_SIZE; x++)
        for (int y = 0; y < SLT_CRAFT_SIZE; y++)
            slt_canvas_put(out, x, top - y, looks[slt_craft_look(world, x, y)].cell);
    slt_canvas_agent(out, world->x, top - world->y, arrows[world->direction]);
    name_task(out, slt_craft_variant_of(kind)->task, world->sketch);
    name_pocket(out, world->inventory);
}

// the kind that a one stands for; -1: none
static int find_one(const uint8_t *features, int count) {
    for (int i = 0; i < count; i++)
        if (features[i]) return i;
    return -1;
}

void slt_craft_draw_view(const uint8_t *observation, slt_canvas *out) {
    enum { SIDE = 5, POCKET = 2 * SLT_CRAFT_CHANNELS, DIRECTION = POCKET + SLT_CRAFT_KINDS };
    slt_canvas_init(out, SIDE, SIDE);
    for (int x = 0; x < SIDE; x++)
        for (int y = 0; y < SIDE; y++) {
            const uint8_t *cell = observation + (x * SIDE + y) * SLT_CRAFT_KINDS;
            int kind = find_one(cell, SLT_CRAFT_KINDS);
            if (kind >= 0) slt_canvas_put(out, x, SIDE - 1 - y, looks[kind].cell);
        }
    int direction = find_one(observation + DIRECTION, 4);
    slt_canvas_agent(out, SIDE / 2, SIDE / 2, direction < 0 ? '@' : arrows[direction]);
    name_pocket(out, observation + POCKET);
}
