// Observations as ones.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/policy_view.h"

#include "core/error.h"
#include "experts/world_family.h"
#include "skills/skills_impl.h"

// every number has so many places; a number with one level is not seen
static slt_status lay(slt_policy_view *view, slt_arena *arena, const uint16_t *levels,
                      const char *id) {
    int32_t *place;
    SLT_TRY(SLT_NEW(arena, &place, (size_t)view->size));
    for (int i = 0; i < view->size; i++) {
        place[i] = levels[i] > 1 ? view->width : -1;
        view->width += levels[i] - 1;
        view->most += levels[i] > 1;
    }
    if (!view->width)
        SLT_FAIL(SLT_UNSUPPORTED, "the skills of %s know no still cells: sees=all", id);
    view->place = place;
    view->levels = levels;
    return SLT_OK;
}

slt_status slt_policy_view_init(slt_policy_view *view, slt_arena *arena, const slt_env_kind *kind,
                                const slt_policy_options *options, const slt_skills *skills) {
    *view = (slt_policy_view){.recalls = slt_minigrid_is(kind),
                              .memory = (slt_recall_kind)options->memory,
                              .size = kind->observation_size};
    bool still = options->sees == 1;
    uint16_t *levels;
    if (still && !skills) SLT_FAIL(SLT_UNSUPPORTED, "sees=still needs skills");
    if (view->memory && (still || !view->recalls))
        SLT_FAIL(SLT_UNSUPPORTED, "memory=map is for MiniGrid with sees=all");
    if (options->bonus > 0 && (skills || !view->recalls))
        SLT_FAIL(SLT_UNSUPPORTED, "a bonus is for MiniGrid without skills");
    if (view->size > SLT_POLICY_VIEW)
        SLT_FAIL(SLT_UNSUPPORTED, "observations of %s have %d numbers, more than %d", kind->id,
                 view->size, SLT_POLICY_VIEW);
    if (view->recalls && !still) {
        view->width = slt_recall_width(view->memory);
        view->most = 2 * view->width / SLT_RECALL_BITS;
        return SLT_OK;
    }
    SLT_TRY(SLT_NEW(arena, &levels, (size_t)view->size));
    for (int i = 0; i < view->size; i++) levels[i] = 2;
    for (int i = 0; still && i < view->size; i++) {
        const slt_types *types = skills->types;
        int cell = i / types->shape.channels;
        bool seen = cell < types->shape.cells && types->cells[cell] == SLT_CELL_STILL;
        levels[i] = seen ? skills->code.levels[i] : 1;
    }
    SLT_TRY(lay(view, arena, levels, kind->id));
    int bits = slt_world_family_of(kind)->most_ones;
    if (bits && bits < view->most) view->most = bits;
    return SLT_OK;
}

int slt_policy_view_ones(const slt_policy_view *view, const slt_recall *recall,
                         const uint8_t *observation, uint16_t *ones) {
    int count = 0;
    if (!view->place) return slt_recall_ones(recall, ones);
    for (int i = 0; i < view->size; i++) {
        if (!observation[i] || view->place[i] < 0) continue;
        int value = observation[i] < view->levels[i] ? observation[i] : view->levels[i] - 1;
        ones[count++] = (uint16_t)(view->place[i] + value - 1);
    }
    return count;
}
