// The first nodes of a tape, and their launch as one (fused_leaves.h). Forward only: backward they
// come last, each with something else before it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/encoder_input/fused_leaves.h"

#include "cuda/fused/common/family.h"
#include "cuda/fused/layer/layer_packed.h"
#include "ops/common/activation_kind.h"

static const slt_op *const kinds[] = {[SLT_INPUT_NOISE] = &slt_op_noise,
                                      [SLT_INPUT_TABLE] = &slt_op_dense,
                                      [SLT_INPUT_BITS] = &slt_op_dense_bits};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int kind_of(const slt_tape *tape, int n) {
    int kind = 0;
    while (kind < KINDS && !slt_node_is(tape, n, kinds[kind])) kind++;
    return kind;
}

static bool waits(const slt_tape *tape, const slt_node *node) {
    for (int i = 0; i < node->inputs; i++)
        if (node->in[i] && tape->vars[node->in[i]].origin == SLT_FROM_NODE) return true;
    return false;
}

// a few rows of weights, or in tf32 observations, whose rows are few enough for blocks that read
// all weights
static bool is_table(const slt_tape *tape, const slt_node *node) {
    slt_shape in = tape->vars[node->in[0]].shape, out = tape->vars[node->out[0]].shape;
    bool few = in.space == SLT_FIXED && in.rows <= 32;
    bool observed = in.space == SLT_TOKENS && tape->limits.tokens <= SLT_INPUT_ROWS &&
                    slt_cuda_is_tf32(slt_cuda_of(tape->store));
    return (few || observed) && in.width <= SLT_INPUT_WIDEST && out.width <= SLT_INPUT_WIDEST &&
           out.width % 4 == 0 && node->attributes.n[0] == SLT_LINEAR &&
           tape->vars[node->in[SLT_DENSE_W]].origin == SLT_FROM_STORE;
}

static bool may_run(const slt_tape *tape, int n) {
    const slt_node *node = &tape->nodes[n].node;
    int kind = kind_of(tape, n);
    return kind < KINDS && !waits(tape, node) && (kind != SLT_INPUT_TABLE || is_table(tape, node));
}

// a population fills the device with each of them, and its blocks are in each other's way
static int last_of(const slt_tape *tape, int first, int end, const char **why) {
    int n = first;
    if (tape->store->members > 1) return slt_no_launch(first, "a population fills the device", why);
    while (n <= end && n - first < SLT_INPUT_NODES && may_run(tape, n)) n++;
    return n > first + 1 ? n - 1 : slt_no_launch(first, "fewer than two small leaves", why);
}

static void launch(const slt_tape *tape, int first, int last, bool backward) {
    (void)backward;
    slt_fused_leaves run = {.stream = slt_cuda_of(tape->store)->stream, .nodes = last - first + 1};
    for (int i = 0; i < run.nodes; i++) {
        run.kind[i] = (slt_leaf_kind)kind_of(tape, first + i);
        run.node[i] = slt_cuda_args_of(tape, first + i, false);
    }
    run.layers = slt_cuda_layers_take(tape, run.layer, SLT_INPUT_LAYERS);
    slt_cuda_leaves_forward(&run);
}

const slt_fusion_pattern slt_fuse_leaves = {SLT_FUSE_LEAVES, last_of, launch, NULL, NULL, false};
