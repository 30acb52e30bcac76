// Playing with skills. The most probable action is taken that the skill has not tried where it saw
// the same before: that one led back here. A skill ends when its policy says so and what is seen
// changed, or when it has lasted too long.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/skill_play.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "skills/flag_bits.h"
#include "skills/skills_impl.h"

enum { CHOSEN_WELL = 2 }; // patience where the chooser took the skill, as demonstrated

slt_status slt_skills_is(const char *path, bool *out) {
    slt_safetensors *file;
    SLT_TRY(slt_safetensors_open(&slt_system_allocator, path, &file));
    const char *format = slt_safetensors_metadata(file, "format");
    *out = format && strcmp(format, SLT_SKILLS_FORMAT) == 0;
    slt_safetensors_close(file);
    return SLT_OK;
}

slt_status slt_skills_fit(const slt_skills *skills, const char *id, int64_t observation,
                          int actions) {
    if (observation != skills->code.size || actions != skills->actions ||
        observation > SLT_SKILL_VIEW)
        SLT_FAIL(SLT_SHAPE,
                 "the skills know %d actions and %" PRId64 " numbers, %s has %d and %" PRId64,
                 skills->actions, skills->code.size, id, actions, observation);
    return SLT_OK;
}

slt_status slt_skills_task(const slt_skills *skills, const char *id, int64_t observation,
                           int actions, int *out) {
    size_t length = strlen(id);
    const char *at = skills->environment;
    SLT_TRY(slt_skills_fit(skills, id, observation, actions));
    for (int task = 0; task < skills->tasks; task++, at += strcspn(at, ",") + 1) {
        if (strcspn(at, ",") != length || strncmp(at, id, length) != 0) continue;
        *out = task;
        return SLT_OK;
    }
    SLT_FAIL(SLT_SHAPE, "the chooser of skills does not know %s; it knows %.300s", id,
             skills->environment);
}

void slt_skill_player_start(slt_skill_player *player, const slt_skills *skills, int task,
                            int playable) {
    player->skills = skills;
    player->task = task;
    player->playable = playable;
    player->skill = -1;
    player->age = 0;
    player->ends = false;
    player->action = -1;
    player->past.count = 0;
    player->tally = NULL;
}

static int choose(const slt_skill_player *p, uint16_t *ones, int64_t count) {
    float logits[SLT_SKILL_OUTPUTS];
    int best = 0;
    ones[count] = (uint16_t)(p->skills->code.width + p->task);
    slt_skill_think(&p->skills->chooser, ones, count + 1, logits);
    for (int k = 1; k < p->skills->count; k++)
        if (logits[k] > logits[best]) best = k;
    return best;
}

// ---- actions

uint32_t slt_skill_hash(const uint16_t *ones, int64_t count) {
    uint32_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t x = (ones[i] + UINT32_C(1)) * 0x9E3779B9u;
        x = (x ^ x >> 15) * 0x85EBCA6Bu;
        sum += x ^ x >> 13;
    }
    return sum;
}

// the playable actions that this skill has not done where the same was seen; all when there are
// none. Returns how many
static int untried(const slt_skill_player *p, uint32_t key, uint8_t *actions) {
    const slt_skill_past *past = &p->past;
    uint8_t same[SLT_SKILL_PAST], tried[SLT_SKILL_ACTIONS];
    int count = 0;
    memset(tried, 0, (size_t)p->playable);
    for (int i = 0; i < SLT_SKILL_PAST; i++) same[i] = past->seen[i] == key ? 255 : 0;
    uint64_t bits = slt_flag_bits(same);
    if (past->count < SLT_SKILL_PAST) bits &= (UINT64_C(1) << past->count) - 1;
    for (; bits; bits &= bits - 1) tried[past->action[__builtin_ctzll(bits)]] = 1;
    for (int a = 0; a < p->playable; a++)
        if (!tried[a]) actions[count++] = (uint8_t)a;
    for (int a = 0; !count && a < p->playable; a++) actions[a] = (uint8_t)a;
    return count ? count : p->playable;
}

