// The search over sets of delimiters: all of them for up to twelve symbols; beyond that all small
// ones, then steps of one symbol from the best while they help.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/delimiter.h"

#include <math.h>
#include <string.h>

// Sets whose numbers of segments cost more than this are ruled out by the prior: they could buy
// themselves in, for cuts are told for free and say a lot about the actions.
#define MOST_COUNT_NATS 7.0

enum { BATCH = 256 }; // sets between two looks at cancellation

typedef struct {
    slt_context *context;
    const slt_delimiter_data *data;
    slt_set_coder *coders; // one per thread
    slt_cut_set *sets;
    double limit; // of count_nats
    slt_delimiter_found found;
} search;

static void cost_of_counts(void *argument, int task, int thread) {
    search *s = argument;
    slt_cut_set *set = &s->sets[task];
    set->count_nats = slt_set_count_nats(s->data, &s->coders[thread], set);
}

static void cost_of_actions(void *argument, int task, int thread) {
    search *s = argument;
    slt_cut_set *set = &s->sets[task];
    set->action_nats = set->count_nats <= s->limit
                           ? slt_set_action_nats(s->data, &s->coders[thread], set)
                           : INFINITY;
}

static double total(const slt_cut_set *set) { return set->count_nats + set->action_nats; }

// a place among the cheapest, of equals after the first; a set that is there stays there once
static void keep(slt_delimiter_found *found, const slt_cut_set *set) {
    int place = found->tops;
    if (!isfinite(total(set))) return;
    for (int i = 0; i < found->tops; i++)
        if (found->top[i].count == set->count &&
            memcmp(found->top[i].members, set->members,
                   (size_t)set->count * sizeof *set->members) == 0)
            return;
    while (place > 0 && total(set) < total(&found->top[place - 1])) place--;
    if (place == SLT_TOP_SETS) return;
    int moved = (found->tops < SLT_TOP_SETS ? found->tops : SLT_TOP_SETS - 1) - place;
    memmove(found->top + place + 1, found->top + place, (size_t)moved * sizeof *found->top);
    found->top[place] = *set;
    if (found->tops < SLT_TOP_SETS) found->tops++;
    found->best = found->top[0];
    if (found->tops > 1) found->second = found->top[1];
}

static slt_status in_batches(search *s, int count, slt_task task) {
    slt_cut_set *all = s->sets;
    slt_status status = SLT_OK;
    for (int start = 0; start < count && status == SLT_OK; start += BATCH) {
        s->sets = all + start;
        slt_pool_run(s->context->pool, count - start < BATCH ? count - start : BATCH, task, s);
        status = slt_context_check(s->context);
    }
    s->sets = all;
    return status;
}

static slt_status evaluate(search *s, int count) {
    SLT_TRY(in_batches(s, count, cost_of_counts));
    // when the prior rules out every set, those it dislikes least are left
    if (s->found.searched == 0) {
        double least = INFINITY;
        for (int i = 0; i < count; i++) least = fmin(least, s->sets[i].count_nats);
        s->limit = fmax(MOST_COUNT_NATS, least);
    }
    SLT_TRY(in_batches(s, count, cost_of_actions));
    for (int i = 0; i < count; i++) keep(&s->found, &s->sets[i]);
    s->found.searched += (uint64_t)count;
    return SLT_OK;
}

static slt_status climb(search *s) {
    for (double before = INFINITY; total(&s->found.best) < before;) {
        int count;
        before = total(&s->found.best);
        slt_cut_set centre = s->found.best;
        slt_sets_around(s->sets, &centre, s->data->used, &count);
        SLT_TRY(evaluate(s, count));
    }
    return SLT_OK;
}

static slt_status make_coders(slt_arena *arena, search *s) {
    int threads = slt_pool_threads(s->context->pool);
    SLT_TRY(SLT_NEW(arena, &s->coders, (size_t)threads));
    for (int i = 0; i < threads; i++) SLT_TRY(slt_set_coder_init(arena, s->data, &s->coders[i]));
    return SLT_OK;
}

slt_status slt_delimiter_search(slt_context *context, slt_arena *arena,
                                const slt_delimiter_data *data, slt_delimiter_found *out) {
    const slt_cut_set nothing = {.action_nats = INFINITY};
    search s = {.context = context, .data = data, .found = {.best = nothing, .second = nothing}};
    size_t room = data->used > SLT_MOST_SETS ? (size_t)data->used : SLT_MOST_SETS;
    SLT_TRY(SLT_NEW(arena, &s.sets, room));
    SLT_TRY(make_coders(arena, &s));

    int count;
    s.found.exhaustive = slt_sets_by_size(s.sets, data->used, &count);
    SLT_TRY(evaluate(&s, count));
    if (!s.found.exhaustive) SLT_TRY(climb(&s));
    *out = s.found;
    return SLT_OK;
}
