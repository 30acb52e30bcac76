// The slots' part of a tape as a list of steps, each on the rows of one trajectory: what a block of
// fused_slots.cu walks through, forward or backward. For a single member: addresses are of its
// rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FUSED_SLOTS_H
#define SLT_CUDA_FUSED_SLOTS_H

#include "cuda/kernels/cuda_op.h"

typedef enum {
    SLT_SLOT_BEGIN,   // slot_start
    SLT_SLOT_NORM,    // layer_norm
    SLT_SLOT_PRODUCT, // dense, and each half of mlp
    SLT_SLOT_ATTEND,  // slot_attention
    SLT_SLOT_CELL,    // gru_cell
    SLT_SLOT_SUM,     // add
    SLT_SLOT_HALTING, // halting
} slt_slot_kind;

enum { SLT_SLOT_STEPS = 24, SLT_SLOT_ROWS = 12 }; // steps of a run, slots of a trajectory
enum { SLT_SLOT_PLACES = 4 };                     // of a step

typedef struct {
    const float *mu, *rho, *noise;
    float *slots;
} slt_slot_begin;

// y = γ·x̂ + β; parts: sums of a trajectory for γ and β
typedef struct {
    const float *x, *residual, *gamma, *beta, *dy;
    float *hat, *factor, *y, *dx, *dresidual, *parts;
    float epsilon;
} slt_slot_norm;

// y = x·W + c, relu where asked, and what else is added; dx = dy·Wᵀ, where the gate is positive if
// there is one
typedef struct {
    const float *x, *w, *c, *plus, *dy, *gate;
    float *y, *dx;
    bool relu;
} slt_slot_product;

typedef struct {
    const float *q, *kv, *du;
    float *update, *attention, *sum, *dq, *dkv;
    int rows; // of tokens, in the launch
    bool uniform;
} slt_slot_attend;

typedef struct {
    const float *gx, *gh, *state, *dy;
    float *kept, *y, *dgx, *dgh, *dstate;
} slt_slot_cell;

typedef struct {
    const float *x, *z, *dy;
    float *y, *dx, *dz;
} slt_slot_sum;

typedef struct {
    const float *slots, *dh;
    float *h, *lambda, *sum, *dslots;
} slt_slot_halting;

typedef struct {
    slt_slot_kind kind;
    int in, out;  // widths; S where there is one
    unsigned add; // bit i: something is added to gradient i of the node
    int next;     // the product after this one; -1: there is none
    // where its rows are in shared memory, too, in fours of a slot's numbers; -1: in memory alone.
    // Those that it reads, then those that it writes (fuse_slots.c: uses_of)
    int16_t place[SLT_SLOT_PLACES];
    bool keep;
    bool fresh;      // a product that reads rows which no step before it writes
    bool concurrent; // it does not wait for the step before it
    union {
        slt_slot_begin begin;
        slt_slot_norm norm;
        slt_slot_product product;
        slt_slot_attend attend;
        slt_slot_cell cell;
        slt_slot_sum sum;
        slt_slot_halting halt;
    };
} slt_slot_step;

// something that steps read besides each other's rows, prefetched into shared memory at the start
typedef struct {
    const float *from;
    int to, numbers; // to: from the begin of all of them, a multiple of four
    int16_t field;   // of the list of steps, in words of 64 bits: its address
    bool own;        // rows of the trajectory
    bool fresh;      // the previous launch may have written it
} slt_slot_piece;

enum { SLT_SLOT_PIECES = 32 }; // at most; others are read where they are

// where things begin in a block's shared memory, in numbers; the list of steps comes first
typedef struct {
    int prefetched, ring, parts, weights, dz, share, kv, kept, sums, end;
} slt_slot_layout;

typedef struct {
    void *stream;
    slt_cuda_frames frames;
    int trajectories, slots, length; // limits
    bool exact;                      // products in all bits of float32
    int steps, widest, token_width;  // widest row of a product; numbers of a token's key and value
    int early;              // steps that run concurrently with the previous launch; 0: none does
    int let_next;           // backward, the step at which the next launch is let in
    int product, attend;    // the first; -1: there is none
    int kept;               // numbers of a slot in shared memory
    int tokens;             // of a trajectory, at most, with keys and values there
    int pieces, prefetched; // numbers of all of them
    slt_slot_layout at;
    slt_slot_step step[SLT_SLOT_STEPS];
    slt_slot_piece piece[SLT_SLOT_PIECES];
} slt_fused_slots;

#ifdef __cplusplus
extern "C" {
#endif

// do trajectories of so many slots and steps, with products so wide, fit into a block?
bool slt_cuda_slots_fit(int slots, int length, int widest);
// both choose what there is room for: `kept`, `tokens`, `at`
void slt_cuda_slots_forward(slt_fused_slots *run);
void slt_cuda_slots_backward(slt_fused_slots *run);

#ifdef __cplusplus
}
#endif
#endif
