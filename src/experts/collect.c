// Collecting a data set: split by split and environment by environment, in rounds. A round plays
// the next seeds on all cores; then the accepted episodes are added in the order of their seeds.
// How many seeds a round takes depends on what is missing, not on threads.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "core/context_impl.h"
#include "core/lock.h"
#include "core/number.h"
#include "core/text.h"
#include "experts/collect_plan.h"
#include "experts/episode_seeds.h"

enum { ROUND = 128 };

typedef struct {
    slt_context *context;
    slt_collect_plan plan;
    slt_arena arena;
    slt_dataset_builder *builder;
    slt_player *players; // [threads]
    slt_record *records; // [ROUND]

    // the round at hand
    const slt_env_kind *kind;
    uint32_t seeds[ROUND];
    slt_split split;
    int task;

    slt_collect_summary summary;
    double started;
} session;

const char *slt_rejection_name(slt_rejection rejection) {
    static const char *const names[SLT_REJECTIONS] = {"stuck", "timeout", "failed", "overlong"};
    return rejection >= 0 && rejection < SLT_REJECTIONS ? names[rejection] : "";
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int64_t total(const int64_t episodes[SLT_SPLITS]) {
    int64_t sum = 0;
    for (int s = 0; s < SLT_SPLITS; s++) sum += episodes[s];
    return sum;
}

// ---- beginning

static slt_status reserve(session *all) {
    const slt_collect_plan *plan = &all->plan;
    size_t world = 0, observation = (size_t)plan->kinds[0]->observation_size;
    for (int i = 0; i < plan->tasks; i++)
        if (plan->kinds[i]->state_size > world) world = plan->kinds[i]->state_size;
    int threads = slt_context_threads(all->context);
    SLT_TRY(SLT_NEW(&all->arena, &all->players, (size_t)threads));
    SLT_TRY(SLT_NEW(&all->arena, &all->records, ROUND));
    for (int i = 0; i < threads; i++)
        SLT_TRY(slt_player_init(&all->players[i], &all->arena, &plan->rules, world, observation));
    for (int i = 0; i < ROUND; i++)
        SLT_TRY(slt_record_init(&all->records[i], &all->arena, &plan->rules, observation));
    return SLT_OK;
}

static slt_dataset_info describe(const slt_collect_plan *plan, const char *environments) {
    const slt_env_kind *kind = plan->kinds[0];
    slt_dataset_info info = {.action_count = kind->actions,
                             .action_names = kind->action_names,
                             .observation_kind = plan->rules.family->observations,
                             .observation_rank = kind->rank,
                             .observation_size = kind->observation_size,
                             .has_rewards = true,
                             .has_segments = true,
                             .has_finals = true,
                             .has_splits = plan->episodes[SLT_SPLIT_TRAIN] < total(plan->episodes),
                             .has_terminated = true,
                             .has_truncated = true,
                             .has_seeds = true,
                             .has_tasks = true,
                             .environment = environments,
                             .expert = plan->rules.actor->name,
                             .observation_meaning = plan->rules.family->meaning};
    for (int i = 0; i < kind->rank; i++) info.observation_shape[i] = kind->shape[i];
    return info;
}

// how the data came about, for who reads the file
static slt_status describe_play(session *all) {
    const slt_play_rules *rules = &all->plan.rules;
    char noise[SLT_NUMBER_TEXT], seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)all->plan.seed);
    const struct {
        const char *key, *value;
    } texts[] = {
        {"truth", rules->family->rule ? rules->family->rule : slt_truth_name(rules->truth)},
        {"noise", slt_number_print(rules->noise, noise)},
        {"single_delimiter", rules->single_delimiter ? "yes" : "no"},
        {"collect_seed", seed},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        SLT_TRY(slt_dataset_builder_describe(all->builder, texts[i].key, texts[i].value));
    return SLT_OK;
}

