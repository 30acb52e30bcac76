// A chain that switches between linear laws of the action (docs/switching.md).
//
// K laws; z_t is the law at step t. Between t-1 and t the law z ends with chance q_z. Three
// families say what a step looks like inside a segment ("stay") and at the first step of one
// ("fresh"):
//
//   S  stay: r_t = a_t - clip(W_k f_t) ~ N(rho r_{t-1}, v_k)   cut: fresh, r_t ~ N(0, u_k)
//   I  stay: a_t ~ N(clip(W_k (f_t, a_{t-1})), v_k)            cut: the same, the law must change
//   B  stay: as I                                              cut: as I, or fresh, a_t ~ N(V_k
//   f_t, u_k)
//
// Everything is learned by EM: exact forward-backward, then weighted ridge regressions.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_LINEAR_CHAIN_H
#define SLT_SWITCHING_LINEAR_CHAIN_H

#include "switching/chain_path.h"
#include "switching/motion.h"

typedef enum { SLT_LAW_SMOOTH, SLT_LAW_INERTIA, SLT_LAW_BOTH } slt_law_family;

typedef struct {
    slt_law_family family;
    int K, A, D;        // laws, numbers per action and per feature row
    float *W;           // [X][K*A]: stay, X = D (S) or D + A
    float *V;           // [D][K*A]: fresh; W in family S
    double *v, *u;      // [K*A] variances: stay, fresh
    double *rho;        // [A] memory of residuals, S
    double *low, *high; // [A] least and greatest action
    double q[SLT_MOST_LAWS], start[SLT_MOST_LAWS];
    double change[SLT_MOST_LAWS][SLT_MOST_LAWS]; // which law follows without a fresh start
    double fresh[SLT_MOST_LAWS][SLT_MOST_LAWS];  // which follows with one
    double mix;                                  // share of fresh starts, B
    double floor;                                // least standard deviation
    double nats;                                 // per step, of the last sweep
    int sweeps;
} slt_linear_chain;

typedef struct {
    slt_law_family family;
    int laws;
    double floor;
    uint64_t seed;
    int sweeps; // at most
} slt_linear_options;

// Learns from the given episodes. The chain's arrays live in `arena`.
slt_status slt_linear_fit(slt_arena *arena, const slt_motion *motion, const int64_t *episodes,
                          int64_t count, const slt_linear_options *options, slt_linear_chain *out);

// A chain of this shape with room for its values; all are zero.
slt_status slt_linear_init(slt_arena *arena, slt_law_family family, int K, int A, int D,
                           slt_linear_chain *out);

// All that is learned, as one list of numbers, for files.
size_t slt_linear_size(const slt_linear_chain *chain);
void slt_linear_pack(const slt_linear_chain *chain, double *values);
void slt_linear_unpack(slt_linear_chain *chain, const double *values);

slt_status slt_linear_segment(slt_arena *scratch, const slt_linear_chain *chain,
                              const slt_motion *motion, int64_t episode, slt_chain_path *out);

#endif
