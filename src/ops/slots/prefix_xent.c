// Expected cross-entropy of the prefix mixtures. With α_k,l the action logits of slot k (all
// columns but the last) and R_j,l = Σ_{k<=j} mask_k,l·α_k,l:
//     rec = 1/M Σ_b Σ_j h_bj Σ_{l<T} -log softmax(R_bj,l)[a_bl]
// Backward, with w_j = h_j/M:  dR_j = w_j(softmax(R_j) - onehot(a)),  G_k = Σ_{j>=k} dR_j,
//     dα_k = mask_k·G_k,  dmask_k = G_k·α_k,  dh_j = 1/M Σ_l CE_j,l
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { LOGITS, MASKS, H, TARGETS };

static void shape(slt_shape_check *rule) {
    slt_shape logits = rule->in[LOGITS];
    if (logits.space != SLT_SLOT_TOKENS || logits.width < 2)
        slt_shape_reject(rule, LOGITS, "[slot tokens, A+1]");
    slt_shape_want(rule, MASKS, SLT_SLOT_TOKENS, 0, 1);
    slt_shape_want(rule, H, SLT_TRAJECTORIES, 0, rule->limits.slots);
    slt_shape_want(rule, TARGETS, SLT_TOKENS, 0, 1);
    slt_shape_type(rule, TARGETS, SLT_INTEGERS);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

// one trajectory: rows of slot k start at slot·width, masks at slot
typedef struct {
    int b, K, A, width, computed, truth;
    size_t first; // slot-token row of (k = 0, l = 0)
    const slt_real *logits, *masks, *h;
    const int32_t *targets;
    slt_real scale; // 1/M
} mixture;

static mixture mixture_of(const slt_args *args, int b) {
    const slt_batch *batch = args->batch;
    mixture m = {.b = b, .K = args->limits.slots, .width = args->in_width[LOGITS]};
    m.A = m.width - 1;
    m.computed = slt_batch_computed(batch, b);
    m.truth = slt_min(batch->length[b], m.computed);
    m.first = (size_t)m.K * (size_t)batch->offset[b];
    m.logits = (const slt_real *)args->in[LOGITS] + m.first * (size_t)m.width;
    m.masks = (const slt_real *)args->in[MASKS] + m.first;
    m.h = (const slt_real *)args->in[H] + (size_t)b * (size_t)m.K;
    m.targets = (const int32_t *)args->in[TARGETS] + batch->offset[b];
    m.scale = 1 / (slt_real)batch->true_tokens;
    return m;
}

static size_t row_of(const mixture *m, int k, int l) {
    return (size_t)k * (size_t)m->computed + (size_t)l;
}

// R_j += mask_j·α_j, then softmax(R_j) into p; gives the cross-entropy
static slt_real extend(const mixture *m, int j, int l, slt_real *R, slt_real *p) {
    const slt_real *alpha = m->logits + row_of(m, j, l) * (size_t)m->width;
    slt_real mask = m->masks[row_of(m, j, l)], most, sum = 0;
    for (int a = 0; a < m->A; a++) R[a] += mask * alpha[a];
    most = R[0];
    for (int a = 1; a < m->A; a++) most = R[a] > most ? R[a] : most;
    for (int a = 0; a < m->A; a++) sum += p[a] = slt_exp(R[a] - most);
    for (int a = 0; a < m->A; a++) p[a] /= sum;
    return slt_log(sum) + most - R[m->targets[l]];
}

// Σ_l CE_j,l of every j is kept (aux); the trajectory's loss goes to shared
static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    mixture m = mixture_of(args, b);
    slt_real *kept = args->aux + (size_t)b * (size_t)m.K, loss = 0;
    slt_real *R = scratch, *p = scratch + m.A;
    memset(kept, 0, (size_t)m.K * sizeof *kept);
    for (int l = 0; l < m.truth; l++) {
        memset(R, 0, (size_t)m.A * sizeof *R);
        for (int j = 0; j < m.K; j++) kept[j] += extend(&m, j, l, R, p);
    }
    for (int j = 0; j < m.K; j++) loss += m.h[j] * kept[j];
    args->shared[b] = loss * m.scale;
}
SLT_WIDE_TASK(forward_trajectory);

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(forward_trajectory));
    slt_add_partials(args->out[0], false, args->shared, args->batch->count, 1, 1);
}

