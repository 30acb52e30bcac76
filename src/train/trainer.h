// A run of training: everything between the request and the files. One member is the plain case;
// restarts are members of a population that are trained at once and never mix.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_TRAINER_H
#define SLT_TRAIN_TRAINER_H

#include "core/lock.h"
#include "core/tensorboard.h"
#include "slottar/train.h"
#include "train/answer.h"
#include "train/checkpoint.h"
#include "train/run_files.h"
#include "train/task.h"

typedef struct {
    slt_context *context;
    slt_arena arena;
    const slt_train_request *request;
    slt_lock lock; // on the run directory
    slt_train_result *result;
    slt_setup setup;
    slt_task_data task;
    slt_learner *learner;
    int members;
    slt_feed *feeds;        // [members]
    int64_t **orders;       // [members] training episodes of the epoch at hand
    slt_member_state *each; // [members]
    slt_progress_state state;
    slt_tensorboard *events;
    int batch;
    int64_t steps_per_epoch;
    int64_t every; // epochs between two evaluations
    double started;
    int64_t first_step;      // of this call
    double stepping;         // when it was taken
    int64_t noted;           // steps of the epoch whose losses are counted
    slt_epoch_record record; // of the last evaluation
    bool better;             // it is the best so far
} slt_trainer;

// episodes that decide between epochs and between restarts
slt_split slt_trainer_held_out(const slt_trainer *t);

// ---- restarts.c

// the seed of a member: that of the request for the first
uint64_t slt_member_seed(uint64_t seed, int member);

// initial values of all members; some begin with the cuts that a search over symbols likes best
slt_status slt_restarts_begin(slt_trainer *t);

// held-out loss of every member with rounded ends, the best one, and the next with other cuts;
// those that were stopped take part where `all`, else their loss is infinite
slt_status slt_restarts_judge(slt_trainer *t, bool all, slt_restart_report *out);

// from a third of the steps on, members that are far behind the best take no further part
void slt_restarts_thin_out(slt_trainer *t, const slt_restart_report *report);

// ---- ranks.c: what the processes of a group do together. Alone, each is the plain case

// the share of a batch that this process takes
slt_feed_rule slt_ranks_feed_rule(const slt_trainer *t);
// INVALID when there are more processes than trajectories in a batch
slt_status slt_ranks_check(const slt_trainer *t);
// INVALID when a process reads another data set than process 0, or has other options
slt_status slt_ranks_compare(slt_trainer *t);
// process 0 does the work, the others wait and hear how it went
slt_status slt_ranks_lead(slt_trainer *t, slt_status (*work)(slt_trainer *));
// all begin where process 0 stands
slt_status slt_ranks_share_start(slt_trainer *t);
// does anybody want to stop? the same answer in all processes
bool slt_ranks_stop(slt_trainer *t);

#endif
