// The options of training a policy.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_POLICY_OPTIONS_H
#define SLT_EXPERTS_POLICY_OPTIONS_H

#include "core/options.h"

// clang-format off
#define SLT_POLICY_OPTIONS(X)                                                                      \
    X(TEXT,   worlds,        ,       0, 0,     NULL,       "further environment ids, comma-separated; copies are divided evenly") \
    X(CHOICE, memory,        none,   0, 0,     "none|map", "memory of the policy: the view alone, or a map of everything seen") \
    X(CHOICE, sees,          all,    0, 0,     "all|still", "what a policy over skills sees: all, or only cells that change at ends of segments") \
    X(INT,    hidden,        64,     8, 160,   NULL,       "width of both layers")                 \
    X(INT,    copies,        256,    1, 65536, NULL,       "environments in parallel")  \
    X(INT,    steps,         64,     1, 1024,  NULL,       "steps per environment between two updates")    \
    X(INT,    epochs,        3,      1, 64,    NULL,       "passes over these steps")              \
    X(INT,    minibatches,   8,      1, 256,   NULL,       "minibatches per pass")                    \
    X(INT,    eval_interval, 16,     1, 100000, NULL,      "updates between two evaluations; all environments are reset then") \
    X(INT,    frames,        20000000, 1, 1e12, NULL,      "most steps of all copies")          \
    X(REAL,   lr,            0.001,  0, 1,     NULL,       "learning rate")                        \
    X(REAL,   lr_end,        0.1,    0, 1,     NULL,       "final learning rate as a fraction of lr") \
    X(REAL,   gamma,         0.99,   0, 1,     NULL,       "discount of a step")                   \
    X(REAL,   lambda,        0.95,   0, 1,     NULL,       "of generalised advantage estimation; 1: plain returns") \
    X(REAL,   entropy,       0.01,   0, 10,    NULL,       "weight of the entropy")                \
    X(REAL,   value,         0.5,    0, 10,    NULL,       "weight of the value's squared error")  \
    X(REAL,   clip,          0.2,    0, 1,     NULL,       "PPO's ratio bound; 0: none (A2C, with epochs=1 minibatches=1)") \
    X(REAL,   max_grad_norm, 0.5,    0, 1e9,   NULL,       "gradient norm clipping; 0: none") \
    X(REAL,   bonus,         0,      0, 10,    NULL,       "reward for rarely visited places: bonus/sqrt(visits in the episode)") \
    X(INT,    clone,         0,      0, 1e12,  NULL,       "frames of imitation of the planner at the start") \
    X(INT,    clone_epochs,  10,     1, 1000,  NULL,       "epochs of imitation of the demonstrations of --from; the best one on held-out episodes is kept") \
    X(REAL,   goal,          0.93,   0, 2,     NULL,       "stops when the evaluation's mean return reaches this") \
    X(INT,    eval_episodes, 200,    1, 100000, NULL,      "episodes of an evaluation")
// clang-format on

SLT_OPTIONS_STRUCT(slt_policy_options, SLT_POLICY_OPTIONS);

enum { SLT_MOST_WORLDS = 8 };

const slt_option *slt_policy_rows(void);
// a preset by the id of its environment; INVALID when there is none
slt_status slt_policy_preset_set(const slt_options *tables, const char *id);

#endif
