// Where the values and gradients of a tape lie on the device, and what a kernel sees of a node.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "cuda/device/cuda_tape.h"
#include "ops/common/op_inputs.h"
#include "ops/common/op_table.h"

size_t slt_cuda_capacity(const slt_tape *tape, slt_var var) {
    slt_shape shape = tape->vars[var].shape;
    return (size_t)slt_shape_rows(tape, shape, NULL) * (size_t)shape.width;
}

static slt_cuda_view store_view(const slt_tape *tape, const slt_var_info *info, float *block) {
    const slt_parameter *p = &tape->store->parameters[info->parameter];
    return (slt_cuda_view){block + p->offset + info->first, (int64_t)p->rows * p->columns};
}

static slt_cuda_view block_view(const slt_tape *tape, int64_t place) {
    if (place < 0) return (slt_cuda_view){NULL, 0};
    return (slt_cuda_view){slt_cuda_tape_of(tape)->block + place, (int64_t)tape->block_size};
}

slt_cuda_view slt_cuda_value_view(const slt_tape *tape, slt_var var) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    const slt_var_info *info = &tape->vars[var];
    const slt_cuda_blocks *blocks = tape->store->on_device;
    if (info->origin == SLT_FROM_STORE) return store_view(tape, info, blocks->value);
    if (info->constant) return (slt_cuda_view){t->constant[var], 0};
    if (info->origin == SLT_FROM_NODE) return block_view(tape, info->value);
    return (slt_cuda_view){(float *)(void *)((char *)t->frames.at + t->feed[var]),
                           (int64_t)(t->frame_bytes / sizeof(float))};
}

slt_cuda_view slt_cuda_gradient_view(const slt_tape *tape, slt_var var) {
    const slt_var_info *info = &tape->vars[var];
    const slt_cuda_blocks *blocks = tape->store->on_device;
    if (!info->has_gradient) return (slt_cuda_view){NULL, 0};
    if (info->origin == SLT_FROM_STORE) return store_view(tape, info, blocks->gradient);
    return block_view(tape, info->gradient);
}

static void fill_input(const slt_tape *tape, const slt_node_info *info, int i, bool backward,
                       slt_cuda_args *args) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_var var = info->node.in[i];
    if (!var) return;
    slt_shape shape = tape->vars[var].shape;
    args->in_space[i] = shape.space;
    args->in_rows[i] = slt_cuda_rows(tape, shape);
    args->in_room[i] = slt_shape_rows(tape, shape, NULL);
    args->in_width[i] = shape.width;
    args->in[i] = slt_cuda_value_view(tape, var);
    if (tape->vars[var].origin == SLT_FROM_STORE) args->stored |= 1u << i;
    if (tape->vars[var].bf16) args->bf16 |= 1u << i;
    if (tape->vars[var].type == SLT_BITS)
        args->ones[i] =
            (slt_cuda_ones){(const uint16_t *)(const void *)(t->frames.at + t->feed_ones[var]),
                            (int64_t)(t->frame_bytes / sizeof(uint16_t))};
    if (!backward || info->node.op->no_gradient_in >> i & 1) return;
    args->in_grad[i] = slt_cuda_gradient_view(tape, var);
    args->add[i] = info->add >> i & 1;
}

static bool is_read_by(const slt_node_info *info, slt_var var) {
    for (int i = 0; i < info->node.inputs; i++)
        if (info->node.in[i] == var) return true;
    return false;
}

