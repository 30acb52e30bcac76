// Open addressing; old tables stay in the arena, together no more than the newest.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/key_map.h"

#include <string.h>

enum { FIRST_ROOM = 64, MOST_KEYS = 1 << 22 };

static uint64_t hash(const unsigned char *key, size_t bytes) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++) h = (h ^ key[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}

// the place of a key, or the free one where it belongs
static size_t place(const slt_key_map *map, const void *key) {
    size_t mask = 2 * (size_t)map->room - 1, at = hash(key, map->key_bytes) & mask;
    while (map->table[at] &&
           memcmp(slt_key_map_at(map, map->table[at] - 1), key, map->key_bytes) != 0)
        at = (at + 1) & mask;
    return at;
}

static slt_status grow(slt_key_map *map, int32_t room) {
    unsigned char *keys;
    if (room > MOST_KEYS) SLT_FAIL(SLT_RANGE, "more than %d different changes", MOST_KEYS / 2);
    SLT_TRY(SLT_NEW(map->arena, &keys, (size_t)room * map->key_bytes));
    SLT_TRY(SLT_NEW(map->arena, &map->table, 2 * (size_t)room));
    if (map->count) memcpy(keys, map->keys, (size_t)map->count * map->key_bytes);
    map->keys = keys;
    map->room = room;
    for (int32_t i = 0; i < map->count; i++) map->table[place(map, slt_key_map_at(map, i))] = i + 1;
    return SLT_OK;
}

slt_status slt_key_map_init(slt_key_map *map, slt_arena *arena, size_t key_bytes) {
    *map = (slt_key_map){.arena = arena, .key_bytes = key_bytes};
    return grow(map, FIRST_ROOM);
}

const void *slt_key_map_at(const slt_key_map *map, int32_t number) {
    return map->keys + (size_t)number * map->key_bytes;
}

int32_t slt_key_map_find(const slt_key_map *map, const void *key) {
    return map->table[place(map, key)] - 1;
}

slt_status slt_key_map_add(slt_key_map *map, const void *key, int32_t *out) {
    size_t at = place(map, key);
    if (!map->table[at]) {
        if (map->count == map->room) {
            SLT_TRY(grow(map, 2 * map->room));
            at = place(map, key);
        }
        memcpy(map->keys + (size_t)map->count * map->key_bytes, key, map->key_bytes);
        map->table[at] = ++map->count;
    }
    *out = map->table[at] - 1;
    return SLT_OK;
}
