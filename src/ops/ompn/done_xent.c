// Cross-entropy of a policy that may also end: y = softmax(logits) over the actions but the last
// one, DONE, whose probability e is the first column of another input, clipped to [1e-6, 1-1e-6].
//     loss = 1/M Σ -log((1-e)·y_a), or -log e for DONE
// Next to it the log-probabilities (tokens, A). Backward: d logits = (y - onehot)/M, 0 for DONE; de
// = 1/(1-e)/M, or -1/e/M for DONE; nothing reaches a clipped e.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { LOGITS, ENDS, TARGETS };
enum { LOSS, LOG_PROBABILITY };

static const slt_real LEAST = (slt_real)1e-6, MOST = (slt_real)(1 - 1e-6);

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, LOGITS, SLT_TOKENS, 0, rule->in[LOGITS].width);
    slt_shape_want(rule, ENDS, SLT_TOKENS, 0, rule->in[ENDS].width);
    slt_shape_want(rule, TARGETS, SLT_TOKENS, 0, 1);
    slt_shape_type(rule, TARGETS, SLT_INTEGERS);
    rule->outputs = 2;
    rule->out[LOSS] = (slt_shape){SLT_FIXED, 1, 1};
    rule->out[LOG_PROBABILITY] = (slt_shape){SLT_TOKENS, 0, rule->in[LOGITS].width + 1};
}

static slt_real clip(slt_real e) { return e < LEAST ? LEAST : e > MOST ? MOST : e; }

static void log_probabilities(const slt_real *logits, int actions, slt_real end, slt_real *out) {
    slt_real most = logits[0], sum = 0;
    for (int a = 1; a < actions; a++) most = logits[a] > most ? logits[a] : most;
    for (int a = 0; a < actions; a++) sum += slt_exp(logits[a] - most);
    slt_real rest = slt_log(1 - end) - slt_log(sum) - most;
    for (int a = 0; a < actions; a++) out[a] = logits[a] + rest;
    out[actions] = slt_log(end);
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    const slt_batch *batch = args->batch;
    size_t actions = (size_t)args->in_width[LOGITS], levels = (size_t)args->in_width[ENDS];
    const int32_t *targets = args->in[TARGETS];
    slt_real loss = 0;
    for (int r = batch->offset[b]; r < batch->offset[b + 1]; r++) {
        slt_real *out = args->out[LOG_PROBABILITY] + (size_t)r * (actions + 1);
        const slt_real *logits = (const slt_real *)args->in[LOGITS] + (size_t)r * actions;
        const slt_real *end = (const slt_real *)args->in[ENDS] + (size_t)r * levels;
        log_probabilities(logits, (int)actions, clip(*end), out);
        if (r - batch->offset[b] < batch->length[b]) loss -= out[targets[r]];
    }
    args->shared[b] = loss / (slt_real)batch->true_tokens;
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
    slt_add_partials(args->out[LOSS], false, args->shared, args->batch->count, 1, 1);
}

static void backward_row(const slt_args *args, int r, bool truth) {
    size_t actions = (size_t)args->in_width[LOGITS], levels = (size_t)args->in_width[ENDS];
    int target = ((const int32_t *)args->in[TARGETS])[r];
    slt_real scale = truth ? args->out_grad[LOSS][0] / (slt_real)args->batch->true_tokens : 0;
    slt_real raw = ((const slt_real *)args->in[ENDS])[(size_t)r * levels], end = clip(raw);
    bool done = (size_t)target == actions, free = raw >= LEAST && raw <= MOST;
    const slt_real *out = args->out[LOG_PROBABILITY] + (size_t)r * (actions + 1);
    slt_real *dlogits = args->in_grad[LOGITS], *dends = args->in_grad[ENDS];
    for (size_t a = 0; dlogits && a < actions; a++) {
        slt_real y = slt_exp(out[a]) / (1 - end), hit = (size_t)target == a;
        slt_put(&dlogits[(size_t)r * actions + a], args->add[LOGITS],
                truth && !done ? scale * (y - hit) : 0);
    }
    for (size_t j = 0; dends && j < levels; j++)
        slt_put(&dends[(size_t)r * levels + j], args->add[ENDS],
                truth && free && j == 0 ? scale * (done ? -1 / end : 1 / (1 - end)) : 0);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    const slt_batch *batch = args->batch;
    for (int r = batch->offset[b]; r < batch->offset[b + 1]; r++)
        backward_row(args, r, r - batch->offset[b] < batch->length[b]);
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
}

static size_t shared(const slt_sizes *sizes) { return (size_t)sizes->limits.trajectories; }
static double flops(const slt_sizes *sizes) {
    return 14.0 * sizes->in[LOGITS].rows * (sizes->in[LOGITS].width + 1);
}

static slt_var make_case(slt_probe *probe, int actions, int levels) {
    slt_var logits = slt_probe_numbers(probe, SLT_TOKENS, 0, actions - 1, -2, 2);
    slt_var ends = slt_probe_numbers(probe, SLT_TOKENS, 0, levels, 0.1, 0.9);
    slt_var targets = slt_probe_integers(probe, SLT_TOKENS, actions);
    return slt_done_xent(slt_probe_tape(probe), logits, ends, targets);
}
static slt_var case_small(slt_probe *p) { return make_case(p, 3, 3); }
static slt_var case_clipped(slt_probe *probe) { // nothing comes through the bounds
    slt_var logits = slt_probe_numbers(probe, SLT_TOKENS, 0, 2, -2, 2);
    slt_var ends = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 1.1, 1.2);
    slt_var targets = slt_probe_integers(probe, SLT_TOKENS, 3);
    return slt_done_xent(slt_probe_tape(probe), logits, ends, targets);
}
static slt_var bench(slt_probe *p) { return make_case(p, 7, 4); }

const slt_op slt_op_done_xent = {.name = "done_xent",
                                 .sentence = "mean of -log((1-e)·softmax(logits)[a]), -log e",
                                 .least = 3,
                                 .most = 3,
                                 .shape = shape,
                                 .no_gradient_in = 1u << TARGETS,
                                 .no_gradient_out = 1u << LOG_PROBABILITY,
                                 .saves_in = 1u << ENDS | 1u << TARGETS,
                                 .saves_out = 1u << LOG_PROBABILITY,
                                 .shared = shared,
                                 .flops = flops,
                                 .forward = forward,
                                 .backward = backward,
                                 .cases = {case_small, case_clipped},
                                 .bench = bench};

slt_var slt_done_xent(slt_tape *tape, slt_var logits, slt_var ends, slt_var targets) {
    slt_var inputs[] = {logits, ends, targets};
    return slt_tape_apply(tape, &slt_op_done_xent, inputs, 3, NULL);
}
