// Attention that forgets at a cut. Slot k asks, the last W actions answer, and the start vector
// takes what a cut lies before. Head h, step l, lag j = 1..W, a_j = a(l-j):
//     s_j = q_k·key[a_j]/√(d/H) + r_hj - σ_h(j-1),  s_0 = q_k·key[start]/√(d/H) + r_h0 - σ_h·W/2
//     P = softmax(s_1 … s_W, s_0),  g_j = Π_{i=l-j}^{l-1}(1 - b_i),  c_j = P_j·g_j
//     o = Σ_j c_j·value[a_j] + (1 - Σ_j c_j)·value[start],  σ_h = 2^(1-h)
// The gate is a factor, so that no score, however large, looks across a cut; before the first step
// g = 0. Keys and values are functions of the symbol: a table, whose last row is the start.
// Backward, with δ_j = do·(value[a_j] - value[start]):
//     dP_j = g_j·δ_j, dP_0 = 0, ds = P∘(dP - P·dP),  dg_j = P_j·δ_j,  db_i = -Σ dg_j·g_j/(1-b_i)
// P is kept from forward to backward. Only live rows are computed.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/mdl/live_rows.h"
#include "ops/common/op_table.h"
#include "ops/mdl/window_layout.h"

static void shape(slt_shape_check *rule) {
    slt_shape q = rule->in[Q], table = rule->in[TABLE], lags = rule->in[LAGS];
    int heads = rule->node->attributes.n[HEADS];
    if (q.space != SLT_SLOTS) slt_shape_want(rule, Q, SLT_FIXED, rule->limits.slots, q.width);
    slt_shape_want(rule, TABLE, SLT_FIXED, table.rows, 2 * q.width);
    slt_shape_want(rule, IDS, SLT_TOKENS, 0, 1);
    slt_shape_type(rule, IDS, SLT_INTEGERS);
    slt_shape_want(rule, ENDS, SLT_TOKENS, 0, 1);
    slt_shape_want(rule, LAGS, SLT_FIXED, heads, lags.width);
    slt_shape_want(rule, LIST, SLT_LIVE, 0, 2);
    slt_shape_want(rule, RANGE, SLT_TRAJECTORIES, 0, 2);
    if (heads < 1 || q.width % heads) slt_shape_reject(rule, Q, "a multiple of the heads");
    if (lags.width < 2) slt_shape_reject(rule, LAGS, "a window and the start");
    rule->out[0] = (slt_shape){SLT_LIVE, 0, q.width};
}

static dims dims_of(const slt_node *node, int K, int A, int lags, int d) {
    int H = node->attributes.n[HEADS];
    return (dims){K, A, H, lags - 1, d, d / H};
}

// one trajectory: its numbers and its scratch
typedef struct {
    dims n;
    slt_row_span sequence;
    slt_live live;
    const slt_real *q, *table, *ends, *lags;
    slt_real scale;
    slt_real *gates, *dgate; // [W][C]
    slt_real *S;             // [A] scores of one slot and head; their gradient
    slt_real *row;           // [C]
    int32_t *ids;            // [W + C] with W times the start in front

    // the live rows of one slot: steps, and for every lag their gates and symbols
    int k, first, count;
    slt_real *g, *delta; // [W][count]
    int32_t *step;       // [count]
    int32_t *symbol;     // [W][count]
    slt_real *P;         // [H][W+1][count]
} view;

static size_t scratch(const slt_sizes *sizes) {
    size_t C = (size_t)sizes->limits.length, W = (size_t)sizes->in[LAGS].width;
    return 4 * W * C + C + (size_t)sizes->in[TABLE].rows + (C + W) + C + W * C;
}

static size_t keep_size(dims n, int rows) { return (size_t)n.H * (size_t)(n.W + 1) * (size_t)rows; }

// g_j(l) = g_{j-1}(l)·(1 - b_{l-j})
static void fill_gates(view *v) {
    int C = v->sequence.computed;
    for (int j = 1; j <= v->n.W; j++) {
        slt_real *g = v->gates + (size_t)(j - 1) * (size_t)C;
        for (int l = 0; l < slt_min(j, C); l++) g[l] = 0;
        for (int l = j; l < C; l++) g[l] = (j > 1 ? g[l - C] : 1) * (1 - v->ends[l - j]);
    }
}

