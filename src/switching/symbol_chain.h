// A chain that switches between laws of a discrete action (docs/switching.md).
//
// K laws; z_t is the law at step t. Two families say when a segment ends:
//
//   events  after step t with chance h[symbol of t], whatever the law; the end of an episode is one
//           of these ends. Inside a segment a_t ~ B_z[a_{t-1}]; at its first step z ~ T[z before]
//           (pi at the first of all), a_t ~ S_z.
//   phases  where the law changes: z_t ~ T[z_{t-1}], a_t ~ S_z. Laws with nearly equal S count as
//           one: extra laws only describe how long phases last.
//
// Told the chances of 1, 2, ... segments, the state is (segments so far, law), and the last step is
// weighted with the chance of its count. Everything is learned by EM with exact forward-backward.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_SYMBOL_CHAIN_H
#define SLT_SWITCHING_SYMBOL_CHAIN_H

#include "switching/chain_path.h"
#include "switching/symbols.h"

typedef enum { SLT_CHAIN_EVENTS, SLT_CHAIN_PHASES } slt_symbol_family;

enum {
    SLT_MOST_COUNTS = 256,        // segments that a prior may speak of
    SLT_MOST_EVENT_ACTIONS = 512, // B has A*A*K numbers
};

// B, S, T, pi and h are parts of `values`, in this order
typedef struct {
    slt_symbol_family family;
    int K, A, Q, N;               // laws, actions, symbols, counts (0: not told)
    size_t size;                  // of values
    double *values;               // all that is learned
    double *B;                    // [A][A][K] action before, action, law; events only
    double *S;                    // [A][K]
    double *T;                    // [K][K] law before, law
    double *pi;                   // [K]
    double *h;                    // [Q] events only
    double *count_prior;          // [N]
    uint8_t group[SLT_MOST_LAWS]; // phases: the law that stands for this one
    double stray; // events: share of the ends that were found after what turned out to be no event
    double nats;  // per step, before the last sweep
    int sweeps;
} slt_symbol_chain;

typedef struct {
    slt_symbol_family family;
    int laws;
    uint64_t seed;
    int sweeps; // at most
    int starts; // events: sets of one to three symbols tried as sure ends; 0: random hazards
    const double *count_prior; // chances of 1 ... counts segments; NULL: not told
    int counts;
} slt_symbol_options;

// A chain of this shape with room for its values; all are zero. The prior is copied. To load one
// that was saved, fill `values` and `group`.
slt_status slt_symbol_chain_init(slt_arena *arena, const slt_symbol_options *options, int A, int Q,
                                 slt_symbol_chain *out);

// Learns from the given episodes. The chain's arrays live in `arena`.
slt_status slt_symbol_fit(slt_arena *arena, const slt_symbols *symbols, const int64_t *episodes,
                          int64_t count, const slt_symbol_options *options, slt_symbol_chain *out);

// Phases: where a boundary after step t of a path goes, t or a step next to it. Stray actions can
// make two steps as likely as each other, as 3 3 1 3 1 1 does; then the one between them is within
// a step of both. law: [length] of the path; segments keep `least` steps.
int64_t slt_symbol_place(const slt_symbol_chain *chain, const uint16_t *action, const uint8_t *law,
                         int64_t length, int least, int64_t t);

slt_status slt_symbol_segment(slt_arena *scratch, const slt_symbol_chain *chain,
                              const slt_symbols *symbols, int64_t episode, slt_chain_path *out);

#endif
