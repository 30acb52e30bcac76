// The options of training a policy.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_POLICY_OPTIONS_H
#define SLT_EXPERTS_POLICY_OPTIONS_H

#include "core/options.h"

// clang-format off
#define SLT_POLICY_OPTIONS(X)                                                                      \
    X(TEXT,   worlds,        ,       0, 0,     NULL,       "more ids to learn from, with commas: copies are shared out evenly") \
    X(CHOICE, memory,        none,   0, 0,     "none|map", "what is recalled: the view alone, or a map of all that was seen") \
    X(INT,    hidden,        64,     8, 160,   NULL,       "width of both layers")                 \
    X(INT,    copies,        256,    1, 65536, NULL,       "worlds that are played side by side")  \
    X(INT,    steps,         64,     1, 1024,  NULL,       "steps of each between two updates")    \
    X(INT,    epochs,        3,      1, 64,    NULL,       "passes over these steps")              \
    X(INT,    minibatches,   8,      1, 256,   NULL,       "batches of a pass")                    \
    X(INT,    eval_interval, 16,     1, 100000, NULL,      "updates between two evaluations; all worlds begin anew then") \
    X(INT,    frames,        20000000, 1, 1e12, NULL,      "steps of all copies at most")          \
    X(REAL,   lr,            0.001,  0, 1,     NULL,       "learning rate")                        \
    X(REAL,   lr_end,        0.1,    0, 1,     NULL,       "its share that is left at the last frame") \
    X(REAL,   gamma,         0.99,   0, 1,     NULL,       "discount of a step")                   \
    X(REAL,   lambda,        0.95,   0, 1,     NULL,       "of generalised advantages; 1: returns to the end of the steps") \
    X(REAL,   entropy,       0.01,   0, 10,    NULL,       "weight of the entropy")                \
    X(REAL,   value,         0.5,    0, 10,    NULL,       "weight of the value's squared error")  \
    X(REAL,   clip,          0.2,    0, 1,     NULL,       "bound of the ratio (PPO); 0: none (A2C, with epochs=1 minibatches=1)") \
    X(REAL,   max_grad_norm, 0.5,    0, 1e9,   NULL,       "bound of the gradient's norm; 0: none") \
    X(REAL,   bonus,         0,      0, 10,    NULL,       "reward for rarely visited places: bonus/sqrt(visits in the episode)") \
    X(INT,    clone,         0,      0, 1e12,  NULL,       "frames in which the planner acts and is imitated, before all else") \
    X(REAL,   goal,          0.93,   0, 2,     NULL,       "stops when the evaluation's mean return is so high") \
    X(INT,    eval_episodes, 200,    1, 100000, NULL,      "episodes of an evaluation")
// clang-format on

SLT_OPTIONS_STRUCT(slt_policy_options, SLT_POLICY_OPTIONS);

enum { SLT_MOST_WORLDS = 8 };

const slt_option *slt_policy_rows(void);
// a preset by the id of its environment; INVALID when there is none
slt_status slt_policy_preset_set(const slt_options *tables, const char *id);

#endif
