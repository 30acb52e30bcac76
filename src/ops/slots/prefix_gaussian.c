// Expected nats of action vectors under the prefix mixtures, the counterpart of prefix_xent for
// continuous actions (channel.h). With μ_k,l the head of slot k (all columns but the last) and
// R_j,l = Σ_{k<=j} mask_k,l·μ_k,l:
//     rec = 1/M Σ_b Σ_j h_bj Σ_{l<T} nats(R_bj,l; a_bl)
// Backward, with w_j = h_j/M:  dR_j = w_j·dnats/dR,  G_k = Σ_{j>=k} dR_j,
//     dμ_k = mask_k·G_k,  dmask_k = G_k·μ_k,  dh_j = 1/M Σ_l nats_j,l,  dρ = Σ w_j·dnats/dρ
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/vector_nats.h"

enum { HEAD, MASKS, H, TARGETS, SPREAD, KINDS };

static void shape(slt_shape_check *rule) {
    slt_shape head = rule->in[HEAD];
    if (head.space != SLT_SLOT_TOKENS || head.width < 2)
        slt_shape_reject(rule, HEAD, "[slot tokens, C+1]");
    slt_shape_want(rule, MASKS, SLT_SLOT_TOKENS, 0, 1);
    slt_shape_want(rule, H, SLT_TRAJECTORIES, 0, rule->limits.slots);
    slt_rule_vectors(rule, head.width - 1, TARGETS, SPREAD, KINDS);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

// one trajectory: rows of slot k start at slot·width, masks at slot
typedef struct {
    int K, C, width, computed, truth;
    size_t first; // slot-token row of (k = 0, l = 0)
    const slt_real *head, *masks, *h, *targets;
    const slt_channel_law *laws;
    slt_real scale; // 1/M
} mixture;

static mixture mixture_of(const slt_args *args, int b, slt_real *scratch) {
    const slt_batch *batch = args->batch;
    mixture m = {.K = args->limits.slots, .width = args->in_width[HEAD]};
    m.C = m.width - 1;
    m.computed = slt_batch_computed(batch, b);
    m.truth = slt_min(batch->length[b], m.computed);
    m.first = (size_t)m.K * (size_t)batch->offset[b];
    m.head = (const slt_real *)args->in[HEAD] + m.first * (size_t)m.width;
    m.masks = (const slt_real *)args->in[MASKS] + m.first;
    m.h = (const slt_real *)args->in[H] + (size_t)b * (size_t)m.K;
    m.targets = (const slt_real *)args->in[TARGETS] + (size_t)batch->offset[b] * (size_t)m.width;
    m.laws = slt_laws_of(args, SPREAD, KINDS, scratch);
    m.scale = 1 / (slt_real)batch->true_tokens;
    return m;
}

static size_t row_of(const mixture *m, int k, int l) {
    return (size_t)k * (size_t)m->computed + (size_t)l;
}

// R_j += mask_j·μ_j
static void extend(const mixture *m, int j, int l, slt_real *R) {
    const slt_real *mu = m->head + row_of(m, j, l) * (size_t)m->width;
    slt_real mask = m->masks[row_of(m, j, l)];
    for (int c = 0; c < m->C; c++) R[c] += mask * mu[c];
}

// Σ_l nats_j,l of every j is kept (aux); the trajectory's loss goes to shared
static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    mixture m = mixture_of(args, b, scratch);
    slt_real *kept = args->aux + (size_t)b * (size_t)m.K, loss = 0;
    slt_real *R = scratch + m.C * SLT_LAW_SIZE;
    memset(kept, 0, (size_t)m.K * sizeof *kept);
    for (int l = 0; l < m.truth; l++) {
        memset(R, 0, (size_t)m.C * sizeof *R);
        for (int j = 0; j < m.K; j++) {
            extend(&m, j, l, R);
            kept[j] += slt_row_nats(m.laws, m.C, R, m.targets + (size_t)l * (size_t)m.width);
        }
    }
    for (int j = 0; j < m.K; j++) loss += m.h[j] * kept[j];
    args->shared[b] = loss * m.scale;
}
SLT_WIDE_TASK(forward_trajectory);

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(forward_trajectory));
    slt_add_partials(args->out[0], false, args->shared, args->batch->count, 1, 1);
}

