// Golden Craft episodes: (a) the recorded actions are played again from the recorded map and
// everything is compared; (b) where there is a seed, map, pose and the bot's actions come from it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/craft_rollout.h"
#include "verify/craft_record.h"

// a replay: the world, where in the lists of changes it is, what it has earned
typedef struct {
    slt_verification *verification;
    const slt_craft_record *record;
    const slt_craft_task *task;
    slt_craft_world world;
    size_t inv_changes, grid_changes, ends;
    int64_t ret;
} replay;

static void same(const replay *r, int64_t want, int64_t got, const char *what) {
    slt_verify_same(r->verification, want, got, what);
}

// compares entry `index` with a number; what is no whole number is no golden file
static slt_status same_entry(const replay *r, const json_t *list, size_t index, int64_t got,
                             const char *what) {
    int64_t want;
    SLT_TRY(slt_golden_whole_at(list, index, 0, UINT32_MAX, what, &want));
    same(r, want, got, what);
    return SLT_OK;
}

// compares the next recorded change with one that took place
static slt_status same_change(const replay *r, const json_t *list, size_t *next,
                              const int64_t *change, size_t count, const char *what) {
    const json_t *entry = json_array_get(list, *next);
    same(r, (int64_t)json_array_size(entry), (int64_t)count, what);
    if (json_array_size(entry) != count) return SLT_OK;
    ++*next;
    for (size_t i = 0; i < count; i++) SLT_TRY(same_entry(r, entry, i, change[i], what));
    return SLT_OK;
}

static slt_status compare_changes(replay *r, const slt_craft_world *before, size_t t) {
    const slt_craft_world *after = &r->world;
    for (int k = 0; k < SLT_CRAFT_KINDS; k++) {
        if (before->inventory[k] == after->inventory[k]) continue;
        int64_t change[3] = {(int64_t)t, k, after->inventory[k]};
        SLT_TRY(same_change(r, r->record->inv_changes, &r->inv_changes, change, 3, "inv_changes"));
    }
    for (int i = 0; i < SLT_CRAFT_CELLS; i++) {
        int x = i / SLT_CRAFT_SIZE, y = i % SLT_CRAFT_SIZE, kind = slt_craft_look(after, x, y);
        if (slt_craft_look(before, x, y) == kind) continue;
        int64_t change[4] = {(int64_t)t, x, y, kind};
        SLT_TRY(
            same_change(r, r->record->grid_changes, &r->grid_changes, change, 4, "grid_changes"));
    }
    return SLT_OK;
}

// one entry of a sparse observation: an index, or a pair of index and value
static slt_status unpack_feature(const json_t *entry, int64_t *features) {
    int64_t index, value = 1;
    bool is_pair = json_is_array(entry);
    if (is_pair) {
        SLT_TRY(slt_golden_whole_at(entry, 0, 0, SLT_CRAFT_FEATURES - 1, "obs", &index));
        SLT_TRY(slt_golden_whole_at(entry, 1, 0, UINT32_MAX, "obs", &value));
    } else {
        if (!json_is_integer(entry)) SLT_FAIL(SLT_FORMAT, "field 'obs' holds no whole number");
        index = json_integer_value(entry);
    }
    if (index < 0 || index >= SLT_CRAFT_FEATURES || (is_pair && json_array_size(entry) != 2))
        SLT_FAIL(SLT_FORMAT, "field 'obs' holds a feature %lld", (long long)index);
    features[index] = value;
    return SLT_OK;
}

static slt_status compare_view(const replay *r, size_t t) {
    int64_t want[SLT_CRAFT_FEATURES] = {0};
    uint8_t got[SLT_CRAFT_FEATURES];
    json_t *list;
    SLT_TRY(slt_golden_list_at(r->record->obs, t, SLT_ANY_COUNT, "obs", &list));
    for (size_t i = 0; i < json_array_size(list); i++)
        SLT_TRY(unpack_feature(json_array_get(list, i), want));
    slt_craft_observe(&r->world, r->record->full, got);
    for (int i = 0; i < SLT_CRAFT_FEATURES; i++) same(r, want[i], got[i], "obs");
    return SLT_OK;
}

// a USE is an end; the recorder wrote the same actions again
static slt_status compare_bot_lists(replay *r, size_t t, int64_t action) {
    SLT_TRY(same_entry(r, r->record->recorded, t, action, "recorded_actions"));
    if (action != SLT_CRAFT_USE) return SLT_OK;
    return same_entry(r, r->record->ends, r->ends++, (int64_t)t, "ends");
}

