// Playing, evaluating, labelling.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/episode_record.h"

#include <assert.h>
#include <string.h>
#include "skills/skill_play.h"

slt_status slt_player_init(slt_player *player, slt_arena *arena, const slt_play_rules *rules,
                           size_t world_size, size_t observation_size) {
    player->world = slt_arena_take(arena, 1, world_size);
    player->actor = slt_arena_take(arena, 1, rules->actor->state_size);
    if (!player->world || !player->actor) return SLT_NOMEM;
    return SLT_NEW(arena, &player->view, observation_size);
}

slt_status slt_record_init(slt_record *record, slt_arena *arena, const slt_play_rules *rules,
                           size_t observation_size) {
    size_t steps = (size_t)rules->longest;
    *record = (slt_record){0};
    SLT_TRY(SLT_NEW(arena, &record->actions, steps));
    SLT_TRY(SLT_NEW(arena, &record->events, steps));
    SLT_TRY(SLT_NEW(arena, &record->rewards, steps));
    SLT_TRY(SLT_NEW(arena, &record->segments, steps));
    SLT_TRY(SLT_NEW(arena, &record->subtasks, steps));
    record->skill_count = rules->skills ? slt_skills_count(rules->skills) : 0;
    SLT_TRY(SLT_NEW(arena, &record->skills, (size_t)record->skill_count + 1));
    if (rules->family->observations != SLT_OBSERVATIONS_BITS)
        return SLT_NEW(arena, &record->views, (steps + 1) * observation_size);
    SLT_TRY(SLT_NEW(arena, &record->ones, (steps + 1) * (size_t)rules->family->most_ones));
    return SLT_NEW(arena, &record->ones_offsets, steps + 2);
}

// the places of the ones among zeros, eight bytes at a time; returns their number
static int64_t pack(const uint8_t *bytes, size_t count, uint16_t *ones) {
    int64_t found = 0;
    for (size_t at = 0; at < count; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, count - at < 8 ? count - at : 8);
        if (word == 0) continue;
        for (size_t i = at; i < at + 8 && i < count; i++) {
            assert(bytes[i] <= 1);
            ones[found] = (uint16_t)i;
            found += bytes[i] != 0;
        }
    }
    return found;
}

// keeps what the world shows as view number `length`; gives it back
static const uint8_t *look(slt_record *record, const slt_player *player, const slt_env_kind *kind) {
    size_t size = (size_t)kind->observation_size, t = (size_t)record->length;
    uint8_t *view = record->views ? record->views + t * size : player->view;
    kind->observe(kind, player->world, view);
    if (record->ones) {
        int64_t start = record->ones_offsets[t];
        record->ones_offsets[t + 1] = start + pack(view, size, record->ones + start);
    }
    return view;
}

// plays to the end, or to the longest length; false: the actor gave up
static bool play(slt_record *record, const slt_player *player, const slt_play_rules *rules,
                 const slt_env_kind *kind) {
    while (!record->terminated && !record->truncated && record->length < rules->longest) {
        const uint8_t *view = look(record, player, kind);
        int action = rules->actor->act(player->actor, player->world, view);
        if (action == SLT_GIVES_UP) return false;
        slt_env_result result = kind->step(kind, player->world, action);
        int t = record->length++;
        record->actions[t] = (uint8_t)action;
        record->events[t] = (uint8_t)result.event;
        record->rewards[t] = (float)result.reward;
        record->terminated = result.terminated;
        record->truncated = result.truncated;
    }
    const uint8_t *last = look(record, player, kind);
    if (rules->actor->finish) rules->actor->finish(player->actor, last);
    return true;
}

static int evaluate(const slt_record *record, const slt_player *player, const slt_play_rules *rules,
                    const slt_env_kind *kind) {
    if (rules->actor->aimless) return SLT_ACCEPTED;
    if (record->truncated) return SLT_REJECTED_TIMEOUT;
    if (!record->terminated) return SLT_REJECTED_OVERLONG;
    double reward = (double)record->rewards[record->length - 1];
    bool success = rules->family->succeeded(kind, player->world, reward);
    return success ? SLT_ACCEPTED : SLT_REJECTED_FAILED;
}

// the truth comes from what was played; renaming follows
static void label(slt_record *record, const slt_play_rules *rules, const slt_env_kind *kind) {
    slt_truth_steps steps = {record->length, record->actions, record->events,
                             record->views,  record->rewards, record->terminated};
    rules->family->label(rules->truth, kind, &steps, record->segments);
    rules->family->name_subtasks(kind, &steps, record->segments, record->subtasks);
    for (int t = 0; rules->single_delimiter && t < record->length; t++)
        if (record->actions[t] == rules->family->pickup)
            record->actions[t] = (uint8_t)rules->family->toggle;
}

void slt_record_play(slt_record *record, const slt_player *player, const slt_play_rules *rules,
                     const slt_env_kind *kind, uint32_t seed) {
    for (int i = 0; i < record->skill_count; i++) record->skills[i] = (slt_skill_tally){0};
    kind->seed(kind, player->world, &seed, 1);
    kind->reset(kind, player->world);
    rules->actor->start(player->actor,
                        &(slt_actor_start){kind, seed, rules->noise, rules->family->playable,
                                           rules->policy, rules->skills, rules->task,
                                           record->skills});
    record->seed = seed;
    record->length = 0;
    record->terminated = record->truncated = false;
    record->verdict = SLT_REJECTED_STUCK;
    if (!play(record, player, rules, kind)) return;
    record->verdict = evaluate(record, player, rules, kind);
    // cut at the longest length
    if (!record->terminated) record->truncated = true;
    if (record->verdict == SLT_ACCEPTED) label(record, rules, kind);
    int64_t segments =
        record->verdict == SLT_ACCEPTED ? record->segments[record->length - 1] + 1 : 0;
    if (segments && rules->segments && segments != rules->segments)
        record->verdict = SLT_REJECTED_SEGMENTS;
}

slt_episode slt_record_view(const slt_record *record, const slt_env_kind *kind) {
    slt_episode episode = {.length = record->length,
                           .actions_u8 = record->actions,
                           .observations_u8 = record->views,
                           .ones = record->ones,
                           .ones_offsets = record->ones_offsets,
                           .rewards = record->rewards,
                           .segments = record->segments,
                           .subtasks = record->subtasks,
                           .terminated = record->terminated,
                           .truncated = record->truncated,
                           .seed = record->seed};
    size_t last = (size_t)record->length;
    if (record->views) {
        episode.final_u8 = record->views + last * (size_t)kind->observation_size;
    } else {
        const int64_t *offsets = record->ones_offsets + last;
        episode.final_ones = record->ones + offsets[0];
        episode.final_count = offsets[1] - offsets[0];
    }
    return episode;
}
