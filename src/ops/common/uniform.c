// Numbers drawn evenly from [0,1): number j of a trajectory is a function of seed, purpose, step
// and the trajectory's place in the unsorted batch, so that sorting, packing or splitting a batch
// changes nothing. j = k·W + c for slots, k·L + l for slot tokens.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { SPACE, WIDTH, PURPOSE };

static void shape(slt_shape_check *rule) {
    const int *n = rule->node->attributes.n;
    bool tokens = n[SPACE] == SLT_SLOT_TOKENS && n[WIDTH] == 1;
    if (!tokens && (n[SPACE] != SLT_SLOTS || n[WIDTH] < 1))
        slt_tape_fail(rule->tape, SLT_SHAPE, "uniform: rows must be slots, or slot tokens of 1");
    rule->out[0] = (slt_shape){(slt_space)n[SPACE], 0, n[WIDTH]};
}

// `count` numbers from number j on
static void draw(const slt_args *args, uint64_t first, uint64_t j, int count, slt_real *to) {
    slt_words words = {{0}};
    slt_random_purpose purpose = (slt_random_purpose)args->node->attributes.n[PURPOSE];
    for (int i = 0; i < count; i++, j++) {
        if (i == 0 || j % 4 == 0)
            words = slt_random_words(args->step->seed, purpose, first + j / 4, args->step->step);
        to[i] = slt_random_unit(words.word[j % 4]);
    }
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    const int *n = args->node->attributes.n;
    const slt_batch *batch = args->batch;
    bool tokens = n[SPACE] == SLT_SLOT_TOKENS;
    int K = args->limits.slots, per = tokens ? args->limits.length : n[WIDTH];
    int count = tokens ? slt_batch_computed(batch, b) : per;
    uint64_t calls = ((uint64_t)K * (uint64_t)per + 3) / 4;
    slt_real *to =
        args->out[0] + (size_t)K * (tokens ? (size_t)batch->offset[b] : (size_t)b * (size_t)per);
    for (int k = 0; k < K; k++, to += count)
        draw(args, (uint64_t)batch->index[b] * calls, (uint64_t)k * (uint64_t)per, count, to);
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
}

static void backward(const slt_args *args) { (void)args; }

static slt_var bench(slt_probe *p) {
    return slt_uniform(slt_probe_tape(p), SLT_SLOT_TOKENS, 1, SLT_RANDOM_GUMBEL);
}

const slt_op slt_op_uniform = {.name = "uniform",
                               .sentence = "numbers drawn evenly from [0,1)",
                               .least = 0,
                               .most = 0,
                               .shape = shape,
                               .no_gradient_out = 1,
                               .forward = forward,
                               .backward = backward,
                               .bench = bench};

slt_var slt_uniform(slt_tape *tape, slt_space space, int width, slt_random_purpose purpose) {
    slt_attributes attributes = {.n = {space, width, purpose}};
    slt_var none[1] = {0};
    return slt_tape_apply(tape, &slt_op_uniform, none, 0, &attributes);
}
