// Nats of action vectors under the segments' own reconstructions, each counted where it is
// responsible: the counterpart of segment_xent for continuous actions (channel.h), over the first
// G_b segments of trajectory b. Rows without an action (DONE, padding) count nothing.
//     1/B Σ_b Σ_{i<=G_b} Σ_{l<end-1} share_i[l]·nats(head_i[l]; a_l)
// Backward: dhead = share·dnats/dy/B, dshare = nats/B, dρ = Σ share·dnats/dρ/B.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/compile/relaxed.h"
#include "ops/common/vector_nats.h"

enum { HEAD, SHARE, TARGETS, COUNTS, SPREAD, KINDS };

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, HEAD, SLT_SLOT_TOKENS, 0, rule->in[HEAD].width);
    slt_shape_want(rule, SHARE, SLT_SLOT_TOKENS, 0, 1);
    slt_shape_want(rule, COUNTS, SLT_TRAJECTORIES, 0, 1);
    slt_shape_type(rule, COUNTS, SLT_INTEGERS);
    slt_rule_vectors(rule, rule->in[HEAD].width, TARGETS, SPREAD, KINDS);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

// positions of a sequence that count: none where the gate is shut
static int counted(const slt_args *args, slt_row_span sequence) {
    int row = sequence.b * args->limits.slots + sequence.k;
    if (!slt_gate(args->in[COUNTS], row, args->limits.slots)) return 0;
    return slt_stretch_end(args->batch, sequence.b, args->node->attributes.n[0]) - 1;
}

static const slt_real *targets_of(const slt_args *args, int b, int l) {
    size_t row = (size_t)args->batch->offset[b] + (size_t)l;
    return (const slt_real *)args->in[TARGETS] + row * (size_t)args->in_width[TARGETS];
}

static void forward_sequence(const slt_args *args, int task, slt_real *scratch) {
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, task);
    int C = args->in_width[HEAD], end = counted(args, sequence);
    const slt_channel_law *laws = slt_laws_of(args, SPREAD, KINDS, scratch);
    const slt_real *share = (const slt_real *)args->in[SHARE] + sequence.first;
    const slt_real *y = (const slt_real *)args->in[HEAD] + (size_t)sequence.first * (size_t)C;
    slt_real sum = 0;
    for (int l = 0; l < end; l++, y += C) {
        const slt_real *target = targets_of(args, sequence.b, l);
        if (slt_row_acts(target, C)) sum += share[l] * slt_row_nats(laws, C, y, target);
    }
    args->shared[task] = sum / (slt_real)slt_batch_total(args->batch);
}
SLT_WIDE_TASK(forward_sequence);

static void forward(const slt_args *args) {
    int sequences = slt_span_count(args, SLT_SLOT_TOKENS);
    slt_args_run(args, sequences, SLT_WIDEST(forward_sequence));
    slt_add_partials(args->out[0], false, args->shared, sequences, 1, 1);
}

// gradients of one row; counts: it has an action and is its segment's
static void backward_row(const slt_args *args, size_t row, bool counts, const slt_real *target,
                         const slt_channel_law *laws, slt_real *drho) {
    int C = args->in_width[HEAD];
    const slt_real *y = (const slt_real *)args->in[HEAD] + row * (size_t)C;
    slt_real scale = args->out_grad[0][0] / (slt_real)slt_batch_total(args->batch);
    slt_real share = scale * ((const slt_real *)args->in[SHARE])[row];
    slt_real nats = counts ? slt_row_nats(laws, C, y, target) : 0;
    if (args->in_grad[SHARE]) slt_put(&args->in_grad[SHARE][row], args->add[SHARE], scale * nats);
    for (int c = 0; c < C; c++) {
        slt_real *dy = args->in_grad[HEAD];
        slt_real d = counts ? share * slt_channel_dy(laws[c], y[c], target[c]) : 0;
        if (dy) slt_put(&dy[row * (size_t)C + (size_t)c], args->add[HEAD], d);
        if (counts) drho[c] += share * slt_channel_drho(laws[c], y[c], target[c]);
    }
}

static void backward_sequence(const slt_args *args, int task, slt_real *scratch) {
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, task);
    int C = args->in_width[HEAD], end = counted(args, sequence);
    const slt_channel_law *laws = slt_laws_of(args, SPREAD, KINDS, scratch);
    slt_real *drho = args->shared + (size_t)task * (size_t)C;
    memset(drho, 0, (size_t)C * sizeof *drho);
    for (int l = 0; l < sequence.computed; l++) {
        const slt_real *target = targets_of(args, sequence.b, l);
        bool counts = l < end && slt_row_acts(target, C);
        backward_row(args, (size_t)(sequence.first + l), counts, target, laws, drho);
    }
}
SLT_WIDE_TASK(backward_sequence);

static void backward(const slt_args *args) {
    int sequences = slt_span_count(args, SLT_SLOT_TOKENS);
    slt_args_run(args, sequences, SLT_WIDEST(backward_sequence));
    slt_put_spread(args, SPREAD, sequences);
}

static size_t shared(const slt_sizes *sizes) {
    return (size_t)sizes->limits.trajectories * (size_t)sizes->limits.slots *
           (size_t)sizes->in[SPREAD].width;
}
static size_t scratch(const slt_sizes *sizes) {
    return (size_t)sizes->in[SPREAD].width * SLT_LAW_SIZE;
}
static double flops(const slt_sizes *sizes) {
    return 6.0 * sizes->in[HEAD].rows * sizes->in[HEAD].width;
}

// kinds below one half are numbers, above it bits
static slt_var make_case(slt_probe *probe, int channels, double low, double high, bool include) {
    slt_var head = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, channels, -2, 2);
    slt_var share = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, 1, 0.1, 1);
    slt_var targets = slt_probe_constant(probe, SLT_TOKENS, 0, channels + 1, -1, 1);
    slt_var counts = slt_probe_integers(probe, SLT_TRAJECTORIES, 4);
    slt_vector_law law = {slt_probe_parameter(probe, 1, channels, -1, 1),
                          slt_probe_constant(probe, SLT_FIXED, 1, channels, low, high)};
    return slt_segment_gaussian(slt_probe_tape(probe), head, share, targets, counts, law, include);
}
static slt_var case_numbers(slt_probe *p) { return make_case(p, 3, 0, 0.4, false); }
static slt_var case_bits(slt_probe *p) { return make_case(p, 2, 0.6, 1, false); }
static slt_var case_padded(slt_probe *p) { return make_case(p, 5, 0, 1, true); }
static slt_var bench(slt_probe *p) { return make_case(p, 7, 0, 1, false); }

const slt_op slt_op_segment_gaussian = {.name = "segment_gaussian",
                                        .sentence = "mean of Σ share·nats of vectors",
                                        .least = 6,
                                        .most = 6,
                                        .shape = shape,
                                        .no_gradient_in =
                                            1u << TARGETS | 1u << COUNTS | 1u << KINDS,
                                        .saves_in = 63,
                                        .shared = shared,
                                        .scratch = scratch,
                                        .flops = flops,
                                        .forward = forward,
                                        .backward = backward,
                                        .cases = {case_numbers, case_bits, case_padded},
                                        .bench = bench};

slt_var slt_segment_gaussian(slt_tape *tape, slt_var head, slt_var share, slt_var targets,
                             slt_var counts, slt_vector_law law, bool include) {
    slt_var inputs[] = {head, share, targets, counts, law.spread, law.kinds};
    slt_attributes attributes = {.n = {include}};
    return slt_tape_apply(tape, &slt_op_segment_gaussian, inputs, 6, &attributes);
}
