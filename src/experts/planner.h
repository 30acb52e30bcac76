// Planner experts for MiniGrid: DoorKey, Unlock, UnlockPickup, BlockedUnlockPickup, KeyCorridor.
//
// A planner acts on what it has seen: the 7x7 views, the direction, its own actions. It walks
// shortest paths on the map it remembers, never onto unknown cells (but DoorKey's behind the open
// door), and plans anew when the map changes. Among optimal moves it prefers forward, left, right;
// with probability 0.15 it takes any of them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_PLANNER_H
#define SLT_EXPERTS_PLANNER_H

#include "experts/planner_memory.h"
#include "experts/planner_paths.h"

// what to do next
typedef enum {
    SLT_ERRAND_REST,    // nothing can be done
    SLT_ERRAND_STAND,   // walk onto a cell
    SLT_ERRAND_FACE,    // face a cell, then do the act
    SLT_ERRAND_EXPLORE, // see an unknown cell of an area
    SLT_ERRAND_DROP,    // put down what is carried, on the way to facing a cell
} slt_errand_kind;

typedef struct {
    slt_errand_kind kind;
    int act;          // the action that follows when facing the cell
    slt_point cell;   // DROP: x 0: nowhere in particular
    slt_point corner; // EXPLORE: the area, from cell to corner, both included
    bool open_doors;  // EXPLORE: closed doors in the area are opened too
    bool late;        // DROP: as near to the cell as can be
} slt_errand;

// how to do it: costs to go, and where the act is due
typedef struct {
    int act;
    uint8_t enter[SLT_PATH_CELLS];
    uint8_t cost[SLT_PATH_STATES];
    uint8_t act_cost[SLT_PATH_STATES]; // of acting in a state; SLT_FAR: not there
} slt_plan;

typedef struct slt_planner slt_planner;
struct slt_planner {
    const slt_env_kind *kind;
    const struct slt_planner_family *family;
    double noise;
    slt_pcg64 rng;
    bool key_first; // Blocked: takes the key although the ball must be moved first
    slt_memory memory;
    slt_plan plan;
};

// true when there is a planner for the id
bool slt_planner_knows(const slt_env_kind *kind);
// kind: one that is known. The planner's own generator is seeded with the words of the episode's
// seed and a word that tells it from the world's. noise: share of uniformly random actions
void slt_planner_start(slt_planner *planner, const slt_env_kind *kind, const uint32_t *words,
                       int count, double noise);
// the next action for the present view; to be carried out
int slt_planner_act(slt_planner *planner, const uint8_t *view, int direction);

// ---- inside
// what is next, by what is known (planner_errands.c)
slt_errand slt_planner_errand(slt_planner *planner);
// a plan for the errand; false when it cannot be done (planner_plans.c)
bool slt_planner_plan(slt_planner *planner, const slt_errand *errand);

typedef struct slt_planner_family {
    void (*layout)(const slt_minigrid_rules *rules, slt_minigrid *grid); // tells the family
    slt_fits fits;
    slt_errand (*errand)(slt_planner *planner);
    // the rectangle of starting places
    void (*starts)(const slt_minigrid_rules *rules, slt_point *from, slt_point *to);
    double key_first; // probability
} slt_planner_family;

// NULL when there is none
const slt_planner_family *slt_planner_family_of(const slt_env_kind *kind);

#endif