static void share_out(view *v, slt_real *memory) {
    size_t C = (size_t)v->sequence.computed, W = (size_t)v->n.W;
    slt_real **numbers[] = {&v->gates, &v->dgate, &v->g, &v->delta};
    for (int i = 0; i < 4; i++, memory += W * C) *numbers[i] = memory;
    v->row = memory;
    v->S = v->row + C;
    v->ids = (int32_t *)(void *)(v->S + v->n.A);
    v->step = v->ids + W + C;
    v->symbol = v->step + C;
}

static view view_at(const slt_args *args, int b, slt_real *memory) {
    dims n = dims_of(args->node, args->limits.slots, args->in_rows[TABLE], args->in_width[LAGS],
                     args->out_width[0]);
    view v = {.n = n, .sequence = slt_span_at(args, SLT_TOKENS, b)};
    bool own = args->node->attributes.n[SPACE] == SLT_SLOTS;
    const int32_t *ids = (const int32_t *)args->in[IDS] + v.sequence.first;
    v.live = slt_live_at(args->in[LIST], args->in[RANGE], b);
    v.q = (const slt_real *)args->in[Q] + (own ? (size_t)b * (size_t)n.K * (size_t)n.d : 0);
    v.table = args->in[TABLE];
    v.ends = (const slt_real *)args->in[ENDS] + v.sequence.first;
    v.lags = args->in[LAGS];
    v.scale = 1 / slt_sqrt((slt_real)n.e);
    share_out(&v, memory);
    for (int j = 0; j < n.W; j++) v.ids[j] = n.A - 1;
    memcpy(v.ids + n.W, ids, (size_t)v.sequence.computed * sizeof *ids);
    fill_gates(&v);
    return v;
}

// the live rows after those of the slot at hand; false when there are none
static bool next_slot(const slt_args *args, view *v) {
    int W = v->n.W, C = v->sequence.computed, n = 0;
    v->first += v->count;
    if (v->first == v->live.count) return false;
    v->k = slt_live_slot(&v->live, v->first);
    for (int i = v->first; i < v->live.count && slt_live_slot(&v->live, i) == v->k; i++)
        v->step[n++] = slt_live_token(&v->live, i) - v->sequence.first;
    v->count = n;
    for (int j = 0; j < W; j++)
        for (int i = 0; i < n; i++) {
            v->g[j * n + i] = v->gates[j * C + v->step[i]];
            v->symbol[j * n + i] = v->ids[W + v->step[i] - j - 1];
        }
    v->P = args->aux + keep_size(v->n, v->live.first + v->first);
    return true;
}

static const slt_real *key(const view *v, int a, int h) {
    return v->table + (size_t)a * 2 * (size_t)v->n.d + h * v->n.e;
}
static const slt_real *value(const view *v, int a, int h) { return key(v, a, h) + v->n.d; }
static const slt_real *query(const view *v, int h) {
    return v->q + (size_t)v->k * (size_t)v->n.d + h * v->n.e;
}
static slt_real *kept(const view *v, int h) {
    return v->P + (size_t)h * (size_t)(v->n.W + 1) * (size_t)v->count;
}
// the place of the slot's rows and the head's channels in the output
static size_t place(const view *v, int h) {
    return (size_t)(v->live.first + v->first) * (size_t)v->n.d + (size_t)(h * v->n.e);
}

static slt_real recency(const view *v, int h, int j) {
    slt_real slope = (slt_real)ldexp(1, 1 - h);
    return -slope * (j == v->n.W ? (slt_real)v->n.W / 2 : (slt_real)j);
}

// ---- forward

static void scores(const view *v, int h, slt_real *p) {
    int n = v->count, W = v->n.W;
    for (int a = 0; a < v->n.A; a++) {
        slt_real dot = 0;
        for (int c = 0; c < v->n.e; c++) dot += query(v, h)[c] * key(v, a, h)[c];
        v->S[a] = dot * v->scale;
    }
    for (int j = 0; j <= W; j++, p += n) {
        slt_real shift = v->lags[h * (W + 1) + j] + recency(v, h, j);
        const int32_t *symbol = v->symbol + j * n;
        slt_real start = v->S[v->n.A - 1];
        for (int i = 0; i < n; i++) p[i] = (j < W ? v->S[symbol[i]] : start) + shift;
    }
}

