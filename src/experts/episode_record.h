// One episode from a seed, played by an actor and recorded.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_EPISODE_RECORD_H
#define SLT_EXPERTS_EPISODE_RECORD_H

#include "core/memory.h"
#include "experts/actor.h"
#include "experts/world_family.h"
#include "slottar/expert.h"

enum { SLT_ACCEPTED = SLT_REJECTIONS }; // no reason to reject

// how all episodes of a data set are played
typedef struct {
    const slt_world_family *family;
    const slt_actor *actor;
    const struct slt_policy_file *policy; // of an actor that has learned
    const struct slt_skills *skills;      // of one that plays them
    int task;                             // of theirs
    slt_truth truth;
    double noise;
    int longest; // steps, at least 1
    bool single_delimiter;
    int segments; // of an episode; 0: any number
} slt_play_rules;

// what a thread needs to play; one serves any number of episodes of equal worlds
typedef struct {
    void *world, *actor;
    uint8_t *view; // (O); only for views that are kept as bits
} slt_player;

// O: observation size, L: longest. Views T+1: before each action, then after the last
typedef struct {
    uint32_t seed;
    int verdict; // slt_rejection, or SLT_ACCEPTED: all else is written then only
    int length;  // T
    bool terminated, truncated;
    uint8_t *actions, *events;      // (L)
    float *rewards;                 // (L)
    int32_t *segments;              // (L)
    int32_t *subtasks;              // (L)
    uint8_t *views;                 // (L+1,O); NULL: bits
    uint16_t *ones;                 // those of view t: ones[ones_offsets[t]] up to before [t+1]
    int64_t *ones_offsets;          // (L+2)
    int skill_count;                // of an actor that plays skills
    struct slt_skill_tally *skills; // [skill_count] what came of each, whatever the verdict
} slt_record;

// world_size: bytes of the largest world to be played
slt_status slt_player_init(slt_player *player, slt_arena *arena, const slt_play_rules *rules,
                           size_t world_size, size_t observation_size);
slt_status slt_record_init(slt_record *record, slt_arena *arena, const slt_play_rules *rules,
                           size_t observation_size);

// world and actor are both seeded with `seed`; allocates nothing
void slt_record_play(slt_record *record, const slt_player *player, const slt_play_rules *rules,
                     const slt_env_kind *kind, uint32_t seed);
// the record as an episode of a data set; lives as long as the record
slt_episode slt_record_view(const slt_record *record, const slt_env_kind *kind);

#endif
