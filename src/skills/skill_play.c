// Playing with skills. Actions are drawn, not the most probable ones: those go in circles. A skill
// ends when its policy says so and what is seen changed, or after SLT_SKILL_STEPS steps.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/skill_play.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "core/philox.h"
#include "skills/skills_impl.h"

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
                            int playable, uint32_t seed) {
    player->skills = skills;
    player->seed = seed;
    player->step = 0;
    player->task = task;
    player->playable = playable;
    player->skill = -1;
    player->age = 0;
    player->ends = false;
    player->action = -1;
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

// one of the playable actions, by its chance; *ends: as the last one
static int draw(const slt_skill_player *p, const float *logits, float number, bool *ends) {
    const float *half[2] = {logits, logits + p->skills->actions};
    double sum = 0, passed = 0, chance[2][SLT_SKILL_OUTPUTS / 2];
    float most = logits[0];
    for (int e = 0; e < 2; e++)
        for (int a = 0; a < p->playable; a++) most = half[e][a] > most ? half[e][a] : most;
    for (int e = 0; e < 2; e++)
        for (int a = 0; a < p->playable; a++)
            sum += chance[e][a] = exp((double)(half[e][a] - most));
    for (int e = 0; e < 2; e++)
        for (int a = 0; a < p->playable; a++) {
            *ends = e;
            passed += chance[e][a];
            if ((double)number * sum < passed) return a;
        }
    return p->playable - 1;
}

void slt_skill_player_begin(slt_skill_player *p, int skill) {
    p->skill = skill;
    p->age = 0;
    p->ends = false;
    if (p->tally) p->tally[skill].starts++;
}

bool slt_skill_player_over(const slt_skill_player *p, const uint8_t *view) {
    if (p->skill < 0 || p->age >= SLT_SKILL_STEPS) return true;
    return p->ends && memcmp(p->before, view, (size_t)p->skills->code.size) != 0;
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

int64_t slt_skill_player_see(slt_skill_player *p, const uint8_t *view, uint16_t *ones) {
    int64_t count = see(p, view, ones);
    ones[count] = (uint16_t)(p->skills->code.width + p->skill);
    return count + 1;
}

int slt_skill_player_take(slt_skill_player *p, const uint8_t *view, const float *logits) {
    uint32_t word = slt_random_words(p->seed, SLT_RANDOM_POLICY, 1, p->step++).word[0];
    memcpy(p->before, view, (size_t)p->skills->code.size);
    p->age++;
    p->action = draw(p, logits, slt_random_unit(word), &p->ends);
    return p->action;
}

// by the ones of the view, without that of the skill
static int step(slt_skill_player *p, const uint8_t *view, uint16_t *ones, int64_t count) {
    const slt_skills *k = p->skills;
    float logits[SLT_SKILL_OUTPUTS];
    ones[count] = (uint16_t)(k->code.width + p->skill);
    slt_skill_think(&k->policy, ones, count + 1, logits);
    return slt_skill_player_take(p, view, logits);
}

int slt_skill_player_step(slt_skill_player *p, const uint8_t *view) {
    uint16_t ones[SLT_SKILL_ONES];
    return step(p, view, ones, see(p, view, ones));
}

int slt_skill_player_act(slt_skill_player *p, const uint8_t *view) {
    uint16_t ones[SLT_SKILL_ONES];
    int64_t count = see(p, view, ones);
    if (slt_skill_player_over(p, view)) {
        slt_skill_player_finish(p, view);
        slt_skill_player_begin(p, choose(p, ones, count));
    }
    return step(p, view, ones, count);
}
