// Copies of worlds, step by step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/policy_worlds.h"

#include <math.h>
#include <string.h>
#include "core/philox.h"
#include "experts/world_family.h"
#include "skills/skills_impl.h"

enum { PER_TASK = 32 }; // copies; a border that depends on no number of threads

// streams of random numbers, next to each other
enum { DRAWS, LAYOUTS };
#define STREAM(stream, i) ((uint64_t)(stream) << 40 | (uint64_t)(i))

// ---- memory

static slt_status init_copy(slt_worlds *worlds, slt_world_copy *copy, slt_arena *arena,
                            const slt_policy_options *options, const slt_env_kind *kind) {
    copy->kind = kind;
    copy->world = slt_arena_take(arena, 1, kind->state_size);
    if (!copy->world) return SLT_NOMEM;
    SLT_TRY(SLT_NEW(arena, &copy->view, (size_t)kind->observation_size));
    if (worlds->skills) SLT_TRY(SLT_NEW(arena, &copy->player, 1));
    if (options->clone) SLT_TRY(SLT_NEW(arena, &copy->planner, 1));
    if (options->bonus > 0) SLT_TRY(SLT_NEW(arena, &copy->visits, SLT_VISITS));
    return SLT_OK;
}

static slt_status init_skills(slt_worlds *worlds, slt_arena *arena) {
    SLT_TRY(slt_skill_pack(&worlds->packed, arena, &worlds->skills->policy,
                           2 * worlds->skills->actions));
    return SLT_NEW(arena, &worlds->discounts, (size_t)worlds->N * (size_t)worlds->T);
}

slt_status slt_worlds_init(slt_worlds *worlds, slt_context *context, slt_arena *arena,
                           const slt_policy_options *options, const slt_policy_view *view,
                           const slt_skills *skills, const slt_env_kind *const *kinds,
                           int kind_count, uint64_t seed) {
    int playable = slt_world_family_of(kinds[0])->playable;
    *worlds = (slt_worlds){.context = context,
                           .N = (int)options->copies,
                           .T = (int)options->steps,
                           .view = view,
                           .most = view->most,
                           .actions = skills ? slt_skills_count(skills) : playable,
                           .playable = playable,
                           .seed = seed,
                           .bonus = options->bonus,
                           .skills = skills,
                           .skill_rewards = {options->gamma, true}};
    size_t N = (size_t)worlds->N, all = N * (size_t)worlds->T;
    SLT_TRY(SLT_NEW(arena, &worlds->copies, N));
    SLT_TRY(SLT_NEW(arena, &worlds->ones, (all + N) * (size_t)worlds->most));
    SLT_TRY(SLT_NEW(arena, &worlds->count, all + N));
    SLT_TRY(SLT_NEW(arena, &worlds->actions_taken, all));
    SLT_TRY(SLT_NEW(arena, &worlds->chances, all));
    SLT_TRY(SLT_NEW(arena, &worlds->rewards, all));
    SLT_TRY(SLT_NEW(arena, &worlds->ended, all));
    SLT_TRY(SLT_NEW(arena, &worlds->tallies, N));
    for (int i = 0; i < worlds->N; i++)
        SLT_TRY(init_copy(worlds, &worlds->copies[i], arena, options, kinds[i % kind_count]));
    return skills ? init_skills(worlds, arena) : SLT_OK;
}

// ---- tasks

typedef struct {
    slt_worlds *worlds;
    void (*one)(slt_worlds *worlds, int i, int t, const slt_real *logits);
    int t;
    const slt_real *logits;
} work;

static void run_task(void *argument, int task, int thread) {
    (void)thread;
    const work *w = argument;
    int first = task * PER_TASK, left = w->worlds->N - first;
    for (int i = first; i < first + (left < PER_TASK ? left : PER_TASK); i++)
        w->one(w->worlds, i, w->t, w->logits);
}

static void run(work w) {
    slt_pool_run(w.worlds->context->pool, (w.worlds->N - 1) / PER_TASK + 1, run_task, &w);
}

// ---- episodes

// notes what copy i sees before step t
static void note(slt_worlds *worlds, int i, int t) {
    slt_world_copy *copy = &worlds->copies[i];
    size_t token = (size_t)t * (size_t)worlds->N + (size_t)i;
    worlds->count[token] = (uint16_t)slt_policy_view_ones(
        worlds->view, &copy->recall, copy->view, worlds->ones + token * (size_t)worlds->most);
}

