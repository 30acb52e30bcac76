// OMPN forward (Lu et al. 2021), a group of trajectories from the first step to the last:
//     c_i = Com_i(c_{i+1}, m_i, x) from leaf to root, c_n = x;  β_i = σ(gate(x, m_i, c_i))
//     parent_i = rcp_i·c_i + (1-rcp_i)·ch_i,  ch_{i+1} = Decom_i(parent_i, x),  ch_0 = 0
//     m'_i = m_i(1-cp_i) + c_i·p_i + ch_i(1-rcp_i)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/ompn/ompn_chance.h"
#include "ops/ompn/ompn_impl.h"

enum { X };
enum { LEAF, P_HAT, MEMORY };

// ---- before the loop: x into the rows, and everything that depends on x alone

static void gather(const slt_ompn *o, const slt_ompn_group *g) {
    size_t d = (size_t)o->d, wide = slt_ompn_state_width(o);
    const slt_real *x = o->args->in[X];
    for (slt_ompn_moment at = slt_ompn_first(g); at.live; at = slt_ompn_next(o, g, at))
        for (int r = 0; r < at.live; r++)
            memcpy(o->state + (size_t)(at.row + r) * wide, x + slt_ompn_token(o, g, r, at.t) * d,
                   d * sizeof *x);
}

static void observe(const slt_ompn *o, const slt_ompn_group *g) {
    size_t d = (size_t)o->d, row = (size_t)g->row, wide = slt_ompn_state_width(o);
    for (int i = 0; i < o->n; i++) slt_ompn_cell_observe(o, &o->com[i], g->row, g->rows);
    for (int i = 0; i + 1 < o->n; i++) slt_ompn_cell_observe(o, &o->decom[i], g->row, g->rows);
    for (int r = 0; r < g->rows; r++)
        memcpy(o->gate_x + (row + (size_t)r) * d, o->w + o->gate.c1, d * sizeof *o->w);
    slt_gemm(false, false, g->rows, o->d, o->d, o->state + row * wide, (int)wide, o->w + o->gate.w1,
             o->d, true, o->gate_x + row * d, o->d);
}

// ---- one step

// memory of the step before, candidates still to come; nothing at the first step
static void remember(const slt_ompn *o, const slt_ompn_group *g, slt_ompn_moment at) {
    size_t d = (size_t)o->d, n = (size_t)o->n, wide = slt_ompn_state_width(o);
    for (int r = 0; r < at.live; r++) {
        slt_real *state = o->state + (size_t)(at.row + r) * wide;
        if (at.t == 0) {
            memset(state + d, 0, (wide - d) * sizeof *state);
            continue;
        }
        const slt_real *memory = o->args->out[MEMORY] + slt_ompn_token(o, g, r, at.t - 1) * n * d;
        for (int i = 0; i < o->n; i++)
            memcpy(state + slt_ompn_pair(o, i) + d, memory + (size_t)i * d, d * sizeof *state);
    }
}

static void leaky(slt_real *restrict x, size_t count, slt_real slope) {
    for (size_t i = 0; i < count; i++) x[i] = x[i] > 0 ? x[i] : slope * x[i];
}

// β of all levels
static void decide(const slt_ompn *o, slt_ompn_moment at) {
    size_t d = (size_t)o->d, n = (size_t)o->n, wide = slt_ompn_state_width(o);
    size_t row = (size_t)at.row;
    const slt_real *w2 = o->w + o->gate.w2;
    for (int i = 0; i < o->n; i++) {
        slt_real *hidden = o->gate_hidden + row * n * d + (size_t)i * d;
        for (size_t r = 0; r < (size_t)at.live; r++)
            memcpy(hidden + r * n * d, o->gate_x + (row + r) * d, d * sizeof *hidden);
        slt_gemm_packed(at.live, o->d, 2 * o->d, o->state + row * wide + slt_ompn_pair(o, i) + d,
                        (int)wide, o->gate_packed, true, hidden, (int)(n * d));
    }
    leaky(o->gate_hidden + row * n * d, (size_t)at.live * n * d, o->slope);
    for (size_t r = row; r < row + (size_t)at.live; r++)
        for (size_t i = 0; i < n; i++) {
            slt_real logit = slt_dot(o->gate_hidden + (r * n + i) * d, w2, o->d) + w2[o->d];
            o->chance[r * (2 * n + 1) + i] = slt_sigmoid(logit);
        }
}

