// The rules of Craft: kinds of things, recipes, tasks (the world of Andreas et al. 2017,
// arXiv:1611.01796, as published with OMPN, Lu et al. 2021).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENVS_CRAFT_RULES_H
#define SLT_ENVS_CRAFT_RULES_H

#include <stdbool.h>
#include <stdint.h>

// what a cell or a pocket may hold, in the order of the observation's channels
typedef enum {
    SLT_CRAFT_EMPTY,
    SLT_CRAFT_BOUNDARY,
    SLT_CRAFT_WATER,
    SLT_CRAFT_STONE,
    SLT_CRAFT_TOOLSHED,
    SLT_CRAFT_WORKBENCH,
    SLT_CRAFT_FACTORY,
    SLT_CRAFT_IRON,
    SLT_CRAFT_GRASS,
    SLT_CRAFT_WOOD,
    SLT_CRAFT_GOLD,
    SLT_CRAFT_GEM,
    SLT_CRAFT_PLANK,
    SLT_CRAFT_STICK,
    SLT_CRAFT_AXE,
    SLT_CRAFT_ROPE,
    SLT_CRAFT_BED,
    SLT_CRAFT_SHEARS,
    SLT_CRAFT_CLOTH,
    SLT_CRAFT_BRIDGE,
    SLT_CRAFT_LADDER,
    SLT_CRAFT_KINDS,
} slt_craft_kind;

// the four moves are the four directions too
typedef enum {
    SLT_CRAFT_DOWN,
    SLT_CRAFT_UP,
    SLT_CRAFT_LEFT,
    SLT_CRAFT_RIGHT,
    SLT_CRAFT_USE,
    SLT_CRAFT_DONE,
    SLT_CRAFT_ACTIONS,
} slt_craft_action;

enum {
    SLT_CRAFT_SIZE = 10, // cells a side, the ring of boundary included
    SLT_CRAFT_STEPS = 64,
    SLT_CRAFT_RECIPES = 9,
    SLT_CRAFT_TASKS = 13,
    SLT_CRAFT_SKETCH = 5, // most sub-tasks of a task
};

// one unit of every need becomes one unit of output; a need of 0 is none
typedef struct {
    uint8_t output, needs[2], workshop;
} slt_craft_recipe;

// a task is done when the goal is in the pocket; the sketch lists what to use on the way
typedef struct {
    const char *name;
    uint8_t goal, length, sketch[SLT_CRAFT_SKETCH];
} slt_craft_task;

// clang-format off
// X(name, goal, number of sub-tasks, sketch), K(kind): the row number is the task's number
#define SLT_CRAFT_TASK_LIST(X, K)                                                              \
    X(getwood,    K(WOOD),   1, K(WOOD))                                                       \
    X(getgrass,   K(GRASS),  1, K(GRASS))                                                      \
    X(getiron,    K(IRON),   1, K(IRON))                                                       \
    X(makeplank,  K(PLANK),  2, K(WOOD), K(TOOLSHED))                                          \
    X(makestick,  K(STICK),  2, K(WOOD), K(WORKBENCH))                                         \
    X(makecloth,  K(CLOTH),  2, K(GRASS), K(FACTORY))                                          \
    X(makerope,   K(ROPE),   2, K(GRASS), K(TOOLSHED))                                         \
    X(makebridge, K(BRIDGE), 3, K(IRON), K(WOOD), K(FACTORY))                                  \
    X(makebed,    K(BED),    4, K(WOOD), K(TOOLSHED), K(GRASS), K(WORKBENCH))                  \
    X(makeaxe,    K(AXE),    4, K(WOOD), K(WORKBENCH), K(IRON), K(TOOLSHED))                   \
    X(makeshears, K(SHEARS), 4, K(WOOD), K(WORKBENCH), K(IRON), K(WORKBENCH))                  \
    X(getgold,    K(GOLD),   4, K(IRON), K(WOOD), K(FACTORY), K(GOLD))                         \
    X(getgem,     K(GEM),    5, K(WOOD), K(WORKBENCH), K(IRON), K(TOOLSHED), K(GEM))
// clang-format on

extern const slt_craft_recipe slt_craft_recipes[SLT_CRAFT_RECIPES]; // in the order of evaluation
extern const slt_craft_task slt_craft_tasks[SLT_CRAFT_TASKS];

// steps in x and y of a direction; y grows upwards
extern const int8_t slt_craft_dx[4], slt_craft_dy[4];

static inline bool slt_craft_is_workshop(int kind) {
    return kind >= SLT_CRAFT_TOOLSHED && kind <= SLT_CRAFT_FACTORY;
}

static inline bool slt_craft_is_grabbable(int kind) {
    return kind >= SLT_CRAFT_IRON && kind < SLT_CRAFT_KINDS;
}

#endif
