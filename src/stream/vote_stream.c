// A vote, step by step. With every step the vote is taken over the last steps of the members'
// likeliest paths; what it says of the step `lag` before the last boundary that can be seen becomes
// final.
//
// The vote over a window is that over the whole episode where steps without a boundary of any
// member part it from the rest (slt_vote_reach), so the window begins after the last such gap; a
// longer one is cut off at PAST steps.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "stream/vote_stream.h"
#include <string.h>

enum { PAST = 64 }; // steps before those that are open that a window may have, and twice the gap

typedef struct {
    slt_paths paths;
    int lag;
    slt_vote_room room;
    slt_candidate *list;      // [keep + 1] candidates, then those that are kept by time
    int quiet;                // final steps without a boundary of any member, up to the last one
    int64_t window;           // where it begins
    int64_t boundaries, last; // final ones; the last of them, or -1
    int laws[SLT_MOST_LAWS];  // of the speaker, in final steps of the present segment
    slt_stream_boundary *ends;
} state;

static void begin(void *user) {
    state *s = user;
    s->paths.steps = s->paths.base = 0;
    s->paths.frozen = s->last = -1;
    s->window = s->boundaries = s->quiet = 0;
    memset(s->laws, 0, sizeof s->laws);
}

// ---- the vote over the window

// a list of few; qsort may allocate
static void sort_by_step(slt_candidate *list, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        slt_candidate c = list[i];
        int64_t at = i;
        for (; at > 0 && list[at - 1].step > c.step; at--) list[at] = list[at - 1];
        list[at] = c;
    }
}

// boundaries that are not final yet, by time, in `list`; gives their number
static int64_t vote(state *s, bool open) {
    const slt_paths *p = &s->paths;
    const slt_vote_plan *plan = p->plan;
    slt_vote_window window = {.runs = plan->count,
                              .cut = p->cuts,
                              .first = s->window - p->base,
                              .length = p->steps - s->window,
                              .before = s->window,
                              .open = open};
    int64_t kept = 0, last = s->last;
    int64_t count =
        slt_vote_window_candidates(&s->room, &window, plan->weights, &plan->rules, s->list);
    for (int64_t i = 0; i < count; i++) {
        slt_candidate c = s->list[i];
        c.step += p->base;
        bool new = c.step > p->frozen &&c.step + 1 < p->steps;
        if (new &&c.height >= plan->threshold) s->list[kept++] = c;
    }
    sort_by_step(s->list, kept);
    // one that became final too early may be too near
    count = kept;
    kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (last < 0 || s->list[i].step - last >= plan->rules.least_length)
            last = (s->list[kept++] = s->list[i]).step;
    return kept;
}

// ---- types

static void add_laws(const state *s, int64_t from, int64_t to, int *laws) {
    for (int64_t t = from; t <= to; t++) laws[slt_paths_type(&s->paths, t)]++;
}

static int32_t most_of(const int *laws) {
    int best = 0;
    for (int k = 1; k < SLT_MOST_LAWS; k++)
        if (laws[k] > laws[best]) best = k;
    return best;
}

// of the present segment, whose last boundary that is not final may be at `after`, or -1
static int32_t present_type(const state *s, int64_t after) {
    int laws[SLT_MOST_LAWS] = {0};
    int64_t from = after >= 0 ? after + 1 : s->paths.frozen + 1;
    if (after < 0) memcpy(laws, s->laws, sizeof laws);
    add_laws(s, from, s->paths.steps - 1, laws);
    return most_of(laws);
}

// ---- what becomes final

static bool has_vote(const slt_paths *p, int64_t step) {
    for (int i = 0; i < p->plan->count; i++)
        if (p->cuts[i][step - p->base]) return true;
    return false;
}

// the paths up to this step stay as they are
static void freeze(state *s, int64_t step) {
    slt_paths *p = &s->paths;
    p->frozen = step;
    add_laws(s, step, step, s->laws);
    s->quiet = has_vote(p, step) ? 0 : s->quiet + 1;
    if (s->quiet >= p->plan->gap) s->window = step + 1;
    int64_t oldest = p->steps + 1 - p->keep;
    if (s->window < oldest) s->window = oldest;
}

static void close_segment(state *s, const slt_candidate *c, slt_stream_boundary *out) {
    *out =
        (slt_stream_boundary){.step = c->step, .confidence = c->height, .type = most_of(s->laws)};
    memset(s->laws, 0, sizeof s->laws);
    s->boundaries++;
    s->last = c->step;
}

static void push(void *user, const slt_stream_step *step, slt_stream_event *event) {
    state *s = user;
    event->probability = slt_paths_push(&s->paths, step);
    int64_t open = vote(s, true), final = event->step - 1 - s->lag;
    event->decided = final < -1 ? -1 : final;
    event->segment = s->boundaries + open;
    event->type = present_type(s, open ? s->list[open - 1].step : -1);
    if (final < 0) return;
    freeze(s, final);
    if (open && s->list[0].step == final) close_segment(s, &s->list[0], &event->boundary);
}

static void finish(void *user, slt_stream_end *end) {
    state *s = user;
    int64_t open = vote(s, false);
    for (int64_t i = 0; i < open; i++) {
        add_laws(s, s->paths.frozen + 1, s->list[i].step, s->laws);
        s->paths.frozen = s->list[i].step;
        close_segment(s, &s->list[i], &s->ends[i]);
    }
    add_laws(s, s->paths.frozen + 1, s->paths.steps - 1, s->laws);
    end->segments = s->boundaries + 1;
    end->type = most_of(s->laws);
    end->boundaries = s->ends;
    end->boundary_count = (int)open;
}

static const slt_stream_kind kind = {begin, push, finish};

// ---- opening

static slt_status check(const slt_segmenter *s) {
    if (s->told)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: this vote was told the number of segments (%s), and only the end of an "
                 "episode says which boundaries make up that number; learn one without prior= to "
                 "stream",
                 s->source ? s->source : "the segmenter", s->result.told);
    return SLT_OK;
}

slt_status slt_vote_stream_open(slt_stream *stream, slt_segmenter *segmenter,
                                const slt_stream_options *options) {
    const slt_vote_plan *plan;
    state *s;
    SLT_TRY(check(segmenter));
    SLT_TRY(slt_vote_plan_of(segmenter, &plan));
    int64_t keep = options->lag + 2 + PAST + 2 * plan->gap;
    SLT_TRY(SLT_NEW(&stream->arena, &s, 1));
    SLT_TRY(slt_paths_init(&s->paths, &stream->arena, plan, keep));
    SLT_TRY(slt_vote_room_init(&s->room, &stream->arena, plan->count, keep + 1));
    SLT_TRY(SLT_NEW(&stream->arena, &s->list, (size_t)keep + 1));
    SLT_TRY(SLT_NEW(&stream->arena, &s->ends, (size_t)options->lag + 2));
    s->lag = options->lag;
    stream->kind = &kind;
    stream->state = s;
    stream->info = (slt_stream_info){.model = "vote",
                                     .actions = segmenter->continuous ? 0 : segmenter->actions,
                                     .action_size = segmenter->continuous ? segmenter->actions : 0,
                                     .observation = segmenter->observation,
                                     .lag = options->lag};
    return SLT_OK;
}
