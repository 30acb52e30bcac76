// A segmenter: what it was made with, what it says of itself, its end.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "segmenter/segmenter_impl.h"
#include "segmenter/segmenter_model.h"

// all that decides the answer, as one line
void slt_segmenter_describe(const slt_segmenter_options *o, const char *data, char *out,
                            size_t size) {
    static const char *const kinds[] = {"auto", "events", "phases", "windows", "mdl"};
    char runs[16] = "auto";
    if (o->runs) snprintf(runs, sizeof runs, "%d", o->runs);
    snprintf(out, size, "kind=%s runs=%s seed=%llu prior=%s min_length=%d data=%s", kinds[o->kind],
             runs, (unsigned long long)o->seed, o->prior ? o->prior : "nothing", o->min_length,
             data);
}

void slt_segmenter_close(slt_segmenter *s) {
    if (!s) return;
    for (int g = 0; g < SLT_MOST_GROUPS; g++)
        for (int i = 0; i < s->groups[g].count; i++)
            slt_arena_deinit(&s->groups[g].members[i].arena);
    slt_arena_deinit(&s->arena);
    slt_free(&s->context->allocator, s);
}

slt_status slt_segmenter_runs(const slt_segmenter *s, int group, slt_vote_runs *out) {
    if (group < 0 || group >= s->group_count)
        SLT_FAIL(SLT_RANGE, "no group %d: %d voted", group, s->group_count);
    const slt_run_group *g = &s->groups[group];
    *out = (slt_vote_runs){g->count, g->agreement, g->votes[0].weights, g->mode};
    return SLT_OK;
}

const slt_vote_result *slt_segmenter_result(const slt_segmenter *s) { return &s->result; }
slt_context *slt_segmenter_context(const slt_segmenter *s) { return s->context; }
