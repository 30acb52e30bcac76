// Golden file of traces: whole episodes of the package, step by step, one JSON object a line.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/number.h"
#include "verify/golden_json.h"
#include "verify/minigrid_world.h"
#include "verify/packed.h"
#include "verify/verify_kinds.h"

// an episode being replayed
typedef struct {
    slt_verification *verification;
    slt_minigrid_world *world;
    const json_t *want;
    const char *actions, *view_crcs, *places; // 1, 8 and 5 characters a step
    const uint8_t *views;                     // after each step, or NULL
    int length, carried;                      // carried: the cell code before the step
    int terminated, truncated;                // first steps with the flag, or -1
} trace;

// the entry of a step in an object whose keys are step numbers
static const json_t *at_step(const json_t *object, int step) {
    char key[16];
    snprintf(key, sizeof key, "%d", step);
    return json_object_get(object, key);
}

static void same_bytes(slt_verification *verification, const uint8_t *want, const uint8_t *got,
                       int count, const char *what) {
    for (int i = 0; i < count; i++) slt_verify_same(verification, want[i], got[i], what);
}

// ---- the parts of a step

static void same_view(trace *replay, int step) {
    char want[9] = "", got[9];
    memcpy(want, replay->view_crcs + 8 * step, 8);
    slt_world_view_crc(replay->world, got);
    slt_verify_text(replay->verification, want, got, "observation's CRC");
    if (!replay->views) return;
    uint8_t view[SLT_VIEW_BYTES];
    replay->world->kind->observe(replay->world->kind, replay->world->state, view);
    same_bytes(replay->verification, replay->views + step * SLT_VIEW_BYTES, view, SLT_VIEW_BYTES,
               "observation");
}

static void same_place(trace *replay, int step) {
    const slt_minigrid *grid = replay->world->state;
    char want[6] = "", got[16];
    memcpy(want, replay->places + 5 * step, 5);
    snprintf(got, sizeof got, "%02x%02x%d", (uint8_t)grid->x, (uint8_t)grid->y, grid->direction);
    slt_verify_text(replay->verification, want, got, "place and direction");
}

static void same_reward(trace *replay, int step, double got) {
    const json_t *entry = at_step(json_object_get(replay->want, "rewards"), step);
    const char *text = json_string_value(json_array_get(entry, 1));
    double want = !entry ? 0 : text ? slt_number_start(text, NULL) : -1;
    slt_verify_near(replay->verification, want, got, 0, 1, "reward");
    if (entry)
        slt_verify_near(replay->verification, json_number_value(json_array_get(entry, 0)), got, 0,
                        1, "decimal reward");
}

// an entry stands where the hands changed, and only there
static void same_hands(trace *replay, int step) {
    const json_t *entry = at_step(json_object_get(replay->want, "carry"), step);
    int carried = replay->world->state->carried, want = replay->carried;
    uint8_t bytes[3] = {1, 0, 0}; // nothing
    if (json_is_array(entry))
        for (size_t i = 0; i < 3; i++)
            bytes[i] = (uint8_t)json_integer_value(json_array_get(entry, i));
    if (entry) want = slt_cell_from_bytes(bytes);
    slt_verify_same(replay->verification, want, carried, "carried object");
    replay->carried = carried;
}

static slt_status one_step(trace *replay, int step) {
    int action = replay->actions[step] - '0';
    if (action < 0 || action >= SLT_MINIGRID_ACTIONS)
        SLT_FAIL(SLT_FORMAT, "step %d has no action", step);
    slt_env_result result =
        replay->world->kind->step(replay->world->kind, replay->world->state, action);
    same_view(replay, step);
    same_place(replay, step);
    same_reward(replay, step, result.reward);
    same_hands(replay, step);
    if (result.terminated && replay->terminated < 0) replay->terminated = step;
    if (result.truncated && replay->truncated < 0) replay->truncated = step;
    return SLT_OK;
}

// ---- an episode

