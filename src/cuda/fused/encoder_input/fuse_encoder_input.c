// What is before the encoder's attention on a tape, and its launch as one (fused_encoder_input.h):
// dense, join_tokens, layer_norm, dense.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/encoder_input/fused_encoder_input.h"

#include "cuda/fused/common/family.h"
#include "cuda/fused/layer/layer_packed.h"
#include "ops/common/activation_kind.h"

enum { DENSE, JOIN, NORM, QKV, NODES };
enum { X }; // the rows

// rows of all members: with more, blocks of forward go round more than twice
enum { MOST_ROWS = 4224 };

// ---- what may be in a run

// one other node reads what it writes
static bool has_reader(const slt_tape *tape, slt_var var) {
    return slt_readers_of(tape, var) == 1 && !tape->vars[var].kept;
}

static bool is_dense(const slt_tape *tape, int n, int in, int out) {
    const slt_node *node = slt_node_at(tape, n);
    return slt_node_is(tape, n, &slt_op_dense) && node->attributes.n[0] == SLT_LINEAR &&
           slt_width_of(tape, node->in[X]) == in && slt_width_of(tape, node->out[0]) == out &&
           slt_is_weight(tape, node->in[SLT_DENSE_W]);
}
static bool is_join(const slt_tape *tape, int n) {
    const slt_node *node = slt_node_at(tape, n);
    return slt_node_is(tape, n, &slt_op_join_tokens) &&
           node->in[SLT_JOIN_X] == slt_node_at(tape, n - 1)->out[0] &&
           has_reader(tape, node->in[SLT_JOIN_X]) && has_reader(tape, node->out[0]);
}
static bool is_norm(const slt_tape *tape, int n) {
    const slt_node *node = slt_node_at(tape, n);
    return slt_node_is(tape, n, &slt_op_layer_norm) &&
           node->in[X] == slt_node_at(tape, n - 1)->out[0] && !node->in[SLT_NORM_RESIDUAL] &&
           slt_is_weight(tape, node->in[SLT_NORM_GAMMA]) &&
           slt_is_weight(tape, node->in[SLT_NORM_BETA]) &&
           (!node->in[SLT_NORM_POSITIONS] || tape->vars[node->in[SLT_NORM_POSITIONS]].constant);
}

static bool is_front(const slt_tape *tape, int n, int width) {
    return is_dense(tape, n + DENSE, width, width) &&
           !slt_node_at(tape, n + DENSE)->in[SLT_DENSE_C] && is_join(tape, n + JOIN) &&
           is_norm(tape, n + NORM) && is_dense(tape, n + QKV, width, 3 * width) &&
           slt_node_at(tape, n + QKV)->in[X] == slt_node_at(tape, n + NORM)->out[0];
}

static int last_of(const slt_tape *tape, int n, int end, const char **why) {
    if (!slt_cuda_is_tf32(slt_cuda_of(tape->store)))
        return slt_no_launch(n, "products are not in tf32", why);
    int width = slt_width_of(tape, slt_node_at(tape, n)->out[0]);
    if (!slt_is_fused_width(width)) return slt_no_launch(n, SLT_NO_FUSED_WIDTH, why);
    if (end - n + 1 < NODES || !is_front(tape, n, width))
        return slt_no_launch(n, "no dense, join_tokens, norm and dense", why);
    if (tape->limits.tokens * tape->store->members > MOST_ROWS)
        return slt_no_launch(n, "more than 4224 rows", why);
    if (!slt_backward_alike(tape, n, NODES))
        return slt_no_launch(n, "some nodes have no backward", why);
    return slt_encoder_input_fits(width) ? n + QKV
                                         : slt_no_launch(n, "no room on this device", why);
}

// ---- weights, packed

static slt_layer_weights weights_of(const slt_tape *tape, int n) {
    return (slt_layer_weights){
        .stream = slt_cuda_of(tape->store)->stream,
        .members = tape->store->members,
        .width = slt_width_of(tape, slt_node_at(tape, n)->out[0]),
        .passes = tape->nodes[n].runs_backward ? 2 : 1,
        .front_b = slt_cuda_value_view(tape, slt_node_at(tape, n + DENSE)->in[SLT_DENSE_W]),
        .front_w = slt_cuda_value_view(tape, slt_node_at(tape, n + QKV)->in[SLT_DENSE_W])};
}

// ---- launches

// a node's launch is between this one and what is fed
static bool is_early(const slt_tape *tape, int first) {
    return !slt_is_weight(tape, slt_node_at(tape, first + DENSE)->in[X]) &&
           slt_is_weight(tape, slt_node_at(tape, first + JOIN)->in[SLT_JOIN_IDS]);
}

static slt_fused_encoder_input run_of(const slt_tape *tape, int first, const slt_cuda_args *a) {
    slt_fused_encoder_input run = {.stream = slt_cuda_of(tape->store)->stream,
                                   .norm = a[NORM],
                                   .early = is_early(tape, first),
                                   .width = a[DENSE].in_width[X],
                                   .rows = a[DENSE].in_rows[X],
                                   .each = slt_layer_each(a[DENSE].in_rows[X], a[DENSE].members),
                                   .x = a[DENSE].in[X],
                                   .ids = a[JOIN].in[SLT_JOIN_IDS],
                                   .table = a[JOIN].in[SLT_JOIN_TABLE],
                                   .y = a[JOIN].out[0],
                                   .c = a[QKV].in[SLT_DENSE_C],
                                   .qkv = a[QKV].out[0],
                                   .dqkv = a[QKV].out_grad[0],
                                   .gated = a[JOIN].shared,
                                   .dy = a[DENSE].out_grad[0],
                                   .dx = a[DENSE].in_grad[X],
                                   .add_x = a[DENSE].add[X]};
    if (a[QKV].add[X]) run.dz = a[NORM].out_grad[0];
    return run;
}

static void launch(const slt_tape *tape, int first, int last, bool backward) {
    slt_cuda_args a[NODES];
    for (int i = 0; i <= last - first; i++) a[i] = slt_cuda_args_of(tape, first + i, backward);
    slt_fused_encoder_input run = run_of(tape, first, a);
    run.early &= slt_cuda_layers_pack(tape);
    run.packed = slt_cuda_packed(tape, first, backward);
    if (!backward)
        slt_encoder_input_forward(&run);
    else if (tape->nodes[first].runs_backward)
        slt_encoder_input_backward(&run);
}

static void weights(const slt_tape *tape, int first, int n) {
    slt_cuda_args args = slt_cuda_args_of(tape, n, true);
    int each = slt_layer_each(args.in_rows[X], args.members);
    if (n == first + JOIN)
        slt_cuda_join_weights(&args);
    else if (n == first + NORM)
        slt_cuda_norm_weights(&args, (args.in_rows[X] + each - 1) / each);
    else
        slt_cuda_dense_weights(&args);
}

const slt_fusion_pattern slt_fuse_encoder_input = {
    SLT_FUSE_ENCODER_INPUT, last_of, launch, weights, weights_of, true};
