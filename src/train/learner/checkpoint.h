// Checkpoints: weights under readable names, Adam's moments, and the position of the run; enough to
// continue bit for bit, and to use the model without anything else. Nothing in a checkpoint depends
// on the clock, the host or the number of threads.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_CHECKPOINT_H
#define SLT_TRAIN_CHECKPOINT_H

#include "metrics/trust_build.h"
#include "train/learner/learner.h"

// where a run stands
typedef struct {
    uint64_t seed;
    int64_t epoch;                   // epochs finished
    int64_t step;                    // steps finished in the current epoch
    int64_t total_steps;             // steps finished in all
    double loss, reconstruction, kl; // sums over the steps of the current epoch
    double best;                     // score of the best epoch; higher is better
    int64_t best_epoch;              // -1: none yet
    int64_t waited;                  // epochs since then
    int64_t limit;                   // steps to take in all
    bool finished;
} slt_progress_state;

// a member is stopped when it is far worse than the best, and broken when its numbers are out of
// bounds
typedef enum { SLT_MEMBER_RUNS, SLT_MEMBER_STOPPED, SLT_MEMBER_BROKEN } slt_member_health;

// where a member stands
typedef struct {
    uint64_t seed;
    double loss, reconstruction, kl; // sums over the steps of the current epoch
    slt_member_health health;
    bool rule_initialised; // began with cuts of the search over symbols
    double least;          // of its held-out losses so far; infinite: none yet
    bool kept;             // best.safetensors is from this one
} slt_member_state;

slt_status slt_checkpoint_save(const slt_learner *learner, int member,
                               const slt_progress_state *state, const char *path);

// a member as it stood, to be saved later or not at all; all zero at first, its memory is used
// again
typedef struct {
    slt_real *block[3]; // weights and moments, parameter by parameter
    slt_progress_state state;
} slt_aside;
slt_status slt_checkpoint_put_aside(const slt_learner *learner, int member,
                                    const slt_progress_state *state, slt_aside *aside);
// as slt_checkpoint_save had written it then
slt_status slt_checkpoint_save_aside(const slt_learner *learner, int member, const slt_aside *aside,
                                     const char *path);
void slt_aside_free(const slt_context *context, slt_aside *aside);

// restarts: members from `first` on, under names that begin with their number among them
slt_status slt_checkpoint_save_all(const slt_learner *learner, int first, int members,
                                   const slt_member_state *each, const slt_progress_state *state,
                                   const char *path);

// a weight of the member, or one of its moments, that is not finite: such a member is not saved.
// NULL: all are. On a device: of the copy that was fetched last
const char *slt_checkpoint_bad_weight(const slt_store *store, int member);
// zeros, for a member that takes no further part
void slt_checkpoint_clear(const slt_store *store, int member);

// what a checkpoint says about itself, enough to make a learner for it
typedef struct {
    slt_setup setup;
    slt_model_data data; // prior points to `prior`
    double prior[SLT_LEARNER_SLOTS];
    slt_progress_state state;
    slt_trust trust;             // unknown where the run is not finished
    slt_calibration calibration; // of its confidence
} slt_checkpoint;

slt_status slt_checkpoint_read(slt_context *context, const char *path, slt_checkpoint *out);

// adds what a finished run found to its checkpoint; weights stay as they are
slt_status slt_checkpoint_put_trust(slt_context *context, const char *path, const slt_trust *trust,
                                    const slt_calibration *calibration);
// from that text of the metadata, NULL where it is missing
slt_status slt_checkpoint_read_trust(const char *path, const char *text, slt_checkpoint *out);
// how its data is standardised, in the arena: wanted before a tape is built for action vectors
slt_status slt_checkpoint_standard(slt_arena *arena, slt_checkpoint *checkpoint, const char *path);

// FORMAT when a weight that the checkpoint's options ask for is missing or of another shape
slt_status slt_checkpoint_check(slt_context *context, const slt_checkpoint *checkpoint,
                                const char *path);

// fixed companions, in the arena; NULL where the model needs none
slt_status slt_checkpoint_companions(slt_arena *arena, const slt_checkpoint *checkpoint,
                                     const char *path, const slt_episode **out);

// weights and, where `moments`, Adam's moments into a member
slt_status slt_checkpoint_load(slt_learner *learner, int member, const char *path, bool moments);
// so many restarts, with moments
slt_status slt_checkpoint_load_all(slt_learner *learner, int first, int members,
                                   slt_member_state *each, const char *path);

#endif
