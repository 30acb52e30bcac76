// The decoder's way to attention on a tape, where its rows are those of slots and positions
// (fused_decoder_input.h): join_slots, layer_norm, dense, attention. Rows of slots are kept in the
// memory of the rows that are not made.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/decoder_input/fused_decoder_input.h"

#include "cuda/fused/decoder_input/decoder_rows.h"
#include "ops/common/activation_kind.h"

enum {
    JOIN = SLT_DECODER_JOIN,
    NORM = SLT_DECODER_NORM,
    DENSE = SLT_DECODER_DENSE,
    ATTENTION,
    NODES
};
enum { X }; // the rows

// ---- what may be in a run

// what a node writes is read by the next one alone
static bool is_handed_on(const slt_tape *tape, int n) {
    return slt_cuda_hands_on(tape, n) && !tape->vars[slt_node_at(tape, n)->out[0]].kept;
}

static bool is_join(const slt_tape *tape, int n) {
    const slt_node *node = slt_node_at(tape, n);
    return slt_node_is(tape, n, &slt_op_join_slots) && !node->in[SLT_JOIN_TOKEN] &&
           is_handed_on(tape, n);
}
static bool is_norm(const slt_tape *tape, int n) {
    const slt_node *node = slt_node_at(tape, n);
    return slt_node_is(tape, n, &slt_op_layer_norm) && !node->in[SLT_NORM_RESIDUAL] &&
           slt_is_weight(tape, node->in[SLT_NORM_GAMMA]) &&
           slt_is_weight(tape, node->in[SLT_NORM_BETA]) && node->in[SLT_NORM_POSITIONS] &&
           tape->vars[node->in[SLT_NORM_POSITIONS]].constant;
}
static bool is_dense(const slt_tape *tape, int n, slt_var x) {
    const slt_node *node = slt_node_at(tape, n);
    return slt_node_is(tape, n, &slt_op_dense) && node->in[X] == x &&
           slt_is_weight(tape, node->in[SLT_DENSE_W]) && node->attributes.n[0] == SLT_LINEAR &&
           !(tape->nodes[n].add >> SLT_DENSE_C & 1) &&
           slt_width_of(tape, node->out[0]) == 3 * slt_width_of(tape, x) && is_handed_on(tape, n);
}

bool slt_are_decoder_rows(const slt_tape *tape, int n, int end) {
    return n + DENSE < end && is_join(tape, n) && is_norm(tape, n + NORM) &&
           is_dense(tape, n + DENSE, slt_node_at(tape, n + NORM)->out[0]);
}

static int sequences_of(const slt_tape *tape) {
    return tape->limits.trajectories * tape->limits.slots;
}

// rows of slots and positions, and of sums, have room
static bool has_room(const slt_tape *tape, int n) {
    int rows = slt_shape_rows(tape, tape->vars[slt_node_at(tape, n)->out[0]].shape, NULL);
    int sequences = sequences_of(tape);
    return 4 * sequences + 3 * tape->limits.length <= rows;
}

static bool is_attention(const slt_tape *tape, int n) {
    return slt_node_is(tape, n, &slt_op_attention) &&
           slt_decoder_input_fits(slt_width_of(tape, slt_node_at(tape, n)->out[0]),
                                  slt_node_at(tape, n)->attributes.n[0], tape->limits.length);
}

static int last_of(const slt_tape *tape, int n, int end, const char **why) {
    if (!slt_cuda_is_tf32(slt_cuda_of(tape->store)))
        return slt_no_launch(n, "products are not in tf32", why);
    if (!slt_is_fused_width(slt_width_of(tape, slt_node_at(tape, n)->out[0])))
        return slt_no_launch(n, SLT_NO_FUSED_WIDTH, why);
    if (!slt_are_decoder_rows(tape, n, end))
        return slt_no_launch(n, "no join_slots of slots alone, norm, dense and attention", why);
    if (!is_attention(tape, n + ATTENTION))
        return slt_no_launch(n, "no attention with so many heads or such long sequences", why);
    if (!slt_backward_alike(tape, n, NODES))
        return slt_no_launch(n, "some nodes have no backward", why);
    return has_room(tape, n) ? n + ATTENTION
                             : slt_no_launch(n, "too few rows to keep sums in", why);
}

// ---- launches

static slt_cuda_view following(slt_cuda_view view, int rows, int width) {
    if (view.at) view.at += (int64_t)rows * width;
    return view;
}

