// Gaussian noise: number (row, c) of the step is a function of seed, purpose, step and the row's
// place in the unsorted batch, so that sorting, packing or splitting a batch changes nothing.
// Box-Muller, one pair per two numbers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { SPACE, WIDTH, PURPOSE };

static void shape(slt_shape_check *rule) {
    const int *n = rule->node->attributes.n;
    bool known = n[SPACE] == SLT_TRAJECTORIES || n[SPACE] == SLT_SLOTS;
    if (!known || n[WIDTH] < 1)
        slt_tape_fail(rule->tape, SLT_SHAPE, "noise: rows must be trajectories or slots");
    rule->out[0] = (slt_shape){(slt_space)n[SPACE], 0, n[WIDTH]};
}

// numbers 2i and 2i+1 of the stream
static void pair(const slt_step *step, slt_random_purpose purpose, uint64_t i, slt_real *two) {
    slt_words words = slt_random_words(step->seed, purpose, i, step->step);
    double u = ((double)words.word[0] + 0.5) * 0x1p-32;
    double angle = 2 * 3.14159265358979323846 * ((double)words.word[1] * 0x1p-32);
    double radius = sqrt(-2 * log(u)) * (double)step->noise;
    two[0] = (slt_real)(radius * cos(angle));
    two[1] = (slt_real)(radius * sin(angle));
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    const int *n = args->node->attributes.n;
    uint64_t per = (uint64_t)(n[SPACE] == SLT_SLOTS ? args->limits.slots : 1) * (uint64_t)n[WIDTH];
    uint64_t first = (uint64_t)args->batch->index[b] * ((per + 1) / 2);
    slt_real *to = args->out[0] + (size_t)b * per, two[2];
    if (args->step->noise == 0) {
        memset(to, 0, per * sizeof *to);
        return;
    }
    for (uint64_t i = 0; i < per; i += 2) {
        pair(args->step, (slt_random_purpose)n[PURPOSE], first + i / 2, two);
        to[i] = two[0];
        if (i + 1 < per) to[i + 1] = two[1];
    }
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
}

static void backward(const slt_args *args) { (void)args; }

static slt_var bench(slt_probe *p) {
    return slt_noise(slt_probe_tape(p), SLT_SLOTS, 128, SLT_RANDOM_SLOT_NOISE);
}

const slt_op slt_op_noise = {.name = "noise",
                             .sentence = "Gaussian noise times the step's scale",
                             .least = 0,
                             .most = 0,
                             .shape = shape,
                             .no_gradient_out = 1,
                             .forward = forward,
                             .backward = backward,
                             .bench = bench};

slt_var slt_noise(slt_tape *tape, slt_space space, int width, slt_random_purpose purpose) {
    slt_attributes attributes = {.n = {space, width, purpose}};
    slt_var none[1] = {0};
    return slt_tape_apply(tape, &slt_op_noise, none, 0, &attributes);
}