static slt_status begin(session *all, const slt_collect_request *request) {
    const slt_collect_plan *plan = &all->plan;
    if (!request->overwrite && access(request->path, F_OK) == 0)
        SLT_FAIL(SLT_IO, "%s: is there already (--force, or overwrite, replaces it)",
                 request->path);
    slt_text names;
    slt_text_init(&names, &all->context->allocator);
    for (int i = 0; i < plan->tasks; i++)
        slt_text_add(&names, "%s%s", i ? "," : "", plan->kinds[i]->id);
    slt_status status = names.status;
    if (status == SLT_OK) {
        slt_dataset_info info = describe(plan, names.bytes);
        status = slt_dataset_builder_create(all->context, request->path, &info, &all->builder);
    }
    slt_text_deinit(&names);
    SLT_TRY(status);
    SLT_TRY(describe_play(all));
    return reserve(all);
}

// ---- rounds

static void play_one(void *argument, int task, int thread) {
    session *all = argument;
    slt_record_play(&all->records[task], &all->players[thread], &all->plan.rules, all->kind,
                    all->seeds[task]);
}

// a few more than are missing: some will be rejected
static int round_size(int64_t missing, uint32_t left) {
    int64_t size = missing + missing / 8;
    if (size > ROUND) size = ROUND;
    if (size > left) size = left;
    return size < 1 ? 1 : (int)size;
}

static slt_status keep(session *all, const slt_record *record) {
    slt_collect_summary *summary = &all->summary;
    slt_episode episode = slt_record_view(record, all->kind);
    episode.split = all->split;
    episode.task = all->task;
    SLT_TRY(slt_dataset_builder_add(all->builder, &episode));
    summary->episodes[all->split]++;
    summary->steps += record->length;
    return SLT_OK;
}

// adds the accepted episodes until nothing is missing
static slt_status sort_out(session *all, int count, int64_t *missing) {
    double started = now();
    for (int i = 0; i < count && *missing; i++) {
        const slt_record *record = &all->records[i];
        all->summary.candidates++;
        if (record->verdict != SLT_ACCEPTED) {
            all->summary.rejected[record->verdict]++;
            continue;
        }
        SLT_TRY(keep(all, record));
        --*missing;
    }
    all->summary.writing += now() - started;
    return SLT_OK;
}

static slt_status collect_task(session *all) {
    const slt_collect_plan *plan = &all->plan;
    int64_t missing = slt_collect_share(plan, all->split, all->task);
    slt_episode_seeds seeds;
    SLT_TRY(slt_episode_seeds_init(&seeds, all->split, all->task, plan->seed));
    all->kind = plan->kinds[all->task];
    while (missing) {
        SLT_TRY(slt_context_check(all->context));
        int count = round_size(missing, seeds.left);
        for (int i = 0; i < count; i++) SLT_TRY(slt_episode_seeds_next(&seeds, &all->seeds[i]));
        slt_pool_run(all->context->pool, count, play_one, all);
        SLT_TRY(sort_out(all, count, &missing));
        slt_context_progress(all->context, "collect", (uint64_t)total(all->summary.episodes),
                             (uint64_t)total(plan->episodes), NULL);
    }
    return SLT_OK;
}

static slt_status collect_all(session *all) {
    for (int split = 0; split < SLT_SPLITS; split++) {
        for (int task = 0; task < all->plan.tasks; task++) {
            all->split = (slt_split)split;
            all->task = task;
            SLT_TRY(collect_task(all));
        }
    }
    return SLT_OK;
}

// ---- ending

static slt_status finish(session *all) {
    double started = now();
    slt_status status = slt_dataset_builder_commit(all->builder);
    all->builder = NULL; // it is gone
    double ended = now();
    all->summary.writing += ended - started;
    all->summary.playing = ended - all->started - all->summary.writing;
    return status;
}

slt_status slt_collect(slt_context *context, const slt_collect_request *request,
                       slt_collect_summary *summary) {
    session all = {.context = context, .started = now()};
    SLT_TRY(slt_collect_plan_init(&all.plan, request));
    slt_lock lock;
    SLT_TRY(slt_lock_file(&lock, context, request->path));
    slt_arena_init(&all.arena, &context->allocator, 0);
    slt_status status = begin(&all, request);
    if (status == SLT_OK) status = collect_all(&all);
    if (status == SLT_OK) status = finish(&all);
    slt_dataset_builder_destroy(all.builder);
    slt_arena_deinit(&all.arena);
    slt_lock_release(&lock);
    if (status == SLT_OK && summary) *summary = all.summary;
    return status;
}
