// From a boundary to its segment and to the states that the next pass may keep (CompILE, models.md
// sections 5.5 and 5.7): with c the inclusive cumulative sum of b over the positions, and M the
// mask that this pass ran with (1 in the first),
//     share = (1 - c)∘M,  next = (c + 1e-17)∘M
// The reference takes the product of the c's as exp of a sum of logs; a product needs no division
// in its gradient: dM = dshare∘(1-c) + dnext∘(c+1e-17), dc = (dnext - dshare)∘M, db = sums of dc
// from the end.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/compile/relaxed.h"

enum { BOUNDARY, MASK };
enum { SHARE, NEXT };

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, BOUNDARY, SLT_TOKENS, 0, 1);
    slt_shape_want(rule, MASK, SLT_TOKENS, 0, 1);
    rule->outputs = 2;
    rule->out[SHARE] = rule->out[NEXT] = (slt_shape){SLT_TOKENS, 0, 1};
}

static slt_real mask_at(const slt_args *args, int row) {
    return args->in[MASK] ? ((const slt_real *)args->in[MASK])[row] : 1;
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    const slt_real *boundary = args->in[BOUNDARY];
    slt_real sum = 0;
    for (int row = args->batch->offset[b]; row < args->batch->offset[b + 1]; row++) {
        sum += boundary[row];
        args->out[SHARE][row] = (1 - sum) * mask_at(args, row);
        args->out[NEXT][row] = (sum + SLT_TINY) * mask_at(args, row);
    }
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
}

static slt_real gradient_at(const slt_args *args, int output, int row) {
    return args->out_grad[output] ? args->out_grad[output][row] : 0;
}

static void backward_trajectory(const slt_args *args, int b, slt_real *cumulative) {
    const slt_real *boundary = args->in[BOUNDARY];
    int first = args->batch->offset[b], last = args->batch->offset[b + 1] - 1;
    slt_real sum = 0;
    for (int row = first; row <= last; row++) cumulative[row - first] = sum += boundary[row];
    sum = 0;
    for (int row = last; row >= first; row--) {
        slt_real c = cumulative[row - first], mask = mask_at(args, row);
        slt_real dshare = gradient_at(args, SHARE, row), dnext = gradient_at(args, NEXT, row);
        sum += (dnext - dshare) * mask;
        if (args->in_grad[BOUNDARY])
            slt_put(&args->in_grad[BOUNDARY][row], args->add[BOUNDARY], sum);
        if (args->in[MASK] && args->in_grad[MASK])
            slt_put(&args->in_grad[MASK][row], args->add[MASK],
                    dshare * (1 - c) + dnext * (c + SLT_TINY));
    }
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
}

static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->limits.length; }
static double flops(const slt_sizes *sizes) { return 6.0 * sizes->in[BOUNDARY].rows; }

static slt_var make_case(slt_probe *probe, bool mask, int output) {
    slt_var boundary = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0, 0.3);
    slt_var m = mask ? slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0.1, 1) : 0;
    slt_var share = slt_boundary_masks(slt_probe_tape(probe), boundary, m);
    return share ? share + output : 0;
}
static slt_var case_share(slt_probe *p) { return make_case(p, true, SHARE); }
static slt_var case_next(slt_probe *p) { return make_case(p, true, NEXT); }
static slt_var case_first(slt_probe *p) { return make_case(p, false, SHARE); }

const slt_op slt_op_boundary_masks = {.name = "boundary_masks",
                                      .sentence = "share = (1-cumsum(b))∘M, next = cumsum(b)∘M",
                                      .least = 1,
                                      .most = 2,
                                      .shape = shape,
                                      .saves_in = 1u << BOUNDARY | 1u << MASK,
                                      .scratch = scratch,
                                      .flops = flops,
                                      .forward = forward,
                                      .backward = backward,
                                      .cases = {case_share, case_next, case_first},
                                      .bench = case_share};

slt_var slt_boundary_masks(slt_tape *tape, slt_var boundary, slt_var mask) {
    slt_var inputs[] = {boundary, mask};
    return slt_tape_apply(tape, &slt_op_boundary_masks, inputs, 2, NULL);
}
