// Who acts: a row of the table in actor.c is an expert for a family of worlds. Rows with the same
// name are the same expert to the user.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_ACTOR_H
#define SLT_EXPERTS_ACTOR_H

#include "core/error.h"
#include "envs/env_impl.h"

enum { SLT_GIVES_UP = -1 }; // instead of an action

// one episode's start: everything an actor draws follows from the seed
typedef struct {
    const slt_env_kind *kind;
    uint32_t seed;
    double noise;                         // share of random actions
    int playable;                         // a random action is one of 0..playable-1
    const struct slt_policy_file *policy; // of who has learned
    const struct slt_skills *skills;      // of who plays them
    int task;                             // of the skills' tasks
    struct slt_skill_tally *tally;        // [skills] what came of them is added up; NULL: nowhere
} slt_actor_start;

typedef struct {
    const char *name;
    bool aimless; // has no goal: every episode is as good as another
    bool (*knows)(const slt_env_kind *kind);
    size_t state_size;
    void (*start)(void *state, const slt_actor_start *start);
    // the next action, to be carried out, or SLT_GIVES_UP; view: what the world shows now
    int (*act)(void *state, const void *world, const uint8_t *view);
    // the episode is over; view: the last one. NULL: nothing to do then
    void (*finish)(void *state, const uint8_t *view);
    // the skill of the last action, and its steps so far; -1: none. NULL: it never has one
    int (*skill)(const void *state, int *steps);
} slt_actor;

// is it the path of a policy, and no name?
bool slt_actor_is_file(const char *name);
bool slt_actor_has_skills(const slt_actor *actor);
// the expert of that name for an environment; a message when there is none. A file is looked into
slt_status slt_actor_find(const char *name, const slt_env_kind *kind, const slt_actor **out);

#endif