static slt_status replay_step(replay *r, size_t t) {
    const slt_craft_record *record = r->record;
    int64_t action;
    int cell;
    SLT_TRY(slt_golden_whole_at(record->actions, t, 0, SLT_CRAFT_ACTIONS - 1, "actions", &action));
    SLT_TRY(slt_craft_read_cell(json_array_get(record->pos_after, t), "pos_after", &cell));
    slt_craft_world before = r->world;
    bool reward = slt_craft_act(&r->world, r->task, (int)action);
    bool limit = record->has_seed && t + 1 >= SLT_CRAFT_STEPS;
    r->ret += reward;

    SLT_TRY(same_entry(r, record->rewards, t, reward, "rewards"));
    SLT_TRY(
        same_entry(r, record->dones, t, slt_craft_reached(&r->world, r->task) || limit, "dones"));
    SLT_TRY(same_entry(r, record->dir_after, t, r->world.direction, "dir_after"));
    same(r, cell, slt_craft_index(r->world.x, r->world.y), "pos_after");
    SLT_TRY(compare_changes(r, &before, t));
    if (record->by_bot) SLT_TRY(compare_bot_lists(r, t, action));
    return compare_view(r, t + 1);
}

static slt_status compare_end(const replay *r) {
    const slt_craft_record *record = r->record;
    same(r, (int64_t)json_array_size(record->inv_changes), (int64_t)r->inv_changes, "inv_changes");
    same(r, (int64_t)json_array_size(record->grid_changes), (int64_t)r->grid_changes,
         "grid_changes");
    same(r, record->ret, r->ret, "ret");
    same(r, record->sketch_end, r->world.sketch, "sketch_id_end");
    if (record->has_seed) same(r, record->success, r->ret >= r->task->length, "success");
    if (!record->by_bot) return SLT_OK;
    same(r, (int64_t)json_array_size(record->ends), (int64_t)r->ends, "ends");
    return same_entry(r, record->recorded, record->length, SLT_CRAFT_DONE, "recorded_actions");
}

// level (a)
static slt_status replay_record(replay *r) {
    SLT_TRY(compare_view(r, 0));
    for (size_t t = 0; t < r->record->length; t++) SLT_TRY(replay_step(r, t));
    return compare_end(r);
}

// level (b), the map
static void compare_reset(const replay *r) {
    const slt_craft_world *want = &r->record->start;
    slt_craft_world got;
    slt_mt19937_seed(&got.random, r->record->seed);
    slt_craft_reset(&got, r->task);
    for (int i = 0; i < SLT_CRAFT_PADDED * SLT_CRAFT_PADDED; i++)
        same(r, want->cell[i], got.cell[i], "the seed's map");
    for (int k = 0; k < SLT_CRAFT_KINDS; k++)
        same(r, want->inventory[k], got.inventory[k], "the seed's pocket");
    same(r, want->x, got.x, "the seed's x");
    same(r, want->y, got.y, "the seed's y");
    same(r, want->direction, got.direction, "the seed's direction");
}

// level (b), the bot
static slt_status compare_bot(const replay *r) {
    slt_craft_rollout rollout = {0};
    const slt_craft_record *record = r->record;
    slt_craft_rollout_play(&rollout, slt_craft_find(record->task, record->full), record->seed);
    same(r, (int64_t)record->length, rollout.length, "the bot's length");
    same(r, record->success, rollout.outcome == SLT_CRAFT_SUCCESS, "the bot's success");
    for (size_t t = 0; t < record->length && t < (size_t)rollout.length; t++)
        SLT_TRY(same_entry(r, record->actions, t, rollout.actions[t], "the bot's action"));
    return SLT_OK;
}

static slt_status check_line(slt_verification *verification, const json_t *line) {
    slt_craft_record record;
    SLT_TRY(slt_craft_read_record(line, &record));
    replay r = {.verification = verification, .record = &record, .world = record.start};
    r.task = &slt_craft_tasks[record.task];
    SLT_TRY(replay_record(&r));
    if (record.has_seed) compare_reset(&r);
    return record.has_seed && record.by_bot ? compare_bot(&r) : SLT_OK;
}

static bool knows(const slt_golden *golden) {
    const json_t *head = golden->head;
    return json_object_get(head, "env_id") && json_object_get(head, "inv_changes");
}

static slt_status run(slt_verification *verification, const slt_golden *golden) {
    return slt_golden_each(verification, golden, check_line);
}

const slt_verify_kind slt_verify_craft_episodes = {"craft-episodes", knows, run};
