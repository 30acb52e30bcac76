// OMPN backward, a group of trajectories from the last step to the first. With dm the gradient of
// the new memory:
//     dcp_i = -dm_i·m_i,  dp_i = dm_i·c_i,  drcp_i = -dm_i·ch_i + dparent_i·(c_i - ch_i)
// then down through the Decom cells, the stick and the gate, up through the Com cells, and what
// reaches m is the gradient of the memory one step before.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/ompn/ompn_chance.h"
#include "ops/ompn/ompn_impl.h"

enum { X };
enum { LEAF, P_HAT };

// gradients of a group's rows at one step
typedef struct {
    slt_real *memory;          // [live, n·d] of the new memory; afterwards of the one before
    slt_real *state;           // [live, (2n+1)d]
    slt_real *child;           // [live, n·d] of ch
    slt_real *parent;          // [live, d]
    slt_real *dp, *dcp, *drcp; // [live, n] each
    slt_real *partial;         // of the group
} moment_gradient;

static moment_gradient lay_out(const slt_ompn *o, const slt_ompn_group *g, slt_real *scratch) {
    size_t count = (size_t)g->count, d = (size_t)o->d, n = (size_t)o->n;
    moment_gradient m = {.memory = scratch};
    m.state = m.memory + count * n * d;
    m.child = m.state + count * slt_ompn_state_width(o);
    m.parent = m.child + count * n * d;
    m.dp = m.parent + count * d;
    m.dcp = m.dp + count * n;
    m.drcp = m.dcp + count * n;
    m.partial = o->partial + (size_t)g->number * slt_ompn_partial(o->n, o->d);
    return m;
}

static slt_real *chance_of(const slt_ompn *o, slt_ompn_moment at, int r) {
    return o->chance + (size_t)(at.row + r) * (size_t)slt_ompn_chances(o->n);
}

// the place of a cell's dγ and dβ among the partial sums; the gate's second layer comes last
static slt_real *norm_partial(const slt_ompn *o, const moment_gradient *m, bool com, int i) {
    int before = com ? 6 * i : 6 * o->n + 4 * i;
    return m->partial + (size_t)before * (size_t)o->d;
}

// ---- from the new memory to its terms

// the gradient that comes from outside, on the leaf
static void take_outside(const slt_ompn *o, const slt_ompn_group *g, slt_ompn_moment at,
                         const moment_gradient *m) {
    const slt_real *outside = o->args->out_grad[LEAF];
    size_t d = (size_t)o->d, n = (size_t)o->n;
    for (int r = 0; outside && r < at.live; r++) {
        const slt_real *from = outside + slt_ompn_token(o, g, r, at.t) * d;
        slt_real *restrict to = m->memory + ((size_t)r * n + n - 1) * d;
        for (size_t c = 0; c < d; c++) to[c] += from[c];
    }
}

static void split_level(const slt_ompn *o, const moment_gradient *m, size_t row, size_t r, int i,
                        const slt_ompn_shares *s) {
    size_t d = (size_t)o->d, n = (size_t)o->n, wide = slt_ompn_state_width(o);
    size_t at = r * n + (size_t)i, place = slt_ompn_pair(o, i) + d;
    const slt_real *dm = m->memory + at * d, *memory = o->state + row * wide + place;
    const slt_real *candidate = memory + d, *before = o->alias ? candidate : memory;
    const slt_real *child = i > 0 ? o->family[i - 1] + (2 * row + 1) * d : NULL;
    slt_real *restrict dmemory = m->state + r * wide + place, *restrict dcandidate = dmemory + d;
    slt_real *restrict dchild = m->child + at * d;
    slt_real stay = 1 - s->cp[i], new = s->p[i] + (o->alias ? stay : 0), down = 1 - s->rcp[i];
    if (o->alias) stay = 0;
    for (size_t c = 0; c < d; c++) {
        dmemory[c] = stay * dm[c];
        dcandidate[c] = new *dm[c];
        dchild[c] = down * dm[c];
    }
    m->dp[at] = slt_dot(dm, candidate, o->d);
    m->dcp[at] = -slt_dot(dm, before, o->d);
    m->drcp[at] = child ? -slt_dot(dm, child, o->d) : 0;
}

static void split(const slt_ompn *o, slt_ompn_moment at, const moment_gradient *m) {
    for (int r = 0; r < at.live; r++) {
        slt_ompn_shares s = slt_ompn_share(chance_of(o, at, r), o->n);
        memset(m->state + (size_t)r * slt_ompn_state_width(o), 0, (size_t)o->d * sizeof *m->state);
        size_t row = (size_t)at.row + (size_t)r;
        for (int i = 0; i < o->n; i++) split_level(o, m, row, (size_t)r, i, &s);
    }
}

