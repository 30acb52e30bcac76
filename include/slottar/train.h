// Training: a model on a data set, into a run directory that can be killed and resumed at any time.
//
//     slt_train_request request = {
//         .model = "slottar", .data = "demos.safetensors", .run = "runs/new"};
//     slt_train_result result;
//     slt_train(context, &request, &result);
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_TRAIN_H
#define SLOTTAR_TRAIN_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/context.h"
#include "slottar/metrics.h"
#include "slottar/option.h"
#include "slottar/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

// What to train. model, data and run are needed; the rest may stay zero.
typedef struct {
    const char *model;           // "slottar"
    const char *data;            // any format that slt_dataset_open reads
    const char *run;             // the run directory; made when it is not there
    const char *profile;         // "default", "reference" or "paper"
    const char *preset;          // a column of the paper's tables, named like the six data sets
    const char *config;          // a YAML file of options
    const char *const *settings; // "key=value", the last word
    int setting_count;
    uint64_t seed;
    int64_t pause_epoch; // stops after the first evaluation from this epoch on, to continue in a
                         // later call; 0: trains to the end
    int restarts;   // trains so many at once, each from its own start, and keeps one; 0 and 1: one
    double seconds; // takes fewer steps where they would take longer; 0: no bound
} slt_train_request;

// Scores of a run: losses always, the others only where the data has labels.
typedef struct {
    int64_t episodes;
    double loss, reconstruction, kl, accuracy;
    bool has_labels;
    slt_score_summary scores;
    double forward,
        backward; // access, as the reference code counts it; NAN for models without slots
    double ece;   // expected calibration error of confidence; NAN without boundaries
    slt_reliability reliability; // boundaries by confidence
    slt_told told;               // the most of it: labels for the best epoch, counts, a histogram
    bool told_count;             // the model was told the true number of segments (an oracle)
    bool has_other;              // a baseline that reads a step DONE after the last one
    bool counts_done;            // `scores` count DONE as a step that belongs to no segment, as the
                      // reference code does, and `other` do not; else the other way round
    slt_score_summary other;
} slt_run_scores;

// What restarts found, without labels: the held-out loss of each with ends rounded, in nats per
// step; which one was kept; the next one that cuts elsewhere, and how much worse it is.
enum { SLT_MOST_RESTARTS = 1024 };
typedef struct {
    int members, picked;
    int head;      // what it sees, where restarts differ in that: 0 actions, 1 more
    int runner_up; // -1: all restarts cut at the same places
    int agreeing;  // restarts that cut where the one that was kept does, itself included
    double gap;    // nats per step between the two; infinite without a runner-up
    double losses[SLT_MOST_RESTARTS];    // infinite: the restart broke down
    double agreement[SLT_MOST_RESTARTS]; // share of cuts in common with the one that was kept
} slt_restart_report;

typedef struct {
    int64_t epochs, best_epoch, steps;
    double seconds;              // of this call
    slt_run_scores valid, test;  // of the best epoch; of restarts, of the one that was kept
    slt_restart_report restarts; // members is 0 without restarts
    slt_trust trust;
} slt_train_result;

// Trains until the score stops getting better, or continues from where the run directory stands.
// With restarts all epochs are run; the last one counts where the learning rate falls (lr_end),
// else the restart and the epoch with the least held-out loss. CANCELLED after slt_context_cancel,
// with everything saved: the same call continues from there. DIVERGED when a number is not finite;
// the last good checkpoint stays. INVALID when the run directory belongs to another configuration.
// IO when another process trains in it, with its number and host.
SLT_API slt_status slt_train(slt_context *context, const slt_train_request *request,
                             slt_train_result *result);

// How one of several runs came out.
typedef struct {
    slt_status status;       // OK, or what was its own fault: DIVERGED, INVALID, SHAPE or RANGE
    char message[1024];      // the message of that failure, else ""
    slt_train_result result; // where the status is OK
} slt_train_outcome;

// Trains many runs, each into its own run directory. Every run becomes what slt_train alone makes
// of its request: to the bit on the CPU, within rounding on a device. Requests may differ in
// everything. Those that name the same data set and differ in nothing that changes a shape (seeds,
// learning rates, weights of loss terms, patience may differ) are trained together as one batched
// model, at most `at_once` runs at a time (0: as many as suit the device); others follow one
// another. A run that ends early costs the others nothing. OK when every run has an outcome;
// outcomes: [count]. A failure is that of the whole call: CANCELLED with everything saved, IO,
// NOMEM and the like; the same call continues from there.
SLT_API slt_status slt_train_many(slt_context *context, const slt_train_request *requests,
                                  int count, int at_once, slt_train_outcome *outcomes);

// The options of a model: those of training first (part 0), then the model's own (part 1). NULL
// when there is no such model or part.
SLT_API const slt_option *slt_train_options_of(const char *model, int part);
// The options of training that a model sets to other values than the list's, as "key=value ..."; ""
// when there are none.
SLT_API const char *slt_model_settings(const char *model);
// Restarts of `segment` and of Python's fit unless another number is asked for; 1: none.
SLT_API int slt_model_restarts(const char *model);
// Names of models and of a model's presets, in order; NULL after the last.
SLT_API const char *slt_model_name(int index);
SLT_API const char *slt_model_preset(const char *model, int index);

#ifdef __cplusplus
}
#endif
#endif
