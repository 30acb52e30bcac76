// Segments without labels and without a model to choose: many cheap runs from random starts vote.
//
//     slt_segmenter *segmenter;
//     slt_segmenter_fit(context, data, NULL, &segmenter);
//     slt_segmenter_segment(segmenter, data, NULL, print, NULL);
//     slt_segmenter_close(segmenter);
//
// Runs belong to groups, one for each notion of a segment: `switching` (continuous actions: a
// segment follows one law), `events` (discrete actions: an action ends it), `phases` (discrete
// actions: it is a stretch of one kind of behaviour), `mdl` (discrete actions, where it is asked
// for: slottar-mdl). Each group votes, and the one with the greatest trust answers. (docs/vote.md)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_SEGMENTER_H
#define SLOTTAR_SEGMENTER_H

#include "slottar/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct slt_segmenter slt_segmenter;

typedef enum {
    SLT_KIND_AUTO,
    SLT_KIND_EVENTS,
    SLT_KIND_PHASES,
    SLT_KIND_WINDOWS,
    SLT_KIND_MDL // slottar-mdl; AUTO does not ask it: a run is a training of seconds
} slt_segment_kind;

// Zero: the defaults.
typedef struct {
    slt_segment_kind kind; // continuous actions have phases and windows only, discrete ones all but
                           // windows
    int runs;       // of every group, 4 to 1000; 0: 60, and 120 of the one that answers where its
                    // boundaries depend on which runs there are
    double seconds; // stop starting runs after so long; 0: no bound
    uint64_t seed;
    const char *prior; // what is known of the number of segments: "3", "3..6", "~4.5", "0,.2,.8";
                       // NULL: nothing
    int min_length;    // steps of a segment; 0: 1 for discrete actions, 3 for continuous ones
} slt_segmenter_options;

enum { SLT_MOST_GROUPS = 4, SLT_MOST_ANSWERS = 3, SLT_MOST_VOTE_WARNINGS = 8 };
enum { SLT_ANSWER_WORDS = 160 };

// One of up to three answers that runs of a group agree on.
typedef struct {
    int runs;         // that give this answer
    double segments;  // per held-out episode, mean
    double agreement; // with the group's own answer
    // the first: where segments end; the others: what sets them apart from it ("ends after drop
    // instead of toggle")
    char words[SLT_ANSWER_WORDS];
} slt_vote_answer;

typedef struct {
    char name[16];
    int runs;         // that ended
    double trust;     // the least of the next four
    double expected;  // F1 that the answer expects against a run, by weight
    double equal;     // the same with equal weights of the better half
    double support;   // mean F1 of the answer and the runs that count
    double certainty; // how far these runs are certain of their boundaries (docs/vote.md)
    double agreement; // mean F1 of two runs
    double segments;  // per held-out episode, mean
    int answer_count;
    slt_vote_answer answers[SLT_MOST_ANSWERS];
} slt_vote_group;

typedef struct {
    int group_count, chosen;
    slt_vote_group groups[SLT_MOST_GROUPS];
    double trust; // of the chosen group
    bool doubtful;
    int warning_count;
    char warnings[SLT_MOST_VOTE_WARNINGS][256];
    char told[64]; // what was told of the number of segments; "nothing"
    double seconds;
} slt_vote_result;

// Learns from the training split (all episodes where there are no splits). Labels are not read.
// options may be NULL. Cancelled, it keeps what there is: the groups in which at least four runs
// ended; CANCELLED when there is none. Progress says from time to time how the vote stands.
SLT_API slt_status slt_segmenter_fit(slt_context *context, slt_dataset *data,
                                     const slt_segmenter_options *options, slt_segmenter **out);
SLT_API void slt_segmenter_close(slt_segmenter *segmenter);
SLT_API const slt_vote_result *slt_segmenter_result(const slt_segmenter *segmenter);

// The runs of a group that voted, by its place in the result. Arrays are the segmenter's.
typedef struct {
    int count;
    const float *agreement; // [count][count] F1 above chance between two runs on held-out episodes;
                            // NULL: the file of members does not tell
    const double *weights;  // [count] of each run in the vote
    const int8_t *answers;  // [count] which answer a run gives, 1..; 0: none of those listed
} slt_vote_runs;
SLT_API slt_status slt_segmenter_runs(const slt_segmenter *segmenter, int group,
                                      slt_vote_runs *out);

// Which group answers (NULL: the one with the greatest trust), and which of its answers (0: the
// vote of all its runs; 1..: one of the answers listed). The result then tells of that group.
SLT_API slt_status slt_segmenter_take(slt_segmenter *segmenter, const char *group, int answer);

// Every answer, in the order of the episodes. The answer for a trajectory depends on it alone.
// options may be NULL; it reads one_split, split, episodes, pictures, min_length and max_length.
SLT_API slt_status slt_segmenter_segment(slt_segmenter *segmenter, slt_dataset *data,
                                         const slt_segment_options *options,
                                         slt_segments_visit visit, void *user);

// All runs in one file (docs/formats.md). What exists is kept unless `overwrite`; the data that it
// learned from, and the file that it was opened from, are never written over (output.h).
SLT_API slt_status slt_segmenter_save(slt_segmenter *segmenter, const char *path, bool overwrite);
SLT_API slt_status slt_segmenter_open(slt_context *context, const char *path, slt_segmenter **out);

// Learns and saves into a run directory, or opens what was made there with the same options. EXISTS
// when the run was made with others, unless `overwrite`.
SLT_API slt_status slt_segmenter_train(slt_context *context, slt_dataset *data,
                                       const slt_segmenter_options *options, const char *run,
                                       bool overwrite, slt_segmenter **out);

// A folder that holds this file is opened by slt_model_open like a run: its members answer. NULL
// for other models; it is the model's.
#define SLT_MEMBERS_FILE "members.safetensors"
SLT_API slt_segmenter *slt_model_vote(slt_model *model);
// slt_segmenter_take for a model; its trust is that of the group then. INVALID for other models.
SLT_API slt_status slt_model_take(slt_model *model, const char *group, int answer);

#ifdef __cplusplus
}
#endif
#endif
