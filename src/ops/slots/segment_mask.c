// Segment masks from end logits e (the paper's mask generation): for each slot k, over positions l,
//     π_k = softmax_l(e_k),  c_k = cumulative sum of π_k,  up_k = 1 - c_k
//     mask_1 = up_1,  mask_k = up_k·(1 - up_{k-1})
// A one-hot end at t gives a mask of 1 before t: the end marks the first position of the next
// segment. Positions: all computed ones (include), or 0..T, where T, the first after the
// trajectory, is where the last segment may end (exclude). Elsewhere the mask is 0. Backward, with
// c_0 = 1:  dc_k = -dmask_k·c_{k-1} + dmask_{k+1}·(1-c_{k+1}),
//     dπ_j = Σ_{l>=j} dc_l,  de_j = π_j(dπ_j - Σ_i π_i·dπ_i)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    if (rule->in[0].space != SLT_SLOT_TOKENS || rule->in[0].width < 2)
        slt_shape_reject(rule, 0, "[slot tokens, A+1]");
    rule->outputs = 2;
    rule->out[0] = rule->out[1] = (slt_shape){SLT_SLOT_TOKENS, 0, 1};
}

// positions that take part in the softmax of trajectory b
static int end_positions(const slt_args *args, int b) {
    int computed = slt_batch_computed(args->batch, b);
    bool include = args->node->attributes.n[0];
    return include ? computed : slt_min(args->batch->length[b] + 1, computed);
}

// π (kept) and c (an output) of slot k of trajectory b: (computed) numbers each
static slt_real *pi_of(const slt_args *args, int b, int k) {
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, b * args->limits.slots + k);
    return args->aux + (size_t)sequence.first;
}
static slt_real *sum_of(const slt_args *args, int b, int k) {
    return args->out[1] + (pi_of(args, b, k) - args->aux);
}

static const slt_real *end_logit(const slt_args *args, int b, int k, int l) {
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, b * args->limits.slots + k);
    size_t width = (size_t)args->in_width[0];
    return (const slt_real *)args->in[0] + (size_t)(sequence.first + l + 1) * width - 1;
}

static void ends_of_slot(const slt_args *args, int b, int k, int positions) {
    slt_real *pi = pi_of(args, b, k), *c = sum_of(args, b, k), most = 0, sum = 0;
    for (int l = 0; l < positions; l++) {
        pi[l] = *end_logit(args, b, k, l);
        most = l == 0 || pi[l] > most ? pi[l] : most;
    }
    for (int l = 0; l < positions; l++) sum += pi[l] = slt_exp(pi[l] - most);
    slt_real total = 0;
    for (int l = 0; l < positions; l++) c[l] = total += pi[l] /= sum;
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    int positions = end_positions(args, b), computed = slt_batch_computed(args->batch, b);
    for (int k = 0; k < args->limits.slots; k++) {
        ends_of_slot(args, b, k, positions);
        slt_real *mask = args->out[0] + (pi_of(args, b, k) - args->aux);
        const slt_real *c = sum_of(args, b, k), *before = k ? sum_of(args, b, k - 1) : NULL;
        for (int l = 0; l < positions; l++)
            mask[l] = before ? (1 - c[l]) * (1 - (1 - before[l])) : 1 - c[l];
        for (int l = positions; l < computed; l++) mask[l] = 0;
        for (int l = positions; l < computed; l++) sum_of(args, b, k)[l] = 1;
    }
}
SLT_WIDE_TASK(forward_trajectory);

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(forward_trajectory));
}

// dπ of slot k into `dpi`; gives Σ π·dπ
static slt_real pi_gradient(const slt_args *args, int b, int k, int positions, slt_real *dpi) {
    const slt_real *dmask = args->out_grad[0] + (pi_of(args, b, k) - args->aux);
    const slt_real *before = k ? sum_of(args, b, k - 1) : NULL;
    bool has_next = k + 1 < args->limits.slots;
    const slt_real *next = has_next ? sum_of(args, b, k + 1) : NULL;
    const slt_real *dnext =
        has_next ? args->out_grad[0] + (pi_of(args, b, k + 1) - args->aux) : NULL;
    const slt_real *pi = pi_of(args, b, k);
    slt_real sum = 0, dot = 0;
    for (int l = positions - 1; l >= 0; l--) {
        sum -= dmask[l] * (before ? before[l] : 1);
        if (next) sum += dnext[l] * (1 - next[l]);
        dpi[l] = sum;
        dot += pi[l] * sum;
    }
    return dot;
}

static void backward_trajectory(const slt_args *args, int b, slt_real *dpi) {
    int positions = end_positions(args, b), computed = slt_batch_computed(args->batch, b);
    size_t width = (size_t)args->in_width[0];
    for (int k = 0; k < args->limits.slots; k++) {
        const slt_real *pi = pi_of(args, b, k);
        slt_real dot = pi_gradient(args, b, k, positions, dpi);
        slt_real *de =
            args->in_grad[0] + (end_logit(args, b, k, 0) - (const slt_real *)args->in[0]);
        for (int l = 0; l < computed; l++, de += width) {
            slt_real value = l < positions ? pi[l] * (dpi[l] - dot) : 0;
            if (!args->add[0]) memset(de - (width - 1), 0, (width - 1) * sizeof *de);
            slt_put(de, args->add[0], value);
        }
    }
}
SLT_WIDE_TASK(backward_trajectory);

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(backward_trajectory));
}

static size_t aux(const slt_sizes *sizes) { return (size_t)sizes->in[0].rows; }
static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->limits.length; }
static double flops(const slt_sizes *sizes) { return 16.0 * sizes->in[0].rows; }

static slt_var make_case(slt_probe *probe, int width, bool include) {
    slt_var logits = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, width, -2, 2);
    return slt_segment_mask(slt_probe_tape(probe), logits, include);
}
static slt_var case_exclude(slt_probe *p) { return make_case(p, 3, false); }
static slt_var case_include(slt_probe *p) { return make_case(p, 3, true); }
static slt_var bench(slt_probe *p) { return make_case(p, 7, false); }

const slt_op slt_op_segment_mask = {.name = "segment_mask",
                                    .sentence = "masks by cumulative sums of end probabilities",
                                    .least = 1,
                                    .most = 1,
                                    .shape = shape,
                                    .no_gradient_out = 1u << 1,
                                    .saves_out = 1u << 1,
                                    .aux = aux,
                                    .scratch = scratch,
                                    .flops = flops,
                                    .forward = forward,
                                    .backward = backward,
                                    .cases = {case_exclude, case_include},
                                    .bench = bench};

slt_var slt_segment_mask(slt_tape *tape, slt_var logits, bool include) {
    slt_attributes attributes = {.n = {include}};
    return slt_tape_apply(tape, &slt_op_segment_mask, &logits, 1, &attributes);
}
