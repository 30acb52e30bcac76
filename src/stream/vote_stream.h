// A vote, step by step: every member that counts follows the episode, and the vote is taken over
// the last steps of their likeliest paths.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_VOTE_STREAM_H
#define SLT_VOTE_STREAM_H

#include "segmenter/segmenter_impl.h"
#include "stream/stream_impl.h"
#include "switching/linear_stream.h"
#include "switching/symbol_stream.h"

typedef struct {
    const slt_member *member;
    int K;
    union {
        slt_linear_plan linear;
        slt_symbol_plan symbols;
    };
} slt_member_plan;

// of a group and one of its answers: the members whose boundaries count
typedef struct slt_vote_plan {
    struct slt_vote_plan *next; // of another group or answer
    const slt_segmenter *s;
    int chosen, answer;
    bool linear, phases; // which chains
    bool effects;        // whether one of them knows effects
    int count, speaker;  // members; the one whose laws are the types
    slt_member_plan *members;
    double *weights, threshold;
    slt_vote_rules rules;
    int gap; // steps without a boundary of any member that part the vote
} slt_vote_plan;

// the plan of what the segmenter has chosen; made where there is none
slt_status slt_vote_plan_of(slt_segmenter *s, const slt_vote_plan **out);

// The paths of all members over the last steps. Buffers hold steps base ... base + room - 1.
typedef struct {
    union {
        slt_linear_state linear;
        slt_symbol_state symbols;
    };
    uint8_t *back; // [room][K]
    uint8_t *path; // [room] the law of each step on the likeliest path
    uint8_t *cut;  // [room]
} slt_member_state;

typedef struct {
    const slt_vote_plan *plan;
    int64_t steps, base, frozen; // pushed; of the buffers; boundaries up to here stay as they are
    int64_t room, keep;          // keep: steps that are still wanted
    slt_member_state *members;
    const uint8_t **cuts; // [count] their cut
    float *inputs;        // features, then the action before; linear
    float *action;        // linear
    uint16_t *actions;    // [room]; symbols
    float *observation;   // before; effects
} slt_paths;

slt_status slt_paths_init(slt_paths *paths, slt_arena *arena, const slt_vote_plan *plan,
                          int64_t keep);
// One step on; gives the chance that a segment begins with it.
double slt_paths_push(slt_paths *paths, const slt_stream_step *step);
// the law of a step, as a type; of the member that speaks
int slt_paths_type(const slt_paths *paths, int64_t step);

#endif
