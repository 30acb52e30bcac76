// What a request means: the named sets, the environments, who plays, by which rule.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/collect_plan.h"

#include <inttypes.h>
#include <string.h>
#include "envs/craft.h"
#include "experts/episode_seeds.h"

// ---- the paper's sets

#define PAPER                                                                                      \
    { 10000, 1000, 1000 }

static const slt_set_info sets[] = {
    {"craft-full", {"makebedfull-v0", "makeaxefull-v0", "makeshearsfull-v0"}, PAPER, 64},
    {"craft-partial", {"makebed-v0", "makeaxe-v0", "makeshears-v0"}, PAPER, 64},
    {"doorkey", {"MiniGrid-DoorKey-8x8-v0"}, PAPER, 35},
    {"unlockpickup", {"MiniGrid-UnlockPickup-v0"}, PAPER, 35},
    {"blockedunlockpickup", {"MiniGrid-BlockedUnlockPickup-v0"}, PAPER, 40},
    {"keycorridor", {"MiniGrid-KeyCorridorS4R3-v0"}, PAPER, 80},
};
enum { SETS = sizeof sets / sizeof *sets };

int slt_set_count(void) { return SETS; }

slt_status slt_set_describe(int index, slt_set_info *out) {
    if (index < 0 || index >= SETS)
        SLT_FAIL(SLT_RANGE, "there are %d named sets, none %d", SETS, index);
    *out = sets[index];
    return SLT_OK;
}

static const slt_set_info *find_set(const char *name) {
    for (int i = 0; i < SETS; i++)
        if (strcmp(sets[i].name, name) == 0) return &sets[i];
    return NULL;
}

// ---- environments

// the variant of a Craft environment that sees so much
static slt_status choose_view(const char *observations, const slt_env_kind **kind) {
    if (!observations) return SLT_OK;
    bool full = strcmp(observations, "full") == 0;
    if (!full && strcmp(observations, "partial") != 0)
        SLT_FAIL(SLT_INVALID, "observations are 'full' or 'partial', not '%.80s'", observations);
    if (slt_craft_is(*kind)) {
        *kind = slt_craft_find((int)(*kind - slt_craft_kinds) / 2, full);
    } else if (full) {
        SLT_FAIL(SLT_UNSUPPORTED, "%s has partial observations only", (*kind)->id);
    }
    return SLT_OK;
}

static slt_status add_environment(slt_collect_plan *plan, const char *id,
                                  const char *observations) {
    const slt_env_kind *kind = slt_env_find(id);
    if (!kind)
        SLT_FAIL(SLT_INVALID, "no environment '%.80s' (slottar envs lists them) and no named set",
                 id);
    if (plan->tasks == SLT_SET_ENVIRONMENTS)
        SLT_FAIL(SLT_RANGE, "more than %d environments", SLT_SET_ENVIRONMENTS);
    if (!slt_world_family_of(kind)) SLT_FAIL(SLT_UNSUPPORTED, "%s cannot be recorded yet", id);
    SLT_TRY(choose_view(observations, &kind));
    const slt_env_kind *first = plan->tasks ? plan->kinds[0] : kind;
    if (slt_world_family_of(kind) != slt_world_family_of(first))
        SLT_FAIL(SLT_INVALID, "%s and %s do not fit into one data set: other actions", first->id,
                 kind->id);
    plan->kinds[plan->tasks++] = kind;
    return SLT_OK;
}

// a name of a set and a view that says otherwise
static slt_status check_set_view(const slt_set_info *set, const slt_env_kind *kind,
                                 const char *observations) {
    const slt_env_kind *chosen = kind;
    SLT_TRY(choose_view(observations, &chosen));
    if (chosen != kind)
        SLT_FAIL(SLT_INVALID, "the set %s does not have %s observations", set->name, observations);
    return SLT_OK;
}

static slt_status take_environments(slt_collect_plan *plan, const slt_collect_request *request,
                                    const slt_set_info **set) {
    if (request->environment_count < 1 || !request->path)
        SLT_FAIL(SLT_INVALID, "collecting needs an environment and a path");
    *set = find_set(request->environments[0]);
    for (int i = 1; i < request->environment_count; i++)
        if (*set || find_set(request->environments[i]))
            SLT_FAIL(SLT_INVALID, "a named set cannot be combined with '%.80s'",
                     request->environments[*set ? i : i - 1]);
    if (!*set) {
        for (int i = 0; i < request->environment_count; i++)
            SLT_TRY(add_environment(plan, request->environments[i], request->observations));
        return SLT_OK;
    }
    for (int i = 0; i < SLT_SET_ENVIRONMENTS && (*set)->environments[i]; i++)
        SLT_TRY(add_environment(plan, (*set)->environments[i], NULL));
    return check_set_view(*set, plan->kinds[0], request->observations);
}

