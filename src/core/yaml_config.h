// YAML files as we use them: one flat map of scalars and of lists of scalars. Everything else YAML
// can say (nesting, aliases, tags, several documents) is refused.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_YAML_CONFIG_H
#define SLT_CORE_YAML_CONFIG_H

#include "core/memory.h"

typedef struct {
    const char *key;
    const char *const *values; // one, or those of the list
    size_t count;
    bool is_list;
    int line; // from 1
} slt_yaml_entry;

typedef struct {
    slt_yaml_entry *entries; // in the order of the file; no key stands twice
    size_t count;
} slt_yaml;

// texts of at most 1 MiB; everything lives in the arena; messages start with "name:line"
slt_status slt_yaml_parse(slt_arena *arena, const char *name, const char *text, size_t length,
                          slt_yaml *out);
slt_status slt_yaml_load(slt_arena *arena, const char *path, slt_yaml *out);

const slt_yaml_entry *slt_yaml_find(const slt_yaml *yaml, const char *key); // or NULL

#endif
