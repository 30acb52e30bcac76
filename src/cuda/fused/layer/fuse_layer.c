// The rows' half of a Transformer layer on a tape, and its launch as one (fused_layer.h): dense,
// layer_norm, mlp, layer_norm. Weights are packed for it at the beginning of every pass.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/common/family.h"
#include "cuda/fused/layer/layer_packed.h"
#include "ops/common/activation_kind.h"

enum { DENSE, NORM1, MLP, NORM2, NODES };
// after them, if at all: an output layer, or the end of an encoder
enum { HEAD = NODES, POSITION = NODES, NORM3, END_MLP, NORM4, KV, MOST };
enum { X }; // the rows of all of them

// ---- what may be in a run

// nobody reads it but so many inputs of nodes
static bool is_read(const slt_tape *tape, slt_var var, int readers) {
    return slt_readers_of(tape, var) == readers && !tape->vars[var].kept;
}

static bool is_dense(const slt_tape *tape, int n) {
    const slt_node *node = slt_node_at(tape, n);
    return slt_node_is(tape, n, &slt_op_dense) && node->attributes.n[0] == SLT_LINEAR &&
           slt_width_of(tape, node->in[X]) == slt_width_of(tape, node->out[0]) &&
           slt_is_weight(tape, node->in[SLT_DENSE_W]) &&
           slt_is_weight(tape, node->in[SLT_DENSE_C]) && is_read(tape, node->out[0], 1);
}

static bool is_norm(const slt_tape *tape, int n, slt_var residual) {
    const slt_node *node = slt_node_at(tape, n);
    return slt_node_is(tape, n, &slt_op_layer_norm) && node->in[SLT_NORM_RESIDUAL] == residual &&
           slt_is_weight(tape, node->in[SLT_NORM_GAMMA]) &&
           slt_is_weight(tape, node->in[SLT_NORM_BETA]) && !node->in[SLT_NORM_POSITIONS];
}

static bool is_mlp(const slt_tape *tape, int n, slt_var x, int out) {
    const slt_node *node = slt_node_at(tape, n);
    if (!slt_node_is(tape, n, &slt_op_mlp) || node->in[X] != x) return false;
    int wide = slt_width_of(tape, node->in[SLT_MLP_W1]);
    return (wide % SLT_LAYER_BOTH == 0 || wide == out) && wide <= SLT_LAYER_MOST &&
           slt_width_of(tape, node->out[0]) == out && slt_is_weight(tape, node->in[SLT_MLP_W1]) &&
           slt_is_weight(tape, node->in[SLT_MLP_C1]) && slt_is_weight(tape, node->in[SLT_MLP_W2]) &&
           slt_is_weight(tape, node->in[SLT_MLP_C2]) && is_read(tape, node->out[0], 1);
}

static bool is_layer(const slt_tape *tape, int n) {
    if (!is_dense(tape, n + DENSE)) return false;
    slt_var y = slt_node_at(tape, n + NORM1)->out[0];
    return is_norm(tape, n + NORM1, slt_node_at(tape, n + DENSE)->out[0]) &&
           is_mlp(tape, n + MLP, y, slt_width_of(tape, y)) &&
           is_norm(tape, n + NORM2, slt_node_at(tape, n + MLP)->out[0]) &&
           slt_node_at(tape, n + NORM2)->in[X] == y && is_read(tape, y, 2);
}

// an output layer of few columns, which alone reads what the second norm writes
static bool is_head(const slt_tape *tape, int n) {
    if (!slt_node_is(tape, n, &slt_op_dense)) return false;
    const slt_node *node = slt_node_at(tape, n);
    return node->attributes.n[0] == SLT_LINEAR && slt_cuda_hands_on(tape, n - 1) &&
           slt_width_of(tape, node->out[0]) <= SLT_LAYER_OUT &&
           slt_is_weight(tape, node->in[SLT_DENSE_W]) &&
           (!node->in[SLT_DENSE_C] || slt_is_weight(tape, node->in[SLT_DENSE_C]));
}

