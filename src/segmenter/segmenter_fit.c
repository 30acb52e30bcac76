// Learning: every member of every group from a random start on a random half of the episodes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/clock.h"
#include "core/number.h"
#include "core/parallel_for.h"
#include "data/dataset_impl.h"
#include "segmenter/segmenter_impl.h"
#include "switching/chain_random.h"
#include "train/learner/prior.h"

// steps that are enough: to draw halves from, for one run, to measure agreement on, and to say how
// the vote stands
enum { POOL_STEPS = 400000, RUN_STEPS = 40000, HELD_OUT_STEPS = 60000, STANDING_STEPS = 8000 };
static const double RARE = .02;  // counts with less of the greatest chance do not occur
static const double SEEN = 2e-4; // more than the least entry that a prior can have
// runs by default: the first ones; and in all, where other runs would change a greater share of the
// boundaries
enum { FIRST_RUNS = 60, ENOUGH_RUNS = 120 };
static const double UNDECIDED = .04;
enum { LEAST_RUNS = 4, MOST_RUNS = 1000, LEAST_HELD_OUT = 8, DEVICE_WAVE = 64 };
// pieces of long recordings: most steps of one; with few episodes, how many, and the least steps
enum { PIECE_STEPS = 1000, FEW_EPISODES = 8, PIECES = 16, LEAST_PIECE = 60 };
// windows: hops of an episode on average, and the steps of one
enum { HOPS = 100, LEAST_HOP = 4, MOST_HOP = 64 };

typedef struct {
    int64_t *list, count;
} episodes;

typedef struct {
    slt_dataset *data;
    episodes pool, held_out; // to draw halves from; to measure agreement on
} material;

typedef struct {
    slt_segmenter *s;
    slt_run_group *group;
    slt_arena arena; // of the recordings
    slt_recording pool, held_out;
    slt_recording few; // of the held-out episodes: to say how the vote stands
    int64_t *order;    // [wave][pool episodes]
    bool device;       // a wave is learned there at once; else by a thread each
    int wave;          // members
    int first;         // member of this wave
    int skipped;       // runs before it that are no members: they failed, or there was no time
    int told;          // members when it was last said how the vote stands
    uint64_t seed;
} learning;

// ---- which episodes

// a shuffled list cut where it has enough steps, at least one episode
static slt_status take_steps(slt_arena *arena, slt_dataset *data, const int64_t *from,
                             int64_t count, int64_t steps, uint64_t seed, episodes *out) {
    const int64_t *offsets = slt_dataset_offsets(data);
    slt_chain_random random;
    int64_t sum = 0;
    SLT_TRY(SLT_NEW(arena, &out->list, (size_t)count + 1));
    memcpy(out->list, from, sizeof *from * (size_t)count);
    slt_chain_random_init(&random, seed);
    slt_chain_shuffle(&random, out->list, count);
    for (out->count = 0; out->count < count && (sum < steps || !out->count); out->count++) {
        int64_t e = out->list[out->count];
        sum += offsets[e + 1] - offsets[e];
    }
    return SLT_OK;
}

// how many episodes from the first on have enough steps
static int64_t first_of(slt_dataset *data, const episodes *from, int64_t steps) {
    const int64_t *offsets = slt_dataset_offsets(data);
    int64_t count = 0;
    for (; count < from->count && steps > 0; count++)
        steps -= offsets[from->list[count] + 1] - offsets[from->list[count]];
    return count;
}

// where agreement is measured: the validation split, or what there is
static slt_status choose_episodes(slt_segmenter *s, slt_dataset *data, slt_arena *arena,
                                  episodes *pool, episodes *held_out) {
    const int64_t *train, *valid;
    int64_t trains = slt_dataset_split(data, SLT_SPLIT_TRAIN, &train);
    int64_t valids = slt_dataset_split(data, SLT_SPLIT_VALID, &valid);
    uint64_t seed = s->options.seed;
    if (!trains) SLT_FAIL(SLT_INVALID, "%s: no episode to learn from", slt_dataset_path(data));
    SLT_TRY(take_steps(arena, data, train, trains, POOL_STEPS, seed, pool));
    bool enough = valids >= LEAST_HELD_OUT;
    return take_steps(arena, data, enough ? valid : train, enough ? valids : trains, HELD_OUT_STEPS,
                      seed + 1, held_out);
}

