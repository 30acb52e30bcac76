// Mean over true tokens of -log softmax(logits)[target]. Backward: (softmax - onehot)/M.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { LOGITS, TARGETS };

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, LOGITS, SLT_TOKENS, 0, rule->in[LOGITS].width);
    slt_shape_want(rule, TARGETS, SLT_TOKENS, 0, 1);
    slt_shape_type(rule, TARGETS, SLT_INTEGERS);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

// softmax of a row into p; gives the cross-entropy
static slt_real row_loss(const slt_real *x, int width, int target, slt_real *p) {
    slt_real most = x[0], sum = 0;
    for (int a = 1; a < width; a++) most = x[a] > most ? x[a] : most;
    for (int a = 0; a < width; a++) sum += p[a] = slt_exp(x[a] - most);
    for (int a = 0; a < width; a++) p[a] /= sum;
    return slt_log(sum) + most - x[target];
}

static void forward_trajectory(const slt_args *args, int b, slt_real *p) {
    const slt_batch *batch = args->batch;
    int width = args->in_width[LOGITS], first = batch->offset[b];
    const slt_real *x = (const slt_real *)args->in[LOGITS] + (size_t)first * (size_t)width;
    const int32_t *targets = (const int32_t *)args->in[TARGETS] + first;
    int truth = slt_min(batch->length[b], slt_batch_computed(batch, b));
    slt_real loss = 0;
    for (int l = 0; l < truth; l++)
        loss += row_loss(x + (size_t)l * (size_t)width, width, targets[l], p);
    args->shared[b] = loss / (slt_real)batch->true_tokens;
}
SLT_WIDE_TASK(forward_trajectory);

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(forward_trajectory));
    slt_add_partials(args->out[0], false, args->shared, args->batch->count, 1, 1);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *p) {
    const slt_batch *batch = args->batch;
    size_t width = (size_t)args->in_width[LOGITS];
    const int32_t *targets = args->in[TARGETS];
    slt_real scale = args->out_grad[0][0] / (slt_real)batch->true_tokens;
    for (int r = batch->offset[b]; r < batch->offset[b + 1]; r++) {
        slt_real *dx = args->in_grad[LOGITS] + (size_t)r * width;
        const slt_real *x = (const slt_real *)args->in[LOGITS] + (size_t)r * width;
        bool truth = r - batch->offset[b] < batch->length[b];
        if (truth) row_loss(x, (int)width, targets[r], p);
        for (size_t a = 0; a < width; a++) {
            slt_real hit = truth && (size_t)targets[r] == a;
            slt_put(&dx[a], args->add[LOGITS], truth ? scale * (p[a] - hit) : 0);
        }
    }
}
SLT_WIDE_TASK(backward_trajectory);

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(backward_trajectory));
}

static size_t shared(const slt_sizes *sizes) { return (size_t)sizes->limits.trajectories; }
static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->in[LOGITS].width; }
static double flops(const slt_sizes *sizes) {
    return 14.0 * sizes->in[LOGITS].rows * sizes->in[LOGITS].width;
}

static slt_var make_case(slt_probe *probe, int actions) {
    slt_var logits = slt_probe_numbers(probe, SLT_TOKENS, 0, actions, -2, 2);
    return slt_softmax_xent(slt_probe_tape(probe), logits,
                            slt_probe_integers(probe, SLT_TOKENS, actions));
}
static slt_var case_small(slt_probe *p) { return make_case(p, 4); }
static slt_var bench(slt_probe *p) { return make_case(p, 7); }

const slt_op slt_op_softmax_xent = {.name = "softmax_xent",
                                    .sentence = "mean of -log softmax(logits)[target]",
                                    .least = 2,
                                    .most = 2,
                                    .shape = shape,
                                    .no_gradient_in = 1u << TARGETS,
                                    .saves_in = 3,
                                    .shared = shared,
                                    .scratch = scratch,
                                    .flops = flops,
                                    .forward = forward,
                                    .backward = backward,
                                    .cases = {case_small},
                                    .bench = bench};

slt_var slt_softmax_xent(slt_tape *tape, slt_var logits, slt_var targets) {
    slt_var inputs[] = {logits, targets};
    return slt_tape_apply(tape, &slt_op_softmax_xent, inputs, 2, NULL);
}