// the most probable of some actions; *ends: as the last one
static int best_of(const uint8_t *actions, int count, const float *going, const float *ending,
                   bool *ends) {
    int best = actions[0];
    float most = -INFINITY;
    for (int i = 0; i < count; i++) {
        int a = actions[i];
        float larger = going[a] >= ending[a] ? going[a] : ending[a];
        if (!(larger > most)) continue;
        most = larger;
        best = a;
    }
    *ends = ending[best] > going[best];
    return best;
}

int slt_skill_player_take(slt_skill_player *p, const float *logits) {
    slt_skill_past *past = &p->past;
    uint32_t key = past->now + ((uint32_t)p->skill + 1) * 0x27D4EB2Fu;
    uint8_t actions[SLT_SKILL_ACTIONS];
    // what was done, which need not be what was taken
    if (past->count) past->action[(past->count - 1) % SLT_SKILL_PAST] = (uint8_t)p->action;
    int count = untried(p, key, actions);
    past->seen[past->count++ % SLT_SKILL_PAST] = key;
    p->age++;
    p->action = best_of(actions, count, logits, logits + p->skills->actions, &p->ends);
    return p->action;
}

void slt_skill_player_begin(slt_skill_player *p, int skill) {
    p->skill = skill;
    p->age = 0;
    p->ends = false;
    if (p->tally) p->tally[skill].starts++;
}

// patience: times its longest segment that a skill may last
static bool is_over(const slt_skill_player *p, const uint8_t *view, int patience) {
    if (p->skill < 0 || p->age >= patience * p->skills->longest[p->skill]) return true;
    return p->ends && memcmp(p->before, view, (size_t)p->skills->code.size) != 0;
}

bool slt_skill_player_over(const slt_skill_player *p, const uint8_t *view) {
    return is_over(p, view, 1);
}

bool slt_skill_player_reached(const slt_skill_player *p, const uint8_t *view) {
    const slt_types *types = p->skills->types;
    int32_t changed[SLT_SKILL_VIEW];
    slt_step_change change = {.shape = types->shape,
                              .before = (uint8_t *)p->before,
                              .after = (uint8_t *)view,
                              .changed = changed,
                              .known = types->shape.size > 0};
    slt_effect effect;
    if (p->skill < 0 || !p->age) return false;
    slt_step_change_find(&change);
    slt_effect_of(types, &change, p->action, &effect);
    int32_t type = slt_key_map_find(&types->effects, &effect);
    return type >= 0 && type < types->count && p->skills->skill_of_type[type] == p->skill;
}

void slt_skill_player_finish(slt_skill_player *p, const uint8_t *view) {
    if (p->tally && p->skill >= 0) p->tally[p->skill].reached += slt_skill_player_reached(p, view);
    p->skill = -1;
}

static int64_t see(slt_skill_player *p, const uint8_t *view, uint16_t *ones) {
    return slt_skills_see(p->skills, &p->memory, p->marks, p->action, view, ones);
}

// the ones of a view without that of the skill become those that the network gets
static int64_t ask(slt_skill_player *p, const uint8_t *view, uint16_t *ones, int64_t count) {
    p->past.now = slt_skill_hash(ones, count);
    memcpy(p->before, view, (size_t)p->skills->code.size);
    ones[count] = (uint16_t)(p->skills->code.width + p->skill);
    return count + 1;
}

int64_t slt_skill_player_see(slt_skill_player *p, const uint8_t *view, uint16_t *ones) {
    return ask(p, view, ones, see(p, view, ones));
}

// by the ones of the view, without that of the skill
static int step(slt_skill_player *p, const uint8_t *view, uint16_t *ones, int64_t count) {
    const slt_skills *k = p->skills;
    float logits[SLT_SKILL_OUTPUTS];
    slt_skill_think(&k->policy, ones, ask(p, view, ones, count), logits);
    return slt_skill_player_take(p, logits + 2 * k->actions * p->skill);
}

int slt_skill_player_step(slt_skill_player *p, const uint8_t *view) {
    uint16_t ones[SLT_SKILL_ONES];
    return step(p, view, ones, see(p, view, ones));
}

int slt_skill_player_act(slt_skill_player *p, const uint8_t *view) {
    uint16_t ones[SLT_SKILL_ONES];
    int64_t count = see(p, view, ones);
    if (is_over(p, view, CHOSEN_WELL)) {
        slt_skill_player_finish(p, view);
        slt_skill_player_begin(p, choose(p, ones, count));
    }
    return step(p, view, ones, count);
}
