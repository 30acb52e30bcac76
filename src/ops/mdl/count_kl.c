// How far the number of segments is from the prior, in nats per true step:
//     h_n = m_{n-1}(T-1) for n = 1..K, h_{K+1} = 1 - Σ h_n, each at least 1e-8
//     kl = 1/M [ Σ_b KL(h_b || π) + γ·B·KL(mean_b h_b || π) ]
// The second term makes the counts of the whole batch follow the prior: with a wide prior the first
// one alone is content when every trajectory has the same likely count.
// Backward: dh_bn = 1/M [ log h_bn/π_n + 1 + γ(log h̄_n/π_n + 1) ], the last bin against all others.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/group_impl.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { MASKS, PRIOR };
static const slt_real LEAST = (slt_real)1e-8;

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, MASKS, SLT_TOKENS, 0, rule->limits.slots);
    slt_shape_want(rule, PRIOR, SLT_FIXED, 1, rule->limits.slots + 1);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

// masks at the last true step
static size_t last_row(const slt_args *args, int b) {
    const slt_batch *batch = args->batch;
    int last = slt_min(batch->length[b], slt_batch_computed(batch, b)) - 1;
    return (size_t)(batch->offset[b] + last) * (size_t)args->limits.slots;
}

// h (K+1), not yet bounded from below
static void counts(const slt_args *args, int b, slt_real *h) {
    const slt_real *m = (const slt_real *)args->in[MASKS] + last_row(args, b);
    int K = args->limits.slots;
    h[K] = 1;
    for (int k = 0; k < K; k++) {
        h[k] = m[k];
        h[K] -= m[k];
    }
}

static slt_real at_least(slt_real h) { return h < LEAST ? LEAST : h; }

// mean of h over the whole batch, in mean (K+1); h is scratch. Who has a share of the batch asks
// the others: the only words that processes exchange in the middle of a tape
static void mean_counts(const slt_args *args, slt_real *h, slt_real *mean) {
    int bins = args->limits.slots + 1, B = slt_batch_total(args->batch);
    for (int n = 0; n < bins; n++) mean[n] = 0;
    for (int b = 0; b < args->batch->count; b++) {
        counts(args, b, h);
        for (int n = 0; n < bins; n++) mean[n] += at_least(h[n]) / (slt_real)B;
    }
    if (args->batch->total) slt_group_sum(args->context, mean, (size_t)bins, sizeof *mean);
}

static slt_real divergence(const slt_real *h, const slt_real *prior, int bins) {
    slt_real sum = 0;
    for (int n = 0; n < bins; n++) {
        slt_real p = at_least(h[n]);
        sum += p * (slt_log(p) - slt_log(prior[n]));
    }
    return sum;
}

// the mean is kept (aux)
static void forward(const slt_args *args) {
    const slt_real *prior = args->in[PRIOR];
    int bins = args->limits.slots + 1, B = args->batch->count;
    slt_real *h = args->shared, *mean = args->aux, sum = 0;
    slt_real gamma = (slt_real)args->node->attributes.x[0];
    for (int b = 0; b < B; b++) {
        counts(args, b, h);
        sum += divergence(h, prior, bins);
    }
    mean_counts(args, h, mean);
    sum += gamma * (slt_real)B * divergence(mean, prior, bins);
    args->out[0][0] = sum / (slt_real)args->batch->true_tokens;
}

static slt_real slope(slt_real h, slt_real prior) {
    return slt_log(at_least(h)) - slt_log(prior) + 1;
}

static void backward(const slt_args *args) {
    const slt_real *prior = args->in[PRIOR];
    int K = args->limits.slots, bins = K + 1;
    slt_real *h = args->shared, *mean = args->aux, *dm = args->in_grad[MASKS];
    slt_real gamma = (slt_real)args->node->attributes.x[0];
    slt_real scale = args->out_grad[0][0] / (slt_real)args->batch->true_tokens;
    size_t size = (size_t)args->in_rows[MASKS] * (size_t)K;
    if (!args->add[MASKS]) memset(dm, 0, size * sizeof *dm);
    for (int b = 0; b < args->batch->count; b++) {
        counts(args, b, h);
        for (int n = 0; n < bins; n++)
            h[n] = slt_where(h[n] > LEAST,
                             scale * (slope(h[n], prior[n]) + gamma * slope(mean[n], prior[n])));
        for (int k = 0; k < K; k++) dm[last_row(args, b) + (size_t)k] += h[k] - h[K];
    }
}

static size_t bins_of(const slt_sizes *sizes) { return (size_t)sizes->limits.slots + 1; }

static slt_var case_small(slt_probe *probe) {
    slt_tape *tape = slt_probe_tape(probe);
    int K = slt_tape_limits(tape).slots;
    slt_var masks = slt_probe_numbers(probe, SLT_TOKENS, 0, K, 0.1 / K, 0.9 / K);
    slt_var prior = slt_probe_constant(probe, SLT_FIXED, 1, K + 1, 0.1, 0.9);
    return slt_count_kl(tape, masks, prior, 0.7);
}

const slt_op slt_op_count_kl = {.name = "count_kl",
                                .sentence = "KL of the number of segments, each and on average",
                                .least = 2,
                                .most = 2,
                                .shape = shape,
                                .no_gradient_in = 1u << PRIOR,
                                .saves_in = 1u << MASKS | 1u << PRIOR,
                                .collective = true,
                                .aux = bins_of,
                                .shared = bins_of,
                                .forward = forward,
                                .backward = backward,
                                .cases = {case_small},
                                .bench = case_small};

slt_var slt_count_kl(slt_tape *tape, slt_var masks, slt_var prior, double gamma) {
    slt_var inputs[] = {masks, prior};
    slt_attributes attributes = {.x = {gamma}};
    return slt_tape_apply(tape, &slt_op_count_kl, inputs, 2, &attributes);
}
