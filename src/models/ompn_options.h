// The options of OMPN: sizes, and the switches where the original, the reference code and we
// differ. One row makes the field, the key=value, the profiles and the documentation.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_OMPN_OPTIONS_H
#define SLT_MODELS_OMPN_OPTIONS_H

#include "core/options.h"

// clang-format off
#define SLT_OMPN_SIZES(X)                                                                          \
    X(INT,  hidden,    128, 1, 1024, NULL, "width d of a memory level")                            \
    X(INT,  depth,     3,   2, 16,   NULL, "levels n of the memory; OMPN-2 is 2")                  \
    X(REAL, threshold, 0,   0, 1,    NULL, "without the true number: a segment ends where the probability to write above the leaf is larger; 0: the threshold that best separates the trajectory's own levels")

// type, name, default, reference, paper (the original), lowest, highest, values, sentence
#define SLT_OMPN_SWITCHES(X)                                                                       \
    X(CHOICE, count,            oracle, oracle,    oracle, 0, 0, "oracle|threshold",               \
      "number of segments at test time: the true one where there are labels, else by the threshold; or always by the threshold") \
    X(CHOICE, baseline_scoring, fair,   reference, fair,   0, 0, "fair|reference",                 \
      "scores of real steps only, or with DONE as a step that belongs to no segment")              \
    X(CHOICE, done_step,        final,  final,     final,  0, 0, "final|repeat",                   \
      "what is observed at DONE: the final observation (the last one where there is none), or always the last one again") \
    X(CHOICE, ompn_alias,       off,    off,       on,     0, 0, "off|on",                         \
      "what stays of the memory is the candidate, as where it is written in place")                \
    X(REAL,   leaky_slope,      0.3,    0.3,       0.01,   0, 1, NULL,                             \
      "slope of the gate's leaky ReLU below zero")                                                 \
    X(REAL,   ln_eps,           1e-3,   1e-3,      1e-5,   0, 1, NULL, "epsilon of layer norms")   \
    X(INT,    bptt,             0,      0,         30,     0, 65536, NULL,                         \
      "truncates the gradient through the memory every N steps; 0: never")
// clang-format on

// the values of the switches, in the order of the table
typedef enum { SLT_COUNT_ORACLE, SLT_COUNT_THRESHOLD } slt_ompn_count;
typedef enum { SLT_SCORE_FAIR, SLT_SCORE_REFERENCE } slt_baseline_scoring;
typedef enum { SLT_DONE_STEP_FINAL, SLT_DONE_STEP_REPEAT } slt_done_step;

#define SLT_OMPN_SWITCH_FIELD(type, name, ours, reference, paper, low, high, choices, help)        \
    SLT_OPTION_FIELD(type, name, ours, low, high, choices, help)
typedef struct {
    SLT_OMPN_SIZES(SLT_OPTION_FIELD)
    SLT_OMPN_SWITCHES(SLT_OMPN_SWITCH_FIELD)
} slt_ompn_options;

const slt_option *slt_ompn_rows(void);

// sets all switches to a column of the table: "default", "reference" or "paper"
slt_status slt_ompn_profile(slt_ompn_options *options, const char *profile);

#endif
