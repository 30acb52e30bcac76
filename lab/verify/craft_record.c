// Reading golden Craft records; every number is checked before it is used.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/craft_record.h"

#include <string.h>

enum { SIZE = SLT_CRAFT_SIZE, LAST = SIZE - 1, LONGEST = 100000, MOST_ITEMS = 100 };

static int kind_of(char digit) {
    if (digit == '?') return SLT_CRAFT_UNKNOWN;
    if (digit >= '0' && digit <= '9') return digit - '0';
    return digit >= 'a' && digit < 'a' + SLT_CRAFT_KINDS - 10 ? digit - 'a' + 10 : SLT_CRAFT_KINDS;
}

slt_status slt_craft_read_grid(const json_t *object, int8_t grid[SLT_CRAFT_CELLS]) {
    json_t *rows;
    SLT_TRY(slt_golden_array(object, "grid", SIZE, &rows));
    for (int x = 0; x < SIZE; x++) {
        const char *text = json_string_value(json_array_get(rows, (size_t)x));
        if (!text || strlen(text) != SIZE)
            SLT_FAIL(SLT_FORMAT, "grid column %d is no text of %d characters", x, SIZE);
        for (int y = 0; y < SIZE; y++) {
            int kind = kind_of(text[y]);
            if (kind == SLT_CRAFT_KINDS)
                SLT_FAIL(SLT_FORMAT, "grid cell (%d, %d) is '%c', no kind", x, y, text[y]);
            grid[slt_craft_index(x, y)] = (int8_t)kind;
        }
    }
    return SLT_OK;
}

slt_status slt_craft_read_cell(const json_t *pair, const char *what, int *cell) {
    int64_t x, y;
    if (json_array_size(pair) != 2) SLT_FAIL(SLT_FORMAT, "field '%s' is no pair", what);
    SLT_TRY(slt_golden_whole_at(pair, 0, 0, LAST, what, &x));
    SLT_TRY(slt_golden_whole_at(pair, 1, 0, LAST, what, &y));
    *cell = slt_craft_index((int)x, (int)y);
    return SLT_OK;
}

// the world's promise: a whole ring of boundary, known cells inside
static slt_status load_map(const json_t *line, slt_craft_world *world) {
    int8_t grid[SLT_CRAFT_CELLS];
    SLT_TRY(slt_craft_read_grid(line, grid));
    slt_craft_clear(world);
    for (int x = 0; x < SIZE; x++) {
        for (int y = 0; y < SIZE; y++) {
            bool is_ring = x == 0 || x == LAST || y == 0 || y == LAST;
            int kind = grid[slt_craft_index(x, y)];
            if (kind < 0 || is_ring != (kind == SLT_CRAFT_BOUNDARY))
                SLT_FAIL(SLT_FORMAT, "grid cell (%d, %d) must not be %d", x, y, kind);
            if (!is_ring) slt_craft_put(world, x, y, kind);
        }
    }
    return SLT_OK;
}

static slt_status load_pose(const json_t *line, slt_craft_world *world) {
    int cell;
    int64_t direction;
    SLT_TRY(slt_craft_read_cell(json_object_get(line, "pos"), "pos", &cell));
    SLT_TRY(slt_golden_whole(line, "dir", 0, 3, &direction));
    int x = cell / SIZE, y = cell % SIZE;
    if (slt_craft_look(world, x, y) != SLT_CRAFT_EMPTY)
        SLT_FAIL(SLT_FORMAT, "field 'pos': cell (%d, %d) is not empty", x, y);
    world->x = (uint8_t)x;
    world->y = (uint8_t)y;
    world->direction = (uint8_t)direction;
    return SLT_OK;
}

// few enough items for bytes: crafting never makes more items than it takes
static slt_status load_pocket(const json_t *line, slt_craft_world *world) {
    json_t *list, *pair;
    SLT_TRY(slt_golden_array(line, "inventory0", SLT_ANY_COUNT, &list));
    int64_t total = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        int64_t kind, count;
        SLT_TRY(slt_golden_list_at(list, i, 2, "inventory0", &pair));
        SLT_TRY(slt_golden_whole_at(pair, 0, 0, SLT_CRAFT_KINDS - 1, "inventory0", &kind));
        SLT_TRY(slt_golden_whole_at(pair, 1, 1, MOST_ITEMS, "inventory0", &count));
        total += count;
        if (total > MOST_ITEMS)
            SLT_FAIL(SLT_FORMAT, "field 'inventory0': over %d items", MOST_ITEMS);
        world->inventory[kind] = (uint8_t)count;
    }
    return SLT_OK;
}

