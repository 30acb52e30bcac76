// Playing and evaluating.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/policy_play.h"

#include "core/philox.h"
#include "experts/policy_file.h"

void slt_policy_player_start(slt_policy_player *player, const slt_policy *policy, uint32_t seed) {
    player->policy = policy;
    player->seed = seed;
    player->step = 0;
    slt_recall_begin(&player->recall, policy->shape.memory);
}

int slt_policy_player_act(slt_policy_player *player, const uint8_t *view) {
    uint16_t ones[SLT_RECALL_ONES];
    float logits[SLT_MINIGRID_ACTIONS], chance;
    slt_recall_see(&player->recall, view);
    int count = slt_recall_ones(&player->recall, ones);
    slt_policy_think(player->policy, ones, count, logits);
    uint32_t word = slt_random_words(player->seed, SLT_RANDOM_POLICY, 0, player->step++).word[0];
    return slt_policy_draw(logits, SLT_MINIGRID_ACTIONS, slt_random_unit(word), &chance);
}

void slt_policy_player_done(slt_policy_player *player, int action) {
    slt_recall_act(&player->recall, action);
}

// ---- evaluating

typedef struct {
    const slt_policy *policy;
    const slt_env_kind *kind;
    uint32_t first;
    void **worlds; // [threads]
    double *returned;
    int32_t *lengths; // [episodes]
    slt_context *context;
} judging;

static void evaluate_one(void *argument, int task, int thread) {
    const judging *j = argument;
    const slt_env_kind *kind = j->kind;
    void *world = j->worlds[thread];
    uint32_t seed = j->first + (uint32_t)task;
    uint8_t view[SLT_VIEW_BYTES];
    slt_policy_player player;
    slt_env_result result = {0};
    if (slt_context_is_cancelled(j->context)) return;
    kind->seed(kind, world, &seed, 1);
    kind->reset(kind, world);
    slt_policy_player_start(&player, j->policy, seed);
    while (!result.terminated && !result.truncated) {
        kind->observe(kind, world, view);
        int action = slt_policy_player_act(&player, view);
        result = kind->step(kind, world, action);
        slt_policy_player_done(&player, action);
        j->returned[task] += result.reward;
        j->lengths[task]++;
    }
}

static slt_status take_memory(judging *j, slt_arena *arena, int64_t episodes) {
    size_t threads = (size_t)slt_context_threads(j->context);
    SLT_TRY(SLT_NEW(arena, &j->worlds, threads));
    for (size_t i = 0; i < threads; i++)
        if (!(j->worlds[i] = slt_arena_take(arena, 1, j->kind->state_size))) return SLT_NOMEM;
    SLT_TRY(SLT_NEW(arena, &j->returned, (size_t)episodes));
    return SLT_NEW(arena, &j->lengths, (size_t)episodes);
}

static void add_up(const judging *j, int64_t episodes, slt_policy_scores *out) {
    double n = (double)episodes;
    *out = (slt_policy_scores){.episodes = episodes};
    for (int64_t i = 0; i < episodes; i++) {
        out->mean_return += j->returned[i] / n;
        out->success += (j->returned[i] > 0) / n;
        out->length += j->lengths[i] / n;
    }
}

slt_status slt_policy_score(slt_context *context, const slt_policy *policy,
                            const slt_env_kind *kind, uint32_t first, int64_t episodes,
                            slt_policy_scores *out) {
    enum { MOST = 10000000 };
    if (episodes < 1 || episodes > MOST)
        SLT_FAIL(SLT_RANGE, "%lld episodes are not 1 to %d", (long long)episodes, MOST);
    slt_arena arena;
    slt_arena_init(&arena, &context->allocator, 0);
    judging j = {.policy = policy, .kind = kind, .first = first, .context = context};
    slt_status status = take_memory(&j, &arena, episodes);
    if (status == SLT_OK) {
        slt_pool_run(context->pool, (int)episodes, evaluate_one, &j);
        status = slt_context_check(context);
        if (status == SLT_OK) add_up(&j, episodes, out);
    }
    slt_arena_deinit(&arena);
    return status;
}

slt_status slt_policy_evaluate(slt_context *context, const char *path, const char *environment,
                               uint32_t first, int64_t episodes, slt_policy_scores *out) {
    const slt_env_kind *kind = slt_env_find(environment);
    if (!kind) SLT_FAIL(SLT_INVALID, "no environment '%.80s'", environment);
    slt_arena arena;
    const slt_policy_file *file;
    slt_arena_init(&arena, &context->allocator, 0);
    slt_status status = slt_policy_open(&arena, path, kind, &file);
    if (status == SLT_OK)
        status = slt_policy_score(context, &file->policy, kind, first, episodes, out);
    slt_arena_deinit(&arena);
    return status;
}
