// Collecting a data set: split by split and environment by environment, in rounds. A round plays
// the next seeds on all cores; then the accepted episodes are added in the order of their seeds.
// How many seeds a round takes depends on what is missing, not on threads. Processes of a group
// play every N-th seed of a round each, and process 0 gathers what they recorded: the same file.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "core/context_impl.h"
#include "core/group_impl.h"
#include "core/number.h"
#include "core/text.h"
#include "data/dataset_impl.h"
#include "experts/collect_plan.h"
#include "experts/episode_seeds.h"
#include "experts/policy_file.h"
#include "experts/record_pack.h"
#include "skills/skill_net.h"
#include "skills/skill_play.h"

enum { ROUND = 128 }; // of one process

typedef struct {
    slt_context *context;
    slt_collect_plan plan;
    slt_arena arena;
    slt_dataset_builder *builder;
    const slt_policy_file *learned; // who plays, where that was learned
    slt_skills *skills;             // the same of skills
    int skill_tasks[SLT_SET_ENVIRONMENTS];
    slt_player *players; // [threads]
    slt_record *records; // [ROUND], and one for those of other processes
    double *sizes;       // [ranks] bytes of what each process recorded in the round
    size_t *counts;      // the same, as a gather wants it
    unsigned char *mine; // this process' records, packed
    unsigned char *all;  // in process 0: those of everybody, one process after the other
    const unsigned char **next, **end; // [ranks] what is still to be read of each

    // the round at hand
    const slt_env_kind *kind;
    uint32_t seeds[ROUND];
    slt_split split;
    int task;

    slt_collect_summary summary;
    double started;
} session;

const char *slt_rejection_name(slt_rejection rejection) {
    static const char *const names[SLT_REJECTIONS] = {"stuck", "timeout", "failed", "overlong",
                                                      "segments"};
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
    size_t ranks = (size_t)slt_group_size(all->context);
    SLT_TRY(SLT_NEW(&all->arena, &all->sizes, ranks));
    SLT_TRY(SLT_NEW(&all->arena, &all->counts, ranks));
    SLT_TRY(SLT_NEW(&all->arena, &all->next, ranks));
    SLT_TRY(SLT_NEW(&all->arena, &all->end, ranks));
    SLT_TRY(SLT_NEW(&all->arena, &all->records, ROUND + 1));
    for (int i = 0; i < threads; i++)
        SLT_TRY(slt_player_init(&all->players[i], &all->arena, &plan->rules, world, observation));
    for (int i = 0; i < ROUND + 1; i++)
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
                             .has_subtasks = true,
                             .subtask_count = plan->rules.family->subtask_count,
                             .subtask_names = plan->rules.family->subtasks,
                             .environment = environments,
                             .expert = plan->rules.actor->name,
                             .observation_meaning = plan->rules.family->meaning};
    for (int i = 0; i < kind->rank; i++) info.observation_shape[i] = kind->shape[i];
    return info;
}

// what the policy learned, and how long
static slt_status describe_policy(session *all) {
    char text[160];
    if (!all->learned) return SLT_OK;
    snprintf(text, sizeof text, "%s, seed %" PRIu64 ", %" PRId64 " frames", all->learned->id,
             all->learned->state.seed, all->learned->state.frames);
    return slt_dataset_builder_describe(all->builder, "policy", text);
}

// how the data came about, for who reads the file
static slt_status describe_play(session *all) {
    const slt_play_rules *rules = &all->plan.rules;
    char noise[SLT_NUMBER_TEXT], seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)all->plan.seed);
    const struct {
        const char *key, *value;
    } texts[] = {
        {"truth", rules->family->rule ? rules->family->rule : slt_truth_stored(rules->truth)},
        {"noise", slt_number_print(rules->noise, noise)},
        {"single_delimiter", rules->single_delimiter ? "yes" : "no"},
        {"collect_seed", seed},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        SLT_TRY(slt_dataset_builder_describe(all->builder, texts[i].key, texts[i].value));
    char segments[16];
    snprintf(segments, sizeof segments, "%d", rules->segments);
    if (rules->segments) SLT_TRY(slt_dataset_builder_describe(all->builder, "segments", segments));
    return describe_policy(all);
}

