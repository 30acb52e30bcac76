// A layer norm with a narrow linear layer after it, and their launch as one (fused_output.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/common/family.h"
#include "cuda/fused/output/fused_output.h"
#include "ops/common/activation_kind.h"

static bool is_norm(const slt_tape *tape, int n) {
    int width = tape->vars[tape->nodes[n].node.out[0]].shape.width;
    return slt_node_is(tape, n, &slt_op_layer_norm) && width <= 128 && width % 4 == 0;
}

static bool is_narrow(const slt_tape *tape, int n) {
    const slt_node *node = &tape->nodes[n].node;
    return slt_node_is(tape, n, &slt_op_dense) && node->attributes.n[0] == SLT_LINEAR &&
           tape->vars[node->out[0]].shape.width <= SLT_OUTPUT_MOST &&
           tape->vars[node->in[SLT_DENSE_W]].origin == SLT_FROM_STORE;
}

// a norm that nobody but the layer reads: its gradient is that of the layer's input
static int last_of(const slt_tape *tape, int first, int end, const char **why) {
    if (end != first + 1 || !is_norm(tape, first))
        return slt_no_launch(first, "no norm of at most 128 numbers in front of the layer", why);
    if (!is_narrow(tape, end)) return slt_no_launch(first, "more than 8 columns", why);
    if (!slt_backward_alike(tape, first, 2) || !slt_cuda_hands_on(tape, first))
        return slt_no_launch(first, "others read the norm", why);
    return end;
}

static slt_fused_output run_of(const slt_tape *tape, int first, bool backward) {
    return (slt_fused_output){.stream = slt_cuda_of(tape->store)->stream,
                              .norm = slt_cuda_args_of(tape, first, backward),
                              .dense = slt_cuda_args_of(tape, first + 1, backward)};
}

static void launch(const slt_tape *tape, int first, int last, bool backward) {
    (void)last;
    slt_fused_output run = run_of(tape, first, backward);
    if (!backward)
        slt_cuda_output_forward(&run);
    else if (tape->nodes[first].runs_backward)
        slt_cuda_output_backward(&run);
}

static void weights(const slt_tape *tape, int first, int n) {
    slt_fused_output run = run_of(tape, first, true);
    if (n == first)
        slt_cuda_norm_weights(&run.norm, slt_cuda_output_blocks(&run));
    else
        slt_cuda_narrow_weights(&run.dense);
}

const slt_fusion_pattern slt_fuse_output = {SLT_FUSE_OUTPUT, last_of, launch, weights, NULL, false};
