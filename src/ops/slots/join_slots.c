// y_{b,k,l} = relu(slot_{b,k} + token_{c(b,k),l}): the joint embedding of the decoder. A slot is
// broadcast over its sequence; the observation features are those of the companion trajectory c.
// After the companion's end its last computed row (an empty observation) stands for all others.
// Backward of the gather is a loop over the sequences that name a trajectory, in order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_inputs.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape slot = rule->in[SLT_JOIN_SLOT];
    slt_shape_want(rule, SLT_JOIN_SLOT, SLT_SLOTS, 0, slot.width);
    slt_shape_want(rule, SLT_JOIN_TOKEN, rule->limits.seen ? SLT_SHARED_TOKENS : SLT_TOKENS, 0,
                   slot.width);
    rule->out[0] = (slt_shape){SLT_SLOT_TOKENS, 0, slot.width};
}

// the token row that position l of a sequence with companion c sees
static size_t companion_row(const slt_batch *batch, int c, int l) {
    const int32_t *offset = slt_batch_shared(batch).offset;
    return (size_t)slt_min(offset[c] + l, offset[c + 1] - 1);
}

static int companion_of(const slt_args *args, slt_row_span sequence) {
    if (!args->in[SLT_JOIN_TOKEN]) return -1;
    return args->batch->companion[sequence.b * args->limits.slots + sequence.k];
}

static void forward_sequence(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, task);
    size_t width = (size_t)args->out_width[0];
    const slt_real *slot = (const slt_real *)args->in[SLT_JOIN_SLOT] + (size_t)task * width;
    int c = companion_of(args, sequence);
    for (int l = 0; l < sequence.computed; l++) {
        slt_real *restrict y = args->out[0] + (size_t)(sequence.first + l) * width;
        const slt_real *token = NULL;
        if (c >= 0)
            token = (const slt_real *)args->in[SLT_JOIN_TOKEN] +
                    companion_row(args->batch, c, l) * width;
        for (size_t i = 0; i < width; i++) {
            slt_real sum = token ? slot[i] + token[i] : slot[i];
            y[i] = sum > 0 ? sum : 0;
        }
    }
}
SLT_WIDE_TASK(forward_sequence);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_span_count(args, SLT_SLOT_TOKENS), SLT_WIDEST(forward_sequence));
}

static void backward_slot(const slt_args *args, int task, slt_real *restrict sum) {
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, task);
    size_t width = (size_t)args->out_width[0];
    memset(sum, 0, width * sizeof *sum);
    for (int l = 0; l < sequence.computed; l++) {
        size_t at = (size_t)(sequence.first + l) * width;
        const slt_real *restrict dy = args->out_grad[0] + at, *restrict y = args->out[0] + at;
        for (size_t i = 0; i < width; i++) sum[i] += slt_where(y[i] > 0, dy[i]);
    }
    slt_real *to = args->in_grad[SLT_JOIN_SLOT] + (size_t)task * width;
    for (size_t i = 0; i < width; i++) slt_put(&to[i], args->add[SLT_JOIN_SLOT], sum[i]);
}
SLT_WIDE_TASK(backward_slot);

// adds the gradient of one sequence to the tokens of its companion
static void backward_gather(const slt_args *args, int task, int c) {
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, task);
    size_t width = (size_t)args->out_width[0];
    for (int l = 0; l < sequence.computed; l++) {
        size_t at = (size_t)(sequence.first + l) * width;
        const slt_real *restrict dy = args->out_grad[0] + at, *restrict y = args->out[0] + at;
        slt_real *restrict to =
            args->in_grad[SLT_JOIN_TOKEN] + companion_row(args->batch, c, l) * width;
        for (size_t i = 0; i < width; i++) to[i] += slt_where(y[i] > 0, dy[i]);
    }
}

static void backward_token(const slt_args *args, int c, slt_real *scratch) {
    (void)scratch;
    const slt_batch *batch = args->batch;
    const int32_t *offset = slt_batch_shared(batch).offset;
    size_t width = (size_t)args->out_width[0];
    if (!args->add[SLT_JOIN_TOKEN])
        memset(args->in_grad[SLT_JOIN_TOKEN] + (size_t)offset[c] * width, 0,
               (size_t)(offset[c + 1] - offset[c]) * width * sizeof(slt_real));
    for (int s = 0; s < batch->count * args->limits.slots; s++)
        if (batch->companion[s] == c) backward_gather(args, s, c);
}
SLT_WIDE_TASK(backward_token);

static void backward(const slt_args *args) {
    if (args->in_grad[SLT_JOIN_SLOT])
        slt_args_run(args, slt_span_count(args, SLT_SLOT_TOKENS), SLT_WIDEST(backward_slot));
    if (args->in_grad[SLT_JOIN_TOKEN])
        slt_args_run(args, slt_batch_shared(args->batch).count, SLT_WIDEST(backward_token));
}

static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->out[0].width; }
static double flops(const slt_sizes *sizes) {
    return 2.0 * sizes->out[0].rows * sizes->out[0].width;
}

static slt_var make_case(slt_probe *probe, int width, bool tokens) {
    slt_var slot = slt_probe_numbers(probe, SLT_SLOTS, 0, width, -1, 1);
    slt_var token = tokens ? slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1) : 0;
    return slt_join_slots(slt_probe_tape(probe), slot, token);
}
static slt_var case_both(slt_probe *p) { return make_case(p, 3, true); }
static slt_var case_alone(slt_probe *p) { return make_case(p, 3, false); }
static slt_var bench(slt_probe *p) { return make_case(p, 128, true); }

static const char *kernel_limit(const slt_sizes *sizes) {
    return sizes->limits.seen ? "companions of other processes are not known there" : NULL;
}

static unsigned bf16_rows(const slt_sizes *sizes) {
    (void)sizes;
    return 1u << SLT_JOIN_TOKEN | 1u << SLT_BF16_OUT;
}

const slt_op slt_op_join_slots = {.name = "join_slots",
                                  .sentence = "y = relu(slot, broadcast + token of the companion)",
                                  .least = 1,
                                  .most = 2,
                                  .shape = shape,
                                  .saves_out = 1,
                                  .scratch = scratch,
                                  .flops = flops,
                                  .kernel_limit = kernel_limit,
                                  .bf16_rows = bf16_rows,
                                  .bf16_alike = true,
                                  .forward = forward,
                                  .backward = backward,
                                  .cases = {case_both, case_alone},
                                  .bench = bench};

slt_var slt_join_slots(slt_tape *tape, slt_var slots, slt_var tokens) {
    slt_var inputs[] = {slots, tokens};
    return slt_tape_apply(tape, &slt_op_join_slots, inputs, 2, NULL);
}
