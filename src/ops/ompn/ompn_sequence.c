// The recurrence of OMPN, the ordered memory policy network (Lu et al. 2021), over whole sequences:
// x (tokens, d) and all weights in one row (ompn_layout.h) give the memory's leaf (tokens, d), the
// distribution p̂ over levels (tokens, n+1), level 0 being the end, and the memory (tokens, n·d).
// The equations of a step are at the head of ompn_forward.c, of a cell in ompn_cell.c.
//
// Products with x and weight gradients run over all steps at once; inside the loop are only the
// products with memories and candidates. Groups of trajectories are tasks; their borders, and so
// the order of all sums, depend on the size of the batch alone.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/ompn/ompn_impl.h"
#include "ops/common/op_table.h"
#include "ops/ompn/ompn_kernel_layout.h"

enum { X, W };
enum { LEAF, P_HAT, MEMORY };

static void shape(slt_shape_check *rule) {
    int d = rule->in[X].width, n = rule->node->attributes.n[0];
    slt_shape_want(rule, X, SLT_TOKENS, 0, d);
    slt_shape_type(rule, X, SLT_NUMBERS);
    if (n < 2 || n > SLT_OMPN_DEPTH) {
        slt_tape_fail(rule->tape, SLT_RANGE, "ompn: depth %d is not 2 to %d", n, SLT_OMPN_DEPTH);
        return;
    }
    slt_shape_want(rule, W, SLT_FIXED, 1, (int)slt_ompn_gate_at(n, d).end);
    rule->outputs = 3;
    rule->out[LEAF] = (slt_shape){SLT_TOKENS, 0, d};
    rule->out[P_HAT] = (slt_shape){SLT_TOKENS, 0, n + 1};
    rule->out[MEMORY] = (slt_shape){SLT_TOKENS, 0, n * d};
}

static void forward(const slt_args *args) {
    slt_ompn_sort(args);
    slt_args_run(args, slt_ompn_kernel_tasks(args, false), slt_ompn_forward_kernel);
    slt_args_run(args, slt_ompn_groups(args->batch->count), slt_ompn_forward_group);
}

static void backward(const slt_args *args) {
    slt_args_run(args, slt_ompn_kernel_tasks(args, true), slt_ompn_backward_kernel);
    slt_args_run(args, slt_ompn_groups(args->batch->count), slt_ompn_backward_group);
    if (!args->in_grad[W]) return;
    if (!args->add[W])
        memset(args->in_grad[W], 0, (size_t)args->in_width[W] * sizeof *args->in_grad[W]);
    slt_args_run(args, slt_ompn_weight_tasks(args), slt_ompn_weight_task);
}

// products only; the first step has neither Com nor gate
static double flops(const slt_sizes *sizes) {
    double n = sizes->node->attributes.n[0], d = sizes->in[X].width, rows = sizes->in[X].rows;
    double later = rows - (sizes->batch ? sizes->batch->count : sizes->limits.trajectories);
    double com = 2 * (2 * 4 + 4 * 4) * d * d, decom = 2 * (4 + 4 * 3) * d * d;
    double seen = 2 * (n * 4 + (n - 1) * 4 + 1) * d * d;
    return later * (n * com + n * 4 * d * d - 8 * d * d) + rows * ((n - 1) * decom + seen);
}

static slt_var make_case(slt_probe *probe, int depth, int width, bool alias) {
    slt_var x = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1);
    int count = (int)slt_ompn_gate_at(depth, width).end;
    slt_var w = slt_probe_parameter(probe, 1, count, -0.9, 0.9);
    return slt_ompn_sequence(slt_probe_tape(probe), x, w, depth, 1e-3, 0.3, alias, 0);
}
static slt_var case_leaf(slt_probe *p) { return make_case(p, 2, 3, false); }
static slt_var case_chances(slt_probe *p) { return make_case(p, 3, 3, false) + P_HAT; }
static slt_var case_deep(slt_probe *p) { return make_case(p, 4, 3, false); }
static slt_var case_alias(slt_probe *p) { return make_case(p, 3, 3, true); }
static slt_var bench(slt_probe *p) { return make_case(p, 3, 64, false); }

// what backward writes; forward turns weights round
static size_t kernel_shared(const slt_sizes *sizes) {
    slt_ompn_dims o = {
        .n = sizes->node->attributes.n[0], .d = sizes->in[X].width, .rows = sizes->in[X].rows};
    size_t backward = (size_t)slt_ompn_work_size(o), weights = (size_t)sizes->in[W].width;
    return backward > weights ? backward : weights;
}
// what one trajectory remembers is in the shared memory of a block
static const char *kernel_limit(const slt_sizes *sizes) {
    int n = sizes->node->attributes.n[0], d = sizes->in[X].width;
    return (int64_t)(4 * n + 14) * d > 20000 ? "it is too wide or too deep" : NULL;
}

const slt_op slt_op_ompn = {.name = "ompn",
                            .sentence = "ordered memory: Com, stick-breaking, Decom at every step",
                            .least = 2,
                            .most = 2,
                            .shape = shape,
                            .no_gradient_out = 1u << MEMORY,
                            .saves_in = 1u << W,
                            .aux = slt_ompn_aux,
                            .shared = slt_ompn_shared,
                            .scratch = slt_ompn_scratch,
                            .flops = flops,
                            .kernel_shared = kernel_shared,
                            .kernel_limit = kernel_limit,
                            .forward = forward,
                            .backward = backward,
                            .cases = {case_leaf, case_chances, case_deep, case_alias},
                            .bench = bench};

slt_var slt_ompn_sequence(slt_tape *tape, slt_var x, slt_var weights, int depth, double epsilon,
                          double slope, bool alias, int bptt) {
    slt_var inputs[] = {x, weights};
    slt_attributes attributes = {.n = {depth, alias, bptt}, .x = {epsilon, slope}};
    return slt_tape_apply(tape, &slt_op_ompn, inputs, 2, &attributes);
}
