// A trained model: segments trajectories, and is scored against labels.
//
//     slt_model *model;
//     slt_model_open(context, "runs/a", &model);
//     slt_model_segment(model, data, NULL, print, NULL);
//     slt_model_close(model);
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_MODEL_H
#define SLOTTAR_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/dataset.h"
#include "slottar/train.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct slt_model slt_model;

// Opens a run directory (its best epoch) or a checkpoint file.
SLT_API slt_status slt_model_open(slt_context *context, const char *path, slt_model **out);
SLT_API void slt_model_close(slt_model *model);

typedef struct {
    const char *name;  // "slottar", "ompn"
    int slots, length; // K; positions in training: slottar-mdl, ompn and votes take longer
                       // trajectories, the others (and slottar-mdl with codes or
                       // boundary_input=context) refuse them with the length to train for
    int actions;       // discrete: actions 0 ... actions-1
    int action_size;   // continuous: numbers per action
    int observation;   // numbers of an observation; 0: it takes none
    int64_t epoch;
    const char *data; // what it was trained on, as its run says; NULL for a lone checkpoint
    slt_trust trust;
} slt_model_info;
SLT_API const slt_model_info *slt_model_about(const slt_model *model);

// How a vote came about, for one trajectory (docs/vote.md).
typedef struct {
    // [length] weight of the runs with a boundary at this step, or one step off and no nearer to
    // another place; 0 where there is none
    const float *heights;
    float line;             // boundaries begin at this height; 0: the number that was told decides
    int32_t answer_count;   // answers that runs agree on; at most SLT_MOST_ANSWERS
    const uint8_t *answers; // [answer_count][length] 1: a segment of that answer ends here
} slt_vote_picture;

// What the model says about one trajectory. Arrays are the library's, valid during the visit.
typedef struct {
    int64_t episode;
    int32_t length;
    const int32_t *ids; // [length] segment of every step, 0, 1, ... in order of time
    int32_t boundary_count;
    const int32_t *boundaries; // last step of every segment but the last
    const float *confidence;   // [boundary_count] probability of a boundary within one step of it
    bool calibrated;           // against other restarts; else it is what the model itself says
    int32_t segments;
    bool told_count;              // the true number of segments, from the labels, was used
    int32_t slots;                // 0: the model has none
    const double *counts;         // [slots] probability of 1 ... slots segments
    const float *masks;           // [slots][length]; NULL unless pictures were asked for
    const float *attention;       // [length][slots]; likewise
    int32_t code;                 // numbers of a segment's code; 0: the model has none
    const int32_t *types;         // [segments] kinds, the same in all trajectories, -1 unknown;
                                  // NULL: not asked for, or the model has none
    const float *codes;           // [segments][code] what each segment is about; or NULL
    int32_t slot_size;            // numbers of a slot; 0: the model shows none, or no pictures
    const float *slot_vectors;    // [slots][slot_size] what slot attention distilled; NULL likewise
    const slt_vote_picture *vote; // NULL: not the result of a vote, or no pictures
} slt_segments;

// Gets every answer, in the order of the episodes; another status than SLT_OK stops.
typedef slt_status (*slt_segments_visit)(void *user, const slt_segments *segments);

// Which episodes and how. Zero: all episodes, no pictures.
typedef struct {
    bool one_split; // only the episodes of `split`
    slt_split split;
    const char *missed_by;   // a rule: of one split only those that it gets wrong; or NULL
    const int64_t *episodes; // only these, [episode_count], rising; NULL: no such choice
    int64_t episode_count;
    bool pictures;              // masks, attention and slots too; of a vote how it came about
    bool types;                 // types of segments too; a run learns them first (skills.h)
    bool split_by_type;         // segments are split after steps whose effect elsewhere ends
                                // segments; INVALID when the model has no types
    uint64_t seed;              // of what is sampled, in profiles that sample
    int min_length, max_length; // steps of a segment, as far as possible; 0: no bound
    bool overwrite;             // what is written replaces a file that exists (output.h)
} slt_segment_options;

// The answer for a trajectory depends on the model and on it alone (profile `reference` excepted).
// options may be NULL. SHAPE when the data set does not fit the model.
SLT_API slt_status slt_model_segment(slt_model *model, slt_dataset *data,
                                     const slt_segment_options *options, slt_segments_visit visit,
                                     void *user);

// Writes a copy of the data set whose labels are the model's segments; the ending of `path` decides
// the format, as in slt_dataset_convert (Minari has them in infos/segment). With one split, its
// episodes only.
SLT_API slt_status slt_model_label(slt_model *model, slt_dataset *data,
                                   const slt_segment_options *options, const char *path);

// Writes all answers, masks and attention included, into one file (docs/formats.md): what a run
// keeps as segments.safetensors.
SLT_API slt_status slt_model_save_segments(slt_model *model, slt_dataset *data,
                                           const slt_segment_options *options, const char *path);

// Losses, and scores where the data set has labels.
SLT_API slt_status slt_model_score(slt_model *model, slt_dataset *data,
                                   const slt_segment_options *options, slt_run_scores *out);

#ifdef __cplusplus
}
#endif
#endif
