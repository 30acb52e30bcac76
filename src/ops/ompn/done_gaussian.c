// Nats of a policy over action vectors that may also end, the counterpart of done_xent for
// continuous actions (channel.h): the probability e of the end is the first column of another
// input, clipped to [1e-6, 1-1e-6]. A row without an action is the end, DONE.
//     loss = 1/M Σ nats(head; a) - log(1-e), or -log e for DONE
// Backward: dhead = dnats/dy/M, 0 for DONE; de = 1/(1-e)/M, or -1/e/M for DONE; nothing reaches a
// clipped e.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/vector_nats.h"

enum { HEAD, ENDS, TARGETS, SPREAD, KINDS };

static const slt_real LEAST = (slt_real)1e-6, MOST = (slt_real)(1 - 1e-6);

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, HEAD, SLT_TOKENS, 0, rule->in[HEAD].width);
    slt_shape_want(rule, ENDS, SLT_TOKENS, 0, rule->in[ENDS].width);
    slt_rule_vectors(rule, rule->in[HEAD].width, TARGETS, SPREAD, KINDS);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

static slt_real clip(slt_real e) { return e < LEAST ? LEAST : e > MOST ? MOST : e; }

static const slt_real *row_at(const slt_args *args, int input, int row) {
    return (const slt_real *)args->in[input] + (size_t)row * (size_t)args->in_width[input];
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    const slt_batch *batch = args->batch;
    const slt_channel_law *laws = slt_laws_of(args, SPREAD, KINDS, scratch);
    int C = args->in_width[HEAD], first = batch->offset[b];
    int truth = slt_min(batch->length[b], slt_batch_computed(batch, b));
    slt_real loss = 0;
    for (int r = first; r < first + truth; r++) {
        const slt_real *target = row_at(args, TARGETS, r);
        slt_real end = clip(*row_at(args, ENDS, r));
        if (slt_row_acts(target, C))
            loss += slt_row_nats(laws, C, row_at(args, HEAD, r), target) - slt_log(1 - end);
        else
            loss -= slt_log(end);
    }
    args->shared[b] = loss / (slt_real)batch->true_tokens;
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
    slt_add_partials(args->out[0], false, args->shared, args->batch->count, 1, 1);
}

static void backward_row(const slt_args *args, int r, bool truth, const slt_channel_law *laws,
                         slt_real *drho) {
    int C = args->in_width[HEAD], levels = args->in_width[ENDS];
    const slt_real *y = row_at(args, HEAD, r), *target = row_at(args, TARGETS, r);
    slt_real raw = *row_at(args, ENDS, r), end = clip(raw);
    slt_real scale = truth ? args->out_grad[0][0] / (slt_real)args->batch->true_tokens : 0;
    bool done = !slt_row_acts(target, C), acts = truth && !done;
    bool free = truth && raw >= LEAST && raw <= MOST;
    slt_real *dhead = args->in_grad[HEAD], *dends = args->in_grad[ENDS];
    for (int c = 0; c < C; c++) {
        slt_real d = acts ? scale * slt_channel_dy(laws[c], y[c], target[c]) : 0;
        if (dhead) slt_put(&dhead[(size_t)r * (size_t)C + (size_t)c], args->add[HEAD], d);
        if (acts) drho[c] += scale * slt_channel_drho(laws[c], y[c], target[c]);
    }
    for (int j = 0; dends && j < levels; j++)
        slt_put(&dends[(size_t)r * (size_t)levels + (size_t)j], args->add[ENDS],
                free && j == 0 ? scale * (done ? -1 / end : 1 / (1 - end)) : 0);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    const slt_batch *batch = args->batch;
    const slt_channel_law *laws = slt_laws_of(args, SPREAD, KINDS, scratch);
    size_t C = (size_t)args->in_width[HEAD];
    slt_real *drho = args->shared + (size_t)b * C;
    memset(drho, 0, C * sizeof *drho);
    for (int r = batch->offset[b]; r < batch->offset[b + 1]; r++)
        backward_row(args, r, r - batch->offset[b] < batch->length[b], laws, drho);
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
    slt_put_spread(args, SPREAD, args->batch->count);
}

static size_t shared(const slt_sizes *sizes) {
    return (size_t)sizes->limits.trajectories * (size_t)sizes->in[SPREAD].width;
}
static size_t scratch(const slt_sizes *sizes) {
    return (size_t)sizes->in[SPREAD].width * SLT_LAW_SIZE;
}
static double flops(const slt_sizes *sizes) {
    return 6.0 * sizes->in[HEAD].rows * (sizes->in[HEAD].width + 1);
}

// kinds below one half are numbers, above it bits
static slt_var make_case(slt_probe *probe, int channels, double from, double to) {
    slt_var head = slt_probe_numbers(probe, SLT_TOKENS, 0, channels, -2, 2);
    slt_var ends = slt_probe_numbers(probe, SLT_TOKENS, 0, 3, from, to);
    slt_var targets = slt_probe_constant(probe, SLT_TOKENS, 0, channels + 1, -1, 1);
    slt_vector_law law = {slt_probe_parameter(probe, 1, channels, -1, 1),
                          slt_probe_constant(probe, SLT_FIXED, 1, channels, 0, 1)};
    return slt_done_gaussian(slt_probe_tape(probe), head, ends, targets, law);
}
static slt_var case_small(slt_probe *p) { return make_case(p, 4, 0.1, 0.9); }
static slt_var case_clipped(slt_probe *p) { return make_case(p, 2, 1.1, 1.2); }
static slt_var bench(slt_probe *p) { return make_case(p, 7, 0.1, 0.9); }

const slt_op slt_op_done_gaussian = {.name = "done_gaussian",
                                     .sentence = "mean of nats of vectors - log(1-e), or -log e",
                                     .least = 5,
                                     .most = 5,
                                     .shape = shape,
                                     .no_gradient_in = 1u << TARGETS | 1u << KINDS,
                                     .saves_in = 31,
                                     .shared = shared,
                                     .scratch = scratch,
                                     .flops = flops,
                                     .forward = forward,
                                     .backward = backward,
                                     .cases = {case_small, case_clipped},
                                     .bench = bench};

slt_var slt_done_gaussian(slt_tape *tape, slt_var head, slt_var ends, slt_var targets,
                          slt_vector_law law) {
    slt_var inputs[] = {head, ends, targets, law.spread, law.kinds};
    return slt_tape_apply(tape, &slt_op_done_gaussian, inputs, 5, NULL);
}
