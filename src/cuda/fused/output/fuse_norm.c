// The nodes of a tape that do something to the rows of a layer norm before it, and their
// launch with it (fused_norm.h): join_tokens, join_slots or a norm, add_position, a norm.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/output/fused_norm.h"

#include "cuda/fused/common/family.h"

enum { WIDEST = 128, PART_ROOM = 512 }; // columns; blocks with sums that a norm has room for

static const slt_op *const kinds[] = {[SLT_ROW_TOKENS] = &slt_op_join_tokens,
                                      [SLT_ROW_SLOTS] = &slt_op_join_slots,
                                      [SLT_ROW_POSITION] = &slt_op_add_position,
                                      [SLT_ROW_NORM] = &slt_op_layer_norm};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int kind_of(const slt_tape *tape, int n) {
    int kind = 0;
    while (kind < KINDS && !slt_node_is(tape, n, kinds[kind])) kind++;
    return kind;
}

static slt_shape shape_of(const slt_tape *tape, int n) {
    return tape->vars[tape->nodes[n].node.out[0]].shape;
}

// ---- what may be in a run

// slots alone: gradients of tokens are sums over sequences of others. A block has a sequence
static bool slots_may(const slt_tape *tape, int n) {
    int sequences = tape->limits.trajectories * tape->limits.slots;
    return !tape->nodes[n].node.in[SLT_JOIN_TOKEN] && sequences <= PART_ROOM;
}

static bool may_run(const slt_tape *tape, int n) {
    int kind = kind_of(tape, n), width = shape_of(tape, n).width;
    return kind < KINDS && width <= WIDEST && width % 4 == 0 &&
           (kind != SLT_ROW_SLOTS || slots_may(tape, n));
}

static bool may_follow(const slt_tape *tape, int n) {
    int kind = kind_of(tape, n);
    return (kind == SLT_ROW_NORM || kind == SLT_ROW_POSITION) && may_run(tape, n) &&
           slt_cuda_hands_on(tape, n - 1) &&
           tape->nodes[n].runs_backward == tape->nodes[n - 1].runs_backward;
}

// it ends with a norm
static int last_of(const slt_tape *tape, int first, int end, const char **why) {
    int last = first, n = first;
    if (!may_run(tape, first))
        return slt_no_launch(first, "rows of more than 128 numbers, or joined with tokens", why);
    while (n < end && n + 1 - first < SLT_ROW_NODES && may_follow(tape, n + 1)) {
        n++;
        if (kind_of(tape, n) == SLT_ROW_NORM) last = n;
        if (kind_of(tape, first) == SLT_ROW_SLOTS) break;
    }
    return last > first ? last : slt_no_launch(first, "no norm that alone reads the rows", why);
}

// ---- launches

static slt_fused_norm run_of(const slt_tape *tape, int first, int last, bool backward) {
    slt_fused_norm run = {.stream = slt_cuda_of(tape->store)->stream, .nodes = last - first + 1};
    for (int i = 0; i < run.nodes; i++) {
        run.kind[i] = (slt_row_kind)kind_of(tape, first + i);
        run.node[i] = slt_cuda_args_of(tape, first + i, backward);
    }
    return run;
}

static void launch(const slt_tape *tape, int first, int last, bool backward) {
    slt_fused_norm run = run_of(tape, first, last, backward);
    if (!backward)
        slt_cuda_rows_forward(&run);
    else if (tape->nodes[first].runs_backward)
        slt_cuda_rows_backward(&run);
}

static void weights(const slt_tape *tape, int first, int n) {
    slt_fused_norm run = run_of(tape, first, slt_family_last(&slt_fuse_norm, tape, first), true);
    const slt_cuda_args *args = &run.node[n - first];
    if (run.kind[n - first] == SLT_ROW_NORM)
        slt_cuda_norm_weights(args, slt_cuda_rows_blocks(&run));
    if (run.kind[n - first] == SLT_ROW_POSITION) slt_cuda_position_weights(args);
    if (run.kind[n - first] == SLT_ROW_TOKENS) slt_cuda_join_weights(args);
}

const slt_fusion_pattern slt_fuse_norm = {SLT_FUSE_NORM, last_of, launch, weights, NULL, false};