static bool is_end(const slt_tape *tape, int n) {
    const slt_node *position = slt_node_at(tape, n + POSITION), *kv = slt_node_at(tape, n + KV);
    int width = slt_width_of(tape, slt_node_at(tape, n)->out[0]);
    int end = slt_width_of(tape, slt_node_at(tape, n + END_MLP)->out[0]);
    for (int i = NORM2; i < KV; i++)
        if (!slt_cuda_hands_on(tape, n + i)) return false;
    return slt_node_is(tape, n + POSITION, &slt_op_add_position) &&
           slt_is_weight(tape, position->in[SLT_POSITION_W]) &&
           slt_is_weight(tape, position->in[SLT_POSITION_C]) && is_norm(tape, n + NORM3, 0) &&
           is_mlp(tape, n + END_MLP, slt_node_at(tape, n + NORM3)->out[0], end) &&
           slt_layer_may_end(width, end) &&
           slt_width_of(tape, slt_node_at(tape, n + END_MLP)->in[SLT_MLP_W1]) == end &&
           is_norm(tape, n + NORM4, 0) && slt_node_is(tape, n + KV, &slt_op_dense) &&
           kv->attributes.n[0] == SLT_LINEAR && slt_is_weight(tape, kv->in[SLT_DENSE_W]) &&
           !kv->in[SLT_DENSE_C] && slt_width_of(tape, kv->out[0]) == 2 * end &&
           !tape->vars[position->out[0]].kept;
}

static int nodes_of(const slt_tape *tape, int n) {
    int there = slt_group_end(tape, n, SLT_FUSE_LAYER) - n + 1;
    if (there > HEAD && is_head(tape, n + HEAD)) return HEAD + 1;
    return there >= MOST && is_end(tape, n) ? MOST : NODES;
}

static int last_of(const slt_tape *tape, int first, int end, const char **why) {
    if (!slt_cuda_is_tf32(slt_cuda_of(tape->store)))
        return slt_no_launch(first, "products are not in tf32", why);
    int width = slt_width_of(tape, slt_node_at(tape, first)->out[0]);
    if (!slt_is_fused_width(width)) return slt_no_launch(first, SLT_NO_FUSED_WIDTH, why);
    if (end - first + 1 < NODES || !is_layer(tape, first))
        return slt_no_launch(first, "no dense, norm, mlp of 512 at most and norm", why);
    if (!slt_backward_alike(tape, first, nodes_of(tape, first)))
        return slt_no_launch(first, "some nodes have no backward", why);
    if (!slt_cuda_layer_fits(width)) return slt_no_launch(first, "no room on this device", why);
    return first + nodes_of(tape, first) - 1;
}

// ---- weights, packed

static slt_layer_weights weights_of(const slt_tape *tape, int n) {
    const slt_node *mlp = slt_node_at(tape, n + MLP);
    slt_layer_weights weights = {
        .stream = slt_cuda_of(tape->store)->stream,
        .members = tape->store->members,
        .width = slt_width_of(tape, mlp->in[X]),
        .wide = slt_width_of(tape, mlp->in[SLT_MLP_W1]),
        .passes = tape->nodes[n].runs_backward ? 2 : 1,
        .o = slt_cuda_value_view(tape, slt_node_at(tape, n + DENSE)->in[SLT_DENSE_W]),
        .w1 = slt_cuda_value_view(tape, mlp->in[SLT_MLP_W1]),
        .w2 = slt_cuda_value_view(tape, mlp->in[SLT_MLP_W2])};
    if (nodes_of(tape, n) < MOST) return weights;
    mlp = slt_node_at(tape, n + END_MLP);
    weights.end = slt_width_of(tape, mlp->out[0]);
    weights.end_w1 = slt_cuda_value_view(tape, mlp->in[SLT_MLP_W1]);
    weights.end_w2 = slt_cuda_value_view(tape, mlp->in[SLT_MLP_W2]);
    weights.end_kv = slt_cuda_value_view(tape, slt_node_at(tape, n + KV)->in[SLT_DENSE_W]);
    return weights;
}

// ---- launches

static slt_cuda_view following(slt_cuda_view view, int rows, int width) {
    view.at += (int64_t)rows * width;
    return view;
}

// bias: of what is before it, which has the same gradient
static slt_layer_norm_args norm_of(const slt_cuda_args *a, slt_cuda_view bias,
                                   slt_cuda_view dinput) {
    return (slt_layer_norm_args){.bias = bias,
                                 .gamma = a->in[SLT_NORM_GAMMA],
                                 .beta = a->in[SLT_NORM_BETA],
                                 .y = a->out[0],
                                 .hat = a->aux,
                                 .factor = following(a->aux, a->in_room[X], a->in_width[X]),
                                 .parts = a->shared,
                                 .dinput = dinput,
                                 .epsilon = (float)a->x[0]};
}

static slt_layer_output head_of(const slt_cuda_args *a) {
    return (slt_layer_output){.w = a->in[SLT_DENSE_W],
                              .c = a->in[SLT_DENSE_C],
                              .z = a->out[0],
                              .dz = a->out_grad[0],
                              .out = a->out_width[0]};
}

