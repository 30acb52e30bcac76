// Skills as a file (docs/formats.md). The file is not trusted.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/output_impl.h"
#include "skills/skills_impl.h"

static const char *const SCOPES[] = {"policy", "chooser"};

enum {
    NETS = 2,
    ARRAYS = SLT_TYPES_ARRAYS + 7 + NETS * SLT_SKILL_PARTS,
    NAME = 48,
    LONGEST = 1000000
};

static slt_skill_net *net_of(slt_skills *skills, int n) {
    return n ? &skills->chooser : &skills->policy;
}

// ---- writing

enum { MAP_COLUMNS = 1 + SLT_MAP_AXES };

static slt_status pack_map(const slt_view_map *map, slt_arena *arena, slt_array out[2]) {
    int32_t *moves, *places;
    SLT_TRY(SLT_NEW(arena, &moves, (size_t)map->actions * SLT_MAP_AXES));
    SLT_TRY(SLT_NEW(arena, &places, (size_t)map->places * MAP_COLUMNS));
    for (int a = 0; a < map->actions; a++)
        for (int k = 0; k < SLT_MAP_AXES; k++) moves[a * SLT_MAP_AXES + k] = map->moves[a][k];
    for (int i = 0; i < map->places; i++) {
        places[i * MAP_COLUMNS] = map->place[i].thing;
        for (int k = 0; k < SLT_MAP_AXES; k++)
            places[i * MAP_COLUMNS + 1 + k] = map->place[i].at[k];
    }
    out[0] = (slt_array){"map_moves", SLT_DTYPE_I32, 2, {map->actions, SLT_MAP_AXES}, 0, 0, moves};
    out[1] = (slt_array){"map_places", SLT_DTYPE_I32, 2, {map->places, MAP_COLUMNS}, 0, 0, places};
    return SLT_OK;
}

slt_status slt_skills_pack(const slt_skills *skills, slt_arena *arena, slt_array **out,
                           int *out_count) {
    slt_array *arrays;
    slt_skills held = *skills, *k = &held;
    static const int64_t one = 1;
    int count = SLT_TYPES_ARRAYS;
    double *choice;
    SLT_TRY(SLT_NEW(arena, &arrays, ARRAYS));
    SLT_TRY(slt_types_pack(k->types, arena, arrays));
    SLT_TRY(SLT_NEW(arena, &choice, 1));
    *choice = k->choice;
    const slt_array own[] = {
        {"skill_of_type", SLT_DTYPE_I32, 1, {slt_types_count(k->types)}, 0, 0, k->skill_of_type},
        {"levels", SLT_DTYPE_U16, 1, {k->code.size}, 0, 0, k->code.levels},
        {"longest", SLT_DTYPE_I32, 1, {k->count}, 0, 0, k->longest},
        {"held_out", SLT_DTYPE_F64, 2, {k->count, 3}, 0, 0, k->shown},
        {"choice", SLT_DTYPE_F64, 1, {one}, 0, 0, choice},
    };
    memcpy(arrays + count, own, sizeof own);
    count += (int)(sizeof own / sizeof *own);
    for (int n = 0; n < NETS; n++)
        for (int i = 0; i < SLT_SKILL_PARTS; i++) {
            slt_skill_matrix m = slt_skill_part(net_of(k, n)->shape, i);
            char *name;
            SLT_TRY(SLT_NEW(arena, &name, NAME));
            snprintf(name, NAME, "%s.%s", SCOPES[n], m.name);
            arrays[count++] = (slt_array){name, SLT_DTYPE_F32,        2, {m.rows, m.columns}, 0,
                                          0,    net_of(k, n)->part[i]};
        }
    if (k->map.things) {
        SLT_TRY(pack_map(&k->map, arena, arrays + count));
        count += 2;
    }
    *out = arrays;
    *out_count = count;
    return SLT_OK;
}

static slt_status write_file(const slt_skills *k, slt_arena *arena, const char *path) {
    const slt_metadata texts[] = {{"environment", k->environment}, {"format", SLT_SKILLS_FORMAT}};
    slt_array *arrays;
    int count;
    SLT_TRY(slt_skills_pack(k, arena, &arrays, &count));
    return slt_safetensors_save(&k->context->allocator, path, arrays, (size_t)count, texts, 2);
}

slt_status slt_skills_save(const slt_skills *skills, const char *path, bool overwrite) {
    slt_arena arena;
    slt_lock lock;
    slt_output_request output = {.path = path, .overwrite = overwrite};
    SLT_TRY(slt_output_claim(&lock, skills->context, &output));
    slt_arena_init(&arena, &skills->context->allocator, 0);
    slt_status status = write_file(skills, &arena, path);
    slt_arena_deinit(&arena);
    slt_lock_release(&lock);
    return status;
}

