// The table of kernels, and what a node needs next to the operation's own memory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/ops/cuda_ops.h"

#include "ops/common/op_table.h"

static const slt_cuda_op table[] = {
#define ROW(name) {&slt_op_##name, slt_cuda_##name##_forward, slt_cuda_##name##_backward},
    SLT_CUDA_OPS(ROW)
#undef ROW
};

const slt_cuda_op *slt_cuda_find(const slt_op *op) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].op == op) return &table[i];
    return NULL;
}

// ---- sizes, at capacity

// marks of rows, 32 in a word
static size_t dense_bits(const slt_sizes *s) {
    return ((size_t)s->in[0].rows / 32 + 1) * (size_t)s->in[0].width;
}
// dz of every token and slot, du·u of every slot
static size_t slot_attention(const slt_sizes *s) {
    return (size_t)s->in[1].rows * (size_t)s->limits.slots + (size_t)s->in[0].rows;
}
static size_t count_mask(const slt_sizes *s) {
    return 2 * (size_t)s->limits.trajectories * (size_t)s->limits.slots;
}
static size_t halting(const slt_sizes *s) {
    return (size_t)s->limits.trajectories * (size_t)s->limits.slots;
}
// shares of a loss
static size_t per_slot(const slt_sizes *s) {
    return (size_t)s->limits.trajectories * (size_t)s->limits.slots;
}
// means of ends by action, shares of the loss
static size_t exception_cost(const slt_sizes *s) {
    return (size_t)s->node->attributes.n[0] + (size_t)s->in[0].rows / 256 + 1;
}
// two code lengths of a row; shares of the loss
static size_t count_xent(const slt_sizes *s) {
    return 2 * (size_t)s->in[0].rows + (size_t)s->limits.trajectories;
}
// as window_attention.cu lays it out: trajectories, rows, tokens
static size_t window_attention(const slt_sizes *s) {
    size_t A = (size_t)s->in[1].rows, d = (size_t)s->out[0].width, K = (size_t)s->limits.slots;
    size_t H = (size_t)s->node->attributes.n[0], W = (size_t)s->in[4].width - 1;
    size_t each = A * 2 * d + H * (W + 1) + K * d + K * H * A;
    return each * (size_t)s->limits.trajectories +
           (size_t)s->out[0].rows * H * (2 * W + 1 + 2 * A) + (size_t)s->in[3].rows * W;
}
// as ompn.cuh lays it out: backward gradients of all rows and kernels turned round; forward weights
static size_t ompn(const slt_sizes *s) {
    size_t n = (size_t)s->node->attributes.n[0], d = (size_t)s->in[0].width;
    size_t row = (20 * n - 9) * d + (n + 1) * d + n, weights = (size_t)s->in[1].width;
    size_t backward = ((size_t)s->in[0].rows + 3) * row + (40 * n - 14) * d * d;
    return backward > weights ? backward : weights;
}

// sums of a block, as layer_norm.cu has them
static size_t layer_norm(const slt_sizes *s) {
    size_t blocks = (size_t)s->in[0].rows / 16 + 1;
    return s->in[0].width > 128 ? 0 : 256 * (blocks > 512 ? blocks : 512);
}
static size_t halting_kl(const slt_sizes *s) { return (size_t)s->limits.trajectories; }

// the middle, then its signs: two rows of words for a block, which has 32 rows at least
static size_t mlp(const slt_sizes *s) {
    size_t rows = (size_t)s->in[0].rows, wide = (size_t)s->in[1].width;
    return (rows + 2 * ((rows + 31) / 32)) * wide;
}

// what is kept for backward
static const struct {
    const slt_op *op;
    size_t (*aux)(const slt_sizes *sizes);
} kept_of[] = {{&slt_op_dense_bits, dense_bits}, {&slt_op_mlp, mlp}};

static const struct {
    const slt_op *op;
    size_t (*shared)(const slt_sizes *sizes);
} sizes_of[] = {{&slt_op_slot_attention, slot_attention},
                {&slt_op_count_mask, count_mask},
                {&slt_op_halting, halting},
                {&slt_op_halting_kl, halting_kl},
                {&slt_op_layer_norm, layer_norm},
                {&slt_op_gaussian_kl, per_slot},
                {&slt_op_concrete_kl, per_slot},
                {&slt_op_segment_code, per_slot},
                {&slt_op_exception_cost, exception_cost},
                {&slt_op_count_xent, count_xent},
                {&slt_op_window_attention, window_attention},
                {&slt_op_ompn, ompn}};

// ---- bounds

static const char *attention_bound(const slt_sizes *s) {
    int size = s->out[0].width / s->node->attributes.n[0];
    return size > 64 ? "it takes heads of at most 64 channels" : NULL;
}
static const char *norm_bound(const slt_sizes *s) {
    return s->in[0].width > 2048 ? "it takes rows of at most 2048 numbers" : NULL;
}
static const char *join_bound(const slt_sizes *s) {
    return s->limits.seen ? "companions of other processes are not known there" : NULL;
}
static const char *prefix_bound(const slt_sizes *s) {
    int actions = s->in[0].width - 1;
    if (actions > 256) return "it takes at most 256 actions";
    return (int64_t)s->limits.slots * (actions + 1) > 12288 ? "too many actions in too many slots"
                                                            : NULL;
}

// two numbers per slot and warp in shared memory
static const char *slots_bound(const slt_sizes *s) {
    return s->limits.slots > 128 ? "it takes at most 128 slots" : NULL;
}

// what one trajectory remembers is in the shared memory of a block
static const char *ompn_bound(const slt_sizes *s) {
    int n = s->node->attributes.n[0], d = s->in[0].width;
    return (int64_t)(4 * n + 14) * d > 20000 ? "it is too wide or too deep" : NULL;
}

static const struct {
    const slt_op *op;
    const char *(*bound)(const slt_sizes *sizes);
} bounds[] = {{&slt_op_attention, attention_bound}, {&slt_op_join_slots, join_bound},
              {&slt_op_layer_norm, norm_bound},     {&slt_op_ompn, ompn_bound},
              {&slt_op_prefix_xent, prefix_bound},  {&slt_op_slot_attention, slots_bound}};

bool slt_cuda_knows(const slt_sizes *sizes, size_t *aux, size_t *shared, const char **why) {
    const slt_op *op = sizes->node->op;
    *why = "it has no kernels yet";
    if (!slt_cuda_find(op)) return false;
    for (size_t i = 0; i < sizeof kept_of / sizeof *kept_of; i++)
        if (kept_of[i].op == op) *aux = kept_of[i].aux(sizes);
    for (size_t i = 0; i < sizeof sizes_of / sizeof *sizes_of; i++)
        if (sizes_of[i].op == op) *shared = sizes_of[i].shared(sizes);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (bounds[i].op == op && bounds[i].bound(sizes)) {
            *why = bounds[i].bound(sizes);
            return false;
        }
    return true;
}
