// slots_{b,k} = μ_k + exp(ρ_k)∘noise_{b,k}: every slot has a mean and a scale of its own.
// Backward: dμ_k = Σ_b ds_{b,k}, dρ_k = Σ_b ds_{b,k}∘exp(ρ_k)∘noise_{b,k}.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_inputs.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    int slots = rule->limits.slots, width = rule->in[SLT_START_MU].width;
    slt_shape_want(rule, SLT_START_MU, SLT_FIXED, slots, width);
    slt_shape_want(rule, SLT_START_RHO, SLT_FIXED, slots, width);
    slt_shape_want(rule, SLT_START_NOISE, SLT_SLOTS, 0, width);
    rule->out[0] = (slt_shape){SLT_SLOTS, 0, width};
}

static void forward_slot(const slt_args *args, int k, slt_real *scale) {
    size_t width = (size_t)args->out_width[0], slots = (size_t)args->limits.slots;
    const slt_real *mu = (const slt_real *)args->in[SLT_START_MU] + (size_t)k * width;
    const slt_real *rho = (const slt_real *)args->in[SLT_START_RHO] + (size_t)k * width;
    for (size_t c = 0; c < width; c++) scale[c] = slt_exp(rho[c]);
    for (int b = 0; b < args->batch->count; b++) {
        size_t at = ((size_t)b * slots + (size_t)k) * width;
        const slt_real *noise = (const slt_real *)args->in[SLT_START_NOISE] + at;
        for (size_t c = 0; c < width; c++) args->out[0][at + c] = mu[c] + scale[c] * noise[c];
    }
}
SLT_WIDE_TASK(forward_slot);

static void forward(const slt_args *args) {
    slt_args_run(args, args->limits.slots, SLT_WIDEST(forward_slot));
}

static void backward_slot(const slt_args *args, int k, slt_real *scale) {
    size_t width = (size_t)args->out_width[0], slots = (size_t)args->limits.slots;
    const slt_real *rho = (const slt_real *)args->in[SLT_START_RHO] + (size_t)k * width;
    slt_real *dmu = scale + width, *drho = dmu + width;
    memset(dmu, 0, 2 * width * sizeof *dmu);
    for (size_t c = 0; c < width; c++) scale[c] = slt_exp(rho[c]);
    for (int b = 0; b < args->batch->count; b++) {
        size_t at = ((size_t)b * slots + (size_t)k) * width;
        const slt_real *ds = args->out_grad[0] + at;
        const slt_real *noise = (const slt_real *)args->in[SLT_START_NOISE] + at;
        for (size_t c = 0; c < width; c++) {
            dmu[c] += ds[c];
            drho[c] += ds[c] * scale[c] * noise[c];
        }
    }
    for (int i = SLT_START_MU; i <= SLT_START_RHO; i++) {
        slt_real *to = args->in_grad[i] ? args->in_grad[i] + (size_t)k * width : NULL;
        for (size_t c = 0; to && c < width; c++)
            slt_put(&to[c], args->add[i], i == SLT_START_MU ? dmu[c] : drho[c]);
    }
}
SLT_WIDE_TASK(backward_slot);

static void backward(const slt_args *args) {
    slt_args_run(args, args->limits.slots, SLT_WIDEST(backward_slot));
}

static size_t scratch(const slt_sizes *sizes) { return 3 * (size_t)sizes->out[0].width; }
static double flops(const slt_sizes *sizes) {
    return 2.0 * sizes->out[0].rows * sizes->out[0].width;
}

static slt_var make_case(slt_probe *probe, int width) {
    int slots = slt_tape_limits(slt_probe_tape(probe)).slots;
    slt_var mu = slt_probe_parameter(probe, slots, width, -1, 1);
    slt_var rho = slt_probe_parameter(probe, slots, width, -1, 1);
    slt_var noise = slt_probe_constant(probe, SLT_SLOTS, 0, width, -1, 1);
    return slt_slot_start(slt_probe_tape(probe), mu, rho, noise);
}
static slt_var case_small(slt_probe *p) { return make_case(p, 3); }
static slt_var bench(slt_probe *p) { return make_case(p, 128); }

const slt_op slt_op_slot_start = {.name = "slot_start",
                                  .sentence = "slots = μ + exp(ρ)·noise",
                                  .least = 3,
                                  .most = 3,
                                  .shape = shape,
                                  .no_gradient_in = 1u << SLT_START_NOISE,
                                  .saves_in = 1u << SLT_START_RHO | 1u << SLT_START_NOISE,
                                  .scratch = scratch,
                                  .flops = flops,
                                  .forward = forward,
                                  .backward = backward,
                                  .cases = {case_small},
                                  .bench = bench};

slt_var slt_slot_start(slt_tape *tape, slt_var mu, slt_var rho, slt_var noise) {
    slt_var inputs[] = {mu, rho, noise};
    return slt_tape_apply(tape, &slt_op_slot_start, inputs, 3, NULL);
}
