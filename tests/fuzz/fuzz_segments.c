// Fuzz target: segments.safetensors, as the report reads it. What is accepted is whole: ids are
// slots, or segments where there are none; numbers are probabilities.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "fuzz.h"
#include "report/report_segments.h"

static void read_everything(const slt_report_answer *a, int slots) {
    int changes = 0;
    for (int t = 0; t < a->length; t++) {
        FUZZ_REQUIRE(a->ids[t] >= 0 && a->ids[t] < (slots ? slots : UINT16_MAX));
        changes += t > 0 && a->ids[t] != a->ids[t - 1];
    }
    FUZZ_REQUIRE(changes == a->segments - 1);
    for (int b = 0; b < changes; b++)
        FUZZ_REQUIRE(a->confidence[b] >= 0 && a->confidence[b] < 1.1f);
    for (int k = 0; a->counts && k < slots; k++) FUZZ_REQUIRE(a->counts[k] >= 0);
    for (int i = 0; a->masks && i < slots * a->length; i++)
        FUZZ_REQUIRE(a->masks[i] >= 0 && a->masks[i] < 1.1f);
    for (int i = 0; a->attention && i < slots * a->length; i++)
        FUZZ_REQUIRE(a->attention[i] >= 0 && a->attention[i] < 1.1f);
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    static const int64_t episodes[] = {120, 121}, lengths[] = {12, 11}; // as in the corpus
    const slt_report_wanted wanted = {"fuzz", 2, 2, episodes, lengths};
    slt_report_answer list[2] = {{0}};
    slt_report_answers answers = {.list = list};
    slt_safetensors *file;
    slt_arena arena;
    if (slt_safetensors_view(&slt_system_allocator, "fuzz", bytes, size, &file) != SLT_OK) return 0;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    slt_status status = slt_report_take_segments(&arena, file, &wanted, &answers);
    for (int i = 0; status == SLT_OK && i < 2; i++) read_everything(&list[i], answers.slots);
    FUZZ_REQUIRE(status == SLT_OK || slt_last_error()[0]);
    slt_arena_deinit(&arena);
    slt_safetensors_close(file);
    return status == SLT_OK;
}