static slt_status read_name(const json_t *line, slt_craft_record *record) {
    int64_t task, full, size;
    const char *name;
    SLT_TRY(slt_golden_whole(line, "env_id", 0, SLT_CRAFT_TASKS - 1, &task));
    SLT_TRY(slt_golden_string(line, "task", &name));
    if (strcmp(name, slt_craft_tasks[task].name) != 0)
        SLT_FAIL(SLT_FORMAT, "task %lld is %s, not '%.40s'", (long long)task,
                 slt_craft_tasks[task].name, name);
    SLT_TRY(slt_golden_whole(line, "full", 0, 1, &full));
    SLT_TRY(slt_golden_whole(line, "width", SIZE, SIZE, &size));
    SLT_TRY(slt_golden_whole(line, "height", SIZE, SIZE, &size));
    record->task = (int)task;
    record->full = full;
    return SLT_OK;
}

// custom maps have no seed; who acts follows from the other fields
static slt_status read_origin(const json_t *line, slt_craft_record *record) {
    record->has_seed = !json_is_null(json_object_get(line, "seed"));
    int64_t seed = 0;
    if (record->has_seed) SLT_TRY(slt_golden_whole(line, "seed", 0, UINT32_MAX, &seed));
    record->seed = (uint32_t)seed;
    const json_t *policy = json_object_get(line, "policy");
    record->by_bot = !policy;
    const char *name = record->has_seed ? "random" : "custom";
    if (policy && (!json_is_string(policy) || strcmp(json_string_value(policy), name) != 0))
        SLT_FAIL(SLT_FORMAT, "field 'policy' is not '%s'", name);
    return SLT_OK;
}

static slt_status read_lists(const json_t *line, slt_craft_record *record) {
    int64_t length;
    SLT_TRY(slt_golden_whole(line, "T", 0, LONGEST, &length));
    size_t T = record->length = (size_t)length;
    const struct {
        const char *key;
        size_t count;
        json_t **list;
    } lists[] = {
        {"actions", T, &record->actions},
        {"rewards", T, &record->rewards},
        {"dones", T, &record->dones},
        {"pos_after", T, &record->pos_after},
        {"dir_after", T, &record->dir_after},
        {"obs", T + 1, &record->obs},
        {"inv_changes", SLT_ANY_COUNT, &record->inv_changes},
        {"grid_changes", SLT_ANY_COUNT, &record->grid_changes},
        {"recorded_actions", T + 1, &record->recorded}, // the last two: bot files only
        {"ends", SLT_ANY_COUNT, &record->ends},
    };
    size_t count = sizeof lists / sizeof *lists - (record->by_bot ? 0 : 2);
    for (size_t i = 0; i < count; i++)
        SLT_TRY(slt_golden_array(line, lists[i].key, lists[i].count, lists[i].list));
    return SLT_OK;
}

static slt_status read_score(const json_t *line, slt_craft_record *record) {
    int64_t success = -1;
    SLT_TRY(slt_golden_whole(line, "ret", 0, LONGEST, &record->ret));
    SLT_TRY(slt_golden_whole(line, "sketch_id_end", 0, SLT_CRAFT_SKETCH, &record->sketch_end));
    if (record->has_seed) SLT_TRY(slt_golden_whole(line, "success", 0, 1, &success));
    if (!record->has_seed && !json_is_null(json_object_get(line, "success")))
        SLT_FAIL(SLT_FORMAT, "field 'success' of a custom map is not null");
    record->success = (int)success;
    return SLT_OK;
}

slt_status slt_craft_read_record(const json_t *line, slt_craft_record *out) {
    slt_craft_record record = {0};
    SLT_TRY(read_name(line, &record));
    SLT_TRY(read_origin(line, &record));
    SLT_TRY(load_map(line, &record.start));
    SLT_TRY(load_pose(line, &record.start));
    SLT_TRY(load_pocket(line, &record.start));
    SLT_TRY(read_lists(line, &record));
    SLT_TRY(read_score(line, &record));

    // all fields are known by now: one more would be a misspelt or a strange one
    size_t fields = record.by_bot ? 24 : 23;
    if (json_object_size(line) != fields)
        SLT_FAIL(SLT_FORMAT, "%zu fields instead of %zu", json_object_size(line), fields);
    *out = record;
    return SLT_OK;
}
