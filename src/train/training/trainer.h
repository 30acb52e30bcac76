// Training: runs of one shape that share a learner. A run is everything between a request and its
// files; it owns some members of the learner, which never mix: one is the plain case, restarts are
// several, of which the run keeps one. A population is several runs.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_TRAINER_H
#define SLT_TRAIN_TRAINER_H

#include "core/lock.h"
#include "core/tensorboard.h"
#include "metrics/calibration.h"
#include "slottar/train.h"
#include "train/inference/predict.h"
#include "train/learner/checkpoint.h"
#include "train/inference/run_files.h"
#include "train/inference/segments.h"
#include "train/learner/dataset_spec.h"

// members that a device trains at once unless a number of runs is asked for; most runs of all,
// which have files open
enum { SLT_POPULATION_OF_DEVICE = 64, SLT_MOST_RUNS = 256 };

// the end of an epoch (epoch_end.c)
typedef struct {
    slt_epoch_record record; // what was measured, as it is logged
    bool better;             // than all before
} slt_epoch_end;

// a run that is being trained
typedef struct {
    const slt_train_request *request;
    slt_train_outcome *outcome;
    const slt_setup *setup;
    slt_lock lock; // on the run directory
    int members;
    int first;              // of its members in the learner; -1: it has none there
    slt_feed *feeds;        // [members]
    int64_t **orders;       // [members] training episodes of the current epoch
    int64_t ordered;        // that epoch, from 1 on; 0: none yet
    slt_member_state *each; // [members]
    slt_progress_state state;
    slt_tensorboard *events;
    int64_t every;        // epochs between two evaluations
    int64_t noted;        // steps of the epoch whose losses are counted
    slt_epoch_end end;    // of the last evaluated epoch
    double saved, saving; // when it was saved, and how long that took; 0: not yet
    bool waits;           // for the next checkpoint: it is further than the last one
    slt_aside best;       // of an epoch that was not saved yet
    bool best_waits;
    bool over; // takes no further steps in this call
    uint8_t
        *votes; // [members][vote_steps] cuts of all restarts in the held-out episodes, at the end
    size_t vote_steps;
    slt_calibration calibration; // of its confidence; no points without restarts
} slt_training_run;

// a member by its place in the learner
typedef struct {
    slt_training_run *run;
    int member;
} slt_member_ref;

typedef struct slt_start_sets slt_start_sets; // restarts.c

typedef struct {
    slt_context *context;
    slt_arena arena;
    slt_training_run *runs;
    int run_count;
    slt_dataset_spec task;
    uint32_t checksum; // of the data set
    slt_learner *learner;
    slt_member_ref *places; // [members of the learner]
    slt_start_sets *sets;   // of the search over symbols; NULL: nobody asked for them
    int batch;
    int64_t steps_per_epoch;
    int64_t taken;          // steps of this call
    double started;         // when the call began
    double stepping;        // when its first step was taken
    slt_training_run **due; // [run_count] runs that something happens to together, now
    int due_count;          // so many of them
} slt_trainer;

// trains runs of one shape and one data set; setups: [count]. What is a run's own fault is its
// outcome, everything else a failure of the call
slt_status slt_trainer_run(slt_context *context, const slt_train_request *const *requests,
                           const slt_setup *const *setups, slt_train_outcome *const *outcomes,
                           int count);

// episodes that decide between epochs and between restarts
static inline slt_split slt_trainer_held_out(const slt_trainer *t) {
    return t->task.count[SLT_SPLIT_VALID] ? SLT_SPLIT_VALID : SLT_SPLIT_TRAIN;
}

// ---- train_news.c

// a diverging run, or one whose numbers do not fit together
bool slt_is_own_fault(slt_status status);

// ends a run for its own fault; gives every other status back
slt_status slt_trainer_drop(slt_trainer *t, slt_training_run *run, slt_status status);

// progress of all runs together; of the runs that are due, the scores of their epoch
void slt_trainer_tell(slt_trainer *t, const char *news);
void slt_trainer_tell_epoch(slt_trainer *t);

// ---- train_steps.c

// steps of all runs that continue, until one of them stands at the end of an epoch
slt_status slt_trainer_step(slt_trainer *t);
bool slt_run_ends_epoch(const slt_trainer *t, const slt_training_run *run);

// saves all that continue
slt_status slt_trainer_save(slt_trainer *t);