// Runs learn from pieces of long episodes as from episodes, so that a single recording has halves,
// too. Chains of events, chains that count segments, and slottar-mdl need whole episodes.
static slt_status cut_long(slt_arena *arena, const slt_segmenter *s, const slt_run_group *group,
                           slt_recording *r) {
    int64_t most, least = LEAST_PIECE, pieces = 0, *offsets;
    bool counts = !s->continuous && slt_group_counts(s, group);
    slt_group_kind kind = group->spec->kind;
    if (counts || kind == SLT_GROUP_EVENTS || kind == SLT_GROUP_MDL) return SLT_OK;
    if (group->hop) { // pieces are of rows
        r->steps = r->windows[0].steps;
        r->offsets = r->windows[0].offsets;
        least = LEAST_PIECE / LEAST_HOP;
    }
    most = r->steps / PIECES;
    if (most < least) most = least;
    if (most > PIECE_STEPS || r->episodes >= FEW_EPISODES) most = PIECE_STEPS;
    SLT_TRY(SLT_NEW(arena, &offsets, (size_t)(r->episodes + r->steps / most + 1)));
    for (int64_t e = 0; e < r->episodes; e++) {
        int64_t first = r->offsets[e], T = r->offsets[e + 1] - first, n = (T + most - 1) / most;
        for (int64_t i = 1; i <= n; i++) offsets[++pieces] = first + T * i / n;
    }
    r->episodes = r->motion.episodes = r->symbols[0].episodes = pieces;
    r->offsets = r->motion.offsets = r->symbols[0].offsets = offsets;
    for (int w = 0; w <= SLT_MOST_WINDOW - SLT_LEAST_WINDOW; w++) {
        r->windows[w].episodes = pieces;
        r->windows[w].offsets = offsets;
    }
    return SLT_OK;
}

// ---- one wave of members

// a random half of the pool, with as many steps as a run needs; the member's beginning
static slt_run_half draw_half(learning *l, int i) {
    slt_segmenter *s = l->s;
    const slt_group_spec *spec = l->group->spec;
    const slt_recording *pool = &l->pool;
    int index = l->first + i;
    slt_member *member = &l->group->members[index];
    int64_t *order = l->order + i * pool->episodes, count = 0, steps = 0;
    slt_chain_random random;
    int number = index + l->skipped;
    uint64_t seed = l->seed + (uint64_t)number * 2;
    slt_chain_random_init(&random, seed);
    for (int64_t e = 0; e < pool->episodes; e++) order[e] = e;
    slt_chain_shuffle(&random, order, pool->episodes);
    for (; count < (pool->episodes + 1) / 2 && steps < RUN_STEPS; count++)
        steps += pool->offsets[order[count] + 1] - pool->offsets[order[count]];
    slt_arena_init(&member->arena, &s->context->allocator, 0);
    member->variant = &spec->variants[number % spec->variant_count];
    return (slt_run_half){order, count, seed + 1};
}

static slt_status learn_one(void *user, int i) {
    learning *l = user;
    slt_member *member = &l->group->members[l->first + i];
    if (slt_context_is_cancelled(l->s->context)) return SLT_OK;
    slt_run_half half = draw_half(l, i);
    slt_status status =
        slt_member_fit(l->s, l->group, member, &l->pool, half.episodes, half.count, half.seed);
    member->done = status == SLT_OK;
    // a training that was stopped, or broke down, does not vote
    return status == SLT_CANCELLED || status == SLT_DIVERGED ? SLT_OK : status;
}

