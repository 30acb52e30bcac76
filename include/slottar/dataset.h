// Data sets: recorded episodes of actions and observations, in one file that is mapped, not read.
//
//     slt_dataset *data;
//     slt_dataset_open(context, "demos.safetensors", &data);
//     for (int64_t i = 0; i < slt_dataset_about(data)->episodes; i++) {
//         slt_episode episode;
//         slt_dataset_episode(data, i, &episode);
//         for (int64_t t = 0; t < episode.length; t++) use(slt_episode_action(&episode, t));
//     }
//     slt_dataset_close(data);
//
// The file's layout is in docs/formats.md.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_DATASET_H
#define SLOTTAR_DATASET_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct slt_dataset slt_dataset;
typedef struct slt_dataset_builder slt_dataset_builder;

typedef enum { SLT_ACTIONS_DISCRETE, SLT_ACTIONS_CONTINUOUS } slt_action_kind;

// BITS: observations of zeros and few ones, kept as the sorted places of the ones.
typedef enum {
    SLT_OBSERVATIONS_NONE,
    SLT_OBSERVATIONS_U8,
    SLT_OBSERVATIONS_F32,
    SLT_OBSERVATIONS_BITS,
} slt_observation_kind;

typedef enum { SLT_SPLIT_TRAIN, SLT_SPLIT_VALID, SLT_SPLIT_TEST, SLT_SPLITS } slt_split;

enum { SLT_OBSERVATION_RANK = 6 };

// What a data set is. A builder is made from the same struct; it reads all but the counts.
typedef struct {
    int64_t episodes, steps, longest; // longest: steps of the longest episode
    slt_action_kind action_kind;
    int action_count; // discrete: actions are 0 ... action_count-1
    int action_size;  // continuous: numbers per action
    slt_observation_kind observation_kind;
    int observation_rank;
    int64_t observation_shape[SLT_OBSERVATION_RANK];
    int64_t observation_size; // product of the shape; 0 without observations
    bool has_rewards, has_segments, has_finals, has_splits;
    bool has_terminated, has_truncated, has_seeds, has_tasks, has_subtasks;
    int subtask_count;                    // names of sub-tasks; 0: none
    const char *const *subtask_names;     // [subtask_count]
    const char *const *action_names;      // [action_count], or of the numbers of a continuous
                                          // action [action_size]; NULL when unknown
    const char *const *observation_names; // [observation_size]; NULL when unknown
    const char *environment;              // this and the next two may be NULL
    const char *expert;                   // who acted
    const char *observation_meaning;
} slt_dataset_info;

// One episode. Pointers that do not apply are NULL; views point into the mapped file and live as
// long as the data set.
typedef struct {
    int64_t index, length;      // length: steps, at least 1
    const uint8_t *actions_u8;  // [length]; one of these three is set
    const int32_t *actions_i32; // [length]
    const float *actions_f32;   // [length][action_size]

    const uint8_t *observations_u8; // [length][observation_size]
    const float *observations_f32;
    const uint16_t *ones;        // bits: the ones of step t are ones[ones_offsets[t]] up to
    const int64_t *ones_offsets; // before ones[ones_offsets[t+1]], rising; [length+1]

    const uint8_t *final_u8; // the observation after the last step
    const float *final_f32;
    const uint16_t *final_ones;
    int64_t final_count; // of final_ones

    const float *rewards;    // [length]
    const int32_t *segments; // [length], the truth; -1: unknown
    const int32_t *subtasks; // [length], which one the step's segment completes; -1: none
    slt_split split;
    bool terminated, truncated;
    int32_t task;
    int64_t seed;
} slt_episode;

// ---- reading

// Which columns of a csv file, or keys of an HDF5 file, are what: patterns as the shell writes
// them, with commas between them ("a*,gripper"). NULL: the format's default (docs/formats.md); "":
// none.
typedef struct {
    const char *actions, *observations;
    const char *episode; // csv: the column that tells episodes apart
} slt_dataset_columns;

