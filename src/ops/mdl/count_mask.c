// Ordered masks from end probabilities: m_k(t) = probability that exactly k of the steps before t
// were ends, k = 0..K-1, the coefficients of Π_{s<t}(1 - b_s + b_s·x), by the recurrence
//     m_k(t+1) = m_k(t)(1-b_t) + m_{k-1}(t)·b_t,  m(0) = (1,0,…)
// Backward walks the sequence the other way, with d the gradient arriving at m(t+1):
//     db_t = Σ_k d_k(m_{k-1}(t) - m_k(t)),  d_k <- d_k(1-b_t) + d_{k+1}·b_t + dm_k(t)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, 0, SLT_TOKENS, 0, 1);
    rule->out[0] = (slt_shape){SLT_TOKENS, 0, rule->limits.slots};
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    int K = args->limits.slots;
    const slt_real *end = (const slt_real *)args->in[0] + sequence.first;
    slt_real *m = args->out[0] + (size_t)sequence.first * (size_t)K;
    for (int k = 0; k < K; k++) m[k] = k == 0;
    for (int t = 0; t + 1 < sequence.computed; t++, m += K)
        for (int k = 0; k < K; k++) m[K + k] = m[k] * (1 - end[t]) + (k ? m[k - 1] * end[t] : 0);
}
SLT_WIDE_TASK(forward_trajectory);

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(forward_trajectory));
}

static void backward_trajectory(const slt_args *args, int b, slt_real *d) {
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    int K = args->limits.slots, last = sequence.computed - 1;
    const slt_real *end = (const slt_real *)args->in[0] + sequence.first;
    slt_real *dend = args->in_grad[0] + sequence.first;
    slt_put(&dend[last], args->add[0], 0);
    for (int k = 0; k < K; k++)
        d[k] = args->out_grad[0][(size_t)(sequence.first + last) * (size_t)K + (size_t)k];
    for (int t = last - 1; t >= 0; t--) {
        const slt_real *m = args->out[0] + (size_t)(sequence.first + t) * (size_t)K;
        const slt_real *dm = args->out_grad[0] + (size_t)(sequence.first + t) * (size_t)K;
        slt_real sum = 0;
        for (int k = 0; k < K; k++) sum += d[k] * ((k ? m[k - 1] : 0) - m[k]);
        slt_put(&dend[t], args->add[0], sum);
        for (int k = 0; k < K; k++)
            d[k] = d[k] * (1 - end[t]) + (k + 1 < K ? d[k + 1] * end[t] : 0) + dm[k];
    }
}
SLT_WIDE_TASK(backward_trajectory);

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(backward_trajectory));
}

static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->limits.slots; }
static double flops(const slt_sizes *sizes) {
    return 4.0 * sizes->in[0].rows * sizes->limits.slots;
}

static slt_var case_small(slt_probe *probe) {
    slt_var ends = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0.1, 0.9);
    return slt_count_mask(slt_probe_tape(probe), ends);
}

static size_t kernel_shared(const slt_sizes *sizes) {
    return 2 * (size_t)sizes->limits.trajectories * (size_t)sizes->limits.slots;
}

const slt_op slt_op_count_mask = {.name = "count_mask",
                                  .sentence = "m_k(t) = P(k ends before t)",
                                  .least = 1,
                                  .most = 1,
                                  .shape = shape,
                                  .saves_in = 1,
                                  .saves_out = 1,
                                  .scratch = scratch,
                                  .flops = flops,
                                  .kernel_shared = kernel_shared,
                                  .forward = forward,
                                  .backward = backward,
                                  .cases = {case_small},
                                  .bench = case_small};

slt_var slt_count_mask(slt_tape *tape, slt_var ends) {
    return slt_tape_apply(tape, &slt_op_count_mask, &ends, 1, NULL);
}