// ---- reading

static slt_status refuse(const slt_safetensors *file, const char *name, const char *what) {
    return slt_fail(SLT_FORMAT, "%s: %s: %s", slt_safetensors_path(file), name, what);
}

// skills are numbered without gaps, in the order of their first type
static slt_status read_numbers(slt_skills *k, const slt_safetensors *file) {
    const slt_array *array;
    int64_t types = slt_types_count(k->types), size = k->types->observation;
    SLT_TRY(slt_safetensors_get(file, "skill_of_type", SLT_DTYPE_I32, 1, &types, &array));
    SLT_TRY(SLT_NEW(&k->arena, &k->skill_of_type, (size_t)types));
    memcpy(k->skill_of_type, array->data, array->bytes);
    for (int64_t i = 0; i < types; i++) {
        if (k->skill_of_type[i] < 0 || k->skill_of_type[i] > k->count)
            return refuse(file, "skill_of_type", "numbers have gaps");
        k->count += k->skill_of_type[i] == k->count;
    }
    SLT_TRY(slt_safetensors_get(file, "levels", SLT_DTYPE_U16, 1, &size, &array));
    k->code.size = size;
    SLT_TRY(SLT_NEW(&k->arena, &k->code.levels, (size_t)size + 1));
    if (array->bytes) memcpy(k->code.levels, array->data, array->bytes);
    for (int64_t i = 0; i < size; i++)
        if (k->code.levels[i] < 1 || k->code.levels[i] > 256)
            return refuse(file, "levels", "a number is not 1 to 256");
    return slt_skill_code_lay(&k->code, &k->arena);
}

static slt_status read_longest(slt_skills *k, const slt_safetensors *file) {
    const slt_array *array;
    const int64_t count = k->count;
    SLT_TRY(slt_safetensors_get(file, "longest", SLT_DTYPE_I32, 1, &count, &array));
    SLT_TRY(SLT_NEW(&k->arena, &k->longest, (size_t)count));
    memcpy(k->longest, array->data, array->bytes);
    for (int64_t i = 0; i < count; i++)
        if (k->longest[i] < 1 || k->longest[i] > LONGEST)
            return refuse(file, "longest", "a length is not 1 to 1000000");
    return SLT_OK;
}

static slt_status read_moves(slt_view_map *map, slt_arena *arena, const slt_safetensors *file) {
    const int64_t shape[2] = {map->actions, SLT_MAP_AXES};
    const slt_array *array;
    SLT_TRY(slt_safetensors_get(file, "map_moves", SLT_DTYPE_I32, 2, shape, &array));
    const int32_t *moves = array->data;
    SLT_TRY(SLT_NEW(arena, &map->moves, (size_t)map->actions));
    for (int i = 0; i < map->actions * SLT_MAP_AXES; i++) {
        if (moves[i] < -1 || moves[i] > 1) return refuse(file, "map_moves", "is not -1 to 1");
        map->moves[i / SLT_MAP_AXES][i % SLT_MAP_AXES] = (int8_t)moves[i];
    }
    return SLT_OK;
}

// there when skills remember
static slt_status read_map(slt_skills *k, const slt_safetensors *file) {
    slt_view_map *map = &k->map;
    const int64_t shape[2] = {k->code.places, MAP_COLUMNS};
    const slt_array *array;
    bool good;
    if (!slt_safetensors_find(file, "map_places")) return SLT_OK;
    SLT_TRY(slt_safetensors_get(file, "map_places", SLT_DTYPE_I32, 2, shape, &array));
    const int32_t *places = array->data;
    map->actions = k->actions;
    map->places = k->code.places;
    if (map->places > SLT_MAP_PLACES) return refuse(file, "map_places", "there are too many");
    SLT_TRY(read_moves(map, &k->arena, file));
    SLT_TRY(SLT_NEW(&k->arena, &map->place, (size_t)map->places));
    for (int i = 0; i < map->places; i++) {
        const int32_t *row = places + i * MAP_COLUMNS;
        if (row[0] < -1 || row[0] >= map->places || row[1] < 0 || row[1] >= SLT_MAP_SPAN ||
            row[2] < 0 || row[2] >= SLT_MAP_SPAN)
            return refuse(file, "map_places", "a number is out of range");
        map->place[i] = (slt_map_place){(int16_t)row[0], {(int16_t)row[1], (int16_t)row[2]}};
        if (row[0] >= map->things) map->things = row[0] + 1;
    }
    SLT_TRY(slt_view_map_lay(map, &k->arena, &good));
    if (!good || !map->things) return refuse(file, "map_places", "things have gaps or overlap");
    k->code.width = k->code.places + map->width;
    return SLT_OK;
}

