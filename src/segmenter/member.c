// Members: the kinds of runs there are, learning and segmenting with one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "segmenter/member.h"
#include <string.h>
#include "segmenter/segmenter_impl.h"

enum { SWEEPS = 40 };

// Families, numbers of laws and floors in an order whose every beginning is mixed.
static const slt_variant switching[] = {
    {SLT_LAW_SMOOTH, 8, .2, false},   {SLT_LAW_BOTH, 8, .1, false},
    {SLT_LAW_INERTIA, 8, .2, false},  {SLT_LAW_SMOOTH, 12, .3, false},
    {SLT_LAW_BOTH, 12, .3, false},    {SLT_LAW_INERTIA, 12, .1, false},
    {SLT_LAW_SMOOTH, 12, .1, false},  {SLT_LAW_BOTH, 12, .2, false},
    {SLT_LAW_INERTIA, 12, .3, false}, {SLT_LAW_SMOOTH, 8, .45, false},
    {SLT_LAW_BOTH, 8, .45, false},    {SLT_LAW_INERTIA, 8, .45, false},
    {SLT_LAW_SMOOTH, 12, .2, false},  {SLT_LAW_BOTH, 12, .1, false},
    {SLT_LAW_INERTIA, 12, .2, false}, {SLT_LAW_SMOOTH, 8, .3, false},
    {SLT_LAW_BOTH, 8, .3, false},     {SLT_LAW_INERTIA, 8, .1, false},
    {SLT_LAW_SMOOTH, 8, .1, false},   {SLT_LAW_BOTH, 8, .2, false},
    {SLT_LAW_INERTIA, 8, .3, false},  {SLT_LAW_SMOOTH, 12, .45, false},
    {SLT_LAW_BOTH, 12, .45, false},   {SLT_LAW_INERTIA, 12, .45, false},
};

const slt_group_spec slt_group_specs[] = {
    {SLT_GROUP_SWITCHING, "switching", switching, sizeof switching / sizeof *switching},
    {0},
};

const slt_group_spec *slt_group_spec_find(const char *name) {
    for (const slt_group_spec *s = slt_group_specs; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

slt_status slt_recording_read(slt_segmenter *s, slt_arena *arena, const slt_run_group *group,
                              slt_dataset *data, const int64_t *episodes, int64_t count,
                              slt_recording *out) {
    (void)group;
    return slt_motion_read(arena, data, &s->scale, episodes, count, &out->motion);
}

slt_status slt_member_fit(slt_segmenter *s, const slt_run_group *group, slt_member *member,
                          const slt_recording *recording, const int64_t *episodes, int64_t count,
                          uint64_t seed) {
    (void)s, (void)group;
    const slt_variant *v = member->variant;
    slt_linear_options options = {
        .family = v->family, .laws = v->laws, .floor = v->floor, .seed = seed, .sweeps = SWEEPS};
    return slt_linear_fit(&member->arena, &recording->motion, episodes, count, &options,
                          &member->linear);
}

slt_status slt_member_segment(slt_segmenter *s, const slt_run_group *group,
                              const slt_member *member, const slt_recording *recording,
                              uint8_t *cut, uint8_t *law) {
    (void)group;
    const slt_motion *motion = &recording->motion;
    slt_arena scratch;
    slt_status status = SLT_OK;
    slt_arena_init(&scratch, &s->context->allocator, 0);
    for (int64_t e = 0; e < motion->episodes && status == SLT_OK; e++) {
        slt_arena_mark mark = slt_arena_now(&scratch);
        int64_t at = motion->offsets[e];
        slt_chain_path path = {.cut = cut + at, .law = law + at};
        status = slt_linear_segment(&scratch, &member->linear, motion, e, &path);
        slt_arena_reset(&scratch, mark);
    }
    slt_arena_deinit(&scratch);
    return status;
}