// all members of a wave on the device
static slt_status learn_wave(learning *l, int count) {
    slt_run_half halves[DEVICE_WAVE];
    for (int i = 0; i < count; i++) halves[i] = draw_half(l, i);
    return slt_members_fit(l->s, l->group, &l->pool, l->first, count, halves);
}

// members that ended come first; the arenas of the others are freed
static void count_members(slt_run_group *group, int most) {
    for (int i = group->count; i < most; i++) {
        if (!group->members[i].done) {
            if (group->members[i].variant) slt_arena_deinit(&group->members[i].arena);
            continue;
        }
        if (i != group->count) {
            group->members[group->count] = group->members[i];
            group->members[i] = (slt_member){0};
        }
        group->count++;
    }
}

// news at 4, 6, 9, ... members, where somebody listens
static slt_status tell(learning *l, int done, int runs) {
    char news[96] = "";
    slt_context *context = l->s->context;
    if (!context->options.progress) return SLT_OK;
    bool due = done >= LEAST_RUNS && (2 * done >= 3 * l->told || done == runs);
    if (due && !slt_context_is_cancelled(context)) {
        SLT_TRY(slt_group_standing(l->s, l->group, done, &l->few, news, sizeof news));
        l->told = done;
    }
    slt_context_progress(context, l->group->spec->name, (uint64_t)done, (uint64_t)runs, news);
    return SLT_OK;
}

static slt_status learn_members(learning *l, int runs, double until) {
    slt_segmenter *s = l->s;
    int wave = l->wave;
    slt_status status = SLT_OK;
    for (l->first = l->group->count; l->first < runs && status == SLT_OK; l->first += wave) {
        if (slt_context_is_cancelled(s->context)) break;
        if (until > 0 && l->first >= LEAST_RUNS && slt_seconds() > until) break;
        int count = runs - l->first < wave ? runs - l->first : wave;
        status =
            l->device ? learn_wave(l, count) : slt_parallel_for(s->context, count, learn_one, l);
        if (status == SLT_OK) status = tell(l, l->first + count, runs);
    }
    count_members(l->group, runs);
    if (status == SLT_OK && l->group->count < LEAST_RUNS) status = slt_context_check(s->context);
    return status;
}

static slt_status make_room(slt_segmenter *s, slt_run_group *group, int runs) {
    slt_member *members;
    SLT_TRY(SLT_NEW(&s->arena, &members, (size_t)runs));
    if (group->count) memcpy(members, group->members, sizeof *members * (size_t)group->count);
    group->members = members;
    return SLT_OK;
}

// runs first ... last - 1 of a group, and what it says with them
static slt_status learn_group(slt_segmenter *s, slt_run_group *group, const material *from,
                              int first, int last, double until) {
    const episodes *pool = &from->pool, *held_out = &from->held_out;
    slt_dataset *data = from->data;
    int runs = group->count + last - first;
    learning l = {.s = s, .group = group, .seed = s->options.seed * 1000003 + 17};
    l.skipped = first - group->count;
    l.told = group->count;
    slt_arena_init(&l.arena, &s->context->allocator, 0);
    slt_status status =
        slt_recording_read(s, &l.arena, group, data, pool->list, pool->count, &l.pool);
    if (status == SLT_OK && s->continuous)
        status = slt_motion_noise(&l.arena, &l.pool.motion, &s->noise);
    if (status == SLT_OK) status = cut_long(&l.arena, s, group, &l.pool);
    group->undivided = l.pool.episodes < 2;
    if (status == SLT_OK) status = slt_members_on_device(s, group, &l.device);
    l.wave = l.device ? DEVICE_WAVE : slt_context_threads(s->context);
    if (status == SLT_OK)
        status = SLT_NEW(&l.arena, &l.order, (size_t)l.wave * (size_t)l.pool.episodes);
    if (status == SLT_OK) status = make_room(s, group, runs);
    if (status == SLT_OK)
        status = slt_recording_read(s, &l.arena, group, data, held_out->list,
                                    first_of(data, held_out, STANDING_STEPS), &l.few);
    if (status == SLT_OK) status = learn_members(&l, runs, until);
    if (status == SLT_OK)
        status = slt_recording_read(s, &l.arena, group, data, held_out->list, held_out->count,
                                    &l.held_out);
    if (status == SLT_OK)
        status = slt_group_settle(s, group, &s->arena, &l.held_out,
                                  &s->result.groups[group - s->groups]);
    slt_arena_deinit(&l.arena);
    return status;
}

