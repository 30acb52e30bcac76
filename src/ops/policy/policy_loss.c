// The loss of a policy, a mean over true tokens, with p = softmax(logits) and its entropy:
//     r = p(a)/p'(a), p' the policy that acted
//     L = -mean min(r·A, clip(r, 1-c, 1+c)·A)    (PPO, arXiv:1707.06347, eq. 7)
//     L = -mean A·log p(a)                       where c = 0 (A2C; cloning with A = 1)
//     H = -mean Σ p·log p,  K = mean (r - 1 - log r), how far the policy has gone
// c is a weight of the step. Backward: dL/dlogits = -A·r·(onehot - p)/M where the minimum is not
// the clipped one, dH/dlogits = -p·(log p + H)/M.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { LOGITS, ACTIONS, ADVANTAGE, BEFORE };
enum { LOSS, ENTROPY, GONE, OUTPUTS };

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, LOGITS, SLT_TOKENS, 0, rule->in[LOGITS].width);
    for (int i = ACTIONS; i <= BEFORE; i++) slt_shape_want(rule, i, SLT_TOKENS, 0, 1);
    slt_shape_type(rule, ACTIONS, SLT_INTEGERS);
    rule->outputs = OUTPUTS;
    for (int i = 0; i < OUTPUTS; i++) rule->out[i] = (slt_shape){SLT_FIXED, 1, 1};
}

static slt_real clip_of(const slt_args *args) {
    int w = args->node->attributes.n[0];
    return w < 0 ? 0 : args->step->weight[w];
}

// what a row says: entropy, log p(a), r, and the slope of the loss over log p(a)
typedef struct {
    slt_real entropy, chance, ratio, loss, slope;
} verdict;

// log p of a row into x
static void log_softmax(const slt_real *logits, int width, slt_real *x) {
    slt_real most = logits[0], sum = 0;
    for (int a = 1; a < width; a++) most = logits[a] > most ? logits[a] : most;
    for (int a = 0; a < width; a++) sum += slt_exp(logits[a] - most);
    slt_real all = most + slt_log(sum);
    for (int a = 0; a < width; a++) x[a] = logits[a] - all;
}

// row r of the tokens; leaves log p in x
static verdict evaluate(const slt_args *args, int r, slt_real clip, slt_real *x) {
    int width = args->in_width[LOGITS];
    log_softmax((const slt_real *)args->in[LOGITS] + (size_t)r * (size_t)width, width, x);
    slt_real A = ((const slt_real *)args->in[ADVANTAGE])[r];
    slt_real chance = x[((const int32_t *)args->in[ACTIONS])[r]], entropy = 0;
    for (int a = 0; a < width; a++) entropy -= slt_exp(x[a]) * x[a];
    slt_real ratio = slt_exp(chance - ((const slt_real *)args->in[BEFORE])[r]);
    verdict v = {entropy, chance, ratio, -A * chance, -A};
    if (clip == 0) return v;
    slt_real bound = A > 0 ? 1 + clip : 1 - clip;
    bool clipped = A > 0 ? ratio > bound : ratio < bound;
    v.loss = -A * (clipped ? bound : ratio);
    v.slope = clipped ? 0 : -A * ratio;
    return v;
}

static void forward_trajectory(const slt_args *args, int b, slt_real *x) {
    const slt_batch *batch = args->batch;
    int first = batch->offset[b], truth = slt_min(batch->length[b], slt_batch_computed(batch, b));
    slt_real clip = clip_of(args), sum[OUTPUTS] = {0}, M = (slt_real)batch->true_tokens;
    for (int r = first; r < first + truth; r++) {
        verdict v = evaluate(args, r, clip, x);
        slt_real change = v.chance - ((const slt_real *)args->in[BEFORE])[r];
        sum[LOSS] += v.loss;
        sum[ENTROPY] += v.entropy;
        sum[GONE] += v.ratio - 1 - change;
    }
    for (int i = 0; i < OUTPUTS; i++) args->shared[b * OUTPUTS + i] = sum[i] / M;
}
SLT_WIDE_TASK(forward_trajectory);

