// Expected code length of the actions under the counting masks, in nats per true step. A row of
// logits holds A for a step inside its segment and A for one that ends it:
//     rec = 1/M Σ_l [ Σ_k m_k(l)·(b_l·n1 + (1-b_l)·n0) + over(l)·log A ],  over = max(0, 1 - Σ_k
//     m_k)
// Free: n0, n1 = -log softmax over A of its half, at the action: ends are told for nothing. Paid:
// one softmax over both halves, so that action and end are written down together.
// Backward, with w1 = b, w0 = 1-b and p of the half:
//     dlogit = m_k·(w·p - w·[a]) per half; paid: m_k·(p - w·[a])
//     dm_k = b·n1 + (1-b)·n0 - [over > 0]·log A,  db = Σ_k m_k(n1 - n0)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/op_table.h"
#include "ops/op_tools.h"

enum { LOGITS, MASKS, ENDS, TARGETS };
enum { PAID };

static void shape(slt_rule *rule) {
    slt_shape logits = rule->in[LOGITS];
    slt_rule_want(rule, LOGITS, SLT_SLOT_TOKENS, 0, logits.width);
    slt_rule_want(rule, MASKS, SLT_TOKENS, 0, rule->limits.slots);
    slt_rule_want(rule, ENDS, SLT_TOKENS, 0, 1);
    slt_rule_want(rule, TARGETS, SLT_TOKENS, 0, 1);
    slt_rule_type(rule, TARGETS, SLT_INTEGERS);
    if (logits.width % 2) slt_rule_reject(rule, LOGITS, "an even width");
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
    slt_sequence sequence;
    int truth, K, A, width;
    bool paid;
    const slt_real *logits, *masks, *ends;
    const int32_t *targets;
} view;

static view view_at(const slt_args *args, int b) {
    slt_sequence sequence = slt_sequence_at(args, SLT_TOKENS, b);
    view v = {.sequence = sequence, .K = args->limits.slots, .width = args->in_width[LOGITS]};
    v.truth = slt_min(args->batch->length[b], sequence.computed);
    v.A = v.width / 2;
    v.paid = args->node->attributes.n[PAID];
    size_t first = (size_t)sequence.first, K = (size_t)v.K;
    v.logits = (const slt_real *)args->in[LOGITS] + first * K * (size_t)v.width;
    v.masks = (const slt_real *)args->in[MASKS] + first * K;
    v.ends = (const slt_real *)args->in[ENDS] + first;
    v.targets = (const int32_t *)args->in[TARGETS] + first;
    return v;
}

static size_t row_of(const view *v, int k, int l) {
    return (size_t)(k * v->sequence.computed + l) * (size_t)v->width;
}

static slt_real over(const view *v, int l) {
    slt_real left = 1;
    for (int k = 0; k < v->K; k++) left -= v->masks[l * v->K + k];
    return left;
}

static void forward_trajectory(const slt_args *args, int b, slt_real *p) {
    view v = view_at(args, b);
    slt_real sum = 0, most = slt_log((slt_real)v.A);
    for (int k = 0; k < v.K; k++)
        for (int l = 0; l < v.truth; l++) {
            row_nats n = row_code(v.logits + row_of(&v, k, l), v.A, v.targets[l], v.paid, p);
            sum += v.masks[l * v.K + k] * (v.ends[l] * n.end + (1 - v.ends[l]) * n.inside);
        }
    for (int l = 0; l < v.truth; l++) {
        slt_real left = over(&v, l);
        sum += slt_where(left > 0, left * most);
    }
    args->shared[b] = sum / (slt_real)args->batch->true_tokens;
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
    slt_add_partials(args->out[0], false, args->shared, args->batch->count, 1, 1);
}

// the gradient of one row of logits; weight is scale·m_k
static void row_gradient(const view *v, int l, slt_real weight, const slt_real *p, bool add,
                         slt_real *dx) {
    slt_real w[2] = {1 - v->ends[l], v->ends[l]};
    for (int half = 0; half < 2; half++)
        for (int a = 0; a < v->A; a++) {
            slt_real share = v->paid ? 1 : w[half];
            slt_real hit = slt_where(a == v->targets[l], w[half]);
            slt_put(&dx[half * v->A + a], add, weight * (share * p[half * v->A + a] - hit));
        }
}