// A path with that choice, "demos.csv?actions=a*,gripper&episode=demo": every call that takes the
// path of a data set takes it. INVALID when it does not fit into `size` bytes.
SLT_API slt_status slt_dataset_source(const char *path, const slt_dataset_columns *columns,
                                      char *out, size_t size);

// Opens a data set and checks its structure, its actions and its labels; observations and rewards
// are checked when their episode is looked at. Native files are mapped; other formats (npz, csv)
// are known by their content, and imported into a temporary file first.
SLT_API slt_status slt_dataset_open(slt_context *context, const char *path, slt_dataset **out);
SLT_API void slt_dataset_close(slt_dataset *data);

SLT_API const slt_dataset_info *slt_dataset_about(const slt_dataset *data);
SLT_API const char *slt_dataset_path(const slt_dataset *data);
// Where episodes start: [episodes+1], from 0 to the number of all steps. Steps of all episodes lie
// one after another: the arrays of episode 0 reach over all of them.
SLT_API const int64_t *slt_dataset_offsets(const slt_dataset *data);
// A text of the file's metadata; NULL when there is none.
SLT_API const char *slt_dataset_metadata(const slt_dataset *data, const char *key);

// A view of an episode. FORMAT when its observations or rewards hold NaN or infinity, or ones that
// are not sorted or not in range.
SLT_API slt_status slt_dataset_episode(slt_dataset *data, int64_t index, slt_episode *out);

// The episodes of a split, rising; *out lives as long as the data set. Without stored splits all
// episodes are in SLT_SPLIT_TRAIN.
SLT_API int64_t slt_dataset_split(const slt_dataset *data, slt_split split, const int64_t **out);
SLT_API const char *slt_split_name(slt_split split); // "train", "valid", "test"

// Looks at every episode.
SLT_API slt_status slt_dataset_check(slt_dataset *data);

// A discrete action; 0 where actions are continuous.
static inline int32_t slt_episode_action(const slt_episode *episode, int64_t step) {
    if (episode->actions_u8) return episode->actions_u8[step];
    return episode->actions_i32 ? episode->actions_i32[step] : 0;
}

// The observation of a step as numbers, whatever the kind: out has room for observation_size.
// step == length gives the final observation. INVALID when there is none.
SLT_API slt_status slt_episode_observe(const slt_dataset_info *info, const slt_episode *episode,
                                       int64_t step, float *out);

// Number of segments: runs of equal labels; 0 without labels.
SLT_API int64_t slt_episode_segment_count(const slt_episode *episode);

// ---- data in memory

// A text of the metadata.
typedef struct {
    const char *key, *value;
} slt_dataset_text;

// The steps of all episodes, one after the other, in arrays of the caller's. `info` says what there
// is, as for a builder: an array that it promises must be here. Observations come as u8 or f32.
typedef struct {
    slt_dataset_info info;
    int64_t episodes;
    const int64_t *offsets;         // [episodes+1], from 0 to the number of all steps
    const uint8_t *actions_u8;      // [steps]; one of these three
    const int32_t *actions_i32;     // [steps]
    const float *actions_f32;       // [steps][action_size]
    const uint8_t *observations_u8; // [steps][observation_size]
    const float *observations_f32;
    const uint8_t *final_u8; // [episodes][observation_size]
    const float *final_f32;
    const float *rewards;                           // [steps]
    const int32_t *segments;                        // [steps]
    const int32_t *subtasks;                        // [steps]
    const uint8_t *splits, *terminated, *truncated; // [episodes]
    const int64_t *seeds;                           // [episodes]
    const int32_t *tasks;                           // [episodes]
    const slt_dataset_text *texts;                  // [text_count], as slt_dataset_builder_describe
    int text_count;
} slt_dataset_arrays;

// A data set without a file; its path is "memory". `from` copies the arrays; `view` borrows them,
// and they must stay as they are until the data set is closed. Names and texts are copied by both.
// Every value is checked, as by a builder.
SLT_API slt_status slt_dataset_from_arrays(slt_context *context, const slt_dataset_arrays *arrays,
                                           slt_dataset **out);
SLT_API slt_status slt_dataset_view_arrays(slt_context *context, const slt_dataset_arrays *arrays,
                                           slt_dataset **out);