static void forward(const slt_args *args) {
    int count = args->batch->count;
    slt_args_run(args, count, SLT_WIDEST(forward_trajectory));
    for (int i = 0; i < OUTPUTS; i++)
        slt_add_partials(args->out[i], false, args->shared + i, count, 1, OUTPUTS);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *x) {
    const slt_batch *batch = args->batch;
    int width = args->in_width[LOGITS], first = batch->offset[b];
    const slt_real *const dy[] = {args->out_grad[LOSS], args->out_grad[ENTROPY]};
    slt_real M = (slt_real)batch->true_tokens, clip = clip_of(args);
    slt_real of_loss = dy[0] ? *dy[0] / M : 0, of_entropy = dy[1] ? *dy[1] / M : 0;
    for (int r = first; r < batch->offset[b + 1]; r++) {
        slt_real *dx = args->in_grad[LOGITS] + (size_t)r * (size_t)width;
        bool truth = r - first < batch->length[b];
        verdict v = {0};
        if (truth) v = evaluate(args, r, clip, x);
        int action = truth ? ((const int32_t *)args->in[ACTIONS])[r] : 0;
        for (int a = 0; a < width; a++) {
            slt_real p = truth ? slt_exp(x[a]) : 0, hit = a == action;
            slt_real d = of_loss * v.slope * (hit - p);
            if (truth) d -= of_entropy * p * (x[a] + v.entropy);
            slt_put(&dx[a], args->add[LOGITS], d);
        }
    }
}
SLT_WIDE_TASK(backward_trajectory);

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(backward_trajectory));
}

static size_t shared(const slt_sizes *sizes) {
    return (size_t)OUTPUTS * (size_t)sizes->limits.trajectories;
}
static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->in[LOGITS].width; }
static double flops(const slt_sizes *sizes) {
    return 30.0 * sizes->in[LOGITS].rows * sizes->in[LOGITS].width;
}

static slt_var make_case(slt_probe *probe, int width, int clip) {
    slt_var logits = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1);
    slt_var actions = slt_probe_integers(probe, SLT_TOKENS, width);
    slt_var advantage = slt_probe_constant(probe, SLT_TOKENS, 0, 1, -1, 1);
    slt_var before = slt_probe_constant(probe, SLT_TOKENS, 0, 1, -2, -1);
    return slt_policy_loss(slt_probe_tape(probe), logits, actions, advantage, before, clip);
}
static slt_var case_clipped(slt_probe *p) { return make_case(p, 4, 0); }
static slt_var case_plain(slt_probe *p) { return make_case(p, 3, -1); }
static slt_var case_entropy(slt_probe *p) {
    slt_var loss = make_case(p, 5, 0);
    return slt_add_loss(slt_probe_tape(p), loss, loss + ENTROPY, 1);
}
static slt_var bench(slt_probe *p) { return make_case(p, 7, 0); }

const slt_op slt_op_policy_loss = {.name = "policy_loss",
                                   .sentence = "-mean min(r·A, clip(r)·A), entropy, distance",
                                   .least = 4,
                                   .most = 4,
                                   .shape = shape,
                                   .no_gradient_in = 1u << ACTIONS | 1u << ADVANTAGE | 1u << BEFORE,
                                   .no_gradient_out = 1u << GONE,
                                   .saves_in = 15,
                                   .shared = shared,
                                   .scratch = scratch,
                                   .flops = flops,
                                   .backward_flops = 1,
                                   .forward = forward,
                                   .backward = backward,
                                   .cases = {case_clipped, case_plain, case_entropy},
                                   .bench = bench};

slt_var slt_policy_loss(slt_tape *tape, slt_var logits, slt_var actions, slt_var advantage,
                        slt_var before, int clip) {
    slt_var inputs[] = {logits, actions, advantage, before};
    slt_attributes attributes = {.n = {clip}};
    return slt_tape_apply(tape, &slt_op_policy_loss, inputs, 4, &attributes);
}
