// Types of segments: numbers that mean the same in all trajectories, learned without labels.
//
//     slt_types *types;
//     slt_types_learn(context, data, NULL, NULL, &types); // from the labelled boundaries
//     slt_types_of(types, data, 0, ids, found);           // a type per segment of episode 0
//     slt_types_close(types);
//
// Where observations are symbols (bytes, bits, whole numbers), a segment's type is its effect: the
// last action and what it changed. Where they are not, segments are clustered by how the
// observation moved and what the actions were. (docs/skills.md)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_SKILLS_H
#define SLOTTAR_SKILLS_H

#include <stdint.h>
#include "slottar/dataset.h"
#include "slottar/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct slt_types slt_types;

enum { SLT_UNKNOWN_TYPE = -1 };

// Zero: the defaults.
typedef struct {
    int64_t episodes; // learn from at most so many, evenly spaced in the training split; 0: 1000
    int clusters;     // where segments are clustered: how many types; 0: chosen by itself
} slt_types_options;

// Learns from the training split (all episodes where there are no splits). segments: [steps] as
// slt_dataset_label takes them, -1 where a step was not segmented; NULL: the data set's labels.
// options may be NULL. INVALID when no episode is segmented.
SLT_API slt_status slt_types_learn(slt_context *context, slt_dataset *data, const int32_t *segments,
                                   const slt_types_options *options, slt_types **out);
SLT_API void slt_types_close(slt_types *types);

SLT_API int slt_types_count(const slt_types *types);
// How many segments of a type there were to learn from. Types are sorted by it, falling.
SLT_API int64_t slt_types_times(const slt_types *types, int type);
// What a type is: "use, cell 1063 0->1". Action names come from `data`, which may be NULL.
SLT_API slt_status slt_types_describe(const slt_types *types, const slt_dataset *data, int type,
                                      char *out, size_t size);

// Types of the segments of an episode. ids: [length] segment of every step, a number per segment;
// out: [segments] in order of time, SLT_UNKNOWN_TYPE for an effect that is new or too rare. SHAPE
// when the data set does not fit.
SLT_API slt_status slt_types_of(const slt_types *types, slt_dataset *data, int64_t episode,
                                const int32_t *ids, int32_t *out);

// Boundaries that a segmentation lacks: steps inside segments with the effect of a type, when at
// least 85 % of such steps ended segments in training. out: [length] that share, 0 elsewhere.
SLT_API slt_status slt_types_missing(const slt_types *types, slt_dataset *data, int64_t episode,
                                     const int32_t *ids, float *out);

// One file (docs/formats.md). What exists is kept unless `overwrite`.
SLT_API slt_status slt_types_save(const slt_types *types, const char *path, bool overwrite);
SLT_API slt_status slt_types_open(slt_context *context, const char *path, slt_types **out);

// ---- scores against names

typedef struct {
    int64_t segments; // that have a name
    int types, names; // that occur
    double accuracy;  // share of segments whose type is matched to their name, one to one, at best
    double purity;    // share of segments whose name is the most frequent one of their type
    double nmi;       // normalised mutual information, arithmetic mean below the line
} slt_type_scores;

// Unknown types are wrong; segments without a name (-1) are left out. INVALID when none has one.
SLT_API slt_status slt_type_score(slt_context *context, const int32_t *types, const int32_t *names,
                                  int64_t count, slt_type_scores *out);

// The same of a data set's labelled segments: boundaries are told, types are the learned ones.
SLT_API slt_status slt_types_score(const slt_types *types, slt_dataset *data, slt_split split,
                                   slt_type_scores *out);

// ---- types of a model's segments

// The types of a run, learned from what its model finds in the data that it was trained on. They
// are kept in the run directory, as SLT_TYPES_FILE. *out is the model's; NULL for a checkpoint
// without a run, and for a run whose data is gone. A vote on phases or continuous actions has types
// of its own (slt_segments), the laws that its segments follow.
#define SLT_TYPES_FILE "types.safetensors"
SLT_API slt_status slt_model_types(slt_model *model, const slt_types **out);
// The same from this data, in place of those that the model has: for data that is in no file. No
// effect on a vote that has types of its own. INVALID when no type occurs often enough.
SLT_API slt_status slt_model_learn_types(slt_model *model, slt_dataset *data);