// Both inputs of LN(x + z), x the rows of a layer and z a product, have the same gradient. Where
// rows are in bf16, the norm writes that of z alone, and the product that is the next one to add to
// x's, an MLP or a linear layer, adds to z's. The norm that node n takes it from; 0: none
static int lender_of(const slt_tape *tape, int n) {
    const slt_node_info *own = &tape->nodes[n];
    slt_var x = own->node.in[0];
    int end = n + SLT_CUDA_LAG < tape->node_count ? n + SLT_CUDA_LAG : tape->node_count;
    bool product = own->node.op == &slt_op_mlp || own->node.op == &slt_op_dense;
    if (!product || !(own->add & 1) || !tape->vars[x].bf16) return 0;
    if (tape->vars[own->node.out[0]].shape.width <= SLT_NARROW_OUT) return 0;
    for (int m = n + 1; m < end; m++) {
        const slt_node_info *norm = &tape->nodes[m];
        const slt_var *in = norm->node.in;
        unsigned both = 1u << SLT_NORM_X | 1u << SLT_NORM_RESIDUAL;
        if (!is_read_by(norm, x)) continue;
        if (norm->node.op != &slt_op_layer_norm || in[SLT_NORM_X] != x) return 0;
        slt_var z = in[SLT_NORM_RESIDUAL];
        if (!z || z == x || !tape->vars[z].bf16 || !tape->vars[z].has_gradient) return 0;
        for (int k = n; k < m; k++)
            if (is_read_by(&tape->nodes[k], z)) return 0;
        return norm->runs_backward && !(norm->add & both) ? m : 0;
    }
    return 0;
}

// does norm n lend its gradient to whoever is the next to add to that of x?
static bool lends(const slt_tape *tape, int n) {
    const slt_node_info *own = &tape->nodes[n];
    if (own->node.op != &slt_op_layer_norm || !own->node.in[SLT_NORM_RESIDUAL]) return false;
    int taker = n - 1;
    while (taker >= 0 && !is_read_by(&tape->nodes[taker], own->node.in[SLT_NORM_X])) taker--;
    return taker >= 0 && lender_of(tape, taker) == n;
}

slt_cuda_args slt_cuda_args_of(const slt_tape *tape, int n, bool backward) {
    const slt_node_info *info = n < 0 ? NULL : &tape->nodes[n];
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    const slt_cuda_blocks *blocks = tape->store->on_device;
    slt_cuda_args args = {.cuda = t->cuda,
                          .stream = t->cuda->stream,
                          .frames = t->frames,
                          .members = tape->store->members,
                          .trajectories = tape->limits.trajectories,
                          .slots = tape->limits.slots,
                          .length = tape->limits.length,
                          .partials = {t->partials, (int64_t)t->partials_each},
                          .counters = t->counters,
                          .side_partials = {t->side_partials, (int64_t)t->partials_each},
                          .side_counters = t->side_counters,
                          .counter_stride = t->counter_stride,
                          .values = blocks->value,
                          .rounded = blocks->rounded,
                          .rounded_size = tape->store->size};
    if (!info) return args;
    memcpy(args.n, info->node.attributes.n, sizeof args.n);
    memcpy(args.x, info->node.attributes.x, sizeof args.x);
    args.keep = info->runs_backward;
    args.aux = block_view(tape, info->aux);
    args.shared = block_view(tape, info->shared[backward]);
    for (int i = 0; i < info->node.inputs; i++) fill_input(tape, info, i, backward, &args);
    for (int i = 0; i < info->node.outputs; i++) {
        slt_shape shape = tape->vars[info->node.out[i]].shape;
        args.out_space[i] = shape.space;
        args.out_rows[i] = slt_cuda_rows(tape, shape);
        args.out_width[i] = shape.width;
        args.out[i] = slt_cuda_value_view(tape, info->node.out[i]);
        if (tape->vars[info->node.out[i]].bf16) args.bf16 |= 1u << (SLT_BF16_OUTPUT + i);
        if (backward) args.out_grad[i] = slt_cuda_gradient_view(tape, info->node.out[i]);
    }
    int lender = backward ? lender_of(tape, n) : 0;
    if (lender)
        args.from = slt_cuda_gradient_view(tape, tape->nodes[lender].node.in[SLT_NORM_RESIDUAL]);
    if (backward && lends(tape, n)) args.in_grad[SLT_NORM_X].at = NULL;
    return args;
}