// softmax over lags, all rows at once
static void normalise(const view *v, slt_real *restrict p) {
    int n = v->count, lags = v->n.W + 1;
    slt_real *restrict row = v->row;
    for (int i = 0; i < n; i++) row[i] = p[i];
    for (int j = 1; j < lags; j++)
        for (int i = 0; i < n; i++) row[i] = p[j * n + i] > row[i] ? p[j * n + i] : row[i];
    for (int j = 0; j < lags; j++)
        for (int i = 0; i < n; i++) p[j * n + i] = slt_exp_below(p[j * n + i] - row[i]);
    for (int i = 0; i < n; i++) row[i] = 0;
    for (int j = 0; j < lags; j++)
        for (int i = 0; i < n; i++) row[i] += p[j * n + i];
    for (int i = 0; i < n; i++) row[i] = 1 / row[i];
    for (int j = 0; j < lags; j++)
        for (int i = 0; i < n; i++) p[j * n + i] *= row[i];
}

// o of one slot and head; e is a constant where the caller knows it
static inline void mix(const view *v, int h, const slt_real *p, slt_real *out, int e) {
    int n = v->count, W = v->n.W;
    const slt_real *start = value(v, v->n.A - 1, h);
    for (int i = 0; i < n; i++, out += v->n.d) {
        slt_real rest = 1;
        for (int c = 0; c < e; c++) out[c] = 0;
        for (int j = 0; j < W; j++) {
            slt_real weight = p[j * n + i] * v->g[j * n + i];
            const slt_real *from = value(v, v->symbol[j * n + i], h);
            for (int c = 0; c < e; c++) out[c] += weight * from[c];
            rest -= weight;
        }
        for (int c = 0; c < e; c++) out[c] += rest * start[c];
    }
}

static void forward_trajectory(const slt_args *args, int b, slt_real *memory) {
    view v = view_at(args, b, memory);
    while (next_slot(args, &v))
        for (int h = 0; h < v.n.H; h++) {
            slt_real *p = kept(&v, h), *out = args->out[0] + place(&v, h);
            scores(&v, h, p);
            normalise(&v, p);
            if (v.n.e == 8)
                mix(&v, h, p, out, 8);
            else
                mix(&v, h, p, out, v.n.e);
        }
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
}

// ---- backward

// δ and the values' gradients of one slot and head
static inline void unmix(const view *v, int h, const slt_real *p, const slt_real *dout,
                         slt_real *dtable, int e) {
    int n = v->count, W = v->n.W, A = v->n.A;
    const slt_real *start = value(v, A - 1, h);
    slt_real *dvalue = dtable + v->n.d + h * e;
    size_t stride = 2 * (size_t)v->n.d;
    for (int i = 0; i < n; i++, dout += v->n.d) {
        slt_real rest = 1, level = 0;
        for (int c = 0; c < e; c++) level += dout[c] * start[c];
        for (int j = 0; j < W; j++) {
            int a = v->symbol[j * n + i];
            slt_real weight = p[j * n + i] * v->g[j * n + i], dot = 0;
            const slt_real *from = value(v, a, h);
            slt_real *to = dvalue + (size_t)a * stride;
            for (int c = 0; c < e; c++) dot += dout[c] * from[c];
            for (int c = 0; c < e; c++) to[c] += weight * dout[c];
            v->delta[j * n + i] = dot - level;
            rest -= weight;
        }
        for (int c = 0; c < e; c++) dvalue[(size_t)(A - 1) * stride + (size_t)c] += rest * dout[c];
    }
}