static slt_status read_shown(slt_skills *k, const slt_safetensors *file) {
    const slt_array *array;
    const int64_t shape[2] = {k->count, 3}, one = 1;
    SLT_TRY(slt_safetensors_get(file, "held_out", SLT_DTYPE_F64, 2, shape, &array));
    SLT_TRY(SLT_NEW(&k->arena, &k->shown, array->count));
    memcpy(k->shown, array->data, array->bytes);
    for (size_t i = 0; i < array->count; i++)
        if (!(k->shown[i] >= 0 && k->shown[i] <= (i % 3 ? 1 : 1e15)))
            return refuse(file, "held_out", "a number is out of range");
    SLT_TRY(slt_safetensors_get(file, "choice", SLT_DTYPE_F64, 1, &one, &array));
    k->choice = *(const double *)array->data;
    return k->choice >= 0 && k->choice <= 1 ? SLT_OK : refuse(file, "choice", "is no share");
}

static slt_status read_net(slt_skills *k, const slt_safetensors *file, int n,
                           slt_skill_shape shape) {
    slt_skill_net *net = net_of(k, n);
    SLT_TRY(slt_skill_net_init(net, &k->arena, shape));
    for (int i = 0; i < SLT_SKILL_PARTS; i++) {
        slt_skill_matrix m = slt_skill_part(shape, i);
        const int64_t size[2] = {m.rows, m.columns};
        const slt_array *array;
        char name[NAME];
        snprintf(name, sizeof name, "%s.%s", SCOPES[n], m.name);
        SLT_TRY(slt_safetensors_get(file, name, SLT_DTYPE_F32, 2, size, &array));
        memcpy(net->part[i], array->data, array->bytes);
        for (size_t at = 0; at < array->count; at++)
            if (!isfinite(net->part[i][at])) return refuse(file, name, "a number is not finite");
    }
    return SLT_OK;
}

static slt_status read_skills(slt_skills *k, const slt_safetensors *file, const char *ids) {
    const slt_array *bias;
    const int64_t row[2] = {1, -1};
    slt_skill_shape policy, chooser;
    SLT_TRY(slt_types_unpack(k->context, file, &k->types));
    if (k->types->continuous || k->types->features)
        return refuse(file, "about", "skills are of discrete actions and effects");
    k->actions = k->types->actions;
    k->tasks = 1;
    for (const char *c = ids ? ids : ""; *c; c++) k->tasks += *c == ',';
    SLT_TRY(slt_arena_text(&k->arena, ids ? ids : "", strlen(ids ? ids : ""), &k->environment));
    SLT_TRY(read_numbers(k, file));
    SLT_TRY(read_longest(k, file));
    SLT_TRY(read_map(k, file));
    SLT_TRY(read_shown(k, file));
    SLT_TRY(slt_safetensors_get(file, "policy.see.bias", SLT_DTYPE_F32, 2, row, &bias));
    if (bias->count < 1 || bias->count > SLT_SKILL_HIDDEN)
        return refuse(file, "policy.see.bias", "units are not 1 to 256");
    SLT_TRY(slt_skills_shapes(k, (int)bias->count, &policy, &chooser));
    SLT_TRY(read_net(k, file, 0, policy));
    slt_skill_net_round(&k->policy);
    return read_net(k, file, 1, chooser);
}

slt_status slt_skills_unpack(slt_context *context, const slt_safetensors *file, const char *ids,
                             slt_skills **out) {
    slt_skills *skills = NULL;
    slt_status status = slt_skills_create(context, &skills);
    if (status == SLT_OK) status = read_skills(skills, file, ids);
    if (status != SLT_OK) return slt_skills_close(skills), status;
    *out = skills;
    return SLT_OK;
}

slt_status slt_skills_open(slt_context *context, const char *path, slt_skills **out) {
    slt_safetensors *file;
    SLT_TRY(slt_safetensors_open(&context->allocator, path, &file));
    const char *format = slt_safetensors_metadata(file, "format");
    bool ours = format && strcmp(format, SLT_SKILLS_FORMAT) == 0;
    slt_status status =
        ours ? slt_skills_unpack(context, file, slt_safetensors_metadata(file, "environment"), out)
             : refuse(file, "format", "no skills (slottar-skills-1)");
    slt_safetensors_close(file);
    return status;
}