// Every segment with a name in the data set gets the type of the predicted segment that shares most
// of its steps. INVALID when the data set has no names of sub-tasks or the model no types.
SLT_API slt_status slt_model_score_types(slt_model *model, slt_dataset *data,
                                         const slt_segment_options *options, slt_type_scores *out);

// ---- plans

// Which types always come together: the shortest grammar over sequences of types, found by merging
// pairs while the description gets shorter.
typedef struct slt_plans slt_plans;

enum { SLT_PLAN_RULE = 1 << 16 }; // a symbol below is a type, SLT_PLAN_RULE + r is rule r

typedef struct {
    int32_t pair[2]; // symbols; rules are made of earlier ones
    int64_t times;   // how often it was found
} slt_type_rule;

// sequences that are the same
typedef struct {
    const int32_t *symbols; // [length]
    int64_t length, sequences;
    const char *tree; // "[0,[3,4]]": types in nested JSON arrays
} slt_type_plan;

// types: [offsets[sequences]], from -1 on; sequence q has those from offsets[q] up to before
// offsets[q+1].
SLT_API slt_status slt_plans_learn(slt_context *context, const int32_t *types,
                                   const int64_t *offsets, int64_t sequences, slt_plans **out);
SLT_API void slt_plans_close(slt_plans *plans);
// The most frequent plan first; NULL when there is no such.
SLT_API int slt_plans_count(const slt_plans *plans);
SLT_API const slt_type_plan *slt_plans_at(const slt_plans *plans, int plan);
SLT_API int slt_plans_rules(const slt_plans *plans);
// The rule of a symbol; NULL: a type.
SLT_API const slt_type_rule *slt_plans_rule(const slt_plans *plans, int32_t symbol);
// Length of the description without and with rules.
SLT_API void slt_plans_bits(const slt_plans *plans, double *before, double *after);

// ---- skills

// What acts like the segments of each type: one network with terminations, asked for a skill, and
// one that chooses the next skill. Types of like behaviour are one skill.
typedef struct slt_skills slt_skills;

// Zero: the defaults.
typedef struct {
    int hidden; // units of a layer, 8 to 256; 0: 256
    int epochs; // 0: 40
    uint64_t seed;
    bool unmerged; // every type is a skill of its own
    bool memory;   // skills see a map of what has left the view, for views that move with the agent
} slt_skills_options;

// Learns from the segments of the training split, as slt_types_learn takes them; what is held out
// is the valid split, or every tenth episode. types: learned from the same data, not kept. options
// may be NULL. UNSUPPORTED for continuous actions and observations that are no symbols.
SLT_API slt_status slt_skills_learn(slt_context *context, slt_dataset *data,
                                    const int32_t *segments, const slt_types *types,
                                    const slt_skills_options *options, slt_skills **out);
SLT_API void slt_skills_close(slt_skills *skills);
SLT_API slt_status slt_skills_save(const slt_skills *skills, const char *path, bool overwrite);
SLT_API slt_status slt_skills_open(slt_context *context, const char *path, slt_skills **out);

SLT_API int slt_skills_count(const slt_skills *skills);

// How well a skill imitates held-out segments; shares of 0 steps are 0.
typedef struct {
    int types[16], type_count; // the first of those that it is made of
    int64_t steps;             // held out
    double action;             // share of steps whose action is the most probable one
    double end;                // share of steps at which it rightly ends or continues
} slt_skill_info;
SLT_API slt_status slt_skills_describe(const slt_skills *skills, int skill, slt_skill_info *out);
// Share of held-out segments whose skill is the one that the chooser takes.
SLT_API double slt_skills_choice(const slt_skills *skills);

#ifdef __cplusplus
}
#endif
#endif
