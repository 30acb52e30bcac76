// The bot's decisions, in the order of the published one: same seed, same actions.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/craft_bot.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = SLT_CRAFT_SIZE, CELLS = SLT_CRAFT_CELLS, NONE = -1 };

static int agent_cell(const slt_craft_world *world) { return slt_craft_index(world->x, world->y); }

static int cell_towards(const slt_craft_world *world, int direction) {
    return slt_craft_index(world->x + slt_craft_dx[direction], world->y + slt_craft_dy[direction]);
}

static int front_cell(const slt_craft_world *world) {
    return cell_towards(world, world->direction);
}

// the first cell of a kind, x-major; NONE when none is known
static int find_known(const slt_craft_bot *bot, int kind) {
    const int8_t *found = memchr(bot->known, (int8_t)kind, CELLS);
    return found ? (int)(found - bot->known) : NONE;
}

static void start_subgoal(slt_craft_bot *bot, int entry) {
    bot->entry = entry;
    bot->target = NONE;
    bot->walked = bot->planned = 0;
    bot->has_saved = false;
}

void slt_craft_bot_reset(slt_craft_bot *bot, const slt_craft_variant *variant, uint32_t seed) {
    bot->variant = variant;
    memset(bot->known, SLT_CRAFT_UNKNOWN, CELLS);
    bot->exploring = false;
    bot->previous = NONE;
    start_subgoal(bot, 0);
    slt_mt19937_seed_words(&bot->random, &seed, 1);
}

// full: the whole map; partial: the 5 x 5 window around the agent
static void look_around(slt_craft_bot *bot, const slt_craft_world *world) {
    int reach = bot->variant->full ? SIZE : 2;
    for (int x = 0; x < SIZE; x++)
        for (int y = 0; y < SIZE; y++)
            if (abs(x - world->x) <= reach && abs(y - world->y) <= reach)
                bot->known[slt_craft_index(x, y)] = (int8_t)slt_craft_look(world, x, y);
}

static int wanted(const slt_craft_bot *bot) { return bot->variant->task->sketch[bot->entry]; }
static bool has_subgoal(const slt_craft_bot *bot) {
    return bot->entry < bot->variant->task->length;
}

// a thing: in the pocket; a workshop: it stands in front, was used, and the pocket changed
static bool is_satisfied(const slt_craft_bot *bot, const slt_craft_world *world) {
    if (slt_craft_is_grabbable(wanted(bot))) return world->inventory[wanted(bot)] > 0;
    return bot->previous == SLT_CRAFT_USE && bot->known[front_cell(world)] == wanted(bot) &&
           bot->has_saved && memcmp(bot->saved, world->inventory, sizeof bot->saved) != 0;
}

// gold and gems lie behind walls: plan as if water and stone were gone (the next look restores what
// is in view)
static void forget_walls(slt_craft_bot *bot) {
    for (int i = 0; i < CELLS; i++)
        if (bot->known[i] == SLT_CRAFT_WATER || bot->known[i] == SLT_CRAFT_STONE)
            bot->known[i] = SLT_CRAFT_EMPTY;
}

static void make_plan(slt_craft_bot *bot, const slt_craft_world *world) {
    bot->walked = bot->planned = 0;
    if (wanted(bot) == SLT_CRAFT_GOLD || wanted(bot) == SLT_CRAFT_GEM) forget_walls(bot);
    if (bot->target == NONE) bot->target = find_known(bot, wanted(bot));
    if (bot->target == NONE) return;
    bot->planned = slt_craft_path(bot->known, agent_cell(world), bot->target, bot->plan);
}

// one step of the plan
static int follow(slt_craft_bot *bot, const slt_craft_world *world) {
    int front = front_cell(world);
    if (front == bot->plan[bot->planned - 1]) return SLT_CRAFT_USE;
    int next = bot->plan[bot->walked + 1], towards = SLT_CRAFT_DOWN;
    while (towards < SLT_CRAFT_RIGHT && cell_towards(world, towards) != next) towards++;
    if (bot->known[next] == SLT_CRAFT_EMPTY)
        bot->walked++;
    else if (front == next)
        return SLT_CRAFT_USE;
    return towards;
}

static int distance(int a, int b) { return abs(a / SIZE - b / SIZE) + abs(a % SIZE - b % SIZE); }

// a random step towards the first unknown cell, a random move when none leads there
static int explore(slt_craft_bot *bot, const slt_craft_world *world) {
    static const uint8_t order[4] = {SLT_CRAFT_RIGHT, SLT_CRAFT_LEFT, SLT_CRAFT_UP, SLT_CRAFT_DOWN};
    static const uint8_t any[4] = {SLT_CRAFT_UP, SLT_CRAFT_DOWN, SLT_CRAFT_LEFT, SLT_CRAFT_RIGHT};
    int unknown = find_known(bot, SLT_CRAFT_UNKNOWN);
    if (unknown == NONE) return SLT_CRAFT_STUCK;
    uint8_t candidates[4];
    uint32_t count = 0;
    for (int i = 0; i < 4; i++) {
        int next = cell_towards(world, order[i]);
        if (bot->known[next] == SLT_CRAFT_EMPTY &&
            distance(next, unknown) < distance(agent_cell(world), unknown))
            candidates[count++] = order[i];
    }
    if (count == 0) return any[slt_mt19937_pybelow(&bot->random, 4)];
    return candidates[slt_mt19937_pybelow(&bot->random, count)];
}

// plans anew where there is no plan or the agent is not where the plan has it
static int pursue(slt_craft_bot *bot, const slt_craft_world *world) {
    memcpy(bot->saved, world->inventory, sizeof bot->saved);
    bot->has_saved = true;
    if (!bot->planned || bot->plan[bot->walked] != agent_cell(world)) make_plan(bot, world);
    bot->exploring = !bot->planned;
    return bot->planned ? follow(bot, world) : explore(bot, world);
}

static int decide(slt_craft_bot *bot, const slt_craft_world *world) {
    look_around(bot, world);
    if (bot->exploring && find_known(bot, wanted(bot)) != NONE) bot->exploring = false;
    if (bot->exploring) return explore(bot, world);
    while (has_subgoal(bot) && is_satisfied(bot, world)) start_subgoal(bot, bot->entry + 1);
    return has_subgoal(bot) ? pursue(bot, world) : SLT_CRAFT_DONE;
}

int slt_craft_bot_act(slt_craft_bot *bot, const slt_craft_world *world) {
    bot->previous = decide(bot, world);
    return bot->previous;
}
