// Fuzz target: the YAML reader.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "core/yaml_config.h"
#include "fuzz.h"

int fuzz_one(const uint8_t *bytes, size_t size) {
    slt_arena arena;
    slt_arena_init(&arena, &slt_system_allocator, 4096);
    slt_yaml yaml;
    int accepted = slt_yaml_parse(&arena, "fuzz", (const char *)bytes, size, &yaml) == SLT_OK;
    for (size_t i = 0; accepted && i < yaml.count; i++) {
        FUZZ_REQUIRE(slt_yaml_find(&yaml, yaml.entries[i].key) == &yaml.entries[i]);
        for (size_t k = 0; k < yaml.entries[i].count; k++)
            FUZZ_REQUIRE(strlen(yaml.entries[i].values[k]) <= size);
    }
    slt_arena_deinit(&arena);
    return accepted;
}