// sums of dqkv and dx are in the memory of what is joined, whose gradient nobody reads
static slt_decoder_input_rows rows_of(const slt_cuda_args *a, int sequences) {
    slt_cuda_view y = a[JOIN].out[0], qkv = a[DENSE].out[0], sums = a[JOIN].out_grad[0];
    int width = a[JOIN].out_width[0], out = 3 * width;
    slt_decoder_input_rows rows = {.slots = qkv,
                                   .positions = following(qkv, sequences, out),
                                   .normed = following(y, sequences, width),
                                   .table = a[NORM].in[SLT_NORM_POSITIONS],
                                   .x = a[NORM].out[0],
                                   .dslots = sums,
                                   .dpositions = following(sums, sequences, out)};
    rows.dnormed = following(rows.dpositions, a[JOIN].length, out);
    if (a[DENSE].add[X]) rows.dx = a[NORM].out_grad[0];
    return rows;
}

static slt_fused_decoder_input run_of(const slt_tape *tape, const slt_cuda_args *a) {
    int sequences = sequences_of(tape);
    slt_fused_decoder_input run = {.stream = slt_cuda_of(tape->store)->stream,
                                   .norm = a[NORM],
                                   .early = a[DENSE].stored & 1u << SLT_DENSE_W,
                                   .sequences = sequences,
                                   .positions = tape->limits.length,
                                   .slot = a[JOIN].in[SLT_JOIN_SLOT],
                                   .dslot = a[JOIN].in_grad[SLT_JOIN_SLOT],
                                   .add_slot = a[JOIN].add[SLT_JOIN_SLOT],
                                   .y = a[JOIN].out[0],
                                   .w = a[DENSE].in[SLT_DENSE_W],
                                   .c = a[DENSE].in[SLT_DENSE_C],
                                   .rows = rows_of(a, sequences)};
    run.norm.in[SLT_NORM_POSITIONS] = (slt_cuda_view){NULL, 0};
    run.norm.out[0] = run.rows.normed;
    return run;
}

// backward, attention alone: its sums are on their way before the chain continues
static void launch(const slt_tape *tape, int first, int last, bool backward) {
    slt_cuda_args a[NODES];
    for (int i = 0; i <= last - first; i++) a[i] = slt_cuda_args_of(tape, first + i, backward);
    slt_fused_decoder_input run = run_of(tape, a);
    if (backward && !tape->nodes[first].runs_backward) return;
    if (!backward) slt_decoder_input_forward(&run);
    slt_decoder_input_attention(&a[ATTENTION], &run.rows, backward);
}

// of W, from slots and positions
static void dense_weights(const slt_cuda_args *a, const slt_fused_decoder_input *run) {
    const slt_cuda_args *dense = &a[DENSE];
    slt_cuda_args sums = a[ATTENTION];
    slt_cuda_view none = {NULL, 0};
    sums.stream = slt_cuda_on_slot_stream(dense).stream;
    slt_decoder_input_positions(&sums, run->rows.dpositions);
    slt_cuda_weight_gradient(dense, dense->in_width[X], dense->out_width[0],
                             run->sequences + run->positions, run->rows.normed, run->rows.dslots,
                             dense->in_grad[SLT_DENSE_W], dense->add[SLT_DENSE_W], none, false);
}

// of c, from slots
static void bias(const slt_cuda_args *dense, const slt_fused_decoder_input *run) {
    slt_cuda_args side = slt_cuda_on_sum_stream(dense);
    slt_cuda_bias_gradient(&side, run->rows.dslots, run->sequences, dense->out_width[0],
                           dense->in_grad[SLT_DENSE_C], false);
}

// nodes come one after the other, the last first
static void weights(const slt_tape *tape, int first, int n) {
    slt_cuda_args a[NODES];
    for (int i = 0; i < NODES; i++) a[i] = slt_cuda_args_of(tape, first + i, true);
    slt_fused_decoder_input run = run_of(tape, a);
    if (n == first + ATTENTION) bias(&a[DENSE], &run);
    if (n == first + DENSE) dense_weights(a, &run);
    if (n != first + NORM) return;
    slt_decoder_input_backward(&run);
    slt_cuda_norm_weights(&a[NORM], slt_decoder_input_blocks(run.sequences));
}

const slt_fusion_pattern slt_fuse_decoder_input = {
    SLT_FUSE_DECODER_INPUT, last_of, launch, weights, NULL, false};
