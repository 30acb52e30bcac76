// The experts: the Craft bot, the MiniGrid planners, random play.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/actor.h"

#include <stdio.h>
#include <string.h>
#include "core/philox.h"
#include "experts/craft_bot.h"
#include "experts/planner.h"
#include "experts/policy_play.h"
#include "skills/skill_play.h"

// ---- random numbers by step, so that the experts' own streams stay as they are

typedef struct {
    slt_actor_start start;
    uint32_t step;
} dice;

typedef struct {
    double chance; // [0,1)
    int action;
} toss;

static toss roll(dice *d) {
    slt_words words = slt_random_words(d->start.seed, SLT_RANDOM_COLLECT, 0, d->step++);
    uint64_t action = (uint64_t)words.word[1] * (uint64_t)d->start.playable >> 32;
    return (toss){words.word[0] * 0x1p-32, (int)action};
}

// ---- the Craft bot

typedef struct {
    dice dice;
    slt_craft_bot bot;
} craft_actor;

static void start_craft(void *state, const slt_actor_start *start) {
    craft_actor *self = state;
    self->dice = (dice){.start = *start};
    slt_craft_bot_reset(&self->bot, slt_craft_variant_of(start->kind), start->seed);
}

// DONE is the bot's word for "nothing left to do": it is no step
static int act_craft(void *state, const void *world, const uint8_t *view) {
    (void)view;
    craft_actor *self = state;
    int action = slt_craft_bot_act(&self->bot, world);
    if (action == SLT_CRAFT_STUCK || action == SLT_CRAFT_DONE) return SLT_GIVES_UP;
    if (self->dice.start.noise == 0) return action;
    toss tossed = roll(&self->dice);
    // the bot must know what it really did
    if (tossed.chance < self->dice.start.noise) self->bot.previous = tossed.action;
    return self->bot.previous;
}

// ---- the MiniGrid planners; they mix in their noise themselves

static void start_planner(void *state, const slt_actor_start *start) {
    slt_planner_start(state, start->kind, &start->seed, 1, start->noise);
}

static int act_planner(void *state, const void *world, const uint8_t *view) {
    const slt_minigrid *grid = world;
    return slt_planner_act(state, view, grid->direction);
}

// ---- policies that have learned

typedef struct {
    dice dice;
    slt_policy_player player;
} policy_actor;

static void start_policy(void *state, const slt_actor_start *start) {
    policy_actor *self = state;
    self->dice = (dice){.start = *start};
    slt_policy_player_start(&self->player, start->policy, start->seed);
}

static int act_policy(void *state, const void *world, const uint8_t *view) {
    (void)world;
    policy_actor *self = state;
    int action = slt_policy_player_act(&self->player, view);
    if (self->dice.start.noise > 0) {
        toss tossed = roll(&self->dice);
        if (tossed.chance < self->dice.start.noise) action = tossed.action;
    }
    slt_policy_player_done(&self->player, action);
    return action;
}

// ---- skills

typedef struct {
    dice dice;
    slt_skill_player player;
} skills_actor;

static void start_skills(void *state, const slt_actor_start *start) {
    skills_actor *self = state;
    self->dice = (dice){.start = *start};
    slt_skill_player_start(&self->player, start->skills, start->task, start->playable);
    self->player.tally = start->tally;
}

static int act_skills(void *state, const void *world, const uint8_t *view) {
    (void)world;
    skills_actor *self = state;
    int action = slt_skill_player_act(&self->player, view);
    if (self->dice.start.noise == 0) return action;
    toss tossed = roll(&self->dice);
    if (tossed.chance < self->dice.start.noise) self->player.action = tossed.action;
    return self->player.action;
}

static void finish_skills(void *state, const uint8_t *view) {
    skills_actor *self = state;
    slt_skill_player_finish(&self->player, view);
}

static int skill_of(const slt_skill_player *player, int *steps) {
    *steps = player->age;
    return player->skill;
}

static int present_skill(const void *state, int *steps) {
    return skill_of(&((const skills_actor *)state)->player, steps);
}

static int policy_skill(const void *state, int *steps) {
    const slt_policy_player *player = &((const policy_actor *)state)->player;
    return player->policy->skills ? skill_of(&player->skill, steps) : -1;
}

// ---- random play

static bool knows_all(const slt_env_kind *kind) { return kind != NULL; }

static void start_random(void *state, const slt_actor_start *start) {
    *(dice *)state = (dice){.start = *start};
}

static int act_random(void *state, const void *world, const uint8_t *view) {
    (void)world, (void)view;
    return roll(state).action;
}

// ---- the table

static const slt_actor actors[] = {
    {.name = "bot",
     .knows = slt_craft_is,
     .state_size = sizeof(craft_actor),
     .start = start_craft,
     .act = act_craft},
    {.name = "bot",
     .knows = slt_planner_knows,
     .state_size = sizeof(slt_planner),
     .start = start_planner,
     .act = act_planner},
    {.name = "policy",
     .knows = knows_all,
     .state_size = sizeof(policy_actor),
     .start = start_policy,
     .act = act_policy,
     .skill = policy_skill},
    {.name = "skills",
     .knows = knows_all,
     .state_size = sizeof(skills_actor),
     .start = start_skills,
     .act = act_skills,
     .finish = finish_skills,
     .skill = present_skill},
    {.name = "random",
     .aimless = true,
     .knows = knows_all,
     .state_size = sizeof(dice),
     .start = start_random,
     .act = act_random},
};
enum { ACTORS = sizeof actors / sizeof *actors };

bool slt_actor_is_file(const char *name) {
    static const char ending[] = ".safetensors";
    size_t length = strlen(name), tail = sizeof ending - 1;
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

bool slt_actor_has_skills(const slt_actor *actor) { return actor->start == start_skills; }

slt_status slt_actor_find(const char *name, const slt_env_kind *kind, const slt_actor **out) {
    bool named = false, file = slt_actor_is_file(name), skills = false;
    if (file) SLT_TRY(slt_skills_is(name, &skills));
    for (int i = 0; i < ACTORS; i++) {
        // policies and skills have the name of their file
        bool learned = actors[i].start == start_policy || slt_actor_has_skills(&actors[i]);
        if (learned ? !file || slt_actor_has_skills(&actors[i]) != skills
                    : strcmp(actors[i].name, name) != 0)
            continue;
        named = true;
        if (!actors[i].knows(kind)) continue;
        *out = &actors[i];
        return SLT_OK;
    }
    if (!named) SLT_FAIL(SLT_INVALID, "no expert '%.80s': bot, random or FILE.safetensors", name);
    SLT_FAIL(SLT_UNSUPPORTED, "the expert '%.200s' cannot play %s; 'random' can", name, kind->id);
}
