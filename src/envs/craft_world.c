// Craft: drawing maps, and what actions do. The order of the draws is part of the environment: same
// seed, same map as the published one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/craft_world.h"

#include <string.h>

enum { SIZE = SLT_CRAFT_SIZE, LAST = SIZE - 1 };

void slt_craft_clear(slt_craft_world *world) {
    memset(world->cell, SLT_CRAFT_OUTSIDE, sizeof world->cell);
    for (int x = 0; x < SIZE; x++) {
        bool is_edge = x == 0 || x == LAST;
        uint8_t *column = &world->cell[slt_craft_cell(x, 0)];
        memset(column, is_edge ? SLT_CRAFT_BOUNDARY : SLT_CRAFT_EMPTY, SIZE);
        column[0] = column[LAST] = SLT_CRAFT_BOUNDARY;
    }
    world->things = 0;
    memset(world->inventory, 0, sizeof world->inventory);
    world->sketch = 0;
    world->steps = 0;
}

void slt_craft_put(slt_craft_world *world, int x, int y, int kind) {
    uint64_t bit = UINT64_C(1) << (8 * (x - 1) + (y - 1));
    world->cell[slt_craft_cell(x, y)] = (uint8_t)kind;
    world->things = kind == SLT_CRAFT_EMPTY ? world->things & ~bit : world->things | bit;
}

// draws cells until one is empty
static void find_free(slt_craft_world *world, int *x, int *y) {
    do {
        *x = (int)slt_mt19937_below(&world->random, SIZE);
        *y = (int)slt_mt19937_below(&world->random, SIZE);
    } while (slt_craft_look(world, *x, *y) != SLT_CRAFT_EMPTY);
}

static void scatter(slt_craft_world *world, int first, int last) {
    for (int kind = first; kind <= last; kind++) {
        int x, y;
        find_free(world, &x, &y);
        slt_craft_put(world, x, y, kind);
    }
}

// gold behind water or a gem behind stone, at the lower edge
static void bury(slt_craft_world *world, int treasure, int wall) {
    int x = 1 + (int)slt_mt19937_below(&world->random, SIZE - 2), y = 1;
    slt_craft_put(world, x, y, treasure);
    for (int nx = x - 1; nx <= x + 1; nx++)
        for (int ny = y - 1; ny <= y + 1; ny++)
            if (slt_craft_look(world, nx, ny) == SLT_CRAFT_EMPTY)
                slt_craft_put(world, nx, ny, wall);
}

void slt_craft_reset(slt_craft_world *world, const slt_craft_task *task) {
    slt_craft_clear(world);
    if (task->goal == SLT_CRAFT_GOLD) bury(world, SLT_CRAFT_GOLD, SLT_CRAFT_WATER);
    if (task->goal == SLT_CRAFT_GEM) bury(world, SLT_CRAFT_GEM, SLT_CRAFT_STONE);
    scatter(world, SLT_CRAFT_IRON, SLT_CRAFT_WOOD);
    scatter(world, SLT_CRAFT_TOOLSHED, SLT_CRAFT_FACTORY);

    int x, y;
    find_free(world, &x, &y);
    world->x = (uint8_t)x;
    world->y = (uint8_t)y;
    world->direction = (uint8_t)slt_mt19937_below(&world->random, 4);
}

// turns, and walks when the way is free
static void move(slt_craft_world *world, int direction) {
    int x = world->x + slt_craft_dx[direction], y = world->y + slt_craft_dy[direction];
    world->direction = (uint8_t)direction;
    if (slt_craft_look(world, x, y) != SLT_CRAFT_EMPTY) return;
    world->x = (uint8_t)x;
    world->y = (uint8_t)y;
}

// every recipe of the workshop once, in order; a product may serve the next recipe at once
static void craft(uint8_t *inventory, int workshop) {
    for (int i = 0; i < SLT_CRAFT_RECIPES; i++) {
        const slt_craft_recipe *recipe = &slt_craft_recipes[i];
        int first = recipe->needs[0], second = recipe->needs[1];
        if (recipe->workshop != workshop) continue;
        if (!inventory[first] || (second && !inventory[second])) continue;
        inventory[first]--;
        if (second) inventory[second]--;
        inventory[recipe->output]++;
    }
}

// acts on the cell in front and gives its kind back
static int use(slt_craft_world *world) {
    static const uint8_t opener[SLT_CRAFT_KINDS] = {
        [SLT_CRAFT_WATER] = SLT_CRAFT_BRIDGE, [SLT_CRAFT_STONE] = SLT_CRAFT_AXE};
    int x = world->x + slt_craft_dx[world->direction];
    int y = world->y + slt_craft_dy[world->direction];
    int front = slt_craft_look(world, x, y);
    if (slt_craft_is_grabbable(front)) {
        world->inventory[front]++;
        slt_craft_put(world, x, y, SLT_CRAFT_EMPTY);
    } else if (slt_craft_is_workshop(front)) {
        craft(world->inventory, front);
    } else if (opener[front] && world->inventory[opener[front]]) {
        slt_craft_put(world, x, y, SLT_CRAFT_EMPTY);
    }
    return front;
}

// the current entry of the sketch: a thing that there is more of now, or a workshop that worked
static bool completes(const slt_craft_world *world, const slt_craft_task *task,
                      const uint8_t *before, int front) {
    if (world->sketch >= task->length) return false;
    int target = task->sketch[world->sketch];
    if (slt_craft_is_grabbable(target)) return world->inventory[target] > before[target];
    return front == target && memcmp(world->inventory, before, SLT_CRAFT_KINDS) != 0;
}

bool slt_craft_act(slt_craft_world *world, const slt_craft_task *task, int action) {
    if (action < SLT_CRAFT_USE) move(world, action);
    if (action != SLT_CRAFT_USE) return false;
    uint8_t before[SLT_CRAFT_KINDS];
    memcpy(before, world->inventory, sizeof before);
    int front = use(world);
    bool reward = completes(world, task, before, front);
    world->sketch += reward;
    return reward;
}

// the same things on a fresh map make the same cells
static bool has_valid_map(const slt_craft_world *world) {
    slt_craft_world fresh;
    slt_craft_clear(&fresh);
    for (uint64_t left = world->things; left; left &= left - 1) {
        int cell = __builtin_ctzll(left), x = 1 + (cell >> 3), y = 1 + (cell & 7);
        int kind = slt_craft_look(world, x, y);
        if (kind == SLT_CRAFT_EMPTY || kind >= SLT_CRAFT_KINDS) return false;
        slt_craft_put(&fresh, x, y, kind);
    }
    return memcmp(world->cell, fresh.cell, sizeof fresh.cell) == 0;
}

bool slt_craft_valid(const slt_craft_world *world, const slt_craft_task *task) {
    return has_valid_map(world) && world->x >= 1 && world->x < LAST && world->y >= 1 &&
           world->y < LAST && slt_craft_look(world, world->x, world->y) == SLT_CRAFT_EMPTY &&
           world->direction < 4 && world->sketch <= task->length && world->steps >= 0 &&
           world->steps <= SLT_CRAFT_STEPS && world->random.next <= SLT_MT19937_WORDS;
}
