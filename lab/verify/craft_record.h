// The parts of golden Craft records.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_VERIFY_CRAFT_RECORD_H
#define SLT_VERIFY_CRAFT_RECORD_H

#include "envs/craft.h"
#include "experts/craft_path.h"
#include "verify/golden_json.h"

// an episode as recorded; the lists are borrowed from the line
typedef struct {
    int task; // 0..12
    bool full, has_seed, by_bot;
    uint32_t seed;
    slt_craft_world start; // map, pose and pocket before the first action
    size_t length;         // T
    json_t *actions, *rewards, *dones, *pos_after, *dir_after, *obs; // of T entries, obs of T+1
    json_t *inv_changes, *grid_changes;
    json_t *ends, *recorded; // by_bot only
    int64_t ret, sketch_end;
    int success; // -1: not said
} slt_craft_record;

// 10 strings of 10 characters: kinds in base 36, '?' unknown
slt_status slt_craft_read_grid(const json_t *object, int8_t grid[SLT_CRAFT_CELLS]);
// a pair [x, y] as a cell's index
slt_status slt_craft_read_cell(const json_t *pair, const char *what, int *cell);
slt_status slt_craft_read_record(const json_t *line, slt_craft_record *out);

#endif