// dR (K,C) of one position, made upward; adds to dρ
static void errors_of(const mixture *m, int l, slt_real weight, slt_real *R, slt_real *dR,
                      slt_real *drho) {
    const slt_real *target = m->targets + (size_t)l * (size_t)m->width;
    memset(R, 0, (size_t)m->C * sizeof *R);
    for (int j = 0; j < m->K; j++, dR += m->C) {
        slt_real w = weight * m->h[j] * m->scale;
        extend(m, j, l, R);
        for (int c = 0; c < m->C; c++) {
            dR[c] = w * slt_channel_dy(m->laws[c], R[c], target[c]);
            drho[c] += w * slt_channel_drho(m->laws[c], R[c], target[c]);
        }
    }
}

// gradients of one position: dR summed downward
static void hand_down(const slt_args *args, const mixture *m, int l, const slt_real *dR,
                      slt_real *G) {
    memset(G, 0, (size_t)m->C * sizeof *G);
    for (int k = m->K - 1; k >= 0; k--) {
        size_t row = row_of(m, k, l);
        const slt_real *mu = m->head + row * (size_t)m->width;
        slt_real *dmu = args->in_grad[HEAD], mask = m->masks[row], dmask = 0;
        if (dmu) dmu += (m->first + row) * (size_t)m->width;
        for (int c = 0; c < m->C; c++) {
            G[c] += dR[(size_t)k * (size_t)m->C + (size_t)c];
            dmask += G[c] * mu[c];
            if (dmu) slt_put(&dmu[c], args->add[HEAD], mask * G[c]);
        }
        if (dmu && !args->add[HEAD]) dmu[m->C] = 0;
        if (args->in_grad[MASKS])
            slt_put(&args->in_grad[MASKS][m->first + row], args->add[MASKS], dmask);
    }
}

// positions after the truth get nothing
static void clear_position(const slt_args *args, const mixture *m, int l) {
    for (int k = 0; k < m->K; k++) {
        size_t row = m->first + row_of(m, k, l), width = (size_t)m->width;
        if (args->in_grad[HEAD] && !args->add[HEAD])
            memset(args->in_grad[HEAD] + row * width, 0, width * sizeof(slt_real));
        if (args->in_grad[MASKS] && !args->add[MASKS]) args->in_grad[MASKS][row] = 0;
    }
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    mixture m = mixture_of(args, b, scratch);
    slt_real weight = args->out_grad[0][0], *drho = args->shared + (size_t)b * (size_t)m.C;
    slt_real *R = scratch + m.C * SLT_LAW_SIZE, *dR = R + m.C;
    memset(drho, 0, (size_t)m.C * sizeof *drho);
    for (int l = 0; l < m.truth; l++) {
        errors_of(&m, l, weight, R, dR, drho);
        hand_down(args, &m, l, dR, R);
    }
    for (int l = m.truth; l < m.computed; l++) clear_position(args, &m, l);
    slt_real *dh = args->in_grad[H] ? args->in_grad[H] + (size_t)b * (size_t)m.K : NULL;
    for (int j = 0; dh && j < m.K; j++)
        slt_put(&dh[j], args->add[H],
                weight * m.scale * args->aux[(size_t)b * (size_t)m.K + (size_t)j]);
}
SLT_WIDE_TASK(backward_trajectory);

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(backward_trajectory));
    slt_put_spread(args, SPREAD, args->batch->count);
}

static size_t aux(const slt_sizes *sizes) {
    return (size_t)sizes->in[H].rows * (size_t)sizes->limits.slots;
}
static size_t shared(const slt_sizes *sizes) {
    return (size_t)sizes->limits.trajectories * (size_t)sizes->in[SPREAD].width;
}
static size_t scratch(const slt_sizes *sizes) {
    return ((size_t)sizes->limits.slots + 1 + SLT_LAW_SIZE) * (size_t)sizes->in[SPREAD].width;
}
static double flops(const slt_sizes *sizes) {
    return 8.0 * sizes->in[HEAD].rows * sizes->in[HEAD].width;
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
                                       .aux = aux,
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