static slt_status open_builder(session *all, const slt_collect_request *request) {
    const slt_collect_plan *plan = &all->plan;
    const char *expert = request->expert;
    slt_output_request output = {.path = request->path,
                                 .overwrite = request->overwrite,
                                 .inputs = &expert,
                                 .input_count = expert && slt_actor_is_file(expert)};
    slt_text names;
    slt_text_init(&names, &all->context->allocator);
    for (int i = 0; i < plan->tasks; i++)
        slt_text_add(&names, "%s%s", i ? "," : "", plan->kinds[i]->id);
    slt_status status = names.status;
    if (status == SLT_OK) {
        slt_dataset_info info = describe(plan, names.bytes);
        status = slt_dataset_builder_claim(all->context, &output, &info, &all->builder);
    }
    slt_text_deinit(&names);
    return status == SLT_OK ? describe_play(all) : status;
}

static slt_status find_task(session *all, int task) {
    const slt_env_kind *kind = all->plan.kinds[task];
    return slt_skills_task(all->skills, kind->id, kind->observation_size, kind->actions,
                           &all->skill_tasks[task]);
}

// who has learned comes from a file, in every process
static slt_status open_policy(session *all, const slt_collect_request *request) {
    slt_play_rules *rules = &all->plan.rules;
    if (!request->expert || !slt_actor_is_file(request->expert)) return SLT_OK;
    if (slt_actor_has_skills(rules->actor)) {
        SLT_TRY(slt_skills_open(all->context, request->expert, &all->skills));
        rules->skills = all->skills;
        for (int i = 0; i < all->plan.tasks; i++) SLT_TRY(find_task(all, i));
        return SLT_OK;
    }
    SLT_TRY(slt_policy_open(all->context, &all->arena, request->expert, all->plan.kinds[0],
                            &all->learned));
    rules->policy = all->learned;
    return SLT_OK;
}

static slt_status begin(session *all, const slt_collect_request *request) {
    SLT_TRY(open_policy(all, request));
    if (slt_group_leads(all->context)) SLT_TRY(open_builder(all, request));
    return reserve(all);
}

// ---- rounds

static void play_one(void *argument, int task, int thread) {
    session *all = argument;
    slt_record_play(&all->records[task], &all->players[thread], &all->plan.rules, all->kind,
                    all->seeds[task]);
}

// a few more than are missing: some will be rejected
static int round_size(const session *all, int64_t missing, uint32_t left) {
    int64_t size = missing + missing / 8, most = (int64_t)ROUND * slt_group_size(all->context);
    if (size > most) size = most;
    if (size > left) size = left;
    return size < 1 ? 1 : (int)size;
}

// plays this process' share of the next `count` seeds
static slt_status play(session *all, slt_episode_seeds *seeds, int count, int *played) {
    int rank = slt_group_rank(all->context), ranks = slt_group_size(all->context);
    *played = 0;
    for (int i = 0; i < count; i++) {
        uint32_t seed;
        SLT_TRY(slt_episode_seeds_next(seeds, &seed));
        if (i % ranks == rank) all->seeds[(*played)++] = seed;
    }
    slt_pool_run(all->context->pool, *played, play_one, all);
    return SLT_OK;
}

// ---- from process to process

static slt_status pack(session *all, int played) {
    size_t O = (size_t)all->plan.kinds[0]->observation_size, bytes = 0;
    for (int i = 0; i < played; i++) bytes += slt_record_packed(&all->records[i], O);
    SLT_TRY(SLT_NEW(&all->arena, &all->mine, bytes));
    unsigned char *at = all->mine;
    for (int i = 0; i < played; i++) at = slt_record_pack(&all->records[i], O, at);
    for (int r = 0; r < slt_group_size(all->context); r++) all->sizes[r] = 0;
    all->sizes[slt_group_rank(all->context)] = (double)bytes;
    return SLT_OK;
}

// room in process 0 for what all will send
static slt_status reserve_all(session *all) {
    int ranks = slt_group_size(all->context);
    size_t sum = 0;
    for (int r = 0; r < ranks; r++) sum += all->counts[r] = (size_t)all->sizes[r];
    if (!slt_group_leads(all->context)) return SLT_OK;
    SLT_TRY(SLT_NEW(&all->arena, &all->all, sum));
    const unsigned char *at = all->all;
    for (int r = 0; r < ranks; r++) {
        all->next[r] = at;
        all->end[r] = at += all->counts[r];
    }
    return SLT_OK;
}