// ---- what is told

static slt_status read_told(slt_segmenter *s) {
    slt_prior prior;
    const char *text = s->options.prior;
    snprintf(s->result.told, sizeof s->result.told, "%s", text ? text : "nothing");
    if (!text) return SLT_OK;
    SLT_TRY(slt_prior_read(text, 0, &prior)); // a number is meant exactly
    if (prior.kind == SLT_PRIOR_FLAT || prior.kind == SLT_PRIOR_AUTO) return SLT_OK;
    if (prior.kind == SLT_PRIOR_LABELS)
        SLT_FAIL(SLT_INVALID, "prior=labels reads labels; a segmenter takes a number, a range, a "
                              "mean or a list");
    s->counts = slt_prior_shape_of(&prior).largest;
    SLT_TRY(SLT_NEW(&s->arena, &s->told, (size_t)s->counts));
    SLT_TRY(slt_prior_fill(&prior, s->counts, s->told));
    return slt_segmenter_tell(s);
}

// What the vote is told. Of a number, a range or a mean, counts that occur; no others do. Chances
// that differ, of a list, were counted: a count that was never seen may be as frequent as the
// rarest that was.
static slt_status tell_vote(slt_segmenter *s) {
    bool counted = strchr(s->result.told, ',') != NULL;
    double *chance, rarest = 1, most = 0;
    SLT_TRY(SLT_NEW(&s->arena, &chance, (size_t)s->counts + 1));
    for (int n = 0; n < s->counts; n++) {
        chance[n] = s->told[n] > SEEN && (counted || s->possible[n] > 0) ? s->told[n] : 0;
        most = fmax(most, chance[n]);
        if (chance[n] > 0) rarest = fmin(rarest, chance[n]);
    }
    s->vote_told = (slt_vote_told){chance, s->counts, counted && rarest < most ? rarest : 0};
    return SLT_OK;
}

// A chain that weighs counts by their chances skips certain ends to reach the commonest count, so
// it is told which counts occur, no more.
slt_status slt_segmenter_tell(slt_segmenter *s) {
    double most = 0;
    SLT_TRY(SLT_NEW(&s->arena, &s->possible, (size_t)s->counts + 1));
    for (int n = 0; n < s->counts; n++) most = fmax(most, s->told[n]);
    for (int n = 0; n < s->counts; n++) s->possible[n] = s->told[n] > RARE * most;
    return tell_vote(s);
}

// ---- all of it

// Steps between windows: a hundredth of an episode. 0: the episodes are too short, or an action has
// too many numbers.
static int hop_of(const slt_segmenter *s, slt_dataset *data, const episodes *pool) {
    const int64_t *offsets = slt_dataset_offsets(data);
    int64_t steps = 0;
    for (int64_t e = 0; e < pool->count; e++)
        steps += offsets[pool->list[e] + 1] - offsets[pool->list[e]];
    int64_t hop = steps / pool->count / HOPS;
    if (hop < LEAST_HOP || 2 * s->scale.actions.kept > SLT_MOST_MOTION_ACTIONS) return 0;
    return hop < MOST_HOP ? (int)hop : MOST_HOP;
}

