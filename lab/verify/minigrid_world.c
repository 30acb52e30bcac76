// Opening worlds from golden lines, and the comparisons that both golden files share.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/minigrid_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "verify/packed.h"

enum { LARGEST_GRID = 3 * 25 * 25 };

const char *slt_world_text(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

int64_t slt_world_number(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) ? json_integer_value(value) : -1000000;
}

bool slt_world_has(const slt_golden *golden, const char *list) {
    return strncmp(slt_world_text(golden->head, "env"), "MiniGrid-", 9) == 0 &&
           json_is_array(json_object_get(golden->head, list));
}

slt_status slt_world_open(slt_arena *arena, const json_t *line, slt_minigrid_world *world) {
    const char *id = slt_world_text(line, "env");
    const slt_env_kind *kind = slt_env_find(id);
    if (!kind || !slt_minigrid_is(kind)) SLT_FAIL(SLT_FORMAT, "'%.60s' is no MiniGrid id", id);
    int64_t seed = slt_world_number(line, "seed");
    if (seed < 0) SLT_FAIL(SLT_FORMAT, "%s: a line without a seed", id);
    uint8_t *state;
    SLT_TRY(SLT_NEW(arena, &state, kind->state_size));
    *world = (slt_minigrid_world){.kind = kind, .state = (slt_minigrid *)(void *)state};
    snprintf(world->where, sizeof world->where, "%s seed %" PRId64, id, seed);
    uint32_t words[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    kind->seed(kind, world->state, words, words[1] ? 2 : 1);
    return SLT_OK;
}

void slt_world_same_sizes(slt_verification *verification, const slt_minigrid_world *world,
                          const json_t *want) {
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(world->kind);
    slt_verify_same(verification, slt_world_number(want, "w"), rules->width, "w");
    slt_verify_same(verification, slt_world_number(want, "h"), rules->height, "h");
    slt_verify_same(verification, slt_world_number(want, "max_steps"), world->kind->step_limit,
                    "max_steps");
}

void slt_world_same_start(slt_verification *verification, const slt_minigrid_world *world,
                          const json_t *want) {
    const slt_minigrid *grid = world->state;
    int got[3] = {grid->x, grid->y, grid->direction};
    const json_t *start = json_object_get(want, "start");
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_array_get(start, i);
        slt_verify_same(verification, value ? json_integer_value(value) : -1, got[i], "start");
    }
    char mission[128];
    slt_minigrid_mission(world->kind, grid, mission, sizeof mission);
    slt_verify_text(verification, slt_world_text(want, "mission"), mission, "mission");
}

void slt_world_grid_crc(const slt_minigrid_world *world, char out[9]) {
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(world->kind);
    uint8_t bytes[LARGEST_GRID];
    slt_minigrid_dump(world->kind, world->state, bytes);
    slt_crc_text(bytes, (size_t)(3 * rules->width * rules->height), out);
}

void slt_world_view_crc(const slt_minigrid_world *world, char out[9]) {
    uint8_t bytes[SLT_VIEW_BYTES];
    world->kind->observe(world->kind, world->state, bytes);
    slt_crc_text(bytes, sizeof bytes, out);
}