// ---- Decom

// from the parent of level i to its candidate, its own parent's child and its share
static void bequeath(const slt_ompn *o, slt_ompn_moment at, const moment_gradient *m, int i) {
    size_t d = (size_t)o->d, n = (size_t)o->n, wide = slt_ompn_state_width(o);
    for (size_t r = 0; r < (size_t)at.live; r++) {
        size_t row = (size_t)at.row + r, place = slt_ompn_pair(o, i) + 2 * d;
        slt_real share = slt_ompn_share(chance_of(o, at, (int)r), o->n).rcp[i];
        const slt_real *dparent = m->parent + r * d, *candidate = o->state + row * wide + place;
        const slt_real *child = i > 0 ? o->family[i - 1] + (2 * row + 1) * d : NULL;
        slt_real *restrict dcandidate = m->state + r * wide + place;
        slt_real *restrict dchild = m->child + (r * n + (size_t)i) * d;
        for (size_t c = 0; c < d; c++) {
            dcandidate[c] += share * dparent[c];
            dchild[c] += (1 - share) * dparent[c];
        }
        slt_real along = slt_dot(dparent, candidate, o->d);
        if (child) along -= slt_dot(dparent, child, o->d);
        m->drcp[r * n + (size_t)i] += along;
    }
}

static void undecompose(const slt_ompn *o, slt_ompn_moment at, const moment_gradient *m) {
    size_t d = (size_t)o->d, n = (size_t)o->n;
    for (int i = o->n - 2; i >= 0; i--) {
        memset(m->parent, 0, (size_t)at.live * d * sizeof *m->parent);
        slt_ompn_cell_backward(o, &o->decom[i], at, o->family[i], 2 * d, o->family[i] + d,
                               m->child + (size_t)(i + 1) * d, n * d, m->parent, d,
                               norm_partial(o, m, false, i));
        bequeath(o, at, m, i);
    }
}

// ---- stick and gate

// one level of one row: through the second layer of the gate and its leaky relu
static void undecide_level(const slt_ompn *o, const moment_gradient *m, size_t row, size_t i,
                           slt_real dlogit, slt_real *restrict dx) {
    size_t d = (size_t)o->d, at = row * (size_t)o->n + i;
    const slt_real *restrict hidden = o->gate_hidden + at * d, *restrict w2 = o->w + o->gate.w2;
    slt_real *restrict dhidden = o->dgate_hidden + at * d;
    slt_real *restrict dw2 = m->partial + slt_ompn_partial(o->n, o->d) - d - 1;
    for (size_t c = 0; c < d; c++) {
        slt_real slope = hidden[c] > 0 ? 1 : o->slope;
        dw2[c] += dlogit * hidden[c];
        dhidden[c] = dlogit * w2[c] * slope;
        dx[c] += dhidden[c];
    }
    dw2[d] += dlogit;
}

static void undecide(const slt_ompn *o, const slt_ompn_group *g, slt_ompn_moment at,
                     const moment_gradient *m) {
    size_t d = (size_t)o->d, n = (size_t)o->n, wide = slt_ompn_state_width(o);
    const slt_real *outside = o->args->out_grad[P_HAT];
    for (size_t r = 0; r < (size_t)at.live; r++) {
        slt_real dbeta[SLT_OMPN_DEPTH], *record = chance_of(o, at, (int)r);
        slt_ompn_shares s = slt_ompn_share(record, o->n);
        const slt_real *mine =
            outside ? outside + slt_ompn_token(o, g, (int)r, at.t) * (n + 1) : NULL;
        slt_ompn_stick_gradient(record, &s, o->n, m->dp + r * n, m->dcp + r * n, m->drcp + r * n,
                                mine, dbeta);
        size_t row = (size_t)at.row + r;
        memset(o->dgate_x + row * d, 0, d * sizeof *o->dgate_x);
        for (size_t i = 0; i < n; i++)
            undecide_level(o, m, row, i, dbeta[i] * record[i] * (1 - record[i]),
                           o->dgate_x + row * d);
    }
    for (size_t i = 0; i < n; i++)
        slt_gemm_packed(at.live, 2 * o->d, o->d, o->dgate_hidden + ((size_t)at.row * n + i) * d,
                        (int)(n * d), o->gate_packed, true, m->state + slt_ompn_pair(o, (int)i) + d,
                        (int)wide);
}

