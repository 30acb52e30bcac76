// Golden file of layouts: the first resets of many ids and seeds, one JSON object a line.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include "verify/golden_json.h"
#include "verify/minigrid_world.h"
#include "verify/verify_kinds.h"

static void same_generator(slt_verification *verification, const slt_pcg64 *rng,
                           const json_t *want) {
    char state[40];
    snprintf(state, sizeof state, "%016" PRIx64 "%016" PRIx64, rng->state_high, rng->state_low);
    slt_verify_text(verification, slt_world_text(want, "pcg_state"), state, "pcg_state");
    slt_verify_same(verification, slt_world_number(want, "has_uint32"), rng->has_kept,
                    "has_uint32");
    slt_verify_same(verification, slt_world_number(want, "uinteger"), rng->has_kept ? rng->kept : 0,
                    "uinteger");
}

static void same_reset(slt_verification *verification, slt_minigrid_world *world,
                       const json_t *want) {
    world->kind->reset(world->kind, world->state);
    slt_world_same_start(verification, world, want);
    char crc[9];
    slt_world_grid_crc(world, crc);
    slt_verify_text(verification, slt_world_text(want, "grid_crc"), crc, "grid_crc");
    slt_world_view_crc(world, crc);
    slt_verify_text(verification, slt_world_text(want, "obs_crc"), crc, "obs_crc");
    same_generator(verification, &world->state->rng, want);
}

static slt_status one_line(slt_verification *verification, const json_t *line) {
    slt_minigrid_world world;
    SLT_TRY(slt_world_open(verification->arena, line, &world));
    const json_t *resets = json_object_get(line, "resets");
    if (json_array_size(resets) == 0) SLT_FAIL(SLT_FORMAT, "%s: no resets", world.where);
    verification->where = world.where;
    slt_world_same_sizes(verification, &world, line);
    for (size_t i = 0; i < json_array_size(resets); i++)
        same_reset(verification, &world, json_array_get(resets, i));
    verification->where = NULL;
    return SLT_OK;
}

static bool knows(const slt_golden *golden) { return slt_world_has(golden, "resets"); }

static slt_status run(slt_verification *verification, const slt_golden *golden) {
    return slt_golden_each(verification, golden, one_line);
}

const slt_verify_kind slt_verify_minigrid_layouts = {"minigrid-layouts", knows, run};
