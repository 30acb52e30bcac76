// The walk over the prefix mixtures that prefix_xent and prefix_gaussian share. With α_k,l the
// prediction of slot k (all columns but the last) and R_j,l = Σ_{k<=j} mask_k,l·α_k,l:
//     rec = 1/M Σ_b Σ_j h_bj Σ_{l<T} nats(R_bj,l; a_bl)
// Backward, with w_j = h_j/M:  dR_j = w_j·dnats/dR,  G_k = Σ_{j>=k} dR_j,
//     dα_k = mask_k·G_k,  dmask_k = G_k·α_k,  dh_j = 1/M Σ_l nats_j,l
// The file that includes this defines the likelihood: prefix_nats and prefix_errors.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_PREFIX_WALK_H
#define SLT_OPS_PREFIX_WALK_H

#include "ops/common/channel.h"
#include "ops/common/op_tools.h"

enum { ALPHA, MASKS, H, TARGETS }; // first inputs of both

// one trajectory: rows of slot k start at slot·width, masks at slot
typedef struct {
    int K, C, width, computed, truth; // C: columns that are mixed
    size_t first;                     // slot-token row of (k = 0, l = 0)
    const slt_real *alpha, *masks, *h;
    const int32_t *symbols;      // [truth] actions, where they are symbols
    const slt_real *vectors;     // [truth][width] where they are vectors, with
    const slt_channel_law *laws; // [C]
    slt_real *drho;              // [C] gradient of the laws, added to
    slt_real scale;              // 1/M
} prefixes;

// R_{j-1} to R_j (prefix_extend), and the nats of the action at l under it; room [C]
static slt_real prefix_nats(const prefixes *m, int j, int l, slt_real *R, slt_real *room);
// the same, and dR [C] = w·dnats/dR
static void prefix_errors(const prefixes *m, int j, int l, slt_real w, slt_real *R, slt_real *dR);

static inline void prefix_shape(slt_shape_check *rule, const char *want) {
    slt_shape alpha = rule->in[ALPHA];
    if (alpha.space != SLT_SLOT_TOKENS || alpha.width < 2) slt_shape_reject(rule, ALPHA, want);
    slt_shape_want(rule, MASKS, SLT_SLOT_TOKENS, 0, 1);
    slt_shape_want(rule, H, SLT_TRAJECTORIES, 0, rule->limits.slots);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

static inline size_t prefix_aux(const slt_sizes *sizes) {
    return (size_t)sizes->in[H].rows * (size_t)sizes->limits.slots;
}

static inline prefixes prefixes_of(const slt_args *args, int b) {
    const slt_batch *batch = args->batch;
    prefixes m = {.K = args->limits.slots, .width = args->in_width[ALPHA]};
    m.C = m.width - 1;
    m.computed = slt_batch_computed(batch, b);
    m.truth = slt_min(batch->length[b], m.computed);
    m.first = (size_t)m.K * (size_t)batch->offset[b];
    m.alpha = (const slt_real *)args->in[ALPHA] + m.first * (size_t)m.width;
    m.masks = (const slt_real *)args->in[MASKS] + m.first;
    m.h = (const slt_real *)args->in[H] + (size_t)b * (size_t)m.K;
    m.scale = 1 / (slt_real)batch->true_tokens;
    return m;
}

static inline size_t prefix_row(const prefixes *m, int k, int l) {
    return (size_t)k * (size_t)m->computed + (size_t)l;
}

// R_j += mask_j·α_j
static inline void prefix_extend(const prefixes *m, int j, int l, slt_real *R) {
    const slt_real *alpha = m->alpha + prefix_row(m, j, l) * (size_t)m->width;
    slt_real mask = m->masks[prefix_row(m, j, l)];
    for (int c = 0; c < m->C; c++) R[c] += mask * alpha[c];
}

// Σ_l nats_j,l of every j is kept (aux); the trajectory's loss goes to shared. scratch: 2·C
static inline void prefix_forward(const slt_args *args, const prefixes *m, int b,
                                  slt_real *scratch) {
    slt_real *kept = args->aux + (size_t)b * (size_t)m->K, loss = 0, *R = scratch;
    memset(kept, 0, (size_t)m->K * sizeof *kept);
    for (int l = 0; l < m->truth; l++) {
        memset(R, 0, (size_t)m->C * sizeof *R);
        for (int j = 0; j < m->K; j++) kept[j] += prefix_nats(m, j, l, R, R + m->C);
    }
    for (int j = 0; j < m->K; j++) loss += m->h[j] * kept[j];
    args->shared[b] = loss * m->scale;
}

// dR (K,C) of one position, made upward
static inline void prefix_up(const prefixes *m, int l, slt_real weight, slt_real *R, slt_real *dR) {
    memset(R, 0, (size_t)m->C * sizeof *R);
    for (int j = 0; j < m->K; j++)
        prefix_errors(m, j, l, weight * m->h[j] * m->scale, R, dR + (size_t)j * (size_t)m->C);
}

// gradients of one position: dR summed downward
static inline void prefix_down(const slt_args *args, const prefixes *m, int l, const slt_real *dR,
                               slt_real *G) {
    memset(G, 0, (size_t)m->C * sizeof *G);
    for (int k = m->K - 1; k >= 0; k--) {
        size_t row = prefix_row(m, k, l);
        const slt_real *alpha = m->alpha + row * (size_t)m->width;
        slt_real *dalpha = args->in_grad[ALPHA], mask = m->masks[row], dmask = 0;
        if (dalpha) dalpha += (m->first + row) * (size_t)m->width;
        for (int c = 0; c < m->C; c++) {
            G[c] += dR[(size_t)k * (size_t)m->C + (size_t)c];
            dmask += G[c] * alpha[c];
            if (dalpha) slt_put(&dalpha[c], args->add[ALPHA], mask * G[c]);
        }
        if (dalpha && !args->add[ALPHA]) dalpha[m->C] = 0;
        if (args->in_grad[MASKS])
            slt_put(&args->in_grad[MASKS][m->first + row], args->add[MASKS], dmask);
    }
}

// positions after the truth get nothing
static inline void prefix_clear(const slt_args *args, const prefixes *m, int l) {
    for (int k = 0; k < m->K; k++) {
        size_t row = m->first + prefix_row(m, k, l), width = (size_t)m->width;
        if (args->in_grad[ALPHA] && !args->add[ALPHA])
            memset(args->in_grad[ALPHA] + row * width, 0, width * sizeof(slt_real));
        if (args->in_grad[MASKS] && !args->add[MASKS]) args->in_grad[MASKS][row] = 0;
    }
}

// scratch: (K+1)·C
static inline void prefix_backward(const slt_args *args, const prefixes *m, int b,
                                   slt_real *scratch) {
    slt_real weight = args->out_grad[0][0], *R = scratch, *dR = scratch + m->C;
    for (int l = 0; l < m->truth; l++) {
        prefix_up(m, l, weight, R, dR);
        prefix_down(args, m, l, dR, R);
    }
    for (int l = m->truth; l < m->computed; l++) prefix_clear(args, m, l);
    slt_real *dh = args->in_grad[H] ? args->in_grad[H] + (size_t)b * (size_t)m->K : NULL;
    for (int j = 0; dh && j < m->K; j++)
        slt_put(&dh[j], args->add[H],
                weight * m->scale * args->aux[(size_t)b * (size_t)m->K + (size_t)j]);
}

#endif