// ---- Com

static void uncombine(const slt_ompn *o, slt_ompn_moment at, const moment_gradient *m) {
    size_t d = (size_t)o->d, wide = slt_ompn_state_width(o);
    for (int i = 0; i < o->n; i++) {
        size_t pair = slt_ompn_pair(o, i);
        slt_ompn_cell_backward(o, &o->com[i], at, o->state + pair, wide, o->state + pair + 2 * d,
                               m->state + pair + 2 * d, wide, m->state + pair, wide,
                               norm_partial(o, m, true, i));
    }
}

// the first step has no candidates: nothing reaches Com and gate
static void clear_first(const slt_ompn *o, slt_ompn_moment at) {
    size_t row = (size_t)at.row, live = (size_t)at.live, d = (size_t)o->d, n = (size_t)o->n;
    for (int i = 0; i < o->n; i++) {
        memset(o->com[i].dhidden + row * 4 * d, 0, live * 4 * d * sizeof *o->dx);
        memset(o->com[i].dsecond + row * 4 * d, 0, live * 4 * d * sizeof *o->dx);
    }
    memset(o->dgate_x + row * d, 0, live * d * sizeof *o->dx);
    memset(o->dgate_hidden + row * n * d, 0, live * n * d * sizeof *o->dx);
}

// ---- to the step before

static void hand_back(const slt_ompn *o, slt_ompn_moment at, const moment_gradient *m) {
    size_t d = (size_t)o->d, n = (size_t)o->n, wide = slt_ompn_state_width(o);
    bool cut = o->bptt > 0 && at.t % o->bptt == 0;
    for (size_t r = 0; r < (size_t)at.live; r++) {
        const slt_real *state = m->state + r * wide;
        memcpy(o->dx + ((size_t)at.row + r) * d, state, d * sizeof *state);
        for (size_t i = 0; i < n; i++) {
            slt_real *to = m->memory + (r * n + i) * d;
            const slt_real *from = state + slt_ompn_pair(o, (int)i) + d;
            if (cut)
                memset(to, 0, d * sizeof *to);
            else
                memcpy(to, from, d * sizeof *to);
        }
    }
}

static void unobserve(const slt_ompn *o, const slt_ompn_group *g) {
    size_t d = (size_t)o->d, row = (size_t)g->row;
    for (int i = 0; i < o->n; i++) slt_ompn_cell_unobserve(o, &o->com[i], g->row, g->rows);
    for (int i = 0; i + 1 < o->n; i++) slt_ompn_cell_unobserve(o, &o->decom[i], g->row, g->rows);
    slt_gemm(false, true, g->rows, o->d, o->d, o->dgate_x + row * d, o->d, o->w + o->gate.w1, o->d,
             true, o->dx + row * d, o->d);
}

static void scatter(const slt_ompn *o, const slt_ompn_group *g) {
    size_t d = (size_t)o->d;
    slt_real *dx = o->args->in_grad[X];
    for (slt_ompn_moment at = slt_ompn_first(g); dx && at.live; at = slt_ompn_next(o, g, at))
        for (int r = 0; r < at.live; r++) {
            const slt_real *from = o->dx + (size_t)(at.row + r) * d;
            slt_real *to = dx + slt_ompn_token(o, g, r, at.t) * d;
            for (size_t c = 0; c < d; c++) slt_put(&to[c], o->args->add[X], from[c]);
        }
}

void slt_ompn_backward_group(const slt_args *args, int group, slt_real *scratch) {
    slt_ompn o;
    slt_ompn_open(&o, args, true);
    slt_ompn_group g = slt_ompn_group_at(&o, group);
    moment_gradient m = lay_out(&o, &g, scratch);
    memset(m.memory, 0, (size_t)g.count * (size_t)(o.n * o.d) * sizeof *m.memory);
    memset(m.partial, 0, slt_ompn_partial(o.n, o.d) * sizeof *m.partial);
    for (slt_ompn_moment at = slt_ompn_last(&o, &g); at.t >= 0; at = slt_ompn_before(&o, &g, at)) {
        if (slt_cancel_asked(args->cancel)) return;
        take_outside(&o, &g, at, &m);
        split(&o, at, &m);
        undecompose(&o, at, &m);
        if (at.t == 0) {
            clear_first(&o, at);
        } else {
            undecide(&o, &g, at, &m);
            uncombine(&o, at, &m);
        }
        hand_back(&o, at, &m);
    }
    unobserve(&o, &g);
    scatter(&o, &g);
}
