// A code per segment and its price. Row (b,k) of the statistics holds means μ and log-variances v,
// the latter kept inside [-8,2]:
//     z = μ + exp(v/2)·ξ,  kl = 1/M Σ_{b,k} w_bk·½ Σ_c (μ² + e^v - 1 - v),  w_bk = max_l m_k(l)
// so that a slot pays as far as it is used (variational information bottleneck, Alemi et al. 2017).
// Backward: dμ = dz + dkl·w·μ, dv = ½·dz·exp(v/2)·ξ + ½·dkl·w·(e^v - 1), 0 at the bounds;
//     dm at the first maximum: dkl·½ Σ_c (…).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { STATS, NOISE, MASKS };
enum { Z, KL };
static const slt_real LOW = -8, HIGH = 2;

static void shape(slt_shape_check *rule) {
    slt_shape stats = rule->in[STATS];
    slt_shape_want(rule, STATS, SLT_SLOTS, 0, stats.width);
    slt_shape_want(rule, NOISE, SLT_SLOTS, 0, stats.width / 2);
    slt_shape_want(rule, MASKS, SLT_TOKENS, 0, rule->limits.slots);
    if (stats.width % 2) slt_shape_reject(rule, STATS, "an even width");
    rule->out[Z] = (slt_shape){SLT_SLOTS, 0, stats.width / 2};
    rule->out[KL] = (slt_shape){SLT_FIXED, 1, 1};
    rule->outputs = 2;
}

static slt_real bounded(slt_real v) { return v < LOW ? LOW : v > HIGH ? HIGH : v; }

// the token where slot k is used most, the first of equals
static size_t peak(const slt_args *args, int b, int k) {
    const slt_batch *batch = args->batch;
    const slt_real *m = args->in[MASKS];
    size_t K = (size_t)args->limits.slots, first = (size_t)batch->offset[b] * K + (size_t)k;
    int truth = slt_min(batch->length[b], slt_batch_computed(batch, b));
    size_t best = first;
    for (int l = 1; l < truth; l++)
        if (m[first + (size_t)l * K] > m[best]) best = first + (size_t)l * K;
    return best;
}

static slt_real price(const slt_real *stats, int width) {
    slt_real sum = 0;
    for (int c = 0; c < width; c++) {
        slt_real mean = stats[c], v = bounded(stats[width + c]);
        sum += mean * mean + slt_exp(v) - 1 - v;
    }
    return sum / 2;
}

static void forward(const slt_args *args) {
    int width = args->out_width[Z], K = args->limits.slots;
    const slt_real *stats = args->in[STATS], *noise = args->in[NOISE], *m = args->in[MASKS];
    slt_real *z = args->out[Z], sum = 0;
    for (int i = 0; i < args->batch->count * K; i++) {
        for (int c = 0; c < width; c++)
            z[c] = stats[c] + slt_exp(bounded(stats[width + c]) / 2) * noise[c];
        sum += m[peak(args, i / K, i % K)] * price(stats, width);
        stats += 2 * width;
        noise += width;
        z += width;
    }
    args->out[KL][0] = sum / (slt_real)args->batch->true_tokens;
}

static void row_gradient(const slt_args *args, int i, slt_real weight) {
    int width = args->out_width[Z];
    size_t row = (size_t)i * (size_t)width;
    const slt_real *stats = (const slt_real *)args->in[STATS] + 2 * row;
    const slt_real *noise = (const slt_real *)args->in[NOISE] + row;
    const slt_real *dz = args->out_grad[Z] ? args->out_grad[Z] + row : NULL;
    slt_real *d = args->in_grad[STATS] + 2 * row;
    for (int c = 0; c < width; c++) {
        slt_real v = bounded(stats[width + c]), up = dz ? dz[c] : 0;
        bool free = stats[width + c] > LOW && stats[width + c] < HIGH;
        slt_real spread = (up * slt_exp(v / 2) * noise[c] + weight * (slt_exp(v) - 1)) / 2;
        slt_put(&d[c], args->add[STATS], up + weight * stats[c]);
        slt_put(&d[width + c], args->add[STATS], slt_where(free, spread));
    }
}

static void backward(const slt_args *args) {
    int K = args->limits.slots, width = args->out_width[Z];
    const slt_real *m = args->in[MASKS], *stats = args->in[STATS];
    slt_real *dm = args->in_grad[MASKS];
    slt_real scale =
        args->out_grad[KL] ? args->out_grad[KL][0] / (slt_real)args->batch->true_tokens : 0;
    if (dm && !args->add[MASKS])
        memset(dm, 0, (size_t)args->in_rows[MASKS] * (size_t)K * sizeof *dm);
    for (int i = 0; i < args->batch->count * K; i++) {
        size_t at = peak(args, i / K, i % K);
        if (args->in_grad[STATS]) row_gradient(args, i, scale * m[at]);
        if (dm) dm[at] += scale * price(stats + 2 * (size_t)i * (size_t)width, width);
    }
}

static slt_var make_case(slt_probe *probe, int width, bool priced) {
    slt_tape *tape = slt_probe_tape(probe);
    int K = slt_tape_limits(tape).slots;
    slt_var stats = slt_probe_numbers(probe, SLT_SLOTS, 0, 2 * width, -1, 1);
    slt_var noise = slt_probe_constant(probe, SLT_SLOTS, 0, width, -2, 2);
    slt_var masks = slt_probe_numbers(probe, SLT_TOKENS, 0, K, 0.1, 0.9);
    slt_var z = slt_segment_code(tape, stats, noise, masks);
    return priced ? slt_output_of(z, 1) : z;
}
static slt_var case_code(slt_probe *p) { return make_case(p, 2, false); }
static slt_var case_price(slt_probe *p) { return make_case(p, 2, true); }
static slt_var bench(slt_probe *p) { return make_case(p, 8, false); }

// shares of the loss
static size_t kernel_shared(const slt_sizes *sizes) {
    return (size_t)sizes->limits.trajectories * (size_t)sizes->limits.slots;
}

const slt_op slt_op_segment_code = {.name = "segment_code",
                                    .sentence = "z = μ + σ·ξ per segment, and its KL to N(0,1)",
                                    .least = 3,
                                    .most = 3,
                                    .shape = shape,
                                    .no_gradient_in = 1u << NOISE,
                                    .saves_in = 7,
                                    .kernel_shared = kernel_shared,
                                    .forward = forward,
                                    .backward = backward,
                                    .cases = {case_code, case_price},
                                    .bench = bench};

slt_var slt_segment_code(slt_tape *tape, slt_var stats, slt_var noise, slt_var masks) {
    slt_var inputs[] = {stats, noise, masks};
    return slt_tape_apply(tape, &slt_op_segment_code, inputs, 3, NULL);
}
