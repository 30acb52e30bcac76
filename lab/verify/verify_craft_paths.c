// Golden paths of the Craft bot's search.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/craft_record.h"

static slt_status compare_path(slt_verification *verification, const json_t *line,
                               const uint8_t *path, int length) {
    const json_t *want = json_object_get(line, "path");
    if (!want || (!json_is_null(want) && !json_is_array(want)))
        SLT_FAIL(SLT_FORMAT, "field 'path' is neither a list nor null");
    slt_verify_same(verification, (int64_t)json_array_size(want), length, "length of the path");
    for (size_t i = 0; i < json_array_size(want) && i < (size_t)length; i++) {
        int cell;
        SLT_TRY(slt_craft_read_cell(json_array_get(want, i), "path", &cell));
        slt_verify_same(verification, cell, path[i], "cell of the path");
    }
    return SLT_OK;
}

static slt_status check_line(slt_verification *verification, const json_t *line) {
    int8_t known[SLT_CRAFT_CELLS];
    uint8_t path[SLT_CRAFT_CELLS];
    int start, target;
    if (json_object_size(line) != 4) SLT_FAIL(SLT_FORMAT, "not four fields");
    SLT_TRY(slt_craft_read_grid(line, known));
    SLT_TRY(slt_craft_read_cell(json_object_get(line, "start"), "start", &start));
    SLT_TRY(slt_craft_read_cell(json_object_get(line, "target"), "target", &target));
    int length = slt_craft_path(known, start, target, path);
    return compare_path(verification, line, path, length);
}

static bool knows(const slt_golden *golden) {
    const json_t *head = golden->head;
    return json_object_get(head, "grid") && json_object_get(head, "start") &&
           json_object_get(head, "target") && json_object_get(head, "path");
}

static slt_status run(slt_verification *verification, const slt_golden *golden) {
    return slt_golden_each(verification, golden, check_line);
}

const slt_verify_kind slt_verify_craft_paths = {"craft-paths", knows, run};
