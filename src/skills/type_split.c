// Boundaries that types show: a step inside a segment whose effect elsewhere ends segments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/types_impl.h"

static const double SHARE = 0.85;

// share of the steps with its effect that end segments; 0: an action alone, or a cluster
static double certainty(const slt_types *types, int32_t type) {
    if (types->features || type < 0) return 0;
    const slt_effect *effect = slt_key_map_at(&types->effects, type);
    return effect->count ? (double)types->times[type] / (double)types->occurrences[type] : 0;
}

static slt_status find(const slt_types *types, slt_dataset *data, const slt_episode *episode,
                       slt_arena *arena, const int32_t *ids, float *out) {
    slt_step_change change;
    SLT_TRY(slt_step_change_init(&change, arena, types->shape));
    for (int64_t t = 0; t + 1 < episode->length; t++) {
        slt_effect effect;
        bool symbols;
        out[t] = 0;
        if (ids[t] != ids[t + 1]) continue;
        SLT_TRY(slt_step_change_read(&change, slt_dataset_about(data), episode, t, &symbols));
        if (!symbols) continue;
        slt_effect_of(types, &change, slt_episode_action(episode, t), &effect);
        double share = certainty(types, slt_key_map_find(&types->effects, &effect));
        if (share >= SHARE) out[t] = (float)share;
    }
    out[episode->length - 1] = 0;
    return SLT_OK;
}

slt_status slt_types_missing(const slt_types *types, slt_dataset *data, int64_t index,
                             const int32_t *ids, float *out) {
    slt_episode episode;
    slt_arena arena;
    SLT_TRY(slt_types_fit(types, data));
    SLT_TRY(slt_dataset_episode(data, index, &episode));
    slt_arena_init(&arena, &types->context->allocator, 0);
    slt_status status = find(types, data, &episode, &arena, ids, out);
    slt_arena_deinit(&arena);
    return status;
}
