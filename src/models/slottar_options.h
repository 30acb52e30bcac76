// The options of SloTTAr: sizes, and the switches where paper and reference code differ. One row
// makes the field, the key=value, the profiles and the documentation.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_SLOTTAR_OPTIONS_H
#define SLT_MODELS_SLOTTAR_OPTIONS_H

#include "core/options.h"

// clang-format off
#define SLT_SLOTTAR_SIZES(X)                                                                       \
    X(INT,  hidden,     128, 1, 65536, NULL, "width d of both Transformers")                       \
    X(INT,  heads,      8,   1, 1024,  NULL, "attention heads; must divide the width")             \
    X(INT,  layers,     1,   1, 64,    NULL, "Transformer layers in encoder and decoder")          \
    X(INT,  slots,      5,   1, 1024,  NULL, "number of slots K; at least the largest number of segments") \
    X(INT,  slot_size,  128, 2, 65536, NULL, "width S of a slot")                                  \
    X(REAL, slot_std,   1,   0, 100,   NULL, "scale of the slots' initial noise")           \
    X(INT,  iterations, 1,   1, 100,   NULL, "rounds of slot attention")                           \
    X(REAL, dropout,    0,   0, 0.99,  NULL, "share of numbers that dropout sets to zero in training: after the positions, after attention and after the feed-forward layer of both Transformers") \
    X(REAL, beta,       0.1, 0, 1e6,   NULL, "weight of the halting term; 0: none")        \
    X(REAL, ln_eps,     1e-3, 0, 1,    NULL, "epsilon of layer norms")

// name, default, reference, paper, values, sentence
#define SLT_SLOTTAR_SWITCHES(X)                                                                    \
    X(decoder_pairing, none,    reference,         own,     "none|own|reference",                  \
      "observations the decoder sees: none, those of its own trajectory, or, as in the reference code, those of trajectory (bK+k) mod B") \
    X(slot_pad,        exclude, reference,         exclude, "exclude|reference",                     \
      "padding in slot attention: excluded, or included as in the reference code (logits rounded to 64)")                 \
    X(end_pad,         exclude, include,           include, "exclude|include",                     \
      "padding in the softmax of end positions")                                                   \
    X(halting,         argmax,  lambda_normalised, lambda,  "argmax|lambda|lambda_normalised",     \
      "number of slots at test time: most probable, or sampled slot by slot")                      \
    X(test_noise,      zero,    sample,            zero,    "zero|sample",                         \
      "noise of the slots at test time")                                                           \
    X(test_companions, fixed,   batch,             fixed,   "fixed|batch",                         \
      "with decoder_pairing=reference at test time: K fixed training trajectories, or those of the batch") \
    X(joint_norm,      on,      on,                off,     "off|on",                              \
      "layer norm after the joint embeddings")                                                    \
    X(pe_scale,        invsqrt, invsqrt,           one,     "invsqrt|one",                         \
      "sinusoid divided by the root of the width, or not")                                         \
    X(pre_slot_mlp,    on,      on,                off,     "off|on",                              \
      "layer norm and MLP before slot attention")                                             \
    X(slot_mlp_mult,   two,     two,               one,     "one|two",                             \
      "hidden width of the slots' residual MLP, in slot sizes")

// clang-format on

// the values of the switches, in the order of the table
typedef enum { SLT_PAIRING_NONE, SLT_PAIRING_OWN, SLT_PAIRING_REFERENCE } slt_decoder_pairing;
typedef enum { SLT_PAD_EXCLUDE, SLT_PAD_TAKE_PART } slt_pad_rule; // slot_pad and end_pad
typedef enum { SLT_HALT_ARGMAX, SLT_HALT_LAMBDA, SLT_HALT_NORMALISED } slt_halting_kind;
typedef enum { SLT_NOISE_ZERO, SLT_NOISE_SAMPLE } slt_noise_rule;
typedef enum { SLT_COMPANIONS_FIXED, SLT_COMPANIONS_BATCH } slt_companion_rule;
typedef enum { SLT_PE_INVSQRT, SLT_PE_ONE } slt_pe_rule;
typedef enum { SLT_MULT_ONE, SLT_MULT_TWO } slt_mult_rule;

#define SLT_SLOTTAR_SWITCH_FIELD(name, ours, reference, paper, values, help) int name;
typedef struct {
    SLT_SLOTTAR_SIZES(SLT_OPTION_FIELD)
    SLT_SLOTTAR_SWITCHES(SLT_SLOTTAR_SWITCH_FIELD)
} slt_slottar_options;

const slt_option *slt_slottar_rows(void);

// sets all switches to a column of the table: "default", "reference" or "paper"
slt_status slt_slottar_profile(slt_slottar_options *options, const char *profile);

#endif