static slt_layer_mlp mlp_of(const slt_cuda_args *a) {
    return (slt_layer_mlp){.c1 = a->in[SLT_MLP_C1],
                           .middle = a->aux,
                           .signs = following(a->aux, a->in_room[X], a->in_width[SLT_MLP_W1]),
                           .dmiddle = a->shared,
                           .wide = a->in_width[SLT_MLP_W1]};
}

static void add_end(slt_fused_layer *run, const slt_cuda_args *a) {
    run->norms = SLT_LAYER_ALL_NORMS;
    run->end = a[END_MLP].out_width[0];
    run->norm[2] = norm_of(&a[NORM3], a[POSITION].in[SLT_POSITION_C], a[POSITION].out_grad[0]);
    run->norm[3] = norm_of(&a[NORM4], a[END_MLP].in[SLT_MLP_C2], a[END_MLP].out_grad[0]);
    run->mlp[1] = mlp_of(&a[END_MLP]);
    run->position = a[POSITION].in[SLT_POSITION_W];
    run->kv = a[KV].out[0];
    run->dkv = a[KV].out_grad[0];
}

static slt_fused_layer run_of(const slt_tape *tape, int first, int last, bool backward) {
    slt_cuda_args a[MOST];
    for (int i = 0; i <= last - first; i++) a[i] = slt_cuda_args_of(tape, first + i, backward);
    slt_fused_layer run = {
        .stream = slt_cuda_of(tape->store)->stream,
        .batch = a[DENSE],
        .width = a[DENSE].in_width[X],
        .rows = a[DENSE].in_rows[X],
        .each = slt_layer_each(a[DENSE].in_rows[X], a[DENSE].members),
        .keep = a[DENSE].keep,
        .norms = SLT_LAYER_NORMS,
        .packed = slt_cuda_packed(tape, first, backward),
        .mixed = a[DENSE].in[X],
        .x = a[NORM1].in[X],
        .norm = {norm_of(&a[NORM1], a[DENSE].in[SLT_DENSE_C], a[DENSE].out_grad[0]),
                 norm_of(&a[NORM2], a[MLP].in[SLT_MLP_C2], a[MLP].out_grad[0])},
        .mlp = {mlp_of(&a[MLP])},
        .dy = a[NORM2].out_grad[0],
        .dx = a[NORM1].in_grad[X],
        .dmixed = a[DENSE].in_grad[X],
        .add_x = a[NORM1].add[X],
        .add_mixed = a[DENSE].add[X]};
    if (last - first == HEAD) run.head = head_of(&a[HEAD]);
    if (last - first == KV) add_end(&run, a);
    // nobody reads what the second norm writes but the position after it
    if (last - first == KV && !tape->vars[slt_node_at(tape, first + NORM2)->out[0]].kept)
        run.norm[1].y = (slt_cuda_view){NULL, 0};
    return run;
}

static void launch(const slt_tape *tape, int first, int last, bool backward) {
    slt_fused_layer run = run_of(tape, first, last, backward);
    run.early = slt_cuda_layers_pack(tape);
    if (!backward)
        slt_cuda_layer_forward(&run);
    else if (tape->nodes[first].runs_backward)
        slt_cuda_layer_backward(&run);
}

// ---- gradients of weights, on the side

static void norm_weights(const slt_cuda_args *a) {
    int each = slt_layer_each(a->in_rows[X], a->members);
    slt_cuda_norm_weights(a, (a->in_rows[X] + each - 1) / each);
}

typedef void (*weights_function)(const slt_cuda_args *args);

static const weights_function of_layer[] = {slt_cuda_dense_weights, norm_weights,
                                            slt_cuda_mlp_weights, norm_weights,
                                            slt_cuda_narrow_weights};
static const weights_function of_end[] = {slt_cuda_position_weights, norm_weights,
                                          slt_cuda_mlp_weights, norm_weights,
                                          slt_cuda_dense_weights};

static void weights(const slt_tape *tape, int first, int n) {
    slt_cuda_args args = slt_cuda_args_of(tape, n, true);
    bool end = n - first >= POSITION && nodes_of(tape, first) == MOST;
    (end ? of_end[n - first - POSITION] : of_layer[n - first])(&args);
}

const slt_fusion_pattern slt_fuse_layer = {SLT_FUSE_LAYER, last_of,    launch,
                                           weights,        weights_of, false};
