// The vote: many runs segment the same episodes, and where they agree is the answer.
//
// A run that agrees with the others counts more; a boundary is kept while that raises the F1 that
// the answer can expect against a run. The module knows nothing of models: boundaries in,
// boundaries with heights and a measure of trust out. (docs/vote.md)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_VOTE_VOTE_H
#define SLT_VOTE_VOTE_H

#include <stdbool.h>
#include "core/memory.h"

// Boundaries of all runs on the same episodes. Where a segment of a run ends with a step, `cut` is
// how certain the run is of boundaries of that kind, up to SLT_SURE; elsewhere it is 0.
enum { SLT_SURE = 255 };
typedef struct {
    int runs;
    int64_t episodes, steps;
    const int64_t *offsets;    // [episodes+1]
    const uint8_t *const *cut; // [runs][steps]
} slt_ballots;

typedef struct {
    int tolerance;    // steps within which two boundaries are the same
    int least_length; // steps of a segment
} slt_vote_rules;

// ---- how far runs agree

// F1 above chance within the tolerance of every pair of runs: [runs][runs], 1 on the diagonal
slt_status slt_vote_agreement(slt_arena *arena, const slt_ballots *ballots,
                              const slt_vote_rules *rules, float **out);

// The better half by mean agreement, each by the fourth power of its mean agreement with that half;
// the others 0. Sums to 1.
slt_status slt_vote_weights(slt_arena *arena, const float *agreement, int runs, double *weights);

// The same by agreement with an answer: the better half, each by the fourth power of it.
slt_status slt_vote_reweigh(slt_arena *arena, const slt_ballots *ballots,
                            const slt_vote_rules *rules, const uint8_t *cut, double *weights);

// ---- candidates

// a place where runs have a boundary: the weight of those within the tolerance, each as far as it
// is certain
typedef struct {
    int64_t episode, step; // step: over all episodes
    float height;          // at most 1
} slt_candidate;

typedef struct {
    slt_candidate *list; // by episode; inside one the highest first
    int64_t count;
    double votes; // weight of all boundaries of all runs
} slt_candidates;

slt_status slt_vote_candidates(slt_arena *arena, const slt_ballots *ballots, const double *weights,
                               const slt_vote_rules *rules, slt_candidates *out);

// Consecutive steps of one episode: what a stream knows of it, or all of it.
typedef struct {
    int runs;
    const uint8_t *const *cut; // [runs][first + length]
    int64_t first, length;
    int64_t before; // steps of the episode before the window
    bool open;      // the episode continues after it
} slt_vote_window;

// memory that the search works in
typedef struct {
    uint8_t *left;
    double *vote;
    float *height;
    int64_t *heap, *where;
} slt_vote_room;
slt_status slt_vote_room_init(slt_vote_room *room, slt_arena *arena, int runs, int64_t longest);

// The candidates of a window, the highest first, and their number: at most one per boundary of a
// run and one per step. Allocates nothing.
int64_t slt_vote_window_candidates(const slt_vote_room *room, const slt_vote_window *window,
                                   const double *weights, const slt_vote_rules *rules,
                                   slt_candidate *list);

// Windows with so many steps without a boundary of any run between them do not affect each other:
// a boundary clears least_length - 1 steps, is up to twice the tolerance away from the votes for
// it, and counts within the tolerance.
static inline int slt_vote_reach(const slt_vote_rules *rules) {
    return rules->least_length - 1 + 4 * rules->tolerance;
}

// ---- the answer

// Keeping those from a height on that have the greatest expected F1,
// 2 sum of heights / (number kept + all votes).
typedef struct {
    double threshold, expected;
} slt_vote_choice;

slt_status slt_vote_choose(slt_arena *arena, const slt_candidates *candidates,
                           slt_vote_choice *out);

// How many boundaries as many other runs like these would be expected to add or drop, as a share of
// those that are kept: heights are shares of independent runs, and next to the threshold chance
// decides.
double slt_vote_undecided(const slt_candidates *candidates, const double *weights, int runs,
                          double threshold);

// What is known of the number of segments.
typedef struct {
    const double *chance; // of 1 .. counts; NULL: nothing is known
    int counts;
    double unseen; // the chance of numbers that have none there; 0: they do not occur
} slt_vote_told;

// Which candidates are kept: those from the threshold on. Where something is told and their number
// has no chance, as many of the highest as are likeliest. told: may be NULL; cut: [steps]; height:
// [steps], or NULL.
void slt_vote_keep(const slt_candidates *candidates, double threshold, const slt_vote_told *told,
                   int64_t steps, uint8_t *cut, float *height);

// Mean F1 above chance between an answer and the runs, each by its weight.
slt_status slt_vote_support(slt_arena *arena, const slt_ballots *ballots, const double *weights,
                            const slt_vote_rules *rules, const uint8_t *cut, double *out);

// How certain a run is of its boundaries: F1 above chance between them and those that it holds
// possible. chance: [steps] of a boundary after each step. At most 1.
slt_status slt_vote_certainty(slt_arena *arena, const slt_ballots *ballots,
                              const slt_vote_rules *rules, const uint8_t *cut, const float *chance,
                              double *out);

// How far two draws of the boundaries that are held possible agree: F1 above chance.
double slt_vote_draws(const slt_ballots *ballots, const slt_vote_rules *rules, const float *chance);

// ---- several answers

// Runs that agree among themselves and not with others, the largest first.
enum { SLT_MOST_MODES = 3 };
typedef struct {
    int count;
    int leader[SLT_MOST_MODES], size[SLT_MOST_MODES]; // a run; how many go with it
} slt_modes;

// mode: [runs] which mode a run belongs to; -1: none
slt_status slt_vote_modes(slt_arena *arena, const float *agreement, int runs, slt_modes *out,
                          int8_t *mode);

#endif
