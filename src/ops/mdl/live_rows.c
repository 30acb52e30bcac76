// Which slot tokens are worth decoding: those of a true step whose mask is at least a threshold.
// Live row r holds its token and its slot; trajectory b has rows first[b] .. first[b]+count[b]-1,
// in the order of slots, then steps. Once ends have settled there is one live row per step instead
// of K.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

// rows and tokens are kept as numbers of the engine: a float counts to 2^24
static const int64_t MOST_ROWS = INT64_C(1) << (sizeof(slt_real) == sizeof(float) ? 24 : 31);

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, 0, SLT_TOKENS, 0, rule->limits.slots);
    int64_t rows = (int64_t)rule->limits.tokens * rule->limits.slots;
    if (rows > MOST_ROWS)
        slt_tape_fail(rule->tape, SLT_RANGE,
                      "a batch of %d steps with %d slots has %" PRId64 " slot tokens, the most are "
                      "%" PRId64 "; use shorter trajectories, fewer slots or a smaller batch",
                      rule->limits.tokens, rule->limits.slots, rows, MOST_ROWS);
    rule->out[0] = (slt_shape){SLT_LIVE, 0, 2};
    rule->out[1] = (slt_shape){SLT_TRAJECTORIES, 0, 2};
    rule->outputs = 2;
}

static void forward(const slt_args *args) {
    const slt_batch *batch = args->batch;
    const slt_real *m = args->in[0], least = (slt_real)args->node->attributes.x[0];
    slt_real *list = args->out[0], *range = args->out[1];
    int K = args->limits.slots, rows = 0;
    for (int b = 0; b < batch->count; b++) {
        int first = rows, truth = slt_min(batch->length[b], slt_batch_computed(batch, b));
        for (int k = 0; k < K; k++)
            for (int t = batch->offset[b]; t < batch->offset[b] + truth; t++) {
                if (m[(size_t)t * (size_t)K + (size_t)k] < least) continue;
                list[2 * (size_t)rows] = (slt_real)t;
                list[2 * (size_t)rows + 1] = (slt_real)k;
                rows++;
            }
        range[2 * b] = (slt_real)first;
        range[2 * b + 1] = (slt_real)(rows - first);
    }
    *args->live = rows;
}

static void backward(const slt_args *args) { (void)args; }

static slt_var bench(slt_probe *probe) {
    slt_tape *tape = slt_probe_tape(probe);
    int K = slt_tape_limits(tape).slots;
    return slt_live_rows(tape, slt_probe_constant(probe, SLT_TOKENS, 0, K, 0, 1), 0.5);
}

const slt_op slt_op_live_rows = {.name = "live_rows",
                                 .sentence = "slot tokens whose mask is worth decoding",
                                 .least = 1,
                                 .most = 1,
                                 .shape = shape,
                                 .no_gradient_in = 1,
                                 .no_gradient_out = 3,
                                 .forward = forward,
                                 .backward = backward,
                                 .bench = bench};

slt_var slt_live_rows(slt_tape *tape, slt_var masks, double least) {
    slt_attributes attributes = {.x = {least}};
    return slt_tape_apply(tape, &slt_op_live_rows, &masks, 1, &attributes);
}
