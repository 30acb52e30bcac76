// Linear switching chains on a device (switching/linear_impl.h says what the numbers mean): sums
// over steps and likeliest paths, of all members at once. Small things stay on the host: starts,
// regressions' solutions, tables of moves.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_CHAIN_DEVICE_H
#define SLT_ENGINE_CHAIN_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "slottar/status.h"

enum { SLT_CHAIN_LAWS = 16 }; // at most
enum { SLT_CHAIN_SMOOTH, SLT_CHAIN_INERTIA, SLT_CHAIN_BOTH };

// what a member reads: sequences of steps
typedef struct {
    int family, K;
    int sequences;
    const int64_t *first, *length; // [sequences] in steps of the data
} slt_chain_member;

typedef struct {
    int A, D;                        // numbers per action and per feature row
    int64_t steps;                   // of the data
    const float *actions, *features; // [steps][A], [steps][D]
    int count;
    bool same;  // all members read the sequences of the first
    bool paths; // for likeliest paths; else for sums
    const slt_chain_member *members;
} slt_chain_task;

// chances of moves, or for paths their logs; of a member that is idle nothing is computed
typedef struct {
    int32_t idle, family, K, rows, sequences;
    double start[SLT_CHAIN_LAWS], stay[SLT_CHAIN_LAWS];
    double change[SLT_CHAIN_LAWS][SLT_CHAIN_LAWS], fresh[SLT_CHAIN_LAWS][SLT_CHAIN_LAWS];
    double constant_v[SLT_CHAIN_LAWS], constant_u[SLT_CHAIN_LAWS]; // logs of normal densities at 0
    double weight_v[SLT_CHAIN_LAWS], weight_u[SLT_CHAIN_LAWS];     // S: 1 / mean variance
    double rho;                                                    // S: mean memory
} slt_chain_law;

// Values of all members, one after the other. W [D+A][K*A] and V [D][K*A] have room for 16 laws;
// `numbers`: half precisions v and u [16*A], rho, low, high [A].
typedef struct {
    slt_chain_law *law;
    float *W, *V;
    double *numbers;
} slt_chain_values;

static inline size_t slt_chain_w_size(int A, int D) {
    return (size_t)(D + A) * SLT_CHAIN_LAWS * (size_t)A;
}
static inline size_t slt_chain_v_size(int A, int D) {
    return (size_t)D * SLT_CHAIN_LAWS * (size_t)A;
}
static inline size_t slt_chain_numbers(int A) { return (2 * SLT_CHAIN_LAWS + 3) * (size_t)A; }

// a member's sums; moves are not yet weighted with their chances
typedef struct {
    double nats, start[SLT_CHAIN_LAWS];
    double change[SLT_CHAIN_LAWS][SLT_CHAIN_LAWS], fresh[SLT_CHAIN_LAWS][SLT_CHAIN_LAWS];
} slt_chain_sums;

// Equations of a law with X inputs: the lower triangle of the gram [X(X+1)/2], then moments [X][A].
static inline size_t slt_chain_equations(int X, int A) {
    return (size_t)X * (size_t)(X + 1) / 2 + (size_t)X * (size_t)A;
}

typedef struct slt_chain_pass slt_chain_pass;

// All arrays belong to the caller and hold all members. W and the others are sent by `load`.
typedef struct {
    slt_status (*open)(void *device, const slt_chain_task *task, slt_chain_pass **out);
    void (*close)(slt_chain_pass *pass);
    slt_status (*load)(slt_chain_pass *pass, const slt_chain_values *values);
    // residuals of all steps under the laws that were loaded
    slt_status (*measure)(slt_chain_pass *pass);
    // forward and backward; then the equations of laws: stay [count][16][equations(D+A)] (S: of D
    // inputs), fresh [count][16][equations(D)] (B)
    slt_status (*expect)(slt_chain_pass *pass, slt_chain_sums *sums, double *stay, double *fresh);
    // S: [count][16*A][2] products of neighbouring residuals, and squares of the one before
    slt_status (*memory)(slt_chain_pass *pass, double *out);
    // [count][16*A][4] squares and weights: stay, fresh; stay, fresh
    slt_status (*spread)(slt_chain_pass *pass, double *out);
    // boundaries and laws [count][steps of a member's sequences]
    slt_status (*paths)(slt_chain_pass *pass, uint8_t *cut, uint8_t *law);
} slt_chain_device;

#endif
