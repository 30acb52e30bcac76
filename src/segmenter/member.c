// Members: the kinds of runs there are, learning and segmenting with one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "segmenter/member.h"
#include <math.h>
#include <string.h>
#include "core/parallel_for.h"
#include "segmenter/segmenter_impl.h"
#include "switching/linear_device.h"
#include "switching/symbol_device.h"

enum {
    LINEAR_SWEEPS = 40,
    EVENT_SWEEPS = 60,
    PHASE_SWEEPS = 150,
    EVENT_STARTS = 60,
    TOLD_LAWS = 8
};

// Families, numbers of laws and least deviations in an order whose every beginning is mixed.
// clang-format off
static const slt_variant switching[] = {
    { 8, SLT_LAW_SMOOTH, .20}, {12, SLT_LAW_BOTH, .20}, { 8, SLT_LAW_INERTIA, .20},
    {12, SLT_LAW_SMOOTH, .10}, { 8, SLT_LAW_BOTH, .10}, {12, SLT_LAW_INERTIA, .10},
    { 8, SLT_LAW_SMOOTH, .30}, {12, SLT_LAW_BOTH, .30}, { 8, SLT_LAW_INERTIA, .30},
    {12, SLT_LAW_SMOOTH, .05}, { 8, SLT_LAW_BOTH, .05}, {12, SLT_LAW_INERTIA, .05},
    { 8, SLT_LAW_SMOOTH, .45}, {12, SLT_LAW_BOTH, .45}, { 8, SLT_LAW_INERTIA, .45},
    {12, SLT_LAW_SMOOTH, .20}, { 8, SLT_LAW_BOTH, .20}, {12, SLT_LAW_INERTIA, .20},
    { 8, SLT_LAW_SMOOTH, .10}, {12, SLT_LAW_BOTH, .10}, { 8, SLT_LAW_INERTIA, .10},
    {12, SLT_LAW_SMOOTH, .30}, { 8, SLT_LAW_BOTH, .30}, {12, SLT_LAW_INERTIA, .30},
    { 8, SLT_LAW_SMOOTH, .05}, {12, SLT_LAW_BOTH, .05}, { 8, SLT_LAW_INERTIA, .05},
    {12, SLT_LAW_SMOOTH, .45}, { 8, SLT_LAW_BOTH, .45}, {12, SLT_LAW_INERTIA, .45},
};
static const slt_variant events[] = {
    {4, .effects = false}, {4, .effects = true}, {2, .effects = false}, {2, .effects = true},
    {8, .effects = false}, {8, .effects = true},
};
static const slt_variant phases[] = {{8}, {10}, {12}};
static const slt_variant mdl[] = {{0, .effects = false}, {0, .effects = true}};
static const slt_variant windows[] = {
    { 8, SLT_LAW_SMOOTH, .20, 2}, {12, SLT_LAW_BOTH, .20, 3}, { 8, SLT_LAW_INERTIA, .20, 2},
    {12, SLT_LAW_SMOOTH, .10, 3}, { 8, SLT_LAW_BOTH, .10, 2}, {12, SLT_LAW_INERTIA, .10, 3},
    { 8, SLT_LAW_SMOOTH, .30, 2}, {12, SLT_LAW_BOTH, .30, 3}, { 8, SLT_LAW_INERTIA, .30, 2},
    {12, SLT_LAW_SMOOTH, .45, 3}, { 8, SLT_LAW_BOTH, .45, 2}, {12, SLT_LAW_INERTIA, .45, 3},
};

#define VARIANTS(list) list, sizeof list / sizeof *list
const slt_group_spec slt_group_specs[] = {
    {SLT_GROUP_SWITCHING, "switching", 3, VARIANTS(switching)},
    {SLT_GROUP_EVENTS,    "events",    1, VARIANTS(events)},
    {SLT_GROUP_PHASES,    "phases",    3, VARIANTS(phases)},
    {SLT_GROUP_WINDOWS,   "windows",   3, VARIANTS(windows)},
    {SLT_GROUP_MDL,       "mdl",       1, VARIANTS(mdl)},
    {0},
};
// clang-format on

