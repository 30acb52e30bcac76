// A learner: a model's parameters with a tape to train them and a tape to use them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_LEARNER_H
#define SLT_TRAIN_LEARNER_H

#include "core/parallel_for.h"
#include "train/batching/device_dataset.h"
#include "train/learner/train_options.h"

enum { SLT_LEARNER_SLOTS = 1024 };

// what a step of training notes (slt_step_stats), in this order
enum { SLT_LOSS, SLT_LOSS_RECONSTRUCTION, SLT_LOSS_KL, SLT_LOSSES };

typedef struct {
    slt_tape *tape;
    slt_model_io io;
    _Alignas(16) unsigned char vars[SLT_MODEL_VARS];
} slt_learner_tape;

typedef struct {
    slt_context *context;
    slt_setup setup; // of the shapes
    slt_setup *each; // [members] their options, which may differ where slt_setup_same_shape allows
    slt_model_data data; // prior points to `prior`; channels are the caller's
    double prior[SLT_LEARNER_SLOTS];
    slt_store *store;
    const slt_episode *companions;   // [K] fixed ones, the caller's; NULL: the model needs none
    slt_device_dataset *device_data; // its data set, on the device; NULL: it is not there
    slt_learner_tape train, use;     // train.tape is NULL in a learner that only answers
} slt_learner;

// batch: trajectories of a training step, 0: no training; both tapes are made for trajectories of
// data->length positions. Parameters are zero until slt_store_init or a checkpoint fills them.
slt_status slt_learner_create(slt_context *context, const slt_setup *setup,
                              const slt_model_data *data, int members, slt_limits train,
                              slt_limits use, slt_learner **out);
void slt_learner_destroy(slt_learner *learner);

// room for batches of so many trajectories of a data set, or for the largest share of them where so
// many processes share each
slt_status slt_learner_limits(const slt_setup *setup, const slt_model_data *data, slt_dataset *set,
                              int trajectories, int ranks, slt_limits *out);

// puts the data set on the device, where there is one and it has room: batches of it are made there
// from then on. After the choice of companions, before there are feeds
slt_status slt_learner_upload(slt_learner *learner, slt_dataset *data);

// makes a learner smaller: members `keep`, in this order, with weights, moments and options; on a
// device all members of a learner are computed. NULL after a failure
slt_status slt_learner_shrink(slt_learner **learner, const int *keep, int members, slt_limits train,
                              slt_limits use);

// calls work(user, member) for every member: by all threads where batches are laid out here. A list
// of what is on device rows is written before others wake up
slt_status slt_learner_each(const slt_learner *learner, slt_parallel_work work, void *user);

// gives a member its batch and the numbers of a step, as its options say. `number` counts the steps
// of the run from 0; it decides what is random in it.
void slt_learner_feed(slt_learner *learner, int member, const slt_feed *feed, uint64_t seed,
                      int64_t number, double learning_rate, bool active);

// leaves a member out of the steps to come; false if it never had a batch, which it needs
bool slt_learner_rest(slt_learner *learner, int member);

// a training step of all members on their batches: losses, gradients, Adam; slt_tape_stats tells
// the losses. May come back before a device is done
slt_status slt_learner_step(slt_learner *learner);

// numbers that it predicts at one step, at most
static inline size_t slt_learner_predicted(const slt_learner *learner) {
    return (size_t)(learner->data.symbols + learner->data.channels);
}

// how this model wants its batches
slt_batch_layout slt_learner_batch_layout(const slt_learner *learner, slt_dataset *data,
                                          bool training);

#endif