static void look(slt_worlds *worlds, int i) {
    slt_world_copy *copy = &worlds->copies[i];
    copy->kind->observe(copy->kind, copy->world, copy->view);
    if (worlds->view->recalls) slt_recall_see(&copy->recall, copy->view);
}

static void begin_episode(slt_worlds *worlds, int i, uint32_t seed) {
    slt_world_copy *copy = &worlds->copies[i];
    copy->kind->reset(copy->kind, copy->world);
    if (worlds->view->recalls) slt_recall_begin(&copy->recall, worlds->view->memory);
    copy->returned = 0;
    copy->doors = 0;
    if (copy->visits) memset(copy->visits, 0, SLT_VISITS);
    if (worlds->apes) slt_planner_start(copy->planner, copy->kind, &seed, 1, 0);
    if (worlds->skills) slt_skill_player_start(copy->player, worlds->skills, 0, worlds->playable);
}

// worlds of training have seeds of two words, those that others play have one
static void begin_lap(slt_worlds *worlds, int i, int lap, const slt_real *unused) {
    (void)unused;
    slt_world_copy *copy = &worlds->copies[i];
    slt_words words =
        slt_random_words(worlds->seed, SLT_RANDOM_POLICY, STREAM(LAYOUTS, i), (uint32_t)lap);
    uint32_t seed[2] = {words.word[0], words.word[1] | 1};
    copy->kind->seed(copy->kind, copy->world, seed, 2);
    worlds->tallies[i] = (slt_lap_tally){0};
    begin_episode(worlds, i, words.word[2]);
    look(worlds, i);
    note(worlds, i, 0);
}

void slt_worlds_begin(slt_worlds *worlds, int64_t lap, bool apes) {
    worlds->apes = apes;
    run((work){.worlds = worlds, .one = begin_lap, .t = (int)lap});
}

// ---- steps

static uint32_t mix(uint32_t a, uint32_t b) {
    uint32_t x = a * 0x9E3779B9u ^ b;
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    return (x ^ x >> 13) * 0xC2B2AE35u;
}

// what a rarely visited state earns: where one is, how one looks, what one carries, which doors are
// open
static float bonus(const slt_worlds *worlds, slt_world_copy *copy, slt_event event) {
    const slt_minigrid *grid = copy->world;
    if (!copy->visits) return 0;
    uint32_t place = (uint32_t)grid->x << 16 | (uint32_t)grid->y << 8 | grid->direction;
    if (event == SLT_EVENT_TOGGLE) copy->doors ^= mix(place, 1);
    uint32_t state = mix(mix(place, copy->doors), grid->carried);
    uint8_t *visits = &copy->visits[(state ^ state >> 16) % SLT_VISITS];
    *visits += *visits < UINT8_MAX;
    return (float)(worlds->bonus / sqrt(*visits));
}

// an action, and how probable it was
static int choose(slt_worlds *worlds, int i, const slt_real *logits, const slt_words *words,
                  float *chance) {
    slt_world_copy *copy = &worlds->copies[i];
    float plain[SLT_POLICY_ACTIONS];
    for (int a = 0; a < worlds->actions; a++) plain[a] = (float)logits[a];
    int action = slt_policy_draw(plain, worlds->actions, slt_random_unit(words->word[0]), chance);
    if (!worlds->apes) return action;
    const slt_minigrid *grid = copy->world;
    int shown = slt_planner_act(copy->planner, copy->view, grid->direction);
    return shown < 0 ? SLT_DONE : shown;
}

static void end_episode(slt_worlds *worlds, int i, double reward, uint32_t seed) {
    slt_lap_tally *tally = &worlds->tallies[i];
    tally->episodes++;
    tally->solved += reward > 0;
    tally->returned += worlds->copies[i].returned;
    begin_episode(worlds, i, seed);
}

static slt_words draw_words(const slt_worlds *worlds, int i, int t) {
    return slt_random_words(worlds->seed, SLT_RANDOM_POLICY, STREAM(DRAWS, i),
                            worlds->clock + (uint32_t)t);
}

