// Types of segments, and the types of an episode.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "skills/types_impl.h"

slt_status slt_types_create(slt_context *context, const slt_dataset_info *info, slt_types **out) {
    slt_types *types;
    SLT_TRY(SLT_ALLOC(&context->allocator, &types, 1));
    types->context = context;
    slt_arena_init(&types->arena, &context->allocator, 0);
    types->continuous = info->action_kind == SLT_ACTIONS_CONTINUOUS;
    types->actions = types->continuous ? info->action_size : info->action_count;
    types->observation = info->observation_size;
    slt_status status = slt_key_map_init(&types->effects, &types->arena, sizeof(slt_effect));
    if (status != SLT_OK) return slt_types_close(types), status;
    *out = types;
    return SLT_OK;
}

void slt_types_close(slt_types *types) {
    if (!types) return;
    slt_arena_deinit(&types->arena);
    slt_free(&types->context->allocator, types);
}

static slt_status copy_arrays(const slt_types *from, slt_types *to) {
    size_t K = (size_t)from->count, D = (size_t)from->features, number;
    const struct {
        const void *values;
        size_t bytes;
        void **out;
    } arrays[] = {
        {from->times, K * sizeof *from->times, (void **)&to->times},
        {from->occurrences, K * sizeof *from->occurrences, (void **)&to->occurrences},
        {from->cells, (size_t)from->shape.cells, (void **)&to->cells},
        {from->symbols, (size_t)from->symbol_count * sizeof *from->symbols, (void **)&to->symbols},
        {from->means, D * sizeof *from->means, (void **)&to->means},
        {from->scales, D * sizeof *from->scales, (void **)&to->scales},
        {from->centres, K * D * sizeof *from->centres, (void **)&to->centres},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        unsigned char *bytes;
        SLT_TRY(SLT_NEW(&to->arena, &bytes, arrays[i].bytes + 1));
        if (arrays[i].bytes) memcpy(bytes, arrays[i].values, arrays[i].bytes);
        *arrays[i].out = bytes;
    }
    SLT_TRY(slt_key_map_init(&to->effects, &to->arena, sizeof(slt_effect)));
    for (number = 0; !D && number < K; number++) {
        int32_t unused;
        SLT_TRY(slt_key_map_add(&to->effects, slt_key_map_at(&from->effects, (int32_t)number),
                                &unused));
    }
    return SLT_OK;
}

slt_status slt_types_copy(const slt_types *types, slt_types **out) {
    slt_types *copy;
    SLT_TRY(SLT_ALLOC(&types->context->allocator, &copy, 1));
    *copy = *types;
    slt_arena_init(&copy->arena, &types->context->allocator, 0);
    slt_status status = copy_arrays(types, copy);
    if (status != SLT_OK) return slt_types_close(copy), status;
    *out = copy;
    return SLT_OK;
}

int slt_types_count(const slt_types *types) { return types->count; }

int64_t slt_types_times(const slt_types *types, int type) {
    return type >= 0 && type < types->count ? types->times[type] : 0;
}

uint64_t slt_types_origin(const slt_types *types) { return types->origin; }
void slt_types_set_origin(slt_types *types, uint64_t origin) { types->origin = origin; }

// ---- using

static bool is_cell_of(const slt_types *types, const slt_step_change *change, int kind) {
    for (int32_t i = 0; i < change->changed_count; i++)
        if (types->cells[change->changed[i]] == kind) return true;
    return false;
}

static void add_symbol(slt_effect *effect, int32_t symbol) {
    if (effect->count < SLT_TYPE_SYMBOLS) effect->symbols[effect->count++] = symbol;
}

// the first of a still cell's symbols that fits; without one, that it changed
static int32_t still_symbol(const slt_types *types, const slt_step_change *change, int32_t cell) {
    for (int i = 0; i < types->still_symbols; i++)
        if (types->symbols[i].cell == cell && slt_change_has(change, &types->symbols[i])) return i;
    return -2 - cell;
}

void slt_effect_of(const slt_types *types, const slt_step_change *change, int32_t action,
                   slt_effect *out) {
    *out = (slt_effect){.action = action};
    for (int32_t i = 0; i < change->changed_count; i++)
        if (types->cells[change->changed[i]] == SLT_CELL_STILL)
            add_symbol(out, still_symbol(types, change, change->changed[i]));
    if (out->count && !is_cell_of(types, change, SLT_CELL_LATE)) return;
    for (int i = types->still_symbols; change->known && i < types->symbol_count; i++)
        if (slt_change_has(change, &types->symbols[i])) return add_symbol(out, i);
}

slt_status slt_types_fit(const slt_types *types, const slt_dataset *data) {
    const slt_dataset_info *info = slt_dataset_about(data);
    bool continuous = info->action_kind == SLT_ACTIONS_CONTINUOUS;
    int actions = continuous ? info->action_size : info->action_count;
    if (continuous != types->continuous ||
        (continuous ? actions != types->actions : actions > types->actions) ||
        info->observation_size != types->observation)
        SLT_FAIL(SLT_SHAPE,
                 "%s has %d %s and observations of %" PRId64 " numbers, the types know %d %s and "
                 "%" PRId64,
                 slt_dataset_path(data), actions, continuous ? "numbers per action" : "actions",
                 info->observation_size, types->actions,
                 types->continuous ? "numbers per action" : "actions", types->observation);
    return SLT_OK;
}

static slt_status by_effect(const slt_types *types, const slt_dataset_info *info,
                            const slt_episode *episode, const int32_t *ids, slt_arena *arena,
                            int32_t *out) {
    slt_step_change change;
    int32_t segment = 0;
    SLT_TRY(slt_step_change_init(&change, arena, types->shape));
    for (int64_t t = 0; t < episode->length; t++) {
        slt_effect effect;
        bool symbols;
        if (!slt_ends_at(ids, episode->length, t)) continue;
        SLT_TRY(slt_step_change_read(&change, info, episode, t, &symbols));
        slt_effect_of(types, &change, slt_episode_action(episode, t), &effect);
        out[segment++] = symbols ? slt_key_map_find(&types->effects, &effect) : SLT_UNKNOWN_TYPE;
    }
    return SLT_OK;
}

static slt_status by_cluster(const slt_types *types, const slt_dataset_info *info,
                             const slt_episode *episode, const int32_t *ids, slt_arena *arena,
                             int32_t *out) {
    int64_t first = 0;
    double *features;
    float *room;
    SLT_TRY(SLT_NEW(arena, &features, (size_t)types->features));
    SLT_TRY(SLT_NEW(arena, &room, 2 * (size_t)info->observation_size + 1));
    for (int64_t t = 0; t < episode->length; t++) {
        if (!slt_ends_at(ids, episode->length, t)) continue;
        SLT_TRY(slt_cluster_read(info, episode, first, t, room, features));
        *out++ = slt_cluster_nearest(types, features);
        first = t + 1;
    }
    return SLT_OK;
}

slt_status slt_types_of(const slt_types *types, slt_dataset *data, int64_t index,
                        const int32_t *ids, int32_t *out) {
    const slt_dataset_info *info = slt_dataset_about(data);
    slt_episode episode;
    slt_arena arena;
    SLT_TRY(slt_types_fit(types, data));
    SLT_TRY(slt_dataset_episode(data, index, &episode));
    slt_arena_init(&arena, &types->context->allocator, 0);
    slt_status status =
        (types->features ? by_cluster : by_effect)(types, info, &episode, ids, &arena, out);
    slt_arena_deinit(&arena);
    return status;
}
