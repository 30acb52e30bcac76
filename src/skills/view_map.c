// Remembering what has left the view.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/view_map.h"

#include <string.h>

static size_t cell(int thing, int x, int y) {
    return ((size_t)thing * SLT_MAP_SPAN + (size_t)x) * SLT_MAP_SPAN + (size_t)y;
}

static bool is_fine(const slt_view_map *map, const slt_map_place *p) {
    if (p->thing < -1 || p->thing >= map->things) return false;
    for (int k = 0; p->thing >= 0 && k < SLT_MAP_AXES; k++)
        if (p->at[k] < 0 || p->at[k] >= SLT_MAP_SPAN) return false;
    return true;
}

slt_status slt_view_map_lay(slt_view_map *map, slt_arena *arena, bool *good) {
    size_t things = (size_t)map->things;
    *good = false;
    SLT_TRY(SLT_NEW(arena, &map->size, things + 1));
    SLT_TRY(SLT_NEW(arena, &map->first, things + 1));
    SLT_TRY(SLT_NEW(arena, &map->seen_at, things * SLT_MAP_SPAN * SLT_MAP_SPAN + 1));
    for (int i = 0; i < map->places; i++) {
        const slt_map_place *p = &map->place[i];
        if (!is_fine(map, p)) return SLT_OK;
        if (p->thing < 0) continue;
        int32_t *at = &map->seen_at[cell(p->thing, p->at[0], p->at[1])];
        if (*at) return SLT_OK;
        *at = i + 1;
        for (int k = 0; k < SLT_MAP_AXES; k++)
            if (p->at[k] >= map->size[p->thing][k])
                map->size[p->thing][k] = (int16_t)(p->at[k] + 1);
    }
    for (size_t t = 0; t < things; t++) {
        if (!map->size[t][0]) return SLT_OK;
        map->first[t + 1] = map->first[t];
        for (int k = 0; k < SLT_MAP_AXES; k++) map->first[t + 1] += map->size[t][k] + 2;
        if (map->first[t + 1] > SLT_MAP_WIDTH) return SLT_OK;
    }
    map->width = map->first[things];
    *good = true;
    return SLT_OK;
}

static bool is_in_view(const slt_view_map *map, const slt_map_place *p) {
    for (int k = 0; k < SLT_MAP_AXES; k++)
        if (p->at[k] < 0 || p->at[k] >= map->size[p->thing][k]) return false;
    return true;
}

static bool is_in_reach(const slt_view_map *map, const slt_map_place *p) {
    for (int k = 0; k < SLT_MAP_AXES; k++)
        if (p->at[k] < -SLT_MAP_REACH || p->at[k] >= map->size[p->thing][k] + SLT_MAP_REACH)
            return false;
    return true;
}

static slt_map_place moved(const slt_map_place *p, const int8_t *move) {
    slt_map_place out = *p;
    for (int k = 0; k < SLT_MAP_AXES; k++) out.at[k] = (int16_t)(out.at[k] + move[k]);
    return out;
}

// did the view shift by that, or stay? Of what both can tell, which is right more often; a view
// without marks shifts
static bool did_move(const slt_view_map *map, const uint8_t *before, const int8_t *move,
                     const uint8_t *after) {
    const int8_t back[SLT_MAP_AXES] = {(int8_t)-move[0], (int8_t)-move[1]};
    int shifted = 0, stayed = 0;
    for (int i = 0; i < map->places; i++) {
        const slt_map_place *p = &map->place[i];
        if (!after[i] || p->thing < 0) continue;
        slt_map_place from = moved(p, back);
        if (!is_in_view(map, &from)) continue;
        int32_t source = map->seen_at[cell(from.thing, from.at[0], from.at[1])];
        if (!source) continue;
        shifted += before[source - 1];
        stayed += before[i];
    }
    return shifted >= stayed;
}

void slt_view_memory_step(const slt_view_map *map, slt_view_memory *memory, const uint8_t *before,
                          int action, const uint8_t *after) {
    const int8_t *move = map->moves[action];
    int count = 0;
    if (!move[0] && !move[1]) return;
    if (!did_move(map, before, move, after)) return;
    for (int i = 0; i < memory->count; i++) {
        slt_map_place p = moved(&memory->item[i], move);
        if (!is_in_view(map, &p) && is_in_reach(map, &p)) memory->item[count++] = p;
    }
    for (int i = 0; i < map->places && count < SLT_MAP_REMEMBERED; i++) {
        if (!before[i] || map->place[i].thing < 0) continue;
        slt_map_place p = moved(&map->place[i], move);
        if (!is_in_view(map, &p)) memory->item[count++] = p;
    }
    memory->count = count;
}

// all positions before the view are one, and all after it
static int coarse(int at, int size) { return at < 0 ? 0 : at < size ? at + 1 : size + 1; }

int slt_view_memory_ones(const slt_view_map *map, const slt_view_memory *memory, uint16_t *out) {
    uint8_t known[SLT_MAP_WIDTH];
    int count = 0;
    memset(known, 0, (size_t)map->width);
    for (int i = 0; i < memory->count; i++) {
        const slt_map_place *p = &memory->item[i];
        int first = map->first[p->thing];
        for (int k = 0; k < SLT_MAP_AXES; k++) {
            known[first + coarse(p->at[k], map->size[p->thing][k])] = 1;
            first += map->size[p->thing][k] + 2;
        }
    }
    for (int i = 0; i < map->width; i++)
        if (known[i]) out[count++] = (uint16_t)i;
    return count;
}
