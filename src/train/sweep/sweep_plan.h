// The plan of a search: which options vary, and the configurations that follow from it and the
// seed.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_SWEEP_PLAN_H
#define SLT_TRAIN_SWEEP_PLAN_H

#include "slottar/sweep.h"
#include "train/learner/train_options.h"

// clang-format off
#define SLT_SWEEP_OPTIONS(X)                                                                       \
    X(TEXT,   model,        ,       0, 0,       NULL, "model, as for train")                       \
    X(TEXT,   data,         ,       0, 0,       NULL, "data set, as for train")                    \
    X(TEXT,   profile,      ,       0, 0,       NULL, "profile, as for train")                     \
    X(TEXT,   preset,       ,       0, 0,       NULL, "preset, as for train")                      \
    X(CHOICE, search,       random, 0, 0, "random|grid|halving", "random configurations; a full grid; random ones, the better of which continue") \
    X(INT,    trials,       20,     1, 10000,   NULL, "configurations of a random search or a halving") \
    X(INT,    seeds,        1,      1, 100,     NULL, "runs of every configuration, with seeds that follow one another") \
    X(INT,    restarts,     1,      1, 1024,    NULL, "restarts of every run, as for train")       \
    X(CHOICE, score,        loss,   0, 0, "loss|reconstruction|accuracy|f1|f1_one|align|ari|covering|f1_align", "what is compared, on the validation split") \
    X(INT,    first_epochs, 1,      1, 1000000, NULL, "epochs of the first round of a halving")    \
    X(INT,    eta,          3,      2, 100,     NULL, "one in eta reaches the next round, which has eta times the epochs")
// clang-format on

typedef enum { SLT_SEARCH_RANDOM, SLT_SEARCH_GRID, SLT_SEARCH_HALVING } slt_search;

SLT_OPTIONS_STRUCT(slt_sweep_options, SLT_SWEEP_OPTIONS);

// an option and its values; one value: fixed
typedef struct {
    const char *key;
    const char *const *values; // [count]; of a range none
    int count;
    bool is_range, whole, logarithmic;
    double low, high;
} slt_sweep_axis;

static inline bool slt_sweep_varies(const slt_sweep_axis *axis) {
    return axis->is_range || axis->count > 1;
}

typedef struct {
    slt_arena *arena;
    slt_sweep_options options;
    slt_setup setup; // the defaults with profile and preset, for checks
    slt_sweep_axis *axes;
    int axis_count, varied; // varied: axes with more than one value
    int count;              // configurations
    const char **settings;  // [count][axis_count] "key=value"
    int64_t epochs;         // of the setup and its fixed settings
} slt_sweep_plan;

// reads file and settings, checks every value, draws the configurations; everything lies in the
// arena
slt_status slt_sweep_plan_make(slt_sweep_plan *plan, slt_arena *arena,
                               const slt_sweep_request *request);

// the plan as a YAML file that makes the same plan with the same seed
slt_status slt_sweep_plan_text(const slt_sweep_plan *plan, const slt_sweep_request *request,
                               uint32_t data_checksum, slt_text *out);

// ---- steps of it
// options and axes from file and settings
slt_status slt_sweep_axes_read(slt_sweep_plan *plan, const slt_sweep_request *request);
// the settings of one configuration
static inline const char *const *slt_sweep_settings(const slt_sweep_plan *plan, int configuration) {
    return (const char *const *)plan->settings + (size_t)configuration * (size_t)plan->axis_count;
}

#endif