// gradients of one position; dR (K,A) is made upward, then summed downward
static void backward_position(const slt_args *args, const mixture *m, int l, slt_real weight,
                              slt_real *R, slt_real *dR) {
    memset(R, 0, (size_t)m->A * sizeof *R);
    for (int j = 0; j < m->K; j++) {
        slt_real *p = dR + (size_t)j * (size_t)m->A, w = weight * m->h[j] * m->scale;
        extend(m, j, l, R, p);
        p[m->targets[l]] -= 1;
        for (int a = 0; a < m->A; a++) p[a] *= w;
    }
    slt_real *G = R;
    memset(G, 0, (size_t)m->A * sizeof *G);
    for (int k = m->K - 1; k >= 0; k--) {
        size_t row = row_of(m, k, l);
        const slt_real *alpha = m->logits + row * (size_t)m->width;
        slt_real *dalpha = args->in_grad[LOGITS], mask = m->masks[row], dmask = 0;
        if (dalpha) dalpha += (m->first + row) * (size_t)m->width;
        for (int a = 0; a < m->A; a++) {
            G[a] += dR[(size_t)k * (size_t)m->A + (size_t)a];
            dmask += G[a] * alpha[a];
            if (dalpha) slt_put(&dalpha[a], args->add[LOGITS], mask * G[a]);
        }
        if (dalpha && !args->add[LOGITS]) dalpha[m->A] = 0;
        if (args->in_grad[MASKS])
            slt_put(&args->in_grad[MASKS][m->first + row], args->add[MASKS], dmask);
    }
}

// positions after the truth get nothing
static void clear_position(const slt_args *args, const mixture *m, int l) {
    for (int k = 0; k < m->K; k++) {
        size_t row = m->first + row_of(m, k, l), width = (size_t)m->width;
        if (args->in_grad[LOGITS] && !args->add[LOGITS])
            memset(args->in_grad[LOGITS] + row * width, 0, width * sizeof(slt_real));
        if (args->in_grad[MASKS] && !args->add[MASKS]) args->in_grad[MASKS][row] = 0;
    }
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    mixture m = mixture_of(args, b);
    slt_real weight = args->out_grad[0][0];
    for (int l = 0; l < m.truth; l++)
        backward_position(args, &m, l, weight, scratch, scratch + m.A);
    for (int l = m.truth; l < m.computed; l++) clear_position(args, &m, l);
    slt_real *dh = args->in_grad[H] ? args->in_grad[H] + (size_t)b * (size_t)m.K : NULL;
    for (int j = 0; dh && j < m.K; j++)
        slt_put(&dh[j], args->add[H],
                weight * m.scale * args->aux[(size_t)b * (size_t)m.K + (size_t)j]);
}
SLT_WIDE_TASK(backward_trajectory);

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(backward_trajectory));
}

static size_t aux(const slt_sizes *sizes) {
    return (size_t)sizes->in[H].rows * (size_t)sizes->limits.slots;
}
static size_t shared(const slt_sizes *sizes) { return (size_t)sizes->limits.trajectories; }
static size_t scratch(const slt_sizes *sizes) {
    return ((size_t)sizes->limits.slots + 2) * (size_t)sizes->in[LOGITS].width;
}
static double flops(const slt_sizes *sizes) {
    return 20.0 * sizes->in[LOGITS].rows * sizes->in[LOGITS].width;
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

const slt_op slt_op_prefix_xent = {.name = "prefix_xent",
                                   .sentence = "expected cross-entropy of the prefix mixtures",
                                   .least = 4,
                                   .most = 4,
                                   .shape = shape,
                                   .no_gradient_in = 1u << TARGETS,
                                   .saves_in = 15,
                                   .aux = aux,
                                   .shared = shared,
                                   .scratch = scratch,
                                   .flops = flops,
                                   .forward = forward,
                                   .backward = backward,
                                   .cases = {case_small},
                                   .bench = bench};

slt_var slt_prefix_xent(slt_tape *tape, slt_var logits, slt_var masks, slt_var h, slt_var targets) {
    slt_var inputs[] = {logits, masks, h, targets};
    return slt_tape_apply(tape, &slt_op_prefix_xent, inputs, 4, NULL);
}
