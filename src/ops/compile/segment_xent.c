// Cross-entropy of the segments' own reconstructions, each counted where it is responsible
// (CompILE, models.md section 5.7), over the first G_b segments of trajectory b:
//     1/B Σ_b Σ_{i<=G_b} Σ_{l<end-1} share_i[l]·(-log softmax(logits_i[l])[a_l])
// end - 1: at the last position every share is 0. Backward: dlogits = share·(p - onehot)/B,
// dshare = cross-entropy/B.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/compile/relaxed.h"

enum { LOGITS, SHARE, TARGETS, COUNTS };

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, LOGITS, SLT_SLOT_TOKENS, 0, rule->in[LOGITS].width);
    slt_shape_want(rule, SHARE, SLT_SLOT_TOKENS, 0, 1);
    slt_shape_want(rule, TARGETS, SLT_TOKENS, 0, 1);
    slt_shape_type(rule, TARGETS, SLT_INTEGERS);
    slt_shape_want(rule, COUNTS, SLT_TRAJECTORIES, 0, 1);
    slt_shape_type(rule, COUNTS, SLT_INTEGERS);
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

// positions of a sequence that count: none where the gate is shut
static int counted(const slt_args *args, slt_row_span sequence) {
    int row = sequence.b * args->limits.slots + sequence.k;
    if (!slt_gate(args->in[COUNTS], row, args->limits.slots)) return 0;
    return slt_stretch_end(args->batch, sequence.b, args->node->attributes.n[0]) - 1;
}

static void forward_sequence(const slt_args *args, int task, slt_real *p) {
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, task);
    int width = args->in_width[LOGITS], end = counted(args, sequence);
    const int32_t *targets = (const int32_t *)args->in[TARGETS] + args->batch->offset[sequence.b];
    const slt_real *share = (const slt_real *)args->in[SHARE] + sequence.first;
    const slt_real *x = (const slt_real *)args->in[LOGITS] + (size_t)sequence.first * (size_t)width;
    slt_real sum = 0;
    for (int l = 0; l < end; l++, x += width) sum += share[l] * row_loss(x, width, targets[l], p);
    args->shared[task] = sum / (slt_real)slt_batch_total(args->batch);
}

static void forward(const slt_args *args) {
    int sequences = slt_span_count(args, SLT_SLOT_TOKENS);
    slt_args_run(args, sequences, forward_sequence);
    slt_add_partials(args->out[0], false, args->shared, sequences, 1, 1);
}

static void backward_sequence(const slt_args *args, int task, slt_real *p) {
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, task);
    int width = args->in_width[LOGITS], end = counted(args, sequence);
    const int32_t *targets = (const int32_t *)args->in[TARGETS] + args->batch->offset[sequence.b];
    slt_real scale = args->out_grad[0][0] / (slt_real)slt_batch_total(args->batch);
    for (int l = 0; l < sequence.computed; l++) {
        size_t row = (size_t)(sequence.first + l), at = row * (size_t)width;
        bool counts = l < end;
        slt_real loss = 0, share = counts ? scale * ((const slt_real *)args->in[SHARE])[row] : 0;
        if (counts) loss = row_loss((const slt_real *)args->in[LOGITS] + at, width, targets[l], p);
        if (args->in_grad[SHARE])
            slt_put(&args->in_grad[SHARE][row], args->add[SHARE], scale * loss);
        for (int a = 0; args->in_grad[LOGITS] && a < width; a++)
            slt_put(&args->in_grad[LOGITS][at + (size_t)a], args->add[LOGITS],
                    counts ? share * (p[a] - (a == targets[l])) : 0);
    }
}

static void backward(const slt_args *args) {
    slt_args_run(args, slt_span_count(args, SLT_SLOT_TOKENS), backward_sequence);
}

static size_t shared(const slt_sizes *sizes) {
    return (size_t)sizes->limits.trajectories * (size_t)sizes->limits.slots;
}
static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->in[LOGITS].width; }
static double flops(const slt_sizes *sizes) {
    return 14.0 * sizes->in[LOGITS].rows * sizes->in[LOGITS].width;
}

static slt_var make_case(slt_probe *probe, int actions, bool include) {
    slt_var logits = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, actions, -2, 2);
    slt_var share = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, 1, 0.1, 1);
    slt_var targets = slt_probe_integers(probe, SLT_TOKENS, actions);
    slt_var counts = slt_probe_integers(probe, SLT_TRAJECTORIES, 4);
    return slt_segment_xent(slt_probe_tape(probe), logits, share, targets, counts, include);
}
static slt_var case_packed(slt_probe *p) { return make_case(p, 3, false); }
static slt_var case_padded(slt_probe *p) { return make_case(p, 3, true); }
static slt_var bench(slt_probe *p) { return make_case(p, 7, false); }

const slt_op slt_op_segment_xent = {.name = "segment_xent",
                                    .sentence = "mean of Σ share·(-log softmax(logits)[target])",
                                    .least = 4,
                                    .most = 4,
                                    .shape = shape,
                                    .no_gradient_in = 1u << TARGETS | 1u << COUNTS,
                                    .saves_in = 15,
                                    .shared = shared,
                                    .scratch = scratch,
                                    .flops = flops,
                                    .forward = forward,
                                    .backward = backward,
                                    .cases = {case_packed, case_padded},
                                    .bench = bench};

slt_var slt_segment_xent(slt_tape *tape, slt_var logits, slt_var share, slt_var targets,
                         slt_var counts, bool include) {
    slt_var inputs[] = {logits, share, targets, counts};
    slt_attributes attributes = {.n = {include}};
    return slt_tape_apply(tape, &slt_op_segment_xent, inputs, 4, &attributes);
}