// what the last step did shows first in the weights: no member with a number out of bounds is
// saved. DIVERGED when none is left
slt_status slt_run_check_weights(slt_trainer *t, slt_training_run *run);

// ---- epoch_end.c

// scores, files and the next epoch of all runs that stand at the end of one
slt_status slt_trainer_end_epochs(slt_trainer *t);
// all steps or epochs are done, or patience has ended
bool slt_run_is_over(const slt_training_run *run);

// ---- run_end.c

// of the runs that are due, one member each. Between epochs all processes take part; at the end
// process 0 looks at everything: it may keep the answers in `segments`, else NULL
slt_status slt_trainer_evaluate(slt_trainer *t, slt_split split, bool at_end,
                                slt_segments_file **segments, slt_evaluation *out);
// result.json and segments of the runs that are due: they are over
slt_status slt_trainer_finish(slt_trainer *t);

// ---- train_saves.c

// the line of an evaluated epoch, and its checkpoints, or what they need put aside
slt_status slt_run_keep_epoch(slt_trainer *t, slt_training_run *run);
// writes where the run stands, and its best epoch
slt_status slt_run_save(slt_trainer *t, slt_training_run *run);
// its best epoch alone, if that waits
slt_status slt_run_save_best(slt_trainer *t, slt_training_run *run);
// the sums of a member's epoch at hand, into the state of its run or from there
void slt_run_copy_sums(slt_training_run *run, int member, bool saving);

// ---- baseline_input.c

// the actions of the first episodes of a split: so many of them at most, and about so many steps;
// continuous ones as vectors, which stay NULL where actions are symbols
slt_status slt_trainer_actions(slt_trainer *t, slt_split split, int64_t most_episodes,
                               int64_t most_steps, slt_sequence **out, const float ***vectors,
                               size_t *count, size_t *steps);
// baselines take the prior by number of segments, from 0 on
slt_status slt_trainer_prior(slt_trainer *t, slt_baseline_input *input);

// ---- restarts.c

// the seed of a member: that of the request for the first
uint64_t slt_member_seed(uint64_t seed, int member);

// initial values of all members; as `starts` says, some begin with the cuts that a search over
// symbols likes best
slt_status slt_restarts_begin(slt_trainer *t, slt_training_run *run);

// heads between which the restarts of a run choose, and the one that a member has
int slt_restarts_inputs(const slt_trainer *t, const slt_training_run *run);
int slt_restarts_input(const slt_trainer *t, const slt_training_run *run, int member);

// a rate that falls settles a model: losses at the end tell which one is best. Else they leap, and
// the least one of all epochs tells
bool slt_restarts_settle(const slt_training_run *run);
// after an epoch: takes note of the losses of all members; from a third of the steps on, those
// that are far worse than the best take no further part
void slt_restarts_record(slt_training_run *run, const slt_restart_report *report);
// the member that best.safetensors is from; -1: none yet
int slt_restarts_kept(const slt_training_run *run);

// ---- evaluate_restarts.c

// of the runs that are due and have restarts: held-out loss of every member with rounded ends, the
// best one, and the next with other cuts, into the record of the epoch or, at the end, into the
// result. Members that were stopped take part at the end; before, their loss is infinite
slt_status slt_restarts_evaluate(slt_trainer *t, bool at_end);

// ---- doubt.c

// trust and calibration of the runs that are due and finished, after slt_restarts_evaluate
slt_status slt_doubt(slt_trainer *t);

// ---- ranks.c: what the processes of a group do together. Alone, each is the plain case

// the share of a batch that this process takes
slt_batch_layout slt_ranks_batch_layout(const slt_trainer *t);
// INVALID when there are more processes than trajectories in a batch
slt_status slt_ranks_check(const slt_trainer *t);
// INVALID when a process reads another data set than process 0, or has other options
slt_status slt_ranks_compare(slt_trainer *t, slt_training_run *run);
// process 0 does the work, the others wait for its status
slt_status slt_ranks_lead(slt_trainer *t, slt_training_run *run,
                          slt_status (*work)(slt_trainer *, slt_training_run *));
// all begin where process 0 stands
slt_status slt_ranks_share_start(slt_trainer *t);
// does anybody want to stop? the same answer in all processes
bool slt_ranks_stop(slt_trainer *t);

#endif