const slt_group_spec *slt_group_spec_find(const char *name) {
    for (const slt_group_spec *s = slt_group_specs; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

static bool is_linear(const slt_run_group *group) { return slt_group_is_linear(group->spec->kind); }

static const slt_motion *motion_of(const slt_recording *recording, const slt_member *member) {
    return member->window ? &recording->windows[member->window - SLT_LEAST_WINDOW]
                          : &recording->motion;
}

// ---- recordings

slt_status slt_recording_read(slt_segmenter *s, slt_arena *arena, const slt_run_group *group,
                              slt_dataset *data, const int64_t *episodes, int64_t count,
                              slt_recording *out) {
    bool effects = group->spec->kind == SLT_GROUP_EVENTS && s->observation;
    *out = (slt_recording){.data = data, .list = episodes};
    if (is_linear(group)) {
        SLT_TRY(slt_motion_read(arena, data, &s->scale, episodes, count, &out->motion));
        out->episodes = out->motion.episodes;
        out->steps = out->motion.steps;
        out->offsets = out->motion.offsets;
        for (int w = SLT_LEAST_WINDOW; group->hop && w <= SLT_MOST_WINDOW; w++)
            SLT_TRY(slt_motion_windows(arena, &out->motion, group->hop, w * group->hop,
                                       &out->windows[w - SLT_LEAST_WINDOW]));
        return SLT_OK;
    }
    for (int i = 0; i < 1 + effects; i++)
        SLT_TRY(slt_symbols_read(arena, data, s->actions, i, episodes, count, &out->symbols[i]));
    out->episodes = out->symbols[0].episodes;
    out->steps = out->symbols[0].steps;
    out->offsets = out->symbols[0].offsets;
    return SLT_OK;
}

// ---- learning and segmenting

const double *slt_group_counts(const slt_segmenter *s, const slt_run_group *group) {
    int possible = 0;
    slt_group_kind kind = group->spec->kind;
    if (!s->possible || kind == SLT_GROUP_EVENTS || kind == SLT_GROUP_MDL) return s->possible;
    for (int n = 0; n < s->counts; n++) possible += s->possible[n] > 0;
    return possible == 1 ? s->possible : NULL;
}

static slt_symbol_options symbol_options(const slt_segmenter *s, const slt_run_group *group,
                                         int laws, uint64_t seed) {
    bool ends = group->spec->kind == SLT_GROUP_EVENTS;
    // told a count, event chains with few laws agree on a wrong answer
    if (ends && s->told && laws < TOLD_LAWS) laws = TOLD_LAWS;
    return (slt_symbol_options){.family = ends ? SLT_CHAIN_EVENTS : SLT_CHAIN_PHASES,
                                .laws = laws,
                                .seed = seed,
                                .sweeps = ends ? EVENT_SWEEPS : PHASE_SWEEPS,
                                .starts = ends ? EVENT_STARTS : 0,
                                .count_prior = slt_group_counts(s, group),
                                .counts = s->counts};
}

static slt_linear_options linear_options(const slt_segmenter *s, const slt_variant *v,
                                         uint64_t seed) {
    return (slt_linear_options){.family = v->family,
                                .laws = v->laws,
                                .floor = v->window ? v->floor : fmax(v->floor, s->noise),
                                .seed = seed,
                                .sweeps = LINEAR_SWEEPS};
}

// a half of the recording's episodes, by their numbers in the data set
static slt_status fit_mdl(slt_segmenter *s, slt_member *member, const slt_recording *recording,
                          const int64_t *episodes, int64_t count, uint64_t seed) {
    int64_t *list;
    slt_arena arena;
    slt_mdl_start start = {.prior = s->told ? s->options.prior : NULL,
                           .effects = member->variant->effects,
                           .actions = s->actions,
                           .seed = seed};
    slt_arena_init(&arena, &s->context->allocator, 0);
    slt_status status = SLT_NEW(&arena, &list, (size_t)count);
    for (int64_t i = 0; status == SLT_OK && i < count; i++) list[i] = recording->list[episodes[i]];
    if (status == SLT_OK)
        status = slt_mdl_run_fit(s->context, &member->arena,
                                 &(slt_mdl_episodes){recording->data, list, count}, &start,
                                 &member->mdl);
    slt_arena_deinit(&arena);
    return status;
}

slt_status slt_member_fit(slt_segmenter *s, const slt_run_group *group, slt_member *member,
                          const slt_recording *recording, const int64_t *episodes, int64_t count,
                          uint64_t seed) {
    const slt_variant *v = member->variant;
    if (group->spec->kind == SLT_GROUP_MDL)
        return fit_mdl(s, member, recording, episodes, count, seed);
    if (is_linear(group)) {
        slt_linear_options options = linear_options(s, v, seed);
        member->window = v->window;
        return slt_linear_fit(&member->arena, motion_of(recording, member), episodes, count,
                              &options, &member->linear);
    }
    slt_symbol_options options = symbol_options(s, group, v->laws, seed);
    member->effects = v->effects && s->observation;
    return slt_symbol_fit(&member->arena, &recording->symbols[member->effects], episodes, count,
                          &options, &member->symbols);
}

// Boundaries of phases go where they are most likely to be within a step. The laws are those of the
// likeliest path.
static void place(const slt_run_group *group, const slt_member *member, const slt_symbols *symbols,
                  int64_t episode, slt_chain_path *path) {
    int64_t first = symbols->offsets[episode], length = symbols->offsets[episode + 1] - first;
    memset(path->cut, 0, (size_t)length);
    for (int64_t t = 0; t + 1 < length; t++)
        if (path->law[t] != path->law[t + 1])
            path->cut[slt_symbol_place(&member->symbols, symbols->action + first, path->law, length,
                                       group->rules.least_length, t)] = 1;
}

static slt_status segment_episode(slt_arena *scratch, const slt_run_group *group,
                                  const slt_member *member, const slt_recording *recording,
                                  int64_t episode, slt_chain_path *path) {
    if (is_linear(group))
        return slt_linear_segment(scratch, &member->linear, motion_of(recording, member), episode,
                                  path);
    const slt_symbols *symbols = &recording->symbols[member->effects];
    SLT_TRY(slt_symbol_segment(scratch, &member->symbols, symbols, episode, path));
    if (group->spec->kind == SLT_GROUP_PHASES) place(group, member, symbols, episode, path);
    return SLT_OK;
}

// a segment of rows as one of steps: each row is the steps of its hop
static void spread(const slt_chain_path *rows, int64_t steps, int hop, slt_chain_path *out) {
    for (int64_t row = 0, t = 0; t < steps; row++)
        for (int64_t end = slt_window_end(row, steps, hop); t < end; t++) {
            bool last = t + 1 == end;
            out->law[t] = rows->law[row];
            out->cut[t] = last && rows->cut[row];
            if (out->chance) out->chance[t] = last ? rows->chance[row] : 0;
        }
}

static slt_status segment_windows(slt_arena *scratch, const slt_run_group *group,
                                  const slt_member *member, const slt_recording *recording,
                                  int64_t episode, slt_chain_path *path) {
    slt_chain_path rows = {0};
    int64_t steps = recording->offsets[episode + 1] - recording->offsets[episode];
    size_t count = (size_t)slt_window_rows(steps, group->hop);
    SLT_TRY(SLT_NEW(scratch, &rows.cut, count + 1));
    SLT_TRY(SLT_NEW(scratch, &rows.law, count + 1));
    if (path->chance) SLT_TRY(SLT_NEW(scratch, &rows.chance, count + 1));
    SLT_TRY(segment_episode(scratch, group, member, recording, episode, &rows));
    spread(&rows, steps, group->hop, path);
    return SLT_OK;
}

slt_status slt_member_segment(slt_segmenter *s, const slt_run_group *group,
                              const slt_member *member, const slt_recording *recording,
                              uint8_t *cut, uint8_t *law, float *chance) {
    slt_arena scratch;
    slt_mdl_episodes all = {recording->data, recording->list, recording->episodes};
    if (group->spec->kind == SLT_GROUP_MDL)
        return slt_mdl_run_segment(s->context, &member->mdl, &all, SLT_MOST_LAWS, cut, law, chance);
    slt_status status = SLT_OK;
    slt_arena_init(&scratch, &s->context->allocator, 0);
    for (int64_t e = 0; e < recording->episodes && status == SLT_OK; e++) {
        slt_arena_mark mark = slt_arena_now(&scratch);
        int64_t at = recording->offsets[e];
        slt_chain_path path = {
            .cut = cut + at, .law = law + at, .chance = chance ? chance + at : NULL};
        status = (group->hop ? segment_windows : segment_episode)(&scratch, group, member,
                                                                  recording, e, &path);
        slt_arena_reset(&scratch, mark);
    }
    slt_arena_deinit(&scratch);
    return status;
}

// ---- all at once

slt_status slt_members_on_device(slt_segmenter *s, const slt_run_group *group, bool *out) {
    *out = false;
    slt_group_kind kind = group->spec->kind;
    if (kind == SLT_GROUP_WINDOWS || kind == SLT_GROUP_MDL) return SLT_OK;
    return (is_linear(group) ? slt_linear_on_device : slt_symbol_on_device)(s->context, out);
}

static slt_status fit_linear(slt_segmenter *s, slt_member *members, const slt_recording *recording,
                             int count, const slt_run_half *halves) {
    slt_linear_job *jobs;
    SLT_TRY(SLT_ALLOC(&s->context->allocator, &jobs, (size_t)count));
    for (int i = 0; i < count; i++)
        jobs[i] = (slt_linear_job){.options = linear_options(s, members[i].variant, halves[i].seed),
                                   .episodes = halves[i].episodes,
                                   .count = halves[i].count,
                                   .arena = &members[i].arena,
                                   .out = &members[i].linear};
    slt_status status = slt_linear_fit_all(s->context, &recording->motion, jobs, count);
    for (int i = 0; i < count; i++) members[i].done = jobs[i].done;
    slt_free(&s->context->allocator, jobs);
    return status;
}

static slt_status fit_symbols(slt_segmenter *s, const slt_run_group *group, slt_member *members,
                              const slt_recording *recording, int count,
                              const slt_run_half *halves) {
    slt_symbol_job *jobs;
    SLT_TRY(SLT_ALLOC(&s->context->allocator, &jobs, (size_t)count));
    for (int i = 0; i < count; i++) {
        const slt_variant *v = members[i].variant;
        members[i].effects = v->effects && s->observation;
        jobs[i] = (slt_symbol_job){.options = symbol_options(s, group, v->laws, halves[i].seed),
                                   .symbols = &recording->symbols[members[i].effects],
                                   .episodes = halves[i].episodes,
                                   .count = halves[i].count,
                                   .arena = &members[i].arena,
                                   .out = &members[i].symbols};
    }
    slt_status status = slt_symbol_fit_all(s->context, jobs, count);
    for (int i = 0; i < count; i++) members[i].done = jobs[i].done;
    slt_free(&s->context->allocator, jobs);
    return status;
}

slt_status slt_members_fit(slt_segmenter *s, slt_run_group *group, const slt_recording *recording,
                           int first, int count, const slt_run_half *halves) {
    slt_member *members = group->members + first;
    return is_linear(group) ? fit_linear(s, members, recording, count, halves)
                            : fit_symbols(s, group, members, recording, count, halves);
}

static slt_status segment_linear(slt_segmenter *s, const slt_run_group *group,
                                 const slt_recording *recording, uint8_t *cut, uint8_t *law) {
    const slt_linear_chain **chains;
    SLT_TRY(SLT_ALLOC(&s->context->allocator, &chains, (size_t)group->count));
    for (int i = 0; i < group->count; i++) chains[i] = &group->members[i].linear;
    slt_status status =
        slt_linear_segment_all(s->context, &recording->motion, chains, group->count, cut, law);
    slt_free(&s->context->allocator, chains);
    return status;
}

typedef struct {
    const slt_run_group *group;
    const slt_recording *recording;
    uint8_t *cut, *law;
} placing;

static slt_status place_member(void *user, int i) {
    const placing *p = user;
    for (int64_t e = 0; e < p->recording->episodes; e++) {
        int64_t at = i * p->recording->steps + p->recording->offsets[e];
        slt_chain_path path = {.cut = p->cut + at, .law = p->law + at};
        place(p->group, &p->group->members[i], &p->recording->symbols[0], e, &path);
    }
    return SLT_OK;
}

static slt_status segment_symbols(slt_segmenter *s, const slt_run_group *group,
                                  const slt_recording *recording, uint8_t *cut, uint8_t *law) {
    const slt_symbol_chain **chains;
    const slt_symbols **symbols;
    placing p = {group, recording, cut, law};
    slt_arena arena;
    slt_arena_init(&arena, &s->context->allocator, 0);
    slt_status status = SLT_NEW(&arena, &chains, (size_t)group->count);
    if (status == SLT_OK) status = SLT_NEW(&arena, &symbols, (size_t)group->count);
    for (int i = 0; i < group->count && status == SLT_OK; i++) {
        chains[i] = &group->members[i].symbols;
        symbols[i] = &recording->symbols[group->members[i].effects];
    }
    if (status == SLT_OK)
        status = slt_symbol_segment_all(s->context, chains, symbols, group->count, cut, law);
    slt_arena_deinit(&arena);
    if (status != SLT_OK || group->spec->kind != SLT_GROUP_PHASES) return status;
    return slt_parallel_for(s->context, group->count, place_member, &p);
}

slt_status slt_members_segment(slt_segmenter *s, const slt_run_group *group,
                               const slt_recording *recording, uint8_t *cut, uint8_t *law) {
    return (is_linear(group) ? segment_linear : segment_symbols)(s, group, recording, cut, law);
}
