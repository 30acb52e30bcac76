// Fuzz target: settings key=value. The first line names a model, the others are settings of a
// training and of a search.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "fuzz.h"
#include "train/sweep/sweep_plan.h"

enum { LINES = 64 };

// cuts the text into lines; zeros become spaces
static int cut(char *text, size_t size, const char *lines[LINES]) {
    int count = 0;
    for (size_t i = 0; i < size; i++)
        if (!text[i]) text[i] = ' ';
    for (char *at = text; count < LINES && at;) {
        char *end = strchr(at, '\n');
        if (end) *end = 0;
        lines[count++] = at;
        at = end ? end + 1 : NULL;
    }
    return count;
}

static int plan_search(const char *model, const char *const *settings, int count) {
    slt_arena arena;
    slt_sweep_plan plan = {0};
    slt_arena_init(&arena, &slt_system_allocator, 0);
    slt_sweep_request request = {.folder = "none",
                                 .model = model,
                                 .data = "none",
                                 .settings = settings,
                                 .setting_count = count};
    int accepted = slt_sweep_plan_make(&plan, &arena, &request) == SLT_OK;
    if (accepted) FUZZ_REQUIRE(plan.count >= 1 && slt_sweep_settings(&plan, plan.count - 1));
    slt_arena_deinit(&arena);
    return accepted;
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    static slt_setup setup;
    const char *lines[LINES];
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, bytes, size);
    text[size] = 0;
    int count = cut(text, size, lines);
    slt_train_request request = {
        .model = lines[0], .data = "none", .run = "none", .settings = lines + 1};
    request.setting_count = count - 1;
    int accepted = slt_setup_read(NULL, &setup, &request) == SLT_OK;
    accepted |= plan_search(lines[0], lines + 1, count - 1);
    free(text);
    return accepted;
}
