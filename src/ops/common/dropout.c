// Dropout: y = x·m/(1-p), where m is 0 with probability p, the step's rate, else 1; y = x where the
// rate is 0, as at test time. m is a function of seed, step, place (which dropout of the model it
// is), the row's place in the unsorted batch and the column, so that sorting, packing or splitting
// a batch changes nothing. Backward: dx = dy·m/(1-p), with m drawn again.
// (Srivastava et al. 2014)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/philox.h"
#include "ops/common/dropout.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape x = rule->in[0];
    if (x.space != SLT_TOKENS && x.space != SLT_SLOT_TOKENS)
        slt_shape_reject(rule, 0, "rows that have a position");
    rule->out[0] = x;
}

static slt_space space_of(const slt_args *args) {
    return (slt_space)args->node->attributes.n[SLT_DROPOUT_SPACE];
}

// to (+)= from times the factors of a sequence
static void drop(const slt_args *args, int task, const slt_real *from, slt_real *to, bool add) {
    slt_row_span s = slt_span_at(args, space_of(args), task);
    int width = args->in_width[0];
    float rate = (float)args->step->dropout;
    for (int l = 0; l < s.computed; l++) {
        size_t at = (size_t)(s.first + l) * (size_t)width;
        uint64_t row = slt_dropout_row(args->batch->index[s.b], args->limits.slots, s.k,
                                       args->limits.length, l);
        for (int c = 0; c < width; c++) {
            float factor =
                slt_dropout_factor(args->step->seed, args->step->step, rate,
                                   args->node->attributes.n[SLT_DROPOUT_PLACE], row, width, c);
            slt_put(&to[at + (size_t)c], add, (slt_real)factor * from[at + (size_t)c]);
        }
    }
}

static void forward_sequence(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    drop(args, task, args->in[0], args->out[0], false);
}

static void forward(const slt_args *args) {
    slt_args_run(args, slt_span_count(args, space_of(args)), forward_sequence);
}

static void backward_sequence(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    drop(args, task, args->out_grad[0], args->in_grad[0], args->add[0]);
}

static void backward(const slt_args *args) {
    slt_args_run(args, slt_span_count(args, space_of(args)), backward_sequence);
}

static double flops(const slt_sizes *sizes) { return 1.0 * sizes->in[0].rows * sizes->in[0].width; }

static slt_var make_case(slt_probe *probe, slt_space space, int width) {
    slt_var x = slt_probe_numbers(probe, space, 0, width, -1, 1);
    return slt_dropout(slt_probe_tape(probe), x, 1);
}
static slt_var case_tokens(slt_probe *p) { return make_case(p, SLT_TOKENS, 7); }
static slt_var case_slots(slt_probe *p) { return make_case(p, SLT_SLOT_TOKENS, 2); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_SLOT_TOKENS, 128); }

static unsigned bf16_rows(const slt_sizes *sizes) {
    (void)sizes;
    return 1u | 1u << SLT_BF16_OUT;
}

const slt_op slt_op_dropout = {.name = "dropout",
                               .sentence = "zeros with the step's rate, the others scaled up",
                               .least = 1,
                               .most = 1,
                               .shape = shape,
                               .flops = flops,
                               .backward_flops = 1,
                               .bf16_rows = bf16_rows,
                               .bf16_alike = true,
                               .forward = forward,
                               .backward = backward,
                               .cases = {case_tokens, case_slots},
                               .bench = bench};

slt_var slt_dropout(slt_tape *tape, slt_var x, int place) {
    if (slt_tape_failed(tape)) return 0;
    slt_attributes attributes = {.n = {slt_tape_shape(tape, x).space, place}};
    return slt_tape_apply(tape, &slt_op_dropout, &x, 1, &attributes);
}