// Windows are coarse: they vote where long recordings leave the chains of steps in doubt.
static bool takes_part(const slt_segmenter *s, const slt_group_spec *spec, int hop) {
    bool windows = spec->kind == SLT_GROUP_WINDOWS, mdl = spec->kind == SLT_GROUP_MDL;
    if (s->options.kind == SLT_KIND_WINDOWS) return windows;
    if (mdl || s->options.kind == SLT_KIND_MDL) return mdl && s->options.kind == SLT_KIND_MDL;
    if (windows && (!hop || !s->group_count)) return false;
    if (windows) return s->continuous && s->result.groups[0].trust < SLT_ENOUGH_TRUST;
    if (s->continuous) return spec->kind == SLT_GROUP_SWITCHING;
    if (spec->kind == SLT_GROUP_SWITCHING) return false;
    return s->options.kind == SLT_KIND_AUTO ||
           (s->options.kind == SLT_KIND_EVENTS) == (spec->kind == SLT_GROUP_EVENTS);
}

// steps that could be followed by a boundary, and actions that differ
static slt_status check_content(slt_dataset *data, bool continuous, const episodes *pool) {
    bool changes = continuous; // of numbers, the measured scale tells
    int64_t places = 0;
    int only = -1;
    for (int64_t e = 0; e < pool->count; e++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(data, pool->list[e], &episode));
        places += episode.length > 1;
        for (int64_t t = 0; t < episode.length && !changes; t++) {
            int action = slt_episode_action(&episode, t);
            changes = only >= 0 && action != only;
            only = action;
        }
    }
    if (!places)
        SLT_FAIL(SLT_INVALID,
                 "%s: no episode has more than one step, so there is nothing to "
                 "segment",
                 slt_dataset_path(data));
    if (!changes)
        SLT_FAIL(SLT_INVALID, "%s: the actions never change, so there is nothing to segment",
                 slt_dataset_path(data));
    return SLT_OK;
}

static slt_status prepare(slt_segmenter *s, slt_dataset *data, slt_arena *arena, episodes *pool,
                          episodes *held_out) {
    const slt_dataset_info *info = slt_dataset_about(data);
    s->continuous = info->action_kind == SLT_ACTIONS_CONTINUOUS;
    s->actions = s->continuous ? info->action_size : info->action_count;
    s->observation = (int)info->observation_size;
    s->names = s->continuous ? NULL : info->action_names;
    bool mdl = s->options.kind == SLT_KIND_MDL;
    if (s->continuous && (mdl || s->options.kind == SLT_KIND_EVENTS))
        SLT_FAIL(SLT_INVALID, "kind=%s is for discrete actions; %s has continuous ones",
                 mdl ? "mdl" : "events", slt_dataset_path(data));
    if (!s->continuous && s->options.kind == SLT_KIND_WINDOWS)
        SLT_FAIL(SLT_INVALID, "kind=windows is for continuous actions; %s has discrete ones",
                 slt_dataset_path(data));
    int runs = s->options.runs;
    if (runs && (runs < LEAST_RUNS || runs > MOST_RUNS))
        SLT_FAIL(SLT_INVALID, "runs is %d, not %d to %d", runs, LEAST_RUNS, MOST_RUNS);
    SLT_TRY(read_told(s));
    SLT_TRY(choose_episodes(s, data, arena, pool, held_out));
    SLT_TRY(check_content(data, s->continuous, pool));
    if (!s->continuous) return SLT_OK;
    SLT_TRY(slt_motion_measure(&s->arena, data, pool->list, pool->count, &s->scale));
    if (!s->scale.actions.kept)
        SLT_FAIL(SLT_INVALID, "%s: the actions never change, so there is nothing to segment",
                 slt_dataset_path(data));
    int vary = s->scale.observations.kept;
    if (s->observation > SLT_MOST_FEATURES && vary == SLT_MOST_FEATURES)
        slt_context_log(s->context, SLT_LOG_INFO,
                        "of %d observations the %d that correlate most with the actions are used",
                        s->observation, vary);
    return SLT_OK;
}

// one that was stopped before enough of its runs ended: those before it answer
static void drop_group(slt_run_group *group) {
    for (int i = 0; i < group->count; i++) slt_arena_deinit(&group->members[i].arena);
    *group = (slt_run_group){0};
}

