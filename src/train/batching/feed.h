// Batches: trajectories of a data set, laid out as the tape wants them.
//
// Inside a batch trajectories are sorted by length, longest first; their place in the unsorted
// batch stays known, since randomness refers to it. Packed, one position after the truth is
// computed (the last segment may end there), or, for models that read DONE, that step, which is
// then part of the truth; padded, all L are, and after DONE comes a symbol of its own. Action
// vectors are standardised, and a mark says where there is none.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_FEED_H
#define SLT_TRAIN_FEED_H

#include "core/memory.h"
#include "engine/device_rows.h"
#include "models/model_kind.h"
#include "slottar/dataset.h"

// what a batch wants to know of a trajectory. On device rows, its tokens are rows `first` and up
typedef struct {
    int64_t first;
    int32_t steps, ones;
    int32_t count; // of segments: the true one, or K
} slt_episode_entry;

// a data set on a device, laid out once as batches are (device_dataset.c): a batch is a list of
// entries
typedef struct {
    slt_device_rows *device_rows;
    const slt_dataset *data;
    int64_t episodes;
    slt_episode_entry *entries; // [episodes], then of fixed companions
    slt_arena arena;
} slt_device_dataset;

// what a row of device rows has, as far as the model asks for it
enum { SLT_ROW_ACTION, SLT_ROW_OBSERVATION, SLT_ROW_EFFECT, SLT_ROW_COLUMNS };

typedef struct {
    slt_dataset *data;
    const slt_device_dataset *device_data; // the same on a device; NULL: batches are laid out here
    bool reads_actions;                    // somebody reads them here in any case
    int length;                            // L
    int slots;                             // K
    int padding;                           // the symbol after the truth
    int channels;                          // C of an action vector; 0: actions are symbols
    const slt_channel_scale *channel;      // [channels]
    bool padded;
    slt_done done; // a step after the last one, with the symbol `padding`
    bool oracle;   // counts come from the labels
    bool effects;  // the model reads which actions changed what is observed
    slt_companions companions;
    int fixed;                         // companions that serve all others; 0: none
    const slt_episode *fixed_episodes; // [fixed], put after every batch
    slt_type observation_type;
    int observation;                   // D; 0: none
    const slt_channel_scale *observed; // [D] numbers standardised; NULL: as they are
    // of processes that share batches of `whole` trajectories this one takes places rank, rank +
    // ranks, ...; ranks 0: all
    int rank, ranks, whole;
} slt_batch_layout;

// observations of trajectories, one after the other
typedef struct {
    slt_real *reals; // [tokens][D], or
    slt_bits bits;
    int64_t *ones_offset;
    uint16_t *ones;
} slt_observations;

typedef struct {
    slt_batch_layout rule;
    slt_batch batch;
    int32_t *offset, *length, *index, *companion, *order;
    int32_t *following; // [L + 1] where trajectories of a length go
    int32_t *actions;   // [tokens] symbols, or
    slt_real *vectors;  // [tokens][C+1], the last one above 0: no action
    int32_t *effects; // [tokens] the same, padding + 1 more where the next observation is another;
                      // NULL without observations, or where the model does not ask
    int32_t *counts;  // [capacity] number of segments: the true one, or K
    float *numbers;   // [D]
    slt_episode_entry *entries; // [capacity] by place in the unsorted batch
    // of device rows: rows where trajectories begin, ones before each
    int64_t *first;
    int32_t *ones_before;
    slt_row_slice slice[SLT_ROW_COLUMNS];
    slt_observations own;
    int capacity; // trajectories
    // companions that other processes may have; unused where slt_feed_lists is false
    slt_observations seen;
    int32_t *shared_offset, *shared_length;
    int32_t *shared_at; // [whole] by place: where it stands among the seen, or -1
} slt_feed;

// room for `capacity` trajectories, fixed companions among them; everything lives in the arena
slt_status slt_feed_init(slt_feed *feed, slt_arena *arena, const slt_batch_layout *rule,
                         int capacity);

// lays out the episodes and the fixed companions after them, or a process' share of the episodes;
// a trajectory longer than L is RANGE with its number
slt_status slt_feed_fill(slt_feed *feed, const int64_t *episodes, int count);

// hands the batch to a member of a tape
void slt_feed_hand_over(const slt_feed *feed, slt_tape *tape, int member, slt_model_io io);

// computed positions of a trajectory, and its ones, at most
int slt_feed_computed(const slt_batch_layout *rule, int64_t steps);
size_t slt_feed_ones(const slt_episode *episode);
// what is laid out, as a tape takes it: gives the number of columns
int slt_feed_columns(const slt_feed *feed, const void *data[SLT_ROW_COLUMNS]);

// most tokens that `capacity` trajectories of this rule can take
slt_status slt_feed_tokens(const slt_batch_layout *rule, int capacity, int *out);

// trajectories of a whole batch that fall to a process
static inline int slt_feed_share(const slt_batch_layout *rule) {
    return (rule->whole - rule->rank + rule->ranks - 1) / rule->ranks;
}
// does a process need companions that others have?
static inline bool slt_feed_lists(const slt_batch_layout *rule) {
    return rule->ranks > 1 && rule->companions == SLT_COMPANION_OTHERS;
}
// how many, at most
static inline int slt_feed_shared(const slt_batch_layout *rule) {
    int64_t wanted = (int64_t)slt_feed_share(rule) * rule->slots;
    return wanted < rule->whole ? (int)wanted : rule->whole;
}

#endif
