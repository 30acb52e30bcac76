// Numbers for keys of equal size: 0, 1, 2, ... in the order in which they were first met.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_KEY_MAP_H
#define SLT_SKILLS_KEY_MAP_H

#include "core/memory.h"

typedef struct {
    slt_arena *arena;
    size_t key_bytes;
    unsigned char *keys; // [room][key_bytes]
    int32_t *table;      // [2*room], number + 1; 0: free
    int32_t count, room; // room is a power of two
} slt_key_map;

slt_status slt_key_map_init(slt_key_map *map, slt_arena *arena, size_t key_bytes);
// -1 when it is not there
int32_t slt_key_map_find(const slt_key_map *map, const void *key);
slt_status slt_key_map_add(slt_key_map *map, const void *key, int32_t *out);
const void *slt_key_map_at(const slt_key_map *map, int32_t number);

#endif