// Writes a data set to a file; the ending decides, as for slt_dataset_convert. EXISTS when `out` is
// there and is not to be replaced; the data's own file is never written over (output.h).
SLT_API slt_status slt_dataset_save(slt_dataset *data, const char *out, bool overwrite);

// Writes a copy of what the data set came from, with the segment of every step in it: csv in a
// column `segment`, Minari and D4RL in `infos/segment`, robomimic in `segment` next to the actions.
// `out` is a file with the ending of the source, or a folder with a / at its end, for a file of the
// same name. Everything else is copied as it is; labels that are there are replaced. Where the
// source is native, npz or in memory, or `out` ends otherwise, a data set of its own is written, as
// by slt_dataset_save. segments: [steps], -1 where unknown. INVALID when it would replace its
// source.
SLT_API slt_status slt_dataset_label(slt_dataset *data, const int32_t *segments, const char *out,
                                     bool overwrite);
// The file that this call would write.
SLT_API slt_status slt_dataset_label_path(slt_dataset *data, const char *out, char *path,
                                          size_t size);

// Reads a data set of any format and writes another; the ending of `out` decides: .safetensors,
// .npz, .hdf5 (Minari's file), / (a Minari data set, which is a folder). EXISTS when `out` is there
// and is not to be replaced; `path` itself is never written over (output.h).
SLT_API slt_status slt_dataset_convert(slt_context *context, const char *path, const char *out,
                                       bool overwrite);

// ---- counting

typedef enum { SLT_COUNT_LENGTHS, SLT_COUNT_SEGMENTS } slt_count_kind;
enum { SLT_HISTOGRAM_BINS = 24 };

// bins[i] counts values from low + i*width to low + (i+1)*width - 1.
typedef struct {
    int64_t values, least, most;
    double mean, deviation; // of the values; deviation with n below the line
    int64_t low, width;
    int bin_count;
    int64_t bins[SLT_HISTOGRAM_BINS];
} slt_histogram;

SLT_API slt_status slt_dataset_histogram(slt_dataset *data, slt_count_kind kind,
                                         slt_histogram *out);

// One number of a continuous action over all steps. BINARY: it takes two values, as a gripper does.
typedef enum { SLT_CHANNEL_CONSTANT, SLT_CHANNEL_BINARY, SLT_CHANNEL_CONTINUOUS } slt_channel_kind;

typedef struct {
    const char *name; // NULL when unknown; lives as long as the data set
    slt_channel_kind kind;
    float least, most;
    double mean, deviation; // with n below the line
} slt_channel;

// out: [action_size]. INVALID for discrete actions; FORMAT when a value is not finite.
SLT_API slt_status slt_dataset_channels(slt_dataset *data, slt_channel *out);
SLT_API const char *slt_channel_kind_name(slt_channel_kind kind); // "constant", "binary", ...

// ---- making: begin, add episodes, commit. Memory does not grow with the data.

// info's texts are copied. The ending of `path` decides the format as in slt_dataset_convert; a
// name without an ending is native. The file appears at commit, whole; until then its parts are in
// nameless temporary files of the same folder. EXISTS as above.
SLT_API slt_status slt_dataset_builder_create(slt_context *context, const char *path,
                                              bool overwrite, const slt_dataset_info *info,
                                              slt_dataset_builder **out);
// Metadata of your own; the names that docs/formats.md lists are taken.
SLT_API slt_status slt_dataset_builder_describe(slt_dataset_builder *builder, const char *key,
                                                const char *value);
// Adds an episode with all that info promised; refused whole, with a message, when something is
// missing or out of range. A set of BITS also takes observations_u8 of zeros and ones, and discrete
// actions come as u8 or i32, as you like.
SLT_API slt_status slt_dataset_builder_add(slt_dataset_builder *builder,
                                           const slt_episode *episode);
// Both destroy the builder; destroy without commit leaves no file. Destroy accepts NULL.
SLT_API slt_status slt_dataset_builder_commit(slt_dataset_builder *builder);
SLT_API void slt_dataset_builder_destroy(slt_dataset_builder *builder);

#ifdef __cplusplus
}
#endif
#endif