// As many runs again, once, for the group that answers, where its boundaries depend on which runs
// there are. This is measured before the vote hears what is told, so told and not, the same chains
// are as many. Not for slottar-mdl: a run takes seconds.
static slt_status learn_more(slt_segmenter *s, const material *from, double until) {
    char news[96];
    slt_segmenter_elect(s);
    slt_run_group *group = &s->groups[s->elected];
    double undecided = group->votes[0].undecided;
    bool late = until > 0 && slt_seconds() > until;
    if (s->options.runs || group->spec->kind == SLT_GROUP_MDL || undecided <= UNDECIDED || late ||
        slt_context_is_cancelled(s->context))
        return SLT_OK;
    slt_format(news, sizeof news, "%.0f %% of the boundaries would change with other runs: %d more",
               100 * undecided, ENOUGH_RUNS - FIRST_RUNS);
    slt_context_progress(s->context, group->spec->name, FIRST_RUNS, ENOUGH_RUNS, news);
    return learn_group(s, group, from, FIRST_RUNS, ENOUGH_RUNS, until);
}

static slt_status learn(slt_segmenter *s, slt_dataset *data, slt_arena *arena) {
    material from = {.data = data};
    double begun = slt_seconds(), seconds = s->options.seconds;
    int runs = s->options.runs ? s->options.runs : FIRST_RUNS;
    SLT_TRY(prepare(s, data, arena, &from.pool, &from.held_out));
    int groups = 0, hop = s->continuous ? hop_of(s, data, &from.pool) : 0;
    if (s->options.kind == SLT_KIND_WINDOWS && !hop)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: kind=windows needs episodes of %d steps on average and at most %d numbers "
                 "per action",
                 s->source, HOPS * LEAST_HOP, SLT_MOST_MOTION_ACTIONS / 2);
    for (const slt_group_spec *spec = slt_group_specs; spec->name; spec++)
        groups += takes_part(s, spec, hop);
    for (const slt_group_spec *spec = slt_group_specs; spec->name; spec++) {
        if (!takes_part(s, spec, hop)) continue;
        slt_run_group *group = &s->groups[s->group_count];
        bool windows = spec->kind == SLT_GROUP_WINDOWS;
        int least = spec->least_length * (windows ? hop : 1);
        if (s->options.min_length) least = s->options.min_length;
        group->spec = spec;
        group->hop = windows ? hop : 0;
        group->rules = (slt_vote_rules){.tolerance = windows ? hop : 1, .least_length = least};
        double share = seconds * (s->group_count + 1) / groups;
        slt_status status = learn_group(s, group, &from, 0, runs, seconds > 0 ? begun + share : 0);
        if (status == SLT_CANCELLED && s->group_count) {
            drop_group(group);
            break;
        }
        SLT_TRY(status);
        s->result.group_count = ++s->group_count;
    }
    SLT_TRY(learn_more(s, &from, seconds > 0 ? begun + seconds : 0));
    slt_segmenter_judge(s, groups);
    s->names = NULL;
    s->result.seconds = slt_seconds() - begun;
    return SLT_OK;
}

slt_status slt_segmenter_fit(slt_context *context, slt_dataset *data,
                             const slt_segmenter_options *options, slt_segmenter **out) {
    slt_segmenter *s;
    slt_arena arena;
    SLT_TRY(SLT_ALLOC(&context->allocator, &s, 1));
    s->context = context;
    if (options) s->options = *options;
    slt_arena_init(&s->arena, &context->allocator, 0);
    slt_arena_init(&arena, &context->allocator, 0);
    const char *path = slt_dataset_path(data);
    slt_status status = slt_arena_text(&s->arena, path, strlen(path), &s->source);
    s->data = data->file ? s->source : NULL; // in memory: nobody can open it again
    slt_segmenter_describe(&s->options, path, s->settings, sizeof s->settings);
    if (status == SLT_OK) status = learn(s, data, &arena);
    slt_arena_deinit(&arena);
    if (status != SLT_OK) {
        slt_segmenter_close(s);
        return status;
    }
    *out = s;
    return SLT_OK;
}
