// Skills that play: the chooser takes one, its policy acts until it ends, and so on. One episode at
// a time; allocates nothing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_SKILL_PLAY_H
#define SLT_SKILLS_SKILL_PLAY_H

#include "skills/skill_forward.h"
#include "skills/view_map.h"
#include "slottar/skills.h"

enum {
    SLT_SKILL_VIEW = 4096, // numbers of an observation, at most
    SLT_SKILL_PAST = 64,   // steps whose actions are not repeated
    SLT_SKILL_ONES = SLT_SKILL_VIEW + SLT_MAP_ONES + 1,
};

// how often a skill was started, and how often it ended with an effect of its own
typedef struct slt_skill_tally {
    int64_t starts, reached;
} slt_skill_tally;

// What the skills of an episode did: a ring of the last steps
typedef struct {
    uint32_t now;                  // what is seen and remembered, as slt_skill_hash
    uint32_t count;                // of all steps
    uint32_t seen[SLT_SKILL_PAST]; // and the skill
    uint8_t action[SLT_SKILL_PAST];
} slt_skill_past;

typedef struct {
    const slt_skills *skills;
    int task, playable;
    int skill;                      // the present one; -1: to be chosen
    int age;                        // steps of it
    slt_skill_past past;            // of the episode
    bool ends;                      // its last action was drawn as the last one
    int action;                     // the last one, -1 at first; who does another one says so here
    slt_skill_tally *tally;         // [skills]; NULL: nobody counts
    uint8_t before[SLT_SKILL_VIEW]; // what the last step saw
    slt_skill_sums sums;            // of it; for who follows it
    slt_view_memory memory;
    uint8_t marks[SLT_MAP_PLACES]; // what the last step saw, as ones
} slt_skill_player;

// is it a file of skills? IO and FORMAT as for any file
slt_status slt_skills_is(const char *path, bool *out);
// SHAPE unless the environment has the observations and actions of the skills
slt_status slt_skills_fit(const slt_skills *skills, const char *id, int64_t observation,
                          int actions);
// the number of the task of that id; SHAPE, with the file's ids, when the skills cannot play it
slt_status slt_skills_task(const slt_skills *skills, const char *id, int64_t observation,
                           int actions, int *out);
// actions are 0 ... playable-1
void slt_skill_player_start(slt_skill_player *player, const slt_skills *skills, int task,
                            int playable);
// an action for what is seen; the chooser takes the next skill when one is over
int slt_skill_player_act(slt_skill_player *player, const uint8_t *view);
// the episode is over: the present skill is, too
void slt_skill_player_finish(slt_skill_player *player, const uint8_t *view);

// ---- for who chooses skills itself

void slt_skill_player_begin(slt_skill_player *player, int skill);
// an action of the present skill
int slt_skill_player_step(slt_skill_player *player, const uint8_t *view);
// the same in two parts: ones that the network of skills gets, at most SLT_SKILL_ONES, from a view
// that `before` then holds; gives their number
int64_t slt_skill_player_see(slt_skill_player *player, const uint8_t *view, uint16_t *ones);
// a sum over ones: what comes is added, what goes is subtracted
uint32_t slt_skill_hash(const uint16_t *ones, int64_t count);
// an action of the present skill by the logits that the network gives for what `before` holds
int slt_skill_player_take(slt_skill_player *player, const float *logits);
// Is the present skill over? view: after its last step. True when there is none. A skill that may
// be out of place lasts at most as long as its longest demonstrated segment
bool slt_skill_player_over(const slt_skill_player *player, const uint8_t *view);
// was the last step an effect of the present skill?
bool slt_skill_player_reached(const slt_skill_player *player, const uint8_t *view);

#endif
