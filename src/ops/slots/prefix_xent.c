// Expected cross-entropy of the prefix mixtures (prefix_walk.h), where actions are symbols:
//     nats(R; a) = -log softmax(R)[a],  dnats/dR = softmax(R) - onehot(a)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/slots/prefix_walk.h"

static void shape(slt_shape_check *rule) {
    prefix_shape(rule, "[slot tokens, A+1]");
    slt_shape_want(rule, TARGETS, SLT_TOKENS, 0, 1);
    slt_shape_type(rule, TARGETS, SLT_INTEGERS);
}

// softmax(R) into p; gives the cross-entropy
static slt_real prefix_nats(const prefixes *m, int j, int l, slt_real *R, slt_real *p) {
    prefix_extend(m, j, l, R);
    slt_real most = R[0], sum = 0;
    for (int a = 1; a < m->C; a++) most = R[a] > most ? R[a] : most;
    for (int a = 0; a < m->C; a++) sum += p[a] = slt_exp(R[a] - most);
    for (int a = 0; a < m->C; a++) p[a] /= sum;
    return slt_log(sum) + most - R[m->symbols[l]];
}

static void prefix_errors(const prefixes *m, int j, int l, slt_real w, slt_real *R, slt_real *dR) {
    prefix_nats(m, j, l, R, dR);
    dR[m->symbols[l]] -= 1;
    for (int a = 0; a < m->C; a++) dR[a] *= w;
}

static prefixes mixture_of(const slt_args *args, int b) {
    prefixes m = prefixes_of(args, b);
    m.symbols = (const int32_t *)args->in[TARGETS] + args->batch->offset[b];
    return m;
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    prefixes m = mixture_of(args, b);
    prefix_forward(args, &m, b, scratch);
}
SLT_WIDE_TASK(forward_trajectory);

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(forward_trajectory));
    slt_add_partials(args->out[0], false, args->shared, args->batch->count, 1, 1);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    prefixes m = mixture_of(args, b);
    prefix_backward(args, &m, b, scratch);
}
SLT_WIDE_TASK(backward_trajectory);

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(backward_trajectory));
}

static size_t shared(const slt_sizes *sizes) { return (size_t)sizes->limits.trajectories; }
static size_t scratch(const slt_sizes *sizes) {
    return ((size_t)sizes->limits.slots + 2) * (size_t)sizes->in[ALPHA].width;
}
static double flops(const slt_sizes *sizes) {
    return 20.0 * sizes->in[ALPHA].rows * sizes->in[ALPHA].width;
}

static slt_var make_case(slt_probe *probe, int actions) {
    slt_tape *tape = slt_probe_tape(probe);
    slt_var logits = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, actions + 1, -2, 2);
    slt_var masks = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, 1, 0, 1);
    slt_var h = slt_probe_numbers(probe, SLT_TRAJECTORIES, 0, slt_tape_limits(tape).slots, 0, 1);
    return slt_prefix_xent(tape, logits, masks, h, slt_probe_integers(probe, SLT_TOKENS, actions));
}
static slt_var case_small(slt_probe *p) { return make_case(p, 4); }
static slt_var bench(slt_probe *p) { return make_case(p, 6); }

static const char *kernel_limit(const slt_sizes *sizes) {
    int actions = sizes->in[ALPHA].width - 1;
    if (actions > 256) return "it takes at most 256 actions";
    bool fits = (int64_t)sizes->limits.slots * (actions + 1) <= 12288;
    return fits ? NULL : "too many actions in too many slots";
}

const slt_op slt_op_prefix_xent = {.name = "prefix_xent",
                                   .sentence = "expected cross-entropy of the prefix mixtures",
                                   .least = 4,
                                   .most = 4,
                                   .shape = shape,
                                   .no_gradient_in = 1u << TARGETS,
                                   .saves_in = 15,
                                   .aux = prefix_aux,
                                   .shared = shared,
                                   .scratch = scratch,
                                   .flops = flops,
                                   .kernel_limit = kernel_limit,
                                   .forward = forward,
                                   .backward = backward,
                                   .cases = {case_small},
                                   .bench = bench};

slt_var slt_prefix_xent(slt_tape *tape, slt_var logits, slt_var masks, slt_var h, slt_var targets) {
    slt_var inputs[] = {logits, masks, h, targets};
    return slt_tape_apply(tape, &slt_op_prefix_xent, inputs, 4, NULL);
}
