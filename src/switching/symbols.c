// Discrete behaviour as the switching chains read it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/symbols.h"
#include <string.h>

enum { MOST_SYMBOLS = 1 << 16 };

static bool reals_differ(const float *x, const float *y, int64_t size) {
    for (int64_t i = 0; i < size; i++)
        if (x[i] != y[i]) return true;
    return false;
}

static bool ones_differ(const slt_episode *e, int64_t t, bool last) {
    const int64_t *at = e->ones_offsets + t;
    int64_t count = at[1] - at[0];
    const uint16_t *ones = e->ones + at[0], *next = last ? e->final_ones : ones + count;
    if (count != (last ? e->final_count : at[2] - at[1])) return true;
    return count && memcmp(ones, next, sizeof *ones * (size_t)count) != 0;
}

// whether the observation after step t differs from the one before it
static bool has_effect(const slt_dataset_info *info, const slt_episode *e, int64_t t) {
    int64_t size = info->observation_size;
    bool last = t + 1 == e->length;
    if (last && !info->has_finals) return true;
    if (e->observations_u8) {
        const uint8_t *row = e->observations_u8 + t * size;
        return memcmp(row, last ? e->final_u8 : row + size, (size_t)size) != 0;
    }
    if (e->observations_f32) {
        const float *row = e->observations_f32 + t * size;
        return reals_differ(row, last ? e->final_f32 : row + size, size);
    }
    return ones_differ(e, t, last);
}

static slt_status check(const slt_dataset_info *info, int A, bool effects) {
    if (info->action_kind != SLT_ACTIONS_DISCRETE)
        SLT_FAIL(SLT_INVALID, "chains of symbols need discrete actions");
    if (effects && info->observation_kind == SLT_OBSERVATIONS_NONE)
        SLT_FAIL(SLT_INVALID, "effects need observations, and the data set has none");
    if (info->action_count > A)
        SLT_FAIL(SLT_INTERNAL, "%d actions read as %d", info->action_count, A);
    if (A > MOST_SYMBOLS / (effects ? 2 : 1))
        SLT_FAIL(SLT_UNSUPPORTED, "%d actions%s are more than %d symbols", A,
                 effects ? " with their effects" : "", MOST_SYMBOLS);
    return SLT_OK;
}

static slt_status reserve(slt_arena *arena, slt_dataset *data, const int64_t *episodes,
                          slt_symbols *out) {
    const int64_t *from = slt_dataset_offsets(data);
    int64_t *offsets;
    SLT_TRY(SLT_NEW(arena, &offsets, (size_t)out->episodes + 1));
    for (int64_t e = 0; e < out->episodes; e++)
        offsets[e + 1] = offsets[e] + from[episodes[e] + 1] - from[episodes[e]];
    out->offsets = offsets;
    out->steps = offsets[out->episodes];
    SLT_TRY(SLT_NEW(arena, &out->action, (size_t)out->steps + 1));
    return SLT_NEW(arena, &out->symbol, (size_t)out->steps + 1);
}

slt_status slt_symbols_read(slt_arena *arena, slt_dataset *data, int A, bool effects,
                            const int64_t *episodes, int64_t count, slt_symbols *out) {
    const slt_dataset_info *info = slt_dataset_about(data);
    SLT_TRY(check(info, A, effects));
    slt_symbols s = {.episodes = count, .A = A, .Q = effects ? 2 * A : A};
    SLT_TRY(reserve(arena, data, episodes, &s));
    for (int64_t e = 0; e < count; e++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(data, episodes[e], &episode));
        for (int64_t t = 0; t < episode.length; t++) {
            int action = slt_episode_action(&episode, t);
            bool effect = effects && has_effect(info, &episode, t);
            s.action[s.offsets[e] + t] = (uint16_t)action;
            s.symbol[s.offsets[e] + t] = (uint16_t)(action + (effect ? A : 0));
        }
    }
    *out = s;
    return SLT_OK;
}