// gradients of masks and ends over the first slot; later slots add to db
static void small_gradients(const slt_args *args, const view *v, int k, int l, row_nats n,
                            slt_real scale) {
    size_t at = (size_t)(v->sequence.first + l);
    slt_real nats = v->ends[l] * n.end + (1 - v->ends[l]) * n.inside;
    slt_real beyond = slt_where(over(v, l) > 0, slt_log((slt_real)v->A));
    if (args->in_grad[MASKS])
        slt_put(&args->in_grad[MASKS][at * (size_t)v->K + (size_t)k], args->add[MASKS],
                scale * (nats - beyond));
    if (args->in_grad[ENDS])
        slt_put(&args->in_grad[ENDS][at], args->add[ENDS] || k > 0,
                scale * v->masks[l * v->K + k] * (n.end - n.inside));
}

static void clear_padding(const slt_args *args, const view *v) {
    int empty = v->sequence.computed - v->truth;
    size_t at = (size_t)(v->sequence.first + v->truth), width = (size_t)v->width, K = (size_t)v->K;
    for (int k = 0; k < v->K && args->in_grad[LOGITS] && !args->add[LOGITS]; k++)
        memset(args->in_grad[LOGITS] + (size_t)v->sequence.first * K * width +
                   row_of(v, k, v->truth),
               0, (size_t)empty * width * sizeof(slt_real));
    if (args->in_grad[MASKS] && !args->add[MASKS])
        memset(args->in_grad[MASKS] + at * K, 0, (size_t)empty * K * sizeof(slt_real));
    if (args->in_grad[ENDS] && !args->add[ENDS])
        memset(args->in_grad[ENDS] + at, 0, (size_t)empty * sizeof(slt_real));
}

static void backward_trajectory(const slt_args *args, int b, slt_real *p) {
    view v = view_at(args, b);
    slt_real scale = args->out_grad[0][0] / (slt_real)args->batch->true_tokens;
    slt_real *dx = args->in_grad[LOGITS];
    if (dx) dx += (size_t)v.sequence.first * (size_t)v.K * (size_t)v.width;
    for (int k = 0; k < v.K; k++)
        for (int l = 0; l < v.truth; l++) {
            size_t row = row_of(&v, k, l);
            row_nats n = row_code(v.logits + row, v.A, v.targets[l], v.paid, p);
            slt_real weight = scale * v.masks[l * v.K + k];
            if (dx) row_gradient(&v, l, weight, p, args->add[LOGITS], dx + row);
            small_gradients(args, &v, k, l, n, scale);
        }
    clear_padding(args, &v);
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
}

static size_t shared(const slt_sizes *sizes) { return (size_t)sizes->limits.trajectories; }
static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->in[LOGITS].width; }
static double flops(const slt_sizes *sizes) {
    return 14.0 * sizes->in[LOGITS].rows * sizes->in[LOGITS].width;
}

static slt_var make_case(slt_probe *probe, int actions, bool paid, double most) {
    slt_tape *tape = slt_probe_tape(probe);
    int K = slt_tape_limits(tape).slots;
    slt_var logits = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, 2 * actions, -2, 2);
    slt_var masks = slt_probe_numbers(probe, SLT_TOKENS, 0, K, 0.1 / K, most / K);
    slt_var ends = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0.1, 0.9);
    slt_var targets = slt_probe_integers(probe, SLT_TOKENS, actions);
    return slt_count_xent(tape, logits, masks, ends, targets, paid);
}
static slt_var case_free(slt_probe *p) { return make_case(p, 4, false, 0.9); }
static slt_var case_paid(slt_probe *p) { return make_case(p, 3, true, 0.9); }
static slt_var bench(slt_probe *p) { return make_case(p, 7, false, 0.9); }

const slt_op slt_op_count_xent = {.name = "count_xent",
                                  .sentence = "expected nats of the actions under counting masks",
                                  .least = 4,
                                  .most = 4,
                                  .shape = shape,
                                  .no_gradient_in = 1u << TARGETS,
                                  .saves_in = 15,
                                  .shared = shared,
                                  .scratch = scratch,
                                  .flops = flops,
                                  .forward = forward,
                                  .backward = backward,
                                  .cases = {case_free, case_paid},
                                  .bench = bench};

slt_var slt_count_xent(slt_tape *tape, slt_var logits, slt_var masks, slt_var ends, slt_var targets,
                       bool paid) {
    slt_var inputs[] = {logits, masks, ends, targets};
    slt_attributes attributes = {.n = {paid}};
    return slt_tape_apply(tape, &slt_op_count_xent, inputs, 4, &attributes);
}
