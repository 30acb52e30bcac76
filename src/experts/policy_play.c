// Playing and evaluating.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/policy_play.h"

#include "core/philox.h"
#include "experts/world_family.h"

void slt_policy_player_start(slt_policy_player *player, const slt_policy_file *policy,
                             uint32_t seed) {
    player->policy = policy;
    player->seed = seed;
    player->step = 0;
    if (policy->view.recalls) slt_recall_begin(&player->recall, policy->view.memory);
    if (!policy->skills) return;
    int playable = slt_world_family_of(slt_env_find(policy->id))->playable;
    slt_skill_player_start(&player->skill, policy->skills, 0, playable);
}

// one of the policy's own actions: an action, or a skill
static int choose(slt_policy_player *player, const uint8_t *view) {
    const slt_policy *policy = &player->policy->policy;
    uint16_t ones[SLT_POLICY_ONES];
    float logits[SLT_POLICY_ACTIONS], chance;
    int count = slt_policy_view_ones(&player->policy->view, &player->recall, view, ones);
    slt_policy_think(policy, ones, count, logits);
    uint32_t word = slt_random_words(player->seed, SLT_RANDOM_POLICY, 0, player->step++).word[0];
    return slt_policy_draw(logits, policy->shape.actions, slt_random_unit(word), &chance);
}

int slt_policy_player_act(slt_policy_player *player, const uint8_t *view) {
    if (player->policy->view.recalls) slt_recall_see(&player->recall, view);
    if (!player->policy->skills) return choose(player, view);
    if (slt_skill_player_over(&player->skill, view))
        slt_skill_player_begin(&player->skill, choose(player, view));
    return slt_skill_player_step(&player->skill, view);
}

void slt_policy_player_done(slt_policy_player *player, int action) {
    if (player->policy->view.recalls) slt_recall_act(&player->recall, action);
    player->skill.action = action;
}

// ---- evaluating

typedef struct {
    const slt_policy_file *policy;
    const slt_env_kind *kind;
    uint32_t first;
    void **worlds;              // [threads]
    slt_policy_player *players; // [threads]
    uint8_t *views;             // [threads][observation]
    double *returned;
    int32_t *lengths; // [episodes]
    slt_context *context;
} judging;

static void evaluate_one(void *argument, int task, int thread) {
    const judging *j = argument;
    const slt_env_kind *kind = j->kind;
    void *world = j->worlds[thread];
    uint32_t seed = j->first + (uint32_t)task;
    uint8_t *view = j->views + (size_t)thread * (size_t)kind->observation_size;
    slt_policy_player *player = &j->players[thread];
    slt_env_result result = {0};
    if (slt_context_is_cancelled(j->context)) return;
    kind->seed(kind, world, &seed, 1);
    kind->reset(kind, world);
    slt_policy_player_start(player, j->policy, seed);
    while (!result.terminated && !result.truncated) {
        kind->observe(kind, world, view);
        int action = slt_policy_player_act(player, view);
        result = kind->step(kind, world, action);
        slt_policy_player_done(player, action);
        j->returned[task] += slt_goal_reward(kind, &result);
        j->lengths[task]++;
    }
}

static slt_status take_memory(judging *j, slt_arena *arena, int64_t episodes) {
    size_t threads = (size_t)slt_context_threads(j->context);
    SLT_TRY(SLT_NEW(arena, &j->worlds, threads));
    SLT_TRY(SLT_NEW(arena, &j->players, threads));
    SLT_TRY(SLT_NEW(arena, &j->views, threads * (size_t)j->kind->observation_size));
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

slt_status slt_policy_score(slt_context *context, const slt_policy_file *policy,
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
    const slt_policy_file *file = NULL;
    slt_arena_init(&arena, &context->allocator, 0);
    slt_status status = slt_policy_open(context, &arena, path, kind, &file);
    if (status == SLT_OK) status = slt_policy_score(context, file, kind, first, episodes, out);
    slt_policy_close(file);
    slt_arena_deinit(&arena);
    return status;
}