// through the softmax: δ becomes ds, P·dP goes into the row; gates' gradients are added up over
// slots and heads
static void score_gradients(const view *v, const slt_real *p) {
    int n = v->count, W = v->n.W, C = v->sequence.computed;
    slt_real *restrict dot = v->row;
    for (int i = 0; i < n; i++) dot[i] = 0;
    for (int j = 0; j < W; j++)
        for (int i = 0; i < n; i++)
            v->dgate[j * C + v->step[i]] += p[j * n + i] * v->delta[j * n + i];
    for (int i = 0; i < W * n; i++) v->delta[i] *= v->g[i];
    for (int j = 0; j < W; j++)
        for (int i = 0; i < n; i++) dot[i] += p[j * n + i] * v->delta[j * n + i];
    for (int j = 0; j < W; j++)
        for (int i = 0; i < n; i++)
            v->delta[j * n + i] = p[j * n + i] * (v->delta[j * n + i] - dot[i]);
}

// ds summed by lag and by symbol, then into queries and keys
static void spread_scores(const view *v, int h, const slt_real *p, slt_real *partial) {
    int n = v->count, W = v->n.W, A = v->n.A, e = v->n.e;
    slt_real *dlags = partial + table_size(v->n) + h * (W + 1), start = 0;
    slt_real *dq = partial + table_size(v->n) + lags_size(v->n) + v->k * v->n.d + h * e;
    for (int a = 0; a < A; a++) v->S[a] = 0;
    for (int j = 0; j < W; j++) {
        const slt_real *ds = v->delta + j * n;
        dlags[j] += slt_sum(ds, n);
        for (int i = 0; i < n; i++) v->S[v->symbol[j * n + i]] += ds[i];
    }
    for (int i = 0; i < n; i++) start -= p[W * n + i] * v->row[i];
    dlags[W] += start;
    v->S[A - 1] += start;
    for (int a = 0; a < A; a++) {
        slt_real ds = v->S[a] * v->scale, *dkey = partial + (size_t)a * 2 * (size_t)v->n.d + h * e;
        for (int c = 0; c < e; c++) dq[c] += ds * key(v, a, h)[c];
        for (int c = 0; c < e; c++) dkey[c] += ds * query(v, h)[c];
    }
}

// d log g_j(l) belongs to all b from l-j to l-1
static void end_gradients(const slt_args *args, const view *v) {
    int C = v->sequence.computed, W = v->n.W;
    slt_real *db = args->in_grad[ENDS] + v->sequence.first, *sum = v->row;
    for (int l = 0; l < C; l++) sum[l] = 0;
    for (int l = 1; l < C; l++) {
        slt_real log_gate = 0;
        for (int j = slt_min(W, l); j >= 1; j--) {
            log_gate += v->dgate[(j - 1) * C + l] * v->gates[(j - 1) * C + l];
            sum[l - j] += log_gate;
        }
    }
    for (int l = 0; l < C; l++) slt_put(&db[l], args->add[ENDS], -sum[l] / (1 - v->ends[l]));
}

static void backward_trajectory(const slt_args *args, int b, slt_real *memory) {
    view v = view_at(args, b, memory);
    slt_real *partial = args->shared + partial_size(v.n) * (size_t)b;
    memset(partial, 0, partial_size(v.n) * sizeof *partial);
    memset(v.dgate, 0, (size_t)v.n.W * (size_t)v.sequence.computed * sizeof *v.dgate);
    while (next_slot(args, &v))
        for (int h = 0; h < v.n.H; h++) {
            const slt_real *p = kept(&v, h), *dout = args->out_grad[0] + place(&v, h);
            if (v.n.e == 8)
                unmix(&v, h, p, dout, partial, 8);
            else
                unmix(&v, h, p, dout, partial, v.n.e);
            score_gradients(&v, p);
            spread_scores(&v, h, p, partial);
        }
    if (args->in_grad[ENDS]) end_gradients(args, &v);
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
    dims n = dims_of(args->node, args->limits.slots, args->in_rows[TABLE], args->in_width[LAGS],
                     args->out_width[0]);
    int B = args->batch->count, stride = (int)partial_size(n), width = n.K * n.d;
    const slt_real *table = args->shared, *lags = table + table_size(n), *q = lags + lags_size(n);
    if (args->in_grad[TABLE])
        slt_add_partials(args->in_grad[TABLE], args->add[TABLE], table, B, (int)table_size(n),
                         stride);
    if (args->in_grad[LAGS])
        slt_add_partials(args->in_grad[LAGS], args->add[LAGS], lags, B, (int)lags_size(n), stride);
    bool own = args->node->attributes.n[SPACE] == SLT_SLOTS;
    if (args->in_grad[Q] && !own)
        slt_add_partials(args->in_grad[Q], args->add[Q], q, B, width, stride);
    for (int b = 0; b < B && args->in_grad[Q] && own; b++)
        slt_add_partials(args->in_grad[Q] + (size_t)b * (size_t)width, args->add[Q],
                         q + (size_t)b * (size_t)stride, 1, width, stride);
}

