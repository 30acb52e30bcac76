// What there is to reproduce, as three lists: data sets, ways to train a model, tables.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPRODUCE_LISTS_H
#define SLT_REPRODUCE_LISTS_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/dataset.h"

// ---- data sets: what slt_collect is asked for

typedef struct {
    const char *name;   // its file is data/NAME.safetensors
    const char *title;  // in tables; the paper's name where it has the set
    const char *set;    // the named set, which is also the preset; or an id, which has none
    const char *number; // of segments, for those that are told a number alone
    double noise;
    const char *truth; // NULL: the usual rule
    bool single_delimiter;
    const char *slots;    // for those that are told the histogram of a set with rare large numbers
    const char *searched; // options: the first of results/search/slottar-NAME-reference
    bool learned;         // played by a policy: data/SET-policy.safetensors
    const char *paper;    // the paper's name where the title is another
    const char *agent;    // options of that policy's training, where they are not the preset's
    int segments;         // of an episode; 0: any number
    int trials;           // runs of a hypothesis
    const char *trial;    // its options, how long it is trained
    int64_t episodes[SLT_SPLITS]; // 0: as many as the paper
    bool recorded;                // not played: SETS/NAME.npz of slt_reproduce_request
} slt_repro_set;

// ---- variants: a model and how it is trained

// what a model is told about the number of segments
typedef enum {
    SLT_TOLD_PRESET,    // as the preset says: the reference's prior
    SLT_TOLD_HISTOGRAM, // the histogram of the training labels, as `delimiter` is
    SLT_TOLD_RANGE,     // the least and the greatest number in the training labels
    SLT_TOLD_NUMBER,    // the set's number
    SLT_TOLD_NOTHING,   // no preset, no prior
} slt_repro_told;

typedef struct {
    const char *name;  // folders are runs/SET/NAME
    const char *title; // in tables
    const char *paper; // the paper's name of the method; NULL: not in the paper
    const char *model, *profile, *settings;
    int restarts; // 0: none
    int times;    // runs for every wanted seed
    int from;     // first seed
    slt_repro_told told;
    bool searched;  // with the options that were searched on the set
    bool trial;     // a hypothesis: as many runs, and as long, as the set says
    const char *on; // sets, names between blanks; NULL: every set of a table
} slt_repro_variant;

// not a model of slt_train: the vote of slottar segment
#define SLT_REPRO_VOTE "vote"
bool slt_repro_is_vote(const slt_repro_variant *variant);
bool slt_repro_applies(const slt_repro_variant *variant, const slt_repro_set *set);

// ---- tables

typedef enum {
    SLT_TABLE_SCORES,   // F1 and alignment next to the paper's and the baselines
    SLT_TABLE_TREND,    // F1 and alignment of variants of one model
    SLT_TABLE_ROBUST,   // the same, a row for each of many sets
    SLT_TABLE_ACCESS,   // forward and backward access
    SLT_TABLE_SPEED,    // tokens a second, wall clock
    SLT_TABLE_PRIORS,   // numbers of segments of the data sets
    SLT_TABLE_FIGURES,  // pictures of the report
    SLT_TABLE_RESTARTS, // groups of restarts and single runs
    SLT_TABLE_VERDICTS, // hypotheses about the paper's figures
    SLT_TABLE_SEGMENTS, // peers, baselines, models and the vote, told and not told
    SLT_TABLE_WARNINGS, // how often a run without a warning is wrong
} slt_repro_kind;

enum { SLT_REPRO_NAME = 64 };                          // of a set between blanks
enum { SLT_REPRO_SETS = 16, SLT_REPRO_VARIANTS = 24 }; // of a table, at most

typedef struct {
    const char *name, *title;
    slt_repro_kind kind;
    const char *text;                         // sentences below the title
    const char *sets[SLT_REPRO_SETS];         // names; NULL after the last
    const char *variants[SLT_REPRO_VARIANTS]; // likewise
} slt_repro_table;

// runs of a variant on a set, `seeds` of which are wanted
int slt_repro_runs(const slt_repro_set *set, const slt_repro_variant *variant, int seeds);

// what a variant is told about the number of segments: of the data set, or nothing. OMPN has no
// prior, and β = 0 leaves it out
bool slt_repro_told_prior(const slt_repro_variant *variant);
// half of the restarts of slottar-mdl begin with the cuts of `delimiter`
bool slt_repro_told_cuts(const slt_repro_variant *variant);

// by place (NULL after the last) and by name (NULL: there is none)
const slt_repro_set *slt_repro_set_at(int index);
const slt_repro_variant *slt_repro_variant_at(int index);
const slt_repro_table *slt_repro_table_at(int index);
const slt_repro_set *slt_repro_set_find(const char *name);
const slt_repro_variant *slt_repro_variant_find(const char *name);
const slt_repro_table *slt_repro_table_find(const char *name);

// with --quick: smaller models and fewer steps, by model
const char *slt_repro_quick(const char *model);

#endif
