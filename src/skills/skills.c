// Skills: handles, and observations as ones.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "skills/flag_bits.h"
#include "skills/skills_impl.h"

slt_status slt_skills_create(slt_context *context, slt_skills **out) {
    SLT_TRY(SLT_ALLOC(&context->allocator, out, 1));
    (*out)->context = context;
    slt_arena_init(&(*out)->arena, &context->allocator, 0);
    return SLT_OK;
}

void slt_skills_close(slt_skills *skills) {
    if (!skills) return;
    slt_types_close(skills->types);
    slt_arena_deinit(&skills->arena);
    slt_free(&skills->context->allocator, skills);
}

int slt_skills_count(const slt_skills *skills) { return skills->count; }
double slt_skills_choice(const slt_skills *skills) { return skills->choice; }

slt_status slt_skills_describe(const slt_skills *skills, int skill, slt_skill_info *out) {
    enum { MOST = sizeof out->types / sizeof *out->types };
    if (skill < 0 || skill >= skills->count)
        SLT_FAIL(SLT_RANGE, "no skill %d, there are %d", skill, skills->count);
    const double *shown = skills->shown + skill * 3;
    *out = (slt_skill_info){.steps = (int64_t)shown[0], .action = shown[1], .end = shown[2]};
    for (int t = 0; t < slt_types_count(skills->types) && out->type_count < MOST; t++)
        if (skills->skill_of_type[t] == skill) out->types[out->type_count++] = t;
    return SLT_OK;
}

slt_status slt_skills_shapes(const slt_skills *skills, int hidden, slt_skill_shape *policy,
                             slt_skill_shape *chooser) {
    int width = skills->code.width;
    if (width + skills->count > 65536 || width + skills->tasks > 65536 ||
        skills->actions > SLT_SKILL_ACTIONS || skills->count > SLT_SKILL_COUNT ||
        skills->count * 2 * skills->actions > SLT_SKILL_OUTPUTS)
        SLT_FAIL(SLT_RANGE, "%d places, %d skills, %d tasks, %d actions are too many", width,
                 skills->count, skills->tasks, skills->actions);
    int outputs = skills->count * 2 * skills->actions;
    *policy = (slt_skill_shape){width + skills->count, hidden, outputs};
    *chooser = (slt_skill_shape){width + skills->tasks, hidden, skills->count};
    return SLT_OK;
}

slt_status slt_skill_code_lay(slt_skill_code *code, slt_arena *arena) {
    int64_t width = 0;
    SLT_TRY(SLT_NEW(arena, &code->start, (size_t)code->size));
    for (int64_t i = 0; i < code->size; i++) {
        code->start[i] = (uint16_t)width;
        width += code->levels[i] - 1;
        if (width > 65000) SLT_FAIL(SLT_RANGE, "observations have more than 65000 different marks");
    }
    if (!width) SLT_FAIL(SLT_INVALID, "observations never differ");
    code->places = code->width = (int)width;
    return SLT_OK;
}

int64_t slt_skill_encode(const slt_skill_code *code, const uint8_t *numbers, uint16_t *out) {
    int64_t count = 0;
    for (int64_t at = 0; at < code->size; at += 8) {
        uint64_t word = 0;
        int64_t left = code->size - at;
        if (left < 8)
            memcpy(&word, numbers + at, (size_t)left);
        else
            memcpy(&word, numbers + at, 8);
        // byte by byte from the lowest that is not 0
        for (int64_t i = at; word; word >>= 8, i++) {
            int skipped = __builtin_ctzll(word) / 8;
            word >>= 8 * skipped;
            i += skipped;
            int value = numbers[i] < code->levels[i] ? numbers[i] : code->levels[i] - 1;
            if (value > 0) out[count++] = (uint16_t)(code->start[i] + value - 1);
        }
    }
    return count;
}

void slt_skill_changes(const slt_skill_code *code, uint8_t *before, const uint8_t *after,
                       slt_skill_change *out) {
    uint64_t bytes[SLT_SKILL_VIEW / SLT_FLAGS];
    int64_t came = 0, went = 0;
    _Static_assert(SLT_SKILL_VIEW <= 64 * SLT_FLAGS, "a bit for every block");
    uint64_t blocks = 0;
    for (int64_t i = 0; i < code->size; i += SLT_FLAGS) {
        bytes[i / SLT_FLAGS] = slt_differences(before, after, i, code->size);
        blocks |= (uint64_t)(bytes[i / SLT_FLAGS] != 0) << i / SLT_FLAGS;
    }
    for (; blocks; blocks &= blocks - 1) {
        int64_t block = __builtin_ctzll(blocks);
        for (uint64_t left = bytes[block]; left; left &= left - 1) {
            int64_t i = block * SLT_FLAGS + __builtin_ctzll(left);
            int most = code->levels[i] - 1, first = code->start[i] - 1;
            int old = before[i] < most ? before[i] : most, now = after[i] < most ? after[i] : most;
            before[i] = after[i];
            out->went[went] = (uint16_t)(first + old);
            out->came[came] = (uint16_t)(first + now);
            went += old && old != now;
            came += now && old != now;
        }
    }
    out->came_count = came;
    out->went_count = went;
}

int64_t slt_skills_see(const slt_skills *skills, slt_view_memory *memory, uint8_t *marks,
                       int action, const uint8_t *numbers, uint16_t *out) {
    const slt_view_map *map = &skills->map;
    int places = skills->code.places;
    int64_t count = slt_skill_encode(&skills->code, numbers, out);
    uint8_t now[SLT_MAP_PLACES];
    if (!map->things) return count;
    memset(now, 0, (size_t)places);
    for (int64_t i = 0; i < count; i++) now[out[i]] = 1;
    if (action < 0)
        memory->count = 0;
    else
        slt_view_memory_step(map, memory, marks, action, now);
    memcpy(marks, now, (size_t)places);
    int more = slt_view_memory_ones(map, memory, out + count);
    for (int i = 0; i < more; i++) out[count + i] = (uint16_t)(out[count + i] + places);
    return count + more;
}
