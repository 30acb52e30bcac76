// Experts step by step: an actor next to every copy of a batch.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/env_batch.h"
#include "experts/actor.h"
#include "experts/policy_file.h"
#include "experts/world_family.h"
#include "skills/skill_play.h"
#include "slottar/expert.h"

enum { PER_TASK = 16 }; // copies; planners cost more than steps

struct slt_expert {
    slt_arena arena;
    const slt_env_batch *batch;
    const slt_actor *actor;
    const slt_policy_file *learned; // NULL: one that had nothing to learn
    slt_skills *skills;             // of one that plays them
    int task;                       // of theirs
    double noise;
    int playable;
    size_t stride;         // bytes from one actor's state to the next
    unsigned char *states; // [n][stride]
    uint32_t *begun;       // [n] the episode of each copy that the actor was started for
};

static slt_status take_memory(slt_expert *expert) {
    size_t n = (size_t)expert->batch->n;
    expert->stride = (expert->actor->state_size + SLT_ALIGN - 1) / SLT_ALIGN * SLT_ALIGN;
    expert->states = slt_arena_take(&expert->arena, n, expert->stride);
    return expert->states ? SLT_NEW(&expert->arena, &expert->begun, n) : SLT_NOMEM;
}

// what has learned
static slt_status open_file(slt_expert *expert, const char *path) {
    const slt_env_kind *kind = expert->batch->kind;
    if (!slt_actor_has_skills(expert->actor))
        return slt_policy_open(expert->batch->context, &expert->arena, path, kind,
                               &expert->learned);
    SLT_TRY(slt_skills_open(expert->batch->context, path, &expert->skills));
    return slt_skills_task(expert->skills, kind->id, kind->observation_size, kind->actions,
                           &expert->task);
}

slt_status slt_expert_create(const slt_env_batch *batch, const char *name, double noise,
                             slt_expert **out) {
    const slt_actor *actor;
    const slt_world_family *family = slt_world_family_of(batch->kind);
    SLT_TRY(slt_actor_find(name ? name : "bot", batch->kind, &actor));
    if (!family) SLT_FAIL(SLT_UNSUPPORTED, "there is no expert for %s", batch->kind->id);
    if (!(noise >= 0 && noise <= 1)) SLT_FAIL(SLT_RANGE, "noise %g is not 0 to 1", noise);
    slt_expert *expert;
    const slt_allocator *allocator = &batch->context->allocator;
    SLT_TRY(SLT_ALLOC(allocator, &expert, 1));
    expert->batch = batch;
    expert->actor = actor;
    expert->noise = noise;
    expert->playable = family->playable;
    slt_arena_init(&expert->arena, allocator, 0);
    slt_status status = take_memory(expert);
    if (status == SLT_OK && name && slt_actor_is_file(name)) status = open_file(expert, name);
    if (status != SLT_OK) {
        slt_expert_destroy(expert);
        return status;
    }
    *out = expert;
    return SLT_OK;
}

void slt_expert_destroy(slt_expert *expert) {
    if (!expert) return;
    slt_policy_close(expert->learned);
    slt_skills_close(expert->skills);
    slt_arena_deinit(&expert->arena);
    slt_free(&expert->batch->context->allocator, expert);
}

static void *state_of(const slt_expert *expert, int i) {
    return expert->states + (size_t)i * expert->stride;
}

void slt_expert_begin(slt_expert *expert, const uint32_t *seeds, const uint8_t *mask) {
    for (int i = 0; i < expert->batch->n; i++) {
        if (mask && !mask[i]) continue;
        slt_actor_start start = {.kind = expert->batch->kind,
                                 .seed = seeds[i],
                                 .noise = expert->noise,
                                 .playable = expert->playable,
                                 .policy = expert->learned,
                                 .skills = expert->skills,
                                 .task = expert->task};
        expert->actor->start(state_of(expert, i), &start);
        expert->begun[i] = expert->batch->begun[i];
    }
}

typedef struct {
    slt_expert *expert;
    const uint8_t *observations;
    int64_t *actions;
} asking;

static void ask(void *argument, int task, int thread) {
    (void)thread;
    const asking *a = argument;
    const slt_env_batch *batch = a->expert->batch;
    size_t size = (size_t)batch->info.observation_size;
    int first = task * PER_TASK, left = batch->n - first;
    for (int i = first; i < first + (left < PER_TASK ? left : PER_TASK); i++) {
        if (batch->life[i] != SLT_COPY_RUNNING) {
            a->actions[i] = 0; // an ended copy ignores its action
            continue;
        }
        a->actions[i] = a->expert->actor->act(state_of(a->expert, i), slt_env_state(batch, i),
                                              a->observations + (size_t)i * size);
    }
}

slt_status slt_expert_act(slt_expert *expert, const uint8_t *observations, int64_t *actions) {
    const slt_env_batch *batch = expert->batch;
    for (int i = 0; i < batch->n; i++)
        if (batch->life[i] == SLT_COPY_FRESH || expert->begun[i] != batch->begun[i])
            SLT_FAIL(SLT_INVALID, "the expert was not told that copy %d began a new episode", i);
    slt_pool_run(batch->context->pool, (batch->n - 1) / PER_TASK + 1, ask,
                 &(asking){expert, observations, actions});
    return SLT_OK;
}

slt_status slt_expert_skill(const slt_expert *expert, int copy, int *skill, int *steps) {
    if (copy < 0 || copy >= expert->batch->n)
        SLT_FAIL(SLT_RANGE, "no copy %d, there are %d", copy, expert->batch->n);
    *skill = -1;
    *steps = 0;
    if (expert->actor->skill && expert->begun[copy] &&
        expert->begun[copy] == expert->batch->begun[copy])
        *skill = expert->actor->skill(state_of(expert, copy), steps);
    return SLT_OK;
}
