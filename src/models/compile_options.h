// The options of CompILE: sizes, and the switches where paper and reference code differ. One row
// makes the field, the key=value, the profiles and the documentation.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_COMPILE_OPTIONS_H
#define SLT_MODELS_COMPILE_OPTIONS_H

#include "core/options.h"

enum { SLT_COMPILE_SEGMENTS = 64 }; // at most

// clang-format off
#define SLT_COMPILE_SIZES(X)                                                                       \
    X(INT,    hidden,     128,  1, 65536, NULL, "width d of embedding, LSTM and latent")           \
    X(INT,    segments,   4,    2, SLT_COMPILE_SEGMENTS, NULL, "passes N, at least the largest number of segments") \
    X(CHOICE, latent,     gaussian, 0, 0, "gaussian|concrete", "distribution of a segment's code") \
    X(REAL,   beta,       0.01, 0, 1e6,   NULL, "weight of both KL terms; 0 leaves them out")      \
    X(REAL,   prior_rate, 3,    1e-3, 1e3, NULL, "rate of the Poisson prior over the first boundary") \
    X(REAL,   temp_b,     1,    1e-3, 1e3, NULL, "temperature of relaxed boundaries")              \
    X(REAL,   temp_z,     1,    1e-3, 1e3, NULL, "temperature of relaxed codes")                   \
    X(REAL,   ln_eps,     1e-3, 0, 1,     NULL, "epsilon of layer norms")                          \
    X(CHOICE, done_step,   final, 0, 0, "final|repeat", "observation of the step DONE: the final one where the data has it, or the last once more")

// name, default, reference, paper, values, sentence
#define SLT_COMPILE_SWITCHES(X)                                                                    \
    X(count,            own,      oracle,    oracle, "own|oracle",                                 \
      "number of segments: the model's own, or the true one from the labels, in training and at test time") \
    X(compile_last,     max,      max,       oracle, "max|oracle",                                 \
      "with count=oracle, the segment that ends with the trajectory: the last of the model, or the last true one") \
    X(compile_prior,    poisson,  reference, poisson, "poisson|reference",                         \
      "prior over the first boundary: Poisson, or the reference code's with its misplaced parenthesis") \
    X(compile_enc,      unmasked, unmasked,  masked, "unmasked|masked",                            \
      "what a pass gives: the LSTM's output, or, as the original does it, its masked state")       \
    X(boundary_pad,     exclude,  include,   include, "exclude|include",                           \
      "padding in boundaries and loss: left out, or taking part as in the reference code")         \
    X(baseline_scoring, fair,     reference, fair, "fair|reference",                               \
      "scores over the real steps, or with the step DONE, whose label is -1")
// clang-format on

// the values of the switches, in the order of the table
typedef enum { SLT_LATENT_GAUSSIAN, SLT_LATENT_CONCRETE } slt_latent_kind;
typedef enum { SLT_SHOW_FINAL, SLT_SHOW_LAST } slt_done_rule;
typedef enum { SLT_COUNT_OWN, SLT_COUNT_ORACLE } slt_count_rule;
typedef enum { SLT_LAST_MAX, SLT_LAST_ORACLE } slt_last_rule;
typedef enum { SLT_RATE_POISSON, SLT_RATE_REFERENCE } slt_rate_rule;
typedef enum { SLT_ENC_UNMASKED, SLT_ENC_MASKED } slt_enc_rule;
typedef enum { SLT_BOUNDARY_EXCLUDE, SLT_BOUNDARY_INCLUDE } slt_boundary_pad;
typedef enum { SLT_SCORING_FAIR, SLT_SCORING_REFERENCE } slt_scoring_rule;

#define SLT_COMPILE_SWITCH_FIELD(name, ours, reference, paper, values, help) int name;
typedef struct {
    SLT_COMPILE_SIZES(SLT_OPTION_FIELD)
    SLT_COMPILE_SWITCHES(SLT_COMPILE_SWITCH_FIELD)
} slt_compile_options;

const slt_option *slt_compile_rows(void);

// sets all switches to a column of the table: "default", "reference" or "paper"
slt_status slt_compile_profile(slt_compile_options *options, const char *profile);

#endif
