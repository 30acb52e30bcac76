// The inside of skills.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_SKILLS_IMPL_H
#define SLT_SKILLS_SKILLS_IMPL_H

#include "skills/skill_net.h"
#include "skills/skill_play.h"
#include "skills/types_impl.h"
#include "skills/view_map.h"

#define SLT_SKILLS_FORMAT "slottar-skills-1"

// Numbers of an observation become ones: a number with L levels takes L - 1 places, and value v > 0
// is a one at place v - 1 of these. Levels are those that training has; larger values count as the
// largest. Places of what is remembered follow.
typedef struct {
    int64_t size;
    uint16_t *levels; // [size], 1 to 256
    uint16_t *start;  // [size]
    int places;       // of an observation
    int width;        // and of what is remembered
} slt_skill_code;

typedef struct {
    int64_t came_count, went_count;
    uint16_t came[SLT_SKILL_VIEW + 1], went[SLT_SKILL_VIEW + 1];
} slt_skill_change;

struct slt_skills {
    slt_context *context;
    slt_arena arena;
    slt_types *types;
    slt_skill_code code;
    slt_view_map map;          // things 0: no memory
    int actions, count, tasks; // count: skills
    int32_t *skill_of_type;    // [types]
    int32_t *longest;          // [count] steps of the longest demonstrated segment
    char *environment;         // ids of the tasks, commas between them; "": unknown
    // code, then a place per skill -> a head per skill: action + actions * it is the last
    slt_skill_net policy;
    slt_skill_net chooser; // code, then a place per task -> skill
    double *shown;         // [count][3]: held-out steps, share of actions, share of ends
    double choice;
};

// the tensors of skills, alone or in another file; what they point to is the skills' or the arena's
slt_status slt_skills_pack(const slt_skills *skills, slt_arena *arena, slt_array **out, int *count);
// checks everything; ids: of the tasks, may be NULL
slt_status slt_skills_unpack(slt_context *context, const slt_safetensors *file, const char *ids,
                             slt_skills **out);
slt_status slt_skills_create(slt_context *context, slt_skills **out);
// The ones of an observation and of what is remembered, at most SLT_SKILL_ONES; returns how many.
// marks: [SLT_MAP_PLACES] the last observation as bytes, then this one; action -1: it is the first
int64_t slt_skills_see(const slt_skills *skills, slt_view_memory *memory, uint8_t *marks,
                       int action, const uint8_t *numbers, uint16_t *out);
// widths of the two networks; RANGE when an input would not fit
slt_status slt_skills_shapes(const slt_skills *skills, int hidden, slt_skill_shape *policy,
                             slt_skill_shape *chooser);

// start and width from levels; RANGE when there are too many
slt_status slt_skill_code_lay(slt_skill_code *code, slt_arena *arena);
// the ones of an observation, at most one per number; returns how many
int64_t slt_skill_encode(const slt_skill_code *code, const uint8_t *numbers, uint16_t *out);
// the ones that came and went from one observation to the next, at most one per number each;
// `before` becomes `after`
void slt_skill_changes(const slt_skill_code *code, uint8_t *before, const uint8_t *after,
                       slt_skill_change *out);

#endif