static slt_status same_start(trace *replay) {
    slt_verification *verification = replay->verification;
    const slt_minigrid_world *world = replay->world;
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(world->kind);
    int cells = 3 * rules->width * rules->height;
    slt_world_same_sizes(verification, world, replay->want);
    slt_world_same_start(verification, world, replay->want);

    uint8_t *want, *got, view[SLT_VIEW_BYTES];
    SLT_TRY(slt_unpack(verification->arena, slt_world_text(replay->want, "grid"), (size_t)cells,
                       &want));
    SLT_TRY(SLT_NEW(verification->arena, &got, (size_t)cells));
    slt_minigrid_dump(world->kind, world->state, got);
    same_bytes(verification, want, got, cells, "grid");

    SLT_TRY(
        slt_unpack(verification->arena, slt_world_text(replay->want, "obs0"), sizeof view, &want));
    world->kind->observe(world->kind, world->state, view);
    same_bytes(verification, want, view, SLT_VIEW_BYTES, "first observation");
    return SLT_OK;
}

// the lengths of all lists follow from the number of actions
static slt_status open_replay(slt_verification *verification, slt_minigrid_world *world,
                              const json_t *want, trace *out) {
    *out = (trace){.verification = verification,
                   .world = world,
                   .want = want,
                   .actions = slt_world_text(want, "actions"),
                   .view_crcs = slt_world_text(want, "obs_crc"),
                   .places = slt_world_text(want, "pos_dir"),
                   .carried = SLT_EMPTY,
                   .terminated = -1,
                   .truncated = -1};
    size_t length = strlen(out->actions);
    if (length > 100000 || strlen(out->view_crcs) != 8 * length ||
        strlen(out->places) != 5 * length)
        SLT_FAIL(SLT_FORMAT, "an episode of %zu actions with lists of other lengths", length);
    out->length = (int)length;
    if (!json_object_get(want, "obs_full")) return SLT_OK;
    uint8_t *views;
    SLT_TRY(slt_unpack(verification->arena, slt_world_text(want, "obs_full"),
                       length * SLT_VIEW_BYTES, &views));
    out->views = views;
    return SLT_OK;
}

static slt_status one_episode(slt_verification *verification, slt_minigrid_world *world,
                              const json_t *want) {
    trace replay;
    SLT_TRY(open_replay(verification, world, want, &replay));
    world->kind->reset(world->kind, world->state);
    SLT_TRY(same_start(&replay));
    for (int step = 0; step < replay.length; step++) SLT_TRY(one_step(&replay, step));
    slt_verify_same(verification, slt_world_number(want, "terminated"), replay.terminated,
                    "terminated");
    slt_verify_same(verification, slt_world_number(want, "truncated"), replay.truncated,
                    "truncated");
    char crc[9];
    slt_world_grid_crc(world, crc);
    slt_verify_text(verification, slt_world_text(want, "grid_end_crc"), crc, "grid_end_crc");
    return SLT_OK;
}

// the first episode starts from the line's seed, the others where the one before left the generator
static slt_status one_line(slt_verification *verification, const json_t *line) {
    slt_minigrid_world world;
    SLT_TRY(slt_world_open(verification->arena, line, &world));
    const json_t *episodes = json_object_get(line, "episodes");
    if (json_array_size(episodes) == 0) SLT_FAIL(SLT_FORMAT, "%s: no episodes", world.where);
    verification->where = world.where;
    slt_status status = SLT_OK;
    for (size_t i = 0; i < json_array_size(episodes) && status == SLT_OK; i++) {
        const json_t *want = json_array_get(episodes, i);
        // null in all but the first
        slt_verify_same(verification, i == 0 ? slt_world_number(line, "seed") : 0,
                        json_integer_value(json_object_get(want, "reset_seed")), "reset_seed");
        status = one_episode(verification, &world, want);
    }
    verification->where = NULL;
    return status;
}

static bool knows(const slt_golden *golden) { return slt_world_has(golden, "episodes"); }

static slt_status run(slt_verification *verification, const slt_golden *golden) {
    return slt_golden_each(verification, golden, one_line);
}

const slt_verify_kind slt_verify_minigrid_traces = {"minigrid-traces", knows, run};
