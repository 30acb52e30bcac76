// Expected nats of action vectors under the prefix mixtures (prefix_walk.h); nats(R; a) is that of
// the channels' laws (channel.h), whose ρ gets dρ = Σ w_j·dnats/dρ.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/vector_nats.h"
#include "ops/slots/prefix_walk.h"

enum { SPREAD = TARGETS + 1, KINDS };

static void shape(slt_shape_check *rule) {
    prefix_shape(rule, "[slot tokens, C+1]");
    slt_rule_vectors(rule, rule->in[ALPHA].width - 1, TARGETS, SPREAD, KINDS);
}

static slt_real prefix_nats(const prefixes *m, int j, int l, slt_real *R, slt_real *room) {
    (void)room;
    prefix_extend(m, j, l, R);
    return slt_row_nats(m->laws, m->C, R, m->vectors + (size_t)l * (size_t)m->width);
}

static void prefix_errors(const prefixes *m, int j, int l, slt_real w, slt_real *R, slt_real *dR) {
    const slt_real *target = m->vectors + (size_t)l * (size_t)m->width;
    prefix_extend(m, j, l, R);
    for (int c = 0; c < m->C; c++) {
        dR[c] = w * slt_channel_dy(m->laws[c], R[c], target[c]);
        m->drho[c] += w * slt_channel_drho(m->laws[c], R[c], target[c]);
    }
}

// the laws are at the beginning of scratch
static prefixes mixture_of(const slt_args *args, int b, slt_real *scratch) {
    prefixes m = prefixes_of(args, b);
    size_t row = (size_t)args->batch->offset[b];
    m.vectors = (const slt_real *)args->in[TARGETS] + row * (size_t)m.width;
    m.laws = slt_laws_of(args, SPREAD, KINDS, scratch);
    m.drho = args->shared + (size_t)b * (size_t)m.C;
    return m;
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    prefixes m = mixture_of(args, b, scratch);
    prefix_forward(args, &m, b, scratch + m.C * SLT_LAW_SIZE);
}
SLT_WIDE_TASK(forward_trajectory);

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(forward_trajectory));
    slt_add_partials(args->out[0], false, args->shared, args->batch->count, 1, 1);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    prefixes m = mixture_of(args, b, scratch);
    memset(m.drho, 0, (size_t)m.C * sizeof *m.drho);
    prefix_backward(args, &m, b, scratch + m.C * SLT_LAW_SIZE);
}
SLT_WIDE_TASK(backward_trajectory);

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(backward_trajectory));
    slt_put_spread(args, SPREAD, args->batch->count);
}

static size_t shared(const slt_sizes *sizes) {
    return (size_t)sizes->limits.trajectories * (size_t)sizes->in[SPREAD].width;
}
static size_t scratch(const slt_sizes *sizes) {
    return ((size_t)sizes->limits.slots + 1 + SLT_LAW_SIZE) * (size_t)sizes->in[SPREAD].width;
}
static double flops(const slt_sizes *sizes) {
    return 8.0 * sizes->in[ALPHA].rows * sizes->in[ALPHA].width;
}

// kinds below one half are numbers, above it bits
static slt_var make_case(slt_probe *probe, int channels, double low, double high) {
    slt_tape *tape = slt_probe_tape(probe);
    slt_var head = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, channels + 1, -2, 2);
    slt_var masks = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, 1, 0, 1);
    slt_var h = slt_probe_numbers(probe, SLT_TRAJECTORIES, 0, slt_tape_limits(tape).slots, 0, 1);
    slt_var targets = slt_probe_constant(probe, SLT_TOKENS, 0, channels + 1, -1, 1);
    slt_vector_law law = {slt_probe_parameter(probe, 1, channels, -1, 1),
                          slt_probe_constant(probe, SLT_FIXED, 1, channels, low, high)};
    return slt_prefix_gaussian(tape, head, masks, h, targets, law);
}
static slt_var case_numbers(slt_probe *p) { return make_case(p, 3, 0, 0.4); }
static slt_var case_bits(slt_probe *p) { return make_case(p, 2, 0.6, 1); }
static slt_var case_mixed(slt_probe *p) { return make_case(p, 5, 0, 1); }
static slt_var bench(slt_probe *p) { return make_case(p, 7, 0, 1); }

const slt_op slt_op_prefix_gaussian = {.name = "prefix_gaussian",
                                       .sentence = "expected nats of vectors, prefix mixtures",
                                       .least = 6,
                                       .most = 6,
                                       .shape = shape,
                                       .no_gradient_in = 1u << TARGETS | 1u << KINDS,
                                       .saves_in = 63,
                                       .aux = prefix_aux,
                                       .shared = shared,
                                       .scratch = scratch,
                                       .flops = flops,
                                       .forward = forward,
                                       .backward = backward,
                                       .cases = {case_numbers, case_bits, case_mixed},
                                       .bench = bench};

slt_var slt_prefix_gaussian(slt_tape *tape, slt_var head, slt_var masks, slt_var h, slt_var targets,
                            slt_vector_law law) {
    slt_var inputs[] = {head, masks, h, targets, law.spread, law.kinds};
    return slt_tape_apply(tape, &slt_op_prefix_gaussian, inputs, 6, NULL);
}