// ---- the row

static dims dims_at(const slt_sizes *sizes) {
    return dims_of(sizes->node, sizes->limits.slots, sizes->in[TABLE].rows, sizes->in[LAGS].width,
                   sizes->out[0].width);
}
static size_t aux(const slt_sizes *sizes) { return keep_size(dims_at(sizes), sizes->out[0].rows); }
static size_t shared(const slt_sizes *sizes) {
    return partial_size(dims_at(sizes)) * (size_t)sizes->limits.trajectories;
}
static double flops(const slt_sizes *sizes) {
    dims n = dims_at(sizes);
    return 1.0 * sizes->out[0].rows * (n.W + 1) * (16.0 * n.H + 2.0 * n.d);
}

static slt_var make_case(slt_probe *probe, slt_space space, int symbols, int width, int heads,
                         int window) {
    slt_tape *tape = slt_probe_tape(probe);
    int K = slt_tape_limits(tape).slots;
    slt_var q = space == SLT_SLOTS ? slt_probe_numbers(probe, SLT_SLOTS, 0, width, -1, 1)
                                   : slt_probe_parameter(probe, K, width, -1, 1);
    slt_var table = slt_probe_parameter(probe, symbols, 2 * width, -1, 1);
    slt_var ids = slt_probe_integers(probe, SLT_TOKENS, symbols - 1);
    slt_var ends = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0.1, 0.9);
    slt_var lags = slt_probe_parameter(probe, heads, window + 1, -1, 1);
    slt_var live = slt_live_rows(tape, slt_probe_constant(probe, SLT_TOKENS, 0, K, 0, 1), 0.5);
    return slt_window_attention(tape, q, table, ids, ends, lags, live);
}
static slt_var case_shared(slt_probe *p) { return make_case(p, SLT_FIXED, 4, 6, 2, 3); }
static slt_var case_own(slt_probe *p) { return make_case(p, SLT_SLOTS, 3, 8, 1, 2); }
static slt_var case_wide(slt_probe *p) { return make_case(p, SLT_FIXED, 3, 4, 2, 12); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_FIXED, 8, 32, 4, 8); }

static size_t kernel_shared(const slt_sizes *sizes) {
    return slt_window_kernel_size(dims_at(sizes), sizes->limits.trajectories, sizes->out[0].rows,
                                  sizes->in[ENDS].rows);
}

const slt_op slt_op_window_attention = {
    .name = "window_attention",
    .sentence = "the last actions of the same segment, the rest from the start vector",
    .least = 7,
    .most = 7,
    .shape = shape,
    .no_gradient_in = 1u << IDS | 1u << LIST | 1u << RANGE,
    .saves_in = 1u << Q | 1u << TABLE | 1u << IDS | 1u << ENDS | 1u << LIST | 1u << RANGE,
    .aux = aux,
    .shared = shared,
    .scratch = scratch,
    .flops = flops,
    .backward_flops = 2.5,
    .kernel_shared = kernel_shared,
    .forward = forward,
    .backward = backward,
    .cases = {case_shared, case_own, case_wide},
    .bench = bench};

slt_var slt_window_attention(slt_tape *tape, slt_var q, slt_var table, slt_var ids, slt_var ends,
                             slt_var lags, slt_var live) {
    if (slt_tape_failed(tape)) return 0;
    slt_var inputs[] = {q, table, ids, ends, lags, live, live + 1};
    slt_attributes attributes = {
        .n = {slt_tape_shape(tape, lags).rows, slt_tape_shape(tape, q).space}};
    return slt_tape_apply(tape, &slt_op_window_attention, inputs, 7, &attributes);
}