static void combine(const slt_ompn *o, slt_ompn_moment at) {
    size_t wide = slt_ompn_state_width(o), pair;
    for (int i = o->n - 1; i >= 0; i--) {
        pair = slt_ompn_pair(o, i);
        slt_ompn_cell_forward(o, &o->com[i], at, o->state + pair, wide,
                              o->state + pair + 2 * (size_t)o->d);
    }
    decide(o, at);
}

static slt_real *chance_of(const slt_ompn *o, slt_ompn_moment at, int r) {
    return o->chance + (size_t)(at.row + r) * (size_t)slt_ompn_chances(o->n);
}

// parent of level i
static void inherit(const slt_ompn *o, slt_ompn_moment at, int i) {
    size_t d = (size_t)o->d, wide = slt_ompn_state_width(o);
    for (int r = 0; r < at.live; r++) {
        size_t row = (size_t)at.row + (size_t)r;
        slt_real share = slt_ompn_share(chance_of(o, at, r), o->n).rcp[i];
        const slt_real *candidate = o->state + row * wide + slt_ompn_pair(o, i) + 2 * d;
        const slt_real *child = i > 0 ? o->family[i - 1] + (2 * row + 1) * d : NULL;
        slt_real *restrict parent = o->family[i] + 2 * row * d;
        for (size_t c = 0; c < d; c++)
            parent[c] = share * candidate[c] + (child ? (1 - share) * child[c] : 0);
    }
}

static void decompose(const slt_ompn *o, slt_ompn_moment at) {
    for (int i = 0; i + 1 < o->n; i++) {
        inherit(o, at, i);
        slt_ompn_cell_forward(o, &o->decom[i], at, o->family[i], 2 * (size_t)o->d,
                              o->family[i] + o->d);
    }
}

// the new memory of one row
static void update(const slt_ompn *o, size_t row, const slt_ompn_shares *s, slt_real *memory) {
    size_t d = (size_t)o->d;
    const slt_real *state = o->state + row * slt_ompn_state_width(o);
    for (int i = 0; i < o->n; i++) {
        const slt_real *candidate = state + slt_ompn_pair(o, i) + 2 * d;
        const slt_real *before = o->alias ? candidate : candidate - d;
        const slt_real *child = i > 0 ? o->family[i - 1] + (2 * row + 1) * d : NULL;
        slt_real *restrict to = memory + (size_t)i * d;
        slt_real stay = 1 - s->cp[i], new = s->p[i], down = 1 - s->rcp[i];
        for (size_t c = 0; c < d; c++) to[c] = before[c] * stay + candidate[c] * new;
        for (size_t c = 0; child && c < d; c++) to[c] += child[c] * down;
    }
}

static void hand_out(const slt_ompn *o, const slt_ompn_group *g, slt_ompn_moment at) {
    const slt_args *args = o->args;
    size_t d = (size_t)o->d, n = (size_t)o->n;
    for (int r = 0; r < at.live; r++) {
        size_t token = slt_ompn_token(o, g, r, at.t);
        slt_real *record = chance_of(o, at, r), *memory = args->out[MEMORY] + token * n * d;
        slt_ompn_shares s = slt_ompn_share(record, o->n);
        update(o, (size_t)at.row + (size_t)r, &s, memory);
        memcpy(args->out[LEAF] + token * d, memory + (n - 1) * d, d * sizeof *memory);
        memcpy(args->out[P_HAT] + token * (n + 1), record + n, (n + 1) * sizeof *record);
    }
}

void slt_ompn_forward_group(const slt_args *args, int group, slt_real *scratch) {
    (void)scratch;
    slt_ompn o;
    slt_ompn_open(&o, args, false);
    slt_ompn_group g = slt_ompn_group_at(&o, group);
    gather(&o, &g);
    observe(&o, &g);
    for (slt_ompn_moment at = slt_ompn_first(&g); at.live; at = slt_ompn_next(&o, &g, at)) {
        if (slt_cancel_asked(args->cancel)) return;
        remember(&o, &g, at);
        if (at.t > 0) combine(&o, at);
        for (int r = 0; r < at.live; r++)
            (at.t ? slt_ompn_stick : slt_ompn_stick_start)(chance_of(&o, at, r), o.n);
        decompose(&o, at);
        hand_out(&o, &g, at);
    }
}
