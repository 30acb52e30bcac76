// Using a model: losses and segments of the episodes of a data set, batch by batch.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_PREDICT_H
#define SLT_TRAIN_PREDICT_H

#include "metrics/calibration.h"
#include "slottar/metrics.h"
#include "train/learner/learner.h"

// trajectories of this length per batch when so many models are used at once: more on a device that
// wants much, but not where the company matters
int slt_predict_batch(const slt_context *context, const slt_setup *setup, int length, int members);

// room for such batches, with the companions after them
slt_status slt_predict_limits(const slt_context *context, const slt_setup *setup,
                              const slt_model_data *data, slt_dataset *set, int members,
                              slt_limits *out);

typedef slt_status (*slt_predict_visit)(void *user, const slt_episode *episode,
                                        const slt_segmentation *segmentation);

typedef struct {
    int member;
    uint64_t seed;  // of what is sampled at test time, where the options sample
    bool pictures;  // masks and attention too
    bool comparing; // rounded boundaries, the same noise in every batch, and no labels
    bool shared;    // processes of a group predict every N-th batch each; all get all results
    const slt_calibration *calibration; // of confidence, for its error; NULL: none
    slt_predict_visit visit;            // in the order of the episodes; may be NULL
    void *user;
} slt_predict_request;

typedef struct {
    double loss, reconstruction, kl; // over all episodes; kl per trajectory, or as the model says
    double accuracy;                 // share of steps whose action is given back
} slt_predict_losses;

// the loss of its two parts; a part of weight 0 is left out, infinite or not
double slt_answer_loss(const slt_model_kind *kind, const void *options, double reconstruction,
                       double kl);

// requests, out: [members], different ones, all of them shared or none; a failure of one process is
// then a failure of all
slt_status slt_predict(slt_learner *learner, slt_dataset *data, const int64_t *episodes,
                       int64_t count, const slt_predict_request *requests, int members,
                       slt_predict_losses *out);

// answers and scores against the truth; summary is all zero when an episode has no labels
typedef struct {
    slt_predict_losses losses;
    bool has_labels;
    slt_score_summary scores;
    bool told_count; // the model was told the true number of segments
    bool has_done;   // the model reads DONE: there are scores with and without that step
    bool done_first; // `scores` count it and `other` do not; else the other way round
    slt_score_summary other;
    double forward, backward;    // access, reference form; NAN without slots
    slt_reliability reliability; // of confidence, where there are labels
} slt_evaluation;

slt_status slt_evaluate(slt_learner *learner, slt_dataset *data, const int64_t *episodes,
                        int64_t count, const slt_predict_request *requests, int members,
                        slt_evaluation *out);

// The same of answers that come from elsewhere: `source` hands each to the visit. Losses are NAN;
// confidence is taken as calibrated.
typedef slt_status (*slt_answer_source)(void *user, slt_predict_visit visit, void *visit_user);
slt_status slt_evaluate_answers(slt_context *context, slt_answer_source source, void *user,
                                slt_evaluation *out, int64_t *episodes);

#endif
