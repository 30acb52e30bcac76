// Skills that play: the chooser takes one, its policy acts until it ends, and so on. One episode at
// a time; allocates nothing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_SKILL_PLAY_H
#define SLT_SKILLS_SKILL_PLAY_H

#include "skills/view_map.h"
#include "slottar/skills.h"

enum {
    SLT_SKILL_VIEW = 4096, // numbers of an observation, at most
    SLT_SKILL_ONES = SLT_SKILL_VIEW + SLT_MAP_ONES + 1,
};

typedef struct {
    const slt_skills *skills;
    uint32_t seed, step;
    int task, playable;
    int skill; // the present one; -1: to be chosen
    int age;   // steps of it
    bool ends; // its last action was drawn as the last one
    uint8_t before[SLT_SKILL_VIEW];
    int action; // the last one
    slt_view_memory memory;
    uint8_t marks[SLT_MAP_PLACES]; // what the last step saw
} slt_skill_player;

// is it a file of skills? IO and FORMAT as for any file
slt_status slt_skills_is(const char *path, bool *out);
// the number of the task of that id; SHAPE, with the file's ids, when the skills cannot play it
slt_status slt_skills_task(const slt_skills *skills, const char *id, int64_t observation,
                           int actions, int *out);
// all that is drawn follows from the seed; actions are 0 ... playable-1
void slt_skill_player_start(slt_skill_player *player, const slt_skills *skills, int task,
                            int playable, uint32_t seed);
// an action for what is seen
int slt_skill_player_act(slt_skill_player *player, const uint8_t *view);

#endif