static void play_one(slt_worlds *worlds, int i, int t, const slt_real *logits) {
    slt_world_copy *copy = &worlds->copies[i];
    size_t token = (size_t)t * (size_t)worlds->N + (size_t)i;
    slt_words words = draw_words(worlds, i, t);
    int action = choose(worlds, i, logits + (size_t)i * (size_t)worlds->actions, &words,
                        &worlds->chances[token]);
    slt_env_result result = copy->kind->step(copy->kind, copy->world, action);
    double reward = slt_goal_reward(copy->kind, &result);
    if (worlds->view->recalls) slt_recall_act(&copy->recall, action);
    copy->returned += reward;
    worlds->tallies[i].frames++;
    worlds->actions_taken[token] = action;
    worlds->rewards[token] = (float)reward + bonus(worlds, copy, result.event);
    worlds->ended[token] = result.terminated || result.truncated;
    if (worlds->ended[token]) end_episode(worlds, i, reward, words.word[1]);
    look(worlds, i);
    note(worlds, i, t + 1);
}

static void end_skill(slt_worlds *worlds, int i, int t, const slt_skill_call *call) {
    slt_world_copy *copy = &worlds->copies[i];
    size_t token = (size_t)t * (size_t)worlds->N + (size_t)i;
    copy->returned += call->reward;
    worlds->tallies[i].frames += call->steps;
    worlds->rewards[token] = (float)call->reward;
    worlds->discounts[token] = (float)call->discount;
    worlds->ended[token] = call->terminated || call->truncated;
    if (worlds->ended[token]) {
        end_episode(worlds, i, call->reward, draw_words(worlds, i, t).word[1]);
        look(worlds, i);
    }
    note(worlds, i, t + 1);
}

static void play_skill(slt_worlds *worlds, int i, int t, const slt_real *logits) {
    slt_world_copy *copy = &worlds->copies[i];
    size_t token = (size_t)t * (size_t)worlds->N + (size_t)i;
    slt_words words = draw_words(worlds, i, t);
    int skill = choose(worlds, i, logits + (size_t)i * (size_t)worlds->actions, &words,
                       &worlds->chances[token]);
    slt_skill_call call = {.kind = copy->kind,
                           .world = copy->world,
                           .recall = worlds->view->recalls ? &copy->recall : NULL,
                           .player = copy->player,
                           .view = copy->view};
    worlds->actions_taken[token] = skill;
    slt_skill_player_begin(copy->player, skill);
    slt_skill_call_play(&worlds->packed, worlds->skill_rewards, &call);
    end_skill(worlds, i, t, &call);
}

void slt_worlds_play(slt_worlds *worlds, int t, const slt_real *logits) {
    run((work){worlds, worlds->skills ? play_skill : play_one, t, logits});
}

void slt_worlds_turn(slt_worlds *worlds) {
    size_t N = (size_t)worlds->N, last = (size_t)worlds->T * N;
    memcpy(worlds->ones, worlds->ones + last * (size_t)worlds->most,
           N * (size_t)worlds->most * sizeof *worlds->ones);
    memcpy(worlds->count, worlds->count + last, N * sizeof *worlds->count);
    worlds->clock += (uint32_t)worlds->T;
}

slt_lap_tally slt_worlds_tally(const slt_worlds *worlds) {
    slt_lap_tally sum = {0};
    for (int i = 0; i < worlds->N; i++) {
        sum.episodes += worlds->tallies[i].episodes;
        sum.solved += worlds->tallies[i].solved;
        sum.frames += worlds->tallies[i].frames;
        sum.returned += worlds->tallies[i].returned;
    }
    return sum;
}

void slt_worlds_advantages(const slt_worlds *worlds, const float *values, double gamma,
                           double lambda, float *advantages, float *targets) {
    size_t N = (size_t)worlds->N;
    for (int t = worlds->T - 1; t >= 0; t--)
        for (size_t i = 0; i < N; i++) {
            size_t token = (size_t)t * N + i;
            double on = worlds->discounts ? (double)worlds->discounts[token] : gamma;
            if (worlds->ended[token]) on = 0;
            double next = t + 1 < worlds->T ? (double)advantages[token + N] : 0;
            double error = (double)worlds->rewards[token] + on * (double)values[token + N] -
                           (double)values[token];
            advantages[token] = (float)(error + on * lambda * next);
            targets[token] = advantages[token] + values[token];
        }
}
