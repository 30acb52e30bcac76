// Scores of segmentations, and simple rules to compare models with.
//
// A segmentation gives every step of a trajectory the id of its segment. Scores are fractions, not
// percent. docs/metrics.md has the formulas.
//
//     int32_t labels[] = {0, 0, 0, 1, 1, 1}, found[] = {0, 0, 1, 1, 1, 1};
//     slt_scores scores;
//     slt_score_pair(context, labels, found, 6, SLT_TOLERANCE, &scores);
//     printf("F1 %.2f, ARI %.2f\n", scores.f1, scores.ari);
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_METRICS_H
#define SLOTTAR_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "slottar/context.h"
#include "slottar/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

// One list makes the struct, the means and what is printed.
// clang-format off
#define SLT_SCORE_LIST(X)                                                                          \
    X(f1,       "F1 of boundaries, as the reference counts: many may be credited to one")          \
    X(f1_one,   "F1 of boundaries in the largest one-to-one matching")                             \
    X(align,    "share of steps in the right segment, counted from the start")                     \
    X(ari,      "adjusted Rand index")                                                             \
    X(covering, "best overlap of each true segment, weighted by its length")
// clang-format on

typedef struct {
#define SLT_SCORE_FIELD(name, text) double name;
    SLT_SCORE_LIST(SLT_SCORE_FIELD)
#undef SLT_SCORE_FIELD
} slt_scores;

// Labels or actions of one trajectory; the memory is the caller's.
typedef struct {
    const int32_t *values;
    int32_t length;
} slt_sequence;

// The boundary scores of the paper allow a difference of one step.
enum { SLT_TOLERANCE = 1 };

// Scores one trajectory of `length` >= 1 steps. The true ids are 0, 1, 2, ... in order of time; the
// predicted ids may be any numbers. Boundaries that differ by at most `tolerance` steps agree.
SLT_API slt_status slt_score_pair(slt_context *context, const int32_t *truth,
                                  const int32_t *predicted, int32_t length, int tolerance,
                                  slt_scores *out);

// The number of segments falls into the bin of that number; the last bin also takes all above it.
enum { SLT_COUNT_BINS = 65 };

typedef struct {
    uint64_t trajectories;
    slt_scores mean, sd; // over trajectories, each with equal weight; sd divides by n-1
    uint64_t true_counts[SLT_COUNT_BINS], predicted_counts[SLT_COUNT_BINS];
    uint64_t equal_counts; // trajectories whose two numbers of segments agree
} slt_score_summary;

// Scores `count` trajectories. Both `summary` and `each` (room for `count`) may be NULL. SHAPE when
// two lengths differ or a trajectory is empty. On failure `each` may be partly written.
SLT_API slt_status slt_score_many(slt_context *context, const slt_sequence *truth,
                                  const slt_sequence *predicted, size_t count, int tolerance,
                                  slt_score_summary *summary, slt_scores *each);

// Boundaries by confidence, in ten bins: how many there are, the sum of their confidence, and how
// many have a true one within one step.
enum { SLT_RELIABILITY_BINS = 10 };
typedef struct {
    double count[SLT_RELIABILITY_BINS], confidence[SLT_RELIABILITY_BINS];
    double right[SLT_RELIABILITY_BINS];
} slt_reliability;

// ---- rules that need no training of a network: baselines for every model

// What a rule may look at. Zero-initialise, then set what you have: every rule needs `target`,
// some need the others and say so when they are missing. Actions are 0 .. actions-1.
typedef struct {
    const slt_sequence *train, *valid, *target; // trajectories of actions
    size_t train_count, valid_count, target_count;
    int actions;
    const double *prior; // prior[n]: probability of n segments, 0 <= n < prior_size; may be NULL
    int prior_size;
    const int32_t *true_counts; // number of segments of each target trajectory; may be NULL
    uint64_t seed;
    // continuous actions of the trajectories above, [length][channels]; NULL: discrete ones. With
    // vectors, values of the trajectories are 0 and actions is 1.
    const float *const *train_vectors, *const *target_vectors;
    int channels;
} slt_baseline_input;

// The symbols whose occurrences end segments, and what they cost.
enum { SLT_SET_SIZE = 64 };
typedef struct {
    int32_t symbols[SLT_SET_SIZE]; // ascending
    int count;
    double
        nats; // per validation trajectory: the number of segments, plus the actions given the cuts
} slt_symbol_set;

// What a method was told of the labels before it was scored: nothing, the number of segments (of
// every trajectory, or one for all), the histogram of these numbers, or labels themselves.
typedef enum {
    SLT_KNOWS_NOTHING,
    SLT_KNOWS_COUNT,
    SLT_KNOWS_HISTOGRAM,
    SLT_KNOWS_LABELS,
} slt_told;
SLT_API const char *slt_told_name(slt_told told); // "nothing", "count", "histogram", "labels"

// What a rule did. `note` is a sentence to be shown with its scores, or "".
typedef struct {
    char note[256];
    bool prior_count; // the true counts were not given: the prior's median was used instead
    // only `delimiter` fills these
    slt_symbol_set chosen, runner_up; // runner_up.nats is infinite when there was only one set
    uint64_t sets_searched;
    bool exhaustive; // every set of used symbols was looked at
} slt_baseline_report;

// The names and one-line descriptions of the rules, in order; NULL after the last.
SLT_API const char *slt_baseline_name(int index);
SLT_API const char *slt_baseline_help(int index);
// What the rule of that name is told by slt_baseline_score; NOTHING where there is none.
SLT_API slt_told slt_rule_told(const char *name);
// Does the rule of that name take discrete (or else continuous) actions? Those that do not look at
// actions take both; false where there is none.
SLT_API bool slt_rule_takes(const char *name, bool discrete);

// Segments the target trajectories by the rule of that name. ids[i] is an array of the caller with
// room for target[i].length ids. `report` may be NULL. INVALID when the rule does not exist or
// misses an input it needs; the message lists the names or says what is missing.
SLT_API slt_status slt_baseline_segment(slt_context *context, const char *name,
                                        const slt_baseline_input *input, int32_t *const *ids,
                                        slt_baseline_report *report);

// Evaluates a rule on a labelled split of a data set. Rules that need the true number of segments
// of each trajectory are told it; the prior is the histogram of the training split. With
// `missed_by`, the name of a rule, only the trajectories are evaluated that this one does not
// segment as the labels do; INVALID when there are none. missed_by and report may be NULL.
SLT_API slt_status slt_baseline_score(slt_context *context, slt_dataset *data, slt_split split,
                                      const char *missed_by, const char *rule, uint64_t seed,
                                      slt_score_summary *summary, slt_baseline_report *report);

#ifdef __cplusplus
}
#endif
#endif