static slt_status bring_together(session *all, int played) {
    slt_context *context = all->context;
    size_t ranks = (size_t)slt_group_size(context), mine = (size_t)slt_group_rank(context);
    if (ranks == 1) return SLT_OK;
    SLT_TRY(slt_group_agree(context, pack(all, played)));
    SLT_TRY(slt_group_sum(context, all->sizes, ranks, sizeof *all->sizes));
    SLT_TRY(slt_group_agree(context, reserve_all(all)));
    return slt_group_gather(context, all->mine, all->counts[mine], all->all, all->counts);
}

// the record of seed i of the round, whoever played it
static slt_status record_of(session *all, int i, const slt_record **out) {
    int ranks = slt_group_size(all->context), rank = i % ranks;
    *out = &all->records[i / ranks];
    if (rank == 0) return SLT_OK;
    slt_record *other = &all->records[ROUND];
    *out = other;
    return slt_record_unpack(other, &all->plan.rules, (size_t)all->plan.kinds[0]->observation_size,
                             &all->next[rank], all->end[rank]);
}

// ---- into the data set

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

_Static_assert((int)SLT_COLLECT_SKILLS == (int)SLT_SKILL_COUNT, "one limit of skills");

static void count_skills(slt_collect_summary *summary, const slt_record *record) {
    summary->skill_count = record->skill_count;
    for (int i = 0; i < record->skill_count; i++) {
        summary->skill_starts[i] += record->skills[i].starts;
        summary->skill_reached[i] += record->skills[i].reached;
    }
}

// adds the accepted episodes until nothing is missing
static slt_status sort_out(session *all, int count, int64_t *missing) {
    double started = now();
    for (int i = 0; i < count && *missing; i++) {
        const slt_record *record;
        SLT_TRY(record_of(all, i, &record));
        all->summary.candidates++;
        count_skills(&all->summary, record);
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

static slt_status run_round(session *all, slt_episode_seeds *seeds, int64_t *missing) {
    slt_arena_mark mark = slt_arena_now(&all->arena);
    int count = round_size(all, *missing, seeds->left), played;
    SLT_TRY(play(all, seeds, count, &played));
    SLT_TRY(bring_together(all, played));
    slt_status status = slt_group_leads(all->context) ? sort_out(all, count, missing) : SLT_OK;
    SLT_TRY(slt_group_agree(all->context, status));
    slt_arena_reset(&all->arena, mark);
    return slt_group_share(all->context, missing, sizeof *missing);
}

static slt_status collect_task(session *all) {
    const slt_collect_plan *plan = &all->plan;
    int64_t missing = slt_collect_share(plan, all->split, all->task);
    slt_episode_seeds seeds;
    SLT_TRY(slt_episode_seeds_init(&seeds, all->split, all->task, plan->seed));
    all->kind = plan->kinds[all->task];
    all->plan.rules.task = all->skill_tasks[all->task];
    while (missing) {
        SLT_TRY(slt_group_agree(all->context, slt_context_check(all->context)));
        SLT_TRY(run_round(all, &seeds, &missing));
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
    if (!slt_group_leads(all->context)) return SLT_OK;
    slt_status status = slt_dataset_builder_commit(all->builder);
    all->builder = NULL; // it is gone
    double ended = now();
    all->summary.writing += ended - started;
    all->summary.playing = ended - all->started - all->summary.writing;
    return status;
}

static void log_renamed(slt_context *context, const char *asked, slt_truth rule) {
    if (asked && strcmp(asked, slt_truth_stored(rule)) == 0)
        slt_context_log(context, SLT_LOG_INFO, "note: label rule '%s' is now called '%s'", asked,
                        slt_truth_name(rule));
}

slt_status slt_collect(slt_context *context, const slt_collect_request *request,
                       slt_collect_summary *summary) {
    session all = {.context = context, .started = now()};
    SLT_TRY(slt_collect_plan_init(&all.plan, request));
    log_renamed(context, request->truth, all.plan.rules.truth);
    slt_arena_init(&all.arena, &context->allocator, 0);
    slt_status status = slt_group_agree(context, begin(&all, request));
    if (status == SLT_OK) status = collect_all(&all);
    if (status == SLT_OK) status = slt_group_agree(context, finish(&all));
    if (status == SLT_OK) status = slt_group_share(context, &all.summary, sizeof all.summary);
    slt_dataset_builder_destroy(all.builder);
    slt_policy_close(all.learned);
    slt_skills_close(all.skills);
    slt_arena_deinit(&all.arena);
    if (status == SLT_OK && summary) *summary = all.summary;
    return status;
}
