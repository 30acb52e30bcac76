// The options of training, the same for every model; the model's own follow.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_OPTIONS_H
#define SLT_TRAIN_OPTIONS_H

#include "core/options.h"
#include "models/model_kind.h"
#include "slottar/train.h"

// clang-format off
#define SLT_TRAIN_OPTIONS(X)                                                                       \
    X(INT,    epochs,        100,  1, 1000000, NULL, "most passes over the training split")    \
    X(INT,    batch,         64,   1, 65536,   NULL, "trajectories per training step; an incomplete last batch is dropped") \
    X(CHOICE, batch_tasks,   mixed, 0, 0, "mixed|same", "training batches: of all tasks of the data set, or of one task each (what is left over is mixed)") \
    X(INT,    steps,         0,    0, 1000000000, NULL, "training steps; 0: as many as the epochs have") \
    X(REAL,   lr,            5e-4, 0, 10,      NULL, "learning rate of Adam")                      \
    X(REAL,   lr_end,        1,    0, 1,       NULL, "final learning rate as a fraction of lr; linear decay") \
    X(INT,    length,        0,    0, 65536,   NULL, "padded length L; 0: one more than the longest trajectory") \
    X(INT,    patience,      7,    1, 1000000, NULL, "epochs without improvement before training stops") \
    X(CHOICE, early_stop,    loss, 0, 0, "loss|f1_align|ari_f1_align", "criterion: held-out loss (no labels), or scores against labels") \
    X(TEXT,   prior,         auto, 0, 0, NULL, "number of segments: 3, 3..6, ~4.5 (a mean), a list of probabilities 0,0,.3,.7, flat, labels, or auto (labels if there are any, else flat; slottar-mdl: two or more)") \
    X(REAL,   prior_spread,  0, 0, 1, NULL, "with a number of segments as prior: relative probability of each neighbouring number; 0: 1e-4 each") \
    X(CHOICE, init,          mixed, 0, 0, "mixed|random|table", "initial boundaries: from a search over sets of actions (table), random, or half of the restarts each; mixed without restarts: table") \
    X(REAL,   prune_margin,  0.25, 0, 1e6, NULL, "stops restarts whose held-out loss is this many nats per step above the best; 0: none") \
    X(REAL,   max_grad_norm, 0,    0, 1e9, NULL, "gradient norm clipping; 0: none")      \
    X(REAL,   adam_eps,      1e-8, 0, 1,   NULL, "epsilon of Adam")
// clang-format on

typedef enum { SLT_STOP_LOSS, SLT_STOP_F1_ALIGN, SLT_STOP_ARI_F1_ALIGN } slt_stop_rule;

typedef enum { SLT_TASKS_MIXED, SLT_TASKS_SAME } slt_batch_tasks;

typedef enum { SLT_BEGIN_MIXED, SLT_BEGIN_RANDOM, SLT_BEGIN_TABLE } slt_run_init;

SLT_OPTIONS_STRUCT(slt_train_options, SLT_TRAIN_OPTIONS);
const slt_option *slt_train_rows(void);

// everything that decides a run but the data and the seed
typedef struct {
    const slt_model_kind *kind;
    slt_train_options train;
    _Alignas(16) unsigned char model[SLT_MODEL_OPTIONS]; // the model's own struct
} slt_setup;

// both tables, for slt_options_* (tables has room for three)
void slt_setup_tables(slt_setup *setup, slt_options *tables);

// defaults of the model, then the profile's switches, then the preset's row; NULL: none
slt_status slt_setup_init(slt_setup *setup, const char *model, const char *profile,
                          const char *preset);

// the same from a request, then its YAML file, then its key=value; logs options by earlier names.
// context: NULL logs nothing
slt_status slt_setup_read(slt_context *context, slt_setup *setup, const slt_train_request *request);

// values that the options leave to the prior, once all settings are made
slt_status slt_setup_resolve(slt_setup *setup);

// may members of one learner have these options? they name the same model and differ at most in
// what is a number of a step (lr, beta, ...), of the answers, or of the run
bool slt_setup_same_shape(const slt_setup *a, const slt_setup *b);

// what the model observes at DONE, if it reads that step at all
slt_done slt_setup_done(const slt_setup *setup);

// what a model with these options was told of the labels; prior: [slots] as it was
// used; told_count: the answers used true numbers of segments
slt_told slt_setup_told(const slt_setup *setup, const double *prior, bool told_count);

// names of presets of a model; NULL after the last
const char *slt_preset_name(const char *model, int index);

#endif
