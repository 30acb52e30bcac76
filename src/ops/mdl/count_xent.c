// Expected code length of the actions under the counting masks, in nats per true step. A row of
// logits holds A for a step inside its segment and A for one that ends it:
//     rec = 1/M Σ_l [ Σ_k m_k(l)·(b_l·n1 + (1-b_l)·n0) + over(l)·log A ],  over = max(0, 1 - Σ_k
//     m_k)
// Free: n0, n1 = -log softmax over A of its half, at the action: ends are told for nothing. Paid:
// one softmax over both halves, so that action and end are written down together.
// Backward, with w1 = b, w0 = 1-b and p of the half:
//     dlogit = m_k·(w·p - w·[a]) per half; paid: m_k·(p - w·[a])
//     dm_k = b·n1 + (1-b)·n0 - [over > 0]·log A where live, else 0;  db = Σ_k m_k(n1 - n0)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/mdl/live_rows.h"
#include "ops/common/op_table.h"

enum { LOGITS, MASKS, ENDS, TARGETS, LIST, RANGE };
enum { PAID };

static void shape(slt_shape_check *rule) {
    slt_shape logits = rule->in[LOGITS];
    slt_shape_want(rule, LOGITS, SLT_LIVE, 0, logits.width);
    slt_shape_want(rule, MASKS, SLT_TOKENS, 0, rule->limits.slots);
    slt_shape_want(rule, ENDS, SLT_TOKENS, 0, 1);
    slt_shape_want(rule, TARGETS, SLT_TOKENS, 0, 1);
    slt_shape_type(rule, TARGETS, SLT_INTEGERS);
    slt_shape_want(rule, LIST, SLT_LIVE, 0, 2);
    slt_shape_want(rule, RANGE, SLT_TRAJECTORIES, 0, 2);
    if (logits.width % 2) slt_shape_reject(rule, LOGITS, "an even width");
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

// log of the sum of exponentials; the exponentials stay in p
static slt_real log_sum(const slt_real *x, int count, slt_real *p, slt_real *inverse) {
    slt_real most = x[0], sum = 0;
    for (int i = 1; i < count; i++) most = x[i] > most ? x[i] : most;
    for (int i = 0; i < count; i++) p[i] = slt_exp_below(x[i] - most);
    for (int i = 0; i < count; i++) sum += p[i];
    *inverse = 1 / sum;
    return most + slt_log(sum);
}

// one row: probabilities of both halves into p (2A), their code lengths of the action
typedef struct {
    slt_real inside, end;
} row_nats;

static row_nats row_code(const slt_real *x, int A, int target, bool paid, slt_real *p) {
    slt_real inverse[2], sums[2];
    if (paid) {
        sums[0] = sums[1] = log_sum(x, 2 * A, p, &inverse[0]);
        inverse[1] = inverse[0];
    } else {
        for (int half = 0; half < 2; half++)
            sums[half] = log_sum(x + half * A, A, p + half * A, &inverse[half]);
    }
    for (int half = 0; half < 2; half++)
        for (int a = 0; a < A; a++) p[half * A + a] *= inverse[half];
    return (row_nats){sums[0] - x[target], sums[1] - x[A + target]};
}

// one trajectory
typedef struct {
    slt_row_span sequence;
    slt_live live;
    int truth, K, A;
    bool paid;
    const slt_real *logits, *masks, *ends;
    const int32_t *targets;
    slt_real *p, *over; // scratch: [2A] and [C]
} view;

// what no live row covers
static void fill_over(view *v) {
    for (int l = 0; l < v->truth; l++) v->over[l] = 1;
    for (int i = 0; i < v->live.count; i++) {
        int l = slt_live_token(&v->live, i) - v->sequence.first;
        v->over[l] -= v->masks[l * v->K + slt_live_slot(&v->live, i)];
    }
}

static view view_at(const slt_args *args, int b, slt_real *memory) {
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    view v = {.sequence = sequence, .K = args->limits.slots, .A = args->in_width[LOGITS] / 2};
    size_t first = (size_t)sequence.first;
    v.live = slt_live_at(args->in[LIST], args->in[RANGE], b);
    v.truth = slt_min(args->batch->length[b], sequence.computed);
    v.paid = args->node->attributes.n[PAID];
    v.logits = (const slt_real *)args->in[LOGITS] + (size_t)v.live.first * 2 * (size_t)v.A;
    v.masks = (const slt_real *)args->in[MASKS] + first * (size_t)v.K;
    v.ends = (const slt_real *)args->in[ENDS] + first;
    v.targets = (const int32_t *)args->in[TARGETS] + first;
    v.p = memory;
    v.over = memory + 2 * v.A;
    fill_over(&v);
    return v;
}

static void forward_trajectory(const slt_args *args, int b, slt_real *memory) {
    view v = view_at(args, b, memory);
    slt_real sum = 0, most = slt_log((slt_real)v.A);
    const slt_real *x = v.logits;
    for (int i = 0; i < v.live.count; i++, x += 2 * v.A) {
        int l = slt_live_token(&v.live, i) - v.sequence.first, k = slt_live_slot(&v.live, i);
        row_nats n = row_code(x, v.A, v.targets[l], v.paid, v.p);
        sum += v.masks[l * v.K + k] * (v.ends[l] * n.end + (1 - v.ends[l]) * n.inside);
    }
    for (int l = 0; l < v.truth; l++) sum += slt_where(v.over[l] > 0, v.over[l] * most);
    args->shared[b] = sum / (slt_real)args->batch->true_tokens;
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
    slt_add_partials(args->out[0], false, args->shared, args->batch->count, 1, 1);
}

// the gradient of one row of logits; weight is scale·m_k
static void row_gradient(const view *v, int l, slt_real weight, bool add, slt_real *dx) {
    slt_real w[2] = {1 - v->ends[l], v->ends[l]};
    for (int half = 0; half < 2; half++)
        for (int a = 0; a < v->A; a++) {
            slt_real share = v->paid ? 1 : w[half];
            slt_real hit = slt_where(a == v->targets[l], w[half]);
            slt_put(&dx[half * v->A + a], add, weight * (share * v->p[half * v->A + a] - hit));
        }
}

static void clear(slt_real *gradient, bool add, size_t first, size_t count) {
    if (gradient && !add) memset(gradient + first, 0, count * sizeof *gradient);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *memory) {
    view v = view_at(args, b, memory);
    slt_real scale = args->out_grad[0][0] / (slt_real)args->batch->true_tokens;
    slt_real beyond = slt_log((slt_real)v.A);
    size_t first = (size_t)v.sequence.first, C = (size_t)v.sequence.computed, K = (size_t)v.K;
    slt_real *dx = args->in_grad[LOGITS], *dm = args->in_grad[MASKS], *db = args->in_grad[ENDS];
    clear(dm, args->add[MASKS], first * K, C * K);
    clear(db, args->add[ENDS], first, C);
    const slt_real *x = v.logits;
    for (int i = 0; i < v.live.count; i++, x += 2 * v.A) {
        int t = slt_live_token(&v.live, i), l = t - v.sequence.first;
        size_t at = (size_t)t * K + (size_t)slt_live_slot(&v.live, i);
        row_nats n = row_code(x, v.A, v.targets[l], v.paid, v.p);
        slt_real m = ((const slt_real *)args->in[MASKS])[at];
        slt_real nats = v.ends[l] * n.end + (1 - v.ends[l]) * n.inside;
        if (dx)
            row_gradient(&v, l, scale * m, args->add[LOGITS],
                         dx + (size_t)(v.live.first + i) * 2 * (size_t)v.A);
        if (dm) dm[at] += scale * (nats - slt_where(v.over[l] > 0, beyond));
        if (db) db[t] += scale * m * (n.end - n.inside);
    }
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
}

static size_t shared(const slt_sizes *sizes) { return (size_t)sizes->limits.trajectories; }
static size_t scratch(const slt_sizes *sizes) {
    return (size_t)sizes->in[LOGITS].width + (size_t)sizes->limits.length;
}
static double flops(const slt_sizes *sizes) {
    return 14.0 * sizes->in[LOGITS].rows * sizes->in[LOGITS].width;
}

static slt_var make_case(slt_probe *probe, int actions, bool paid) {
    slt_tape *tape = slt_probe_tape(probe);
    int K = slt_tape_limits(tape).slots;
    slt_var masks = slt_probe_numbers(probe, SLT_TOKENS, 0, K, 0.1 / K, 0.9 / K);
    slt_var ends = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0.1, 0.9);
    slt_var targets = slt_probe_integers(probe, SLT_TOKENS, actions);
    slt_var live = slt_live_rows(tape, masks, 0.3 / K);
    slt_var w = slt_probe_parameter(probe, 2, 2 * actions, -0.3, 0.3);
    slt_var c = slt_probe_parameter(probe, 1, 2 * actions, -1, 1);
    slt_var logits = slt_dense(tape, live, w, c, SLT_LINEAR);
    return slt_count_xent(tape, logits, masks, ends, targets, live, paid);
}
static slt_var case_free(slt_probe *p) { return make_case(p, 4, false); }
static slt_var case_coded(slt_probe *p) { return make_case(p, 3, true); }
static slt_var bench(slt_probe *p) { return make_case(p, 7, false); }

// two code lengths of a row; shares of the loss
static size_t kernel_shared(const slt_sizes *sizes) {
    return 2 * (size_t)sizes->in[LOGITS].rows + (size_t)sizes->limits.trajectories;
}

const slt_op slt_op_count_xent = {.name = "count_xent",
                                  .sentence = "expected nats of the actions under counting masks",
                                  .least = 6,
                                  .most = 6,
                                  .shape = shape,
                                  .no_gradient_in = 1u << TARGETS | 1u << LIST | 1u << RANGE,
                                  .saves_in = 63,
                                  .shared = shared,
                                  .scratch = scratch,
                                  .flops = flops,
                                  .kernel_shared = kernel_shared,
                                  .forward = forward,
                                  .backward = backward,
                                  .cases = {case_free, case_coded},
                                  .bench = bench};

slt_var slt_count_xent(slt_tape *tape, slt_var logits, slt_var masks, slt_var ends, slt_var targets,
                       slt_var live, bool paid) {
    if (slt_tape_failed(tape)) return 0;
    slt_var inputs[] = {logits, masks, ends, targets, live, live + 1};
    slt_attributes attributes = {.n = {paid}};
    return slt_tape_apply(tape, &slt_op_count_xent, inputs, 6, &attributes);
}
