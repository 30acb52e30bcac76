// The tables of Craft.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/craft_rules.h"

#define K(name) SLT_CRAFT_##name

// clang-format off
const slt_craft_recipe slt_craft_recipes[SLT_CRAFT_RECIPES] = {
    // output   needs                    at
    {K(PLANK),  {K(WOOD)},               K(TOOLSHED)},
    {K(AXE),    {K(STICK), K(IRON)},     K(TOOLSHED)},
    {K(ROPE),   {K(GRASS)},              K(TOOLSHED)},
    {K(STICK),  {K(WOOD)},               K(WORKBENCH)},
    {K(BED),    {K(PLANK), K(GRASS)},    K(WORKBENCH)},
    {K(SHEARS), {K(STICK), K(IRON)},     K(WORKBENCH)},
    {K(CLOTH),  {K(GRASS)},              K(FACTORY)},
    {K(BRIDGE), {K(WOOD), K(IRON)},      K(FACTORY)},
    {K(LADDER), {K(PLANK), K(STICK)},    K(FACTORY)},
};

const slt_craft_task slt_craft_tasks[SLT_CRAFT_TASKS] = {
#define ROW(name, goal, length, ...) {#name, goal, length, {__VA_ARGS__}},
    SLT_CRAFT_TASK_LIST(ROW, K)
#undef ROW
};

//                               down up left right
const int8_t slt_craft_dx[4] = { 0,   0, -1,  1};
const int8_t slt_craft_dy[4] = {-1,   1,  0,  0};
// clang-format on
