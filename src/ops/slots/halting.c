// Halting (PonderNet, Banino et al. 2021): λ_k = σ(last channel of slot k), p_k = λ_k
// Π_{j<k}(1-λ_j), h_k = p_k/Σp. Backward needs no division by 1-λ:
//     dp_k = (dh_k - Σ_j h_j·dh_j)/Σp;  E_1 = 1, E_{k+1} = E_k(1-λ_k);  t_{K+1} = 0
//     for k = K..1: dλ_k = E_k(dp_k - t_{k+1}), t_k = λ_k·dp_k + (1-λ_k)·t_{k+1}
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, 0, SLT_SLOTS, 0, rule->in[0].width);
    rule->outputs = 2;
    rule->out[0] = rule->out[1] = (slt_shape){SLT_TRAJECTORIES, 0, rule->limits.slots};
}

static void forward(const slt_args *args) {
    int K = args->limits.slots, S = args->in_width[0];
    for (int b = 0; b < args->batch->count; b++) {
        const slt_real *slots = (const slt_real *)args->in[0] + (size_t)b * (size_t)K * (size_t)S;
        slt_real *h = args->out[0] + (size_t)b * (size_t)K;
        slt_real *lambda = args->out[1] + (size_t)b * (size_t)K, alive = 1, sum = 0;
        for (int k = 0; k < K; k++) {
            lambda[k] = slt_sigmoid(slots[(size_t)(k + 1) * (size_t)S - 1]);
            sum += h[k] = lambda[k] * alive;
            alive *= 1 - lambda[k];
        }
        for (int k = 0; k < K; k++) h[k] /= sum;
        args->aux[b] = sum;
    }
}

// dλ of one trajectory into `dlambda`
static void lambda_gradient(const slt_real *h, const slt_real *lambda, const slt_real *dh,
                            slt_real sum, int K, slt_real *dlambda) {
    slt_real mean = 0, alive = 1, after = 0;
    for (int k = 0; k < K; k++) mean += h[k] * dh[k];
    for (int k = 0; k < K; k++) { // E_k first: it runs upward
        dlambda[k] = alive;
        alive *= 1 - lambda[k];
    }
    for (int k = K - 1; k >= 0; k--) {
        slt_real dp = (dh[k] - mean) / sum;
        dlambda[k] *= dp - after;
        after = lambda[k] * dp + (1 - lambda[k]) * after;
    }
}

static void backward(const slt_args *args) {
    int K = args->limits.slots;
    size_t S = (size_t)args->in_width[0];
    for (int b = 0; b < args->batch->count; b++) {
        size_t at = (size_t)b * (size_t)K;
        const slt_real *lambda = args->out[1] + at;
        lambda_gradient(args->out[0] + at, lambda, args->out_grad[0] + at, args->aux[b], K,
                        args->scratch);
        for (int k = 0; k < K; k++) {
            slt_real *to = args->in_grad[0] + (at + (size_t)k) * S;
            if (!args->add[0]) memset(to, 0, (S - 1) * sizeof *to);
            slt_put(&to[S - 1], args->add[0], args->scratch[k] * lambda[k] * (1 - lambda[k]));
        }
    }
}

static size_t aux(const slt_sizes *sizes) { return (size_t)sizes->limits.trajectories; }
static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->limits.slots; }

static slt_var case_small(slt_probe *probe) {
    return slt_halting(slt_probe_tape(probe), slt_probe_numbers(probe, SLT_SLOTS, 0, 3, -2, 2));
}
static slt_var bench(slt_probe *probe) {
    return slt_halting(slt_probe_tape(probe), slt_probe_numbers(probe, SLT_SLOTS, 0, 128, -2, 2));
}

static size_t kernel_shared(const slt_sizes *sizes) {
    return (size_t)sizes->limits.trajectories * (size_t)sizes->limits.slots;
}

const slt_op slt_op_halting = {.name = "halting",
                               .sentence = "h: probability that k slots are used",
                               .least = 1,
                               .most = 1,
                               .shape = shape,
                               .no_gradient_out = 1u << 1,
                               .saves_out = 3,
                               .aux = aux,
                               .scratch = scratch,
                               .kernel_shared = kernel_shared,
                               .forward = forward,
                               .backward = backward,
                               .cases = {case_small},
                               .bench = bench};

slt_var slt_halting(slt_tape *tape, slt_var slots) {
    return slt_tape_apply(tape, &slt_op_halting, &slots, 1, NULL);
}
