// Skills as the actions of a batch.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "slottar/skill_env.h"

#include <string.h>
#include "envs/env_batch.h"
#include "experts/skill_calls.h"
#include "experts/world_family.h"
#include "skills/skills_impl.h"

enum { PER_TASK = 16 }; // copies

struct slt_skill_env {
    slt_arena arena;
    slt_env_batch *batch;
    slt_skills *skills;
    slt_skill_packed policy;
    slt_skill_rewards rewards;
    int playable;
    size_t size;               // of an observation
    slt_skill_player *players; // [n]
    uint8_t *views;            // [n][size]
};

static void restart(slt_skill_env *env, int i) {
    slt_skill_player_start(&env->players[i], env->skills, 0, env->playable);
}

static slt_status take_memory(slt_skill_env *env) {
    size_t n = (size_t)env->batch->n;
    SLT_TRY(
        slt_skill_pack(&env->policy, &env->arena, &env->skills->policy, 2 * env->skills->actions));
    SLT_TRY(SLT_NEW(&env->arena, &env->players, n));
    if (!(env->views = slt_arena_take(&env->arena, n, env->size))) return SLT_NOMEM;
    for (int i = 0; i < env->batch->n; i++) restart(env, i);
    return SLT_OK;
}

static slt_status open_skills(slt_skill_env *env, const char *path) {
    const slt_env_kind *kind = env->batch->kind;
    SLT_TRY(slt_skills_open(env->batch->context, path, &env->skills));
    SLT_TRY(slt_skills_fit(env->skills, kind->id, kind->observation_size, kind->actions));
    return take_memory(env);
}

slt_status slt_skill_env_create(slt_env_batch *batch, const char *skills, double discount,
                                bool goal_rewards, slt_skill_env **out) {
    const slt_world_family *family = slt_world_family_of(batch->kind);
    slt_skill_env *env;
    if (!skills) SLT_FAIL(SLT_INVALID, "which skills?");
    if (!(discount > 0 && discount <= 1))
        SLT_FAIL(SLT_RANGE, "a discount of %g is not above 0 and at most 1", discount);
    if (!family) SLT_FAIL(SLT_UNSUPPORTED, "there are no skills for %s", batch->kind->id);
    SLT_TRY(SLT_ALLOC(&batch->context->allocator, &env, 1));
    env->batch = batch;
    env->rewards = (slt_skill_rewards){discount, goal_rewards};
    env->playable = family->playable;
    env->size = (size_t)batch->kind->observation_size;
    slt_arena_init(&env->arena, &batch->context->allocator, 0);
    slt_status status = open_skills(env, skills);
    if (status != SLT_OK) return slt_skill_env_destroy(env), status;
    *out = env;
    return SLT_OK;
}

void slt_skill_env_destroy(slt_skill_env *env) {
    if (!env) return;
    slt_skills_close(env->skills);
    slt_arena_deinit(&env->arena);
    slt_free(&env->batch->context->allocator, env);
}

int slt_skill_env_count(const slt_skill_env *env) { return slt_skills_count(env->skills); }

slt_status slt_skill_env_reset(slt_skill_env *env, const uint64_t *seeds, const uint8_t *mask,
                               uint8_t *observations) {
    SLT_TRY(slt_env_batch_reset(env->batch, seeds, mask, observations));
    for (int i = 0; i < env->batch->n; i++)
        if (!mask || mask[i]) restart(env, i);
    return SLT_OK;
}

// ---- steps

typedef struct {
    slt_skill_env *env;
    const int64_t *skills;
    slt_skill_env_outputs out;
} work;

static void begin_episode(slt_skill_env *env, int i) {
    slt_env_batch_begin(env->batch, i);
    restart(env, i);
}

// the episode of copy i begins, or its skill does; false: no skill is to be played
static bool begin(const work *w, int i, slt_skill_call *call) {
    slt_skill_env *env = w->env;
    slt_env_batch *batch = env->batch;
    uint8_t *view = env->views + (size_t)i * env->size;
    *call = (slt_skill_call){.kind = batch->kind,
                             .world = slt_env_state(batch, i),
                             .player = &env->players[i],
                             .view = view};
    bool ended = batch->life[i] == SLT_COPY_ENDED;
    if (ended) begin_episode(env, i);
    batch->kind->observe(batch->kind, call->world, view);
    if (!ended) slt_skill_player_begin(call->player, (int)w->skills[i]);
    return !ended;
}

static void put(uint8_t *rows, int i, const slt_skill_env *env) {
    size_t at = (size_t)i * env->size;
    if (rows) memcpy(rows + at, env->views + at, env->size);
}

static void end(const work *w, int i, const slt_skill_call *call) {
    slt_env_batch *batch = w->env->batch;
    const slt_env_outputs *out = &w->out.env;
    bool ended = call->terminated || call->truncated;
    if (ended && batch->autoreset == SLT_AUTORESET_SAME_STEP) {
        put(out->final_observations, i, w->env);
        begin_episode(w->env, i);
        batch->kind->observe(batch->kind, call->world, call->view);
        ended = false;
    }
    batch->life[i] = ended ? SLT_COPY_ENDED : SLT_COPY_RUNNING;
    put(out->observations, i, w->env);
    if (out->rewards) out->rewards[i] = call->reward;
    if (out->rewards_f32) out->rewards_f32[i] = (float)call->reward;
    if (out->terminated) out->terminated[i] = call->terminated;
    if (out->truncated) out->truncated[i] = call->truncated;
    if (w->out.discounts) w->out.discounts[i] = call->steps ? call->discount : 1;
    if (w->out.steps) w->out.steps[i] = call->steps;
    if (w->out.reached) w->out.reached[i] = call->reached;
}

static void step_copies(void *argument, int task, int thread) {
    (void)thread;
    const work *w = argument;
    slt_skill_call call;
    int first = task * PER_TASK, left = w->env->batch->n - first;
    for (int i = first; i < first + (left < PER_TASK ? left : PER_TASK); i++) {
        if (begin(w, i, &call)) slt_skill_call_play(&w->env->policy, w->env->rewards, &call);
        end(w, i, &call);
    }
}

slt_status slt_skill_env_step(slt_skill_env *env, const int64_t *skills,
                              const slt_skill_env_outputs *out) {
    slt_env_batch *batch = env->batch;
    SLT_TRY(slt_env_batch_check(batch, skills, slt_skills_count(env->skills), "skill"));
    slt_pool_run(batch->context->pool, (batch->n - 1) / PER_TASK + 1, step_copies,
                 &(work){env, skills, *out});
    return SLT_OK;
}