// ---- sizes

static slt_status take_sizes(slt_collect_plan *plan, const slt_collect_request *request) {
    bool any = false;
    for (int s = 0; s < SLT_SPLITS; s++) {
        if (request->episodes[s] < 0)
            SLT_FAIL(SLT_RANGE, "%" PRId64 " episodes for %s", request->episodes[s],
                     slt_split_name((slt_split)s));
        any |= request->episodes[s] > 0;
    }
    memcpy(plan->episodes, any ? request->episodes : (const int64_t[])PAPER, sizeof plan->episodes);
    return SLT_OK;
}

int64_t slt_collect_share(const slt_collect_plan *plan, int split, int task) {
    int64_t episodes = plan->episodes[split];
    return episodes / plan->tasks + (task < episodes % plan->tasks);
}

// every episode has a seed of its own split
static slt_status check_seeds(const slt_collect_plan *plan) {
    for (int s = 0; s < SLT_SPLITS; s++) {
        for (int i = 0; i < plan->tasks; i++) {
            slt_episode_seeds seeds;
            SLT_TRY(slt_episode_seeds_init(&seeds, s, i, plan->seed));
            int64_t share = slt_collect_share(plan, s, i);
            if (share > seeds.left)
                SLT_FAIL(SLT_RANGE,
                         "%" PRId64 " episodes of %s in split %s, which has seeds for %u; collect "
                         "the rest with another seed",
                         share, plan->kinds[i]->id, slt_split_name((slt_split)s), seeds.left);
        }
    }
    return SLT_OK;
}

// ---- who plays, by which rules

static slt_status take_truth(slt_play_rules *rules, const slt_collect_request *request) {
    const slt_world_family *family = rules->family;
    rules->truth = slt_truth_find(request->truth ? request->truth : "effects");
    if (rules->truth == SLT_TRUTHS)
        SLT_FAIL(SLT_INVALID, "unknown label rule '%.80s': effects, reference or natural",
                 request->truth);
    if (request->truth && family->rule)
        SLT_FAIL(SLT_UNSUPPORTED, "%s has no choice of truth: the rule is '%s'", family->name,
                 family->rule);
    if (request->single_delimiter && family->pickup < 0)
        SLT_FAIL(SLT_UNSUPPORTED, "%s has no pickup that could become a single delimiter",
                 family->name);
    rules->single_delimiter = request->single_delimiter;
    if (request->segments < 0)
        SLT_FAIL(SLT_RANGE, "episodes of %d segments: there are none", request->segments);
    rules->segments = request->segments;
    return SLT_OK;
}

static int longest_episode(const slt_collect_plan *plan, const slt_set_info *set) {
    int longest = 0;
    for (int i = 0; i < plan->tasks; i++)
        if (plan->kinds[i]->step_limit > longest) longest = plan->kinds[i]->step_limit;
    return set && set->longest < longest ? set->longest : longest;
}

static slt_status take_rules(slt_collect_plan *plan, const slt_collect_request *request,
                             const slt_set_info *set) {
    slt_play_rules *rules = &plan->rules;
    rules->family = slt_world_family_of(plan->kinds[0]);
    rules->longest = longest_episode(plan, set);
    rules->noise = request->noise;
    if (!(rules->noise >= 0 && rules->noise <= 1))
        SLT_FAIL(SLT_RANGE, "noise is a share from 0 to 1, not %g", rules->noise);
    for (int i = plan->tasks - 1; i >= 0; i--)
        SLT_TRY(slt_actor_find(request->expert ? request->expert : "bot", plan->kinds[i],
                               &rules->actor));
    return take_truth(rules, request);
}

slt_status slt_collect_plan_init(slt_collect_plan *plan, const slt_collect_request *request) {
    const slt_set_info *set = NULL;
    *plan = (slt_collect_plan){.seed = request->seed};
    SLT_TRY(take_environments(plan, request, &set));
    SLT_TRY(take_sizes(plan, request));
    SLT_TRY(check_seeds(plan));
    return take_rules(plan, request, set);
}
