// What the recogniser knows one step before the boundary (CompILE, models.md section 5.4):
//     r_b = Σ_l b[l+1]·enc[l]
// Backward: denc[l] = b[l+1]·dr, db[l+1] = enc[l]·dr, nothing for the last row and the first b.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { ENC, BOUNDARY };

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, ENC, SLT_TOKENS, 0, rule->in[ENC].width);
    slt_shape_want(rule, BOUNDARY, SLT_TOKENS, 0, 1);
    rule->out[0] = (slt_shape){SLT_TRAJECTORIES, 0, rule->in[ENC].width};
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    size_t width = (size_t)args->out_width[0];
    const slt_real *enc = (const slt_real *)args->in[ENC] + (size_t)sequence.first * width;
    const slt_real *boundary = (const slt_real *)args->in[BOUNDARY] + sequence.first;
    slt_real *restrict r = args->out[0] + (size_t)b * width;
    memset(r, 0, width * sizeof *r);
    for (int l = 0; l + 1 < sequence.computed; l++, enc += width)
        for (size_t c = 0; c < width; c++) r[c] += boundary[l + 1] * enc[c];
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    size_t width = (size_t)args->out_width[0], first = (size_t)sequence.first;
    const slt_real *enc = (const slt_real *)args->in[ENC] + first * width;
    const slt_real *boundary = (const slt_real *)args->in[BOUNDARY] + first;
    const slt_real *dr = args->out_grad[0] + (size_t)b * width;
    slt_real *denc = args->in_grad[ENC] ? args->in_grad[ENC] + first * width : NULL;
    slt_real *db = args->in_grad[BOUNDARY] ? args->in_grad[BOUNDARY] + first : NULL;
    if (db) slt_put(&db[0], args->add[BOUNDARY], 0);
    for (int l = 0; l < sequence.computed; l++, enc += width) {
        bool last = l + 1 == sequence.computed;
        slt_real share = last ? 0 : boundary[l + 1];
        if (db && !last) slt_put(&db[l + 1], args->add[BOUNDARY], slt_dot(enc, dr, (int)width));
        for (size_t c = 0; denc && c < width; c++)
            slt_put(&denc[(size_t)l * width + c], args->add[ENC], share * dr[c]);
    }
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
}

static double flops(const slt_sizes *sizes) {
    return 2.0 * sizes->in[ENC].rows * sizes->in[ENC].width;
}

static slt_var make_case(slt_probe *probe, int width) {
    slt_var enc = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1);
    slt_var boundary = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0, 1);
    return slt_boundary_readout(slt_probe_tape(probe), enc, boundary);
}
static slt_var case_small(slt_probe *p) { return make_case(p, 3); }
static slt_var bench(slt_probe *p) { return make_case(p, 128); }

const slt_op slt_op_boundary_readout = {.name = "boundary_readout",
                                        .sentence = "r = Σ_l b[l+1]·enc[l]",
                                        .least = 2,
                                        .most = 2,
                                        .shape = shape,
                                        .saves_in = 1u << ENC | 1u << BOUNDARY,
                                        .flops = flops,
                                        .forward = forward,
                                        .backward = backward,
                                        .cases = {case_small},
                                        .bench = bench};

slt_var slt_boundary_readout(slt_tape *tape, slt_var enc, slt_var boundary) {
    slt_var inputs[] = {enc, boundary};
    return slt_tape_apply(tape, &slt_op_boundary_readout, inputs, 2, NULL);
}
