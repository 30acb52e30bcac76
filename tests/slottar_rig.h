// A small SloTTAr on made-up data, for tests of the engine: what a trajectory holds is a function
// of the data's seed and of its place in the unsorted batch alone, so the same batch can be packed,
// padded or sorted.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_SLOTTAR_RIG_H
#define SLT_TESTS_SLOTTAR_RIG_H

#include "check.h"
#include "core/philox.h"
#include "engine/adam.h"
#include "engine/tape_impl.h"
#include "models/slottar_model.h"
#include "vector_rig.h"

enum { RIG_MEMBERS = 3, RIG_SYMBOLS = 5 };

typedef struct {
    int B, L, K, D, shortest, longest; // T is uniform in [shortest, longest]
    bool bits;                         // observations are ones in D
    bool padded, sorted;
    bool vectors; // actions are vectors
} rig_shape;

typedef struct {
    rig_shape shape;
    slt_slottar_options options;
    int members;
    bool separate; // every buffer in memory of its own
    slt_context *context;
    slt_arena arena; // of the data: system memory, not the context's
    slt_store *store;
    slt_tape *tape;
    slt_slottar model;
    double prior[32];
} rig;

static inline uint32_t rig_word(uint64_t seed, int index, int l, int c) {
    uint64_t place = ((uint64_t)index << 40) + ((uint64_t)(l + 1) << 20) + (uint64_t)c;
    return slt_random_words(seed, SLT_RANDOM_TEST, place, 0).word[0];
}

static inline int rig_length(const rig_shape *shape, uint64_t seed, int index) {
    int range = shape->longest - shape->shortest + 1;
    return shape->shortest + (int)(rig_word(seed, index, -1, 0) % (uint32_t)range);
}

// small enough for tests, large enough for more than one task in most operations
static inline rig_shape rig_small(void) {
    return (rig_shape){.B = 11, .L = 14, .K = 3, .D = 7, .shortest = 5, .longest = 14};
}

static inline void rig_defaults(rig *r, rig_shape shape) {
    *r = (rig){.shape = shape, .members = 1};
    const slt_options tables[] = {{slt_slottar_rows(), &r->options}, {NULL, NULL}};
    CHECK_OK(slt_options_defaults(tables));
    r->options.hidden = 24;
    r->options.heads = 4;
    r->options.slots = shape.K;
    r->options.slot_size = 20;
    for (int k = 0; k < shape.K; k++) r->prior[k] = 1.0 / shape.K;
}

static inline void rig_build(rig *r, slt_context *context) {
    const rig_shape *s = &r->shape;
    slt_limits limits = {s->B, s->B * s->L, s->K, s->L};
    slt_model_data data = {.symbols = RIG_SYMBOLS,
                           .observation = s->D,
                           .observation_type = s->bits ? SLT_BITS : SLT_NUMBERS,
                           .prior = r->prior};
    if (s->vectors) vector_data(&data);
    r->context = context;
    slt_arena_init(&r->arena, &slt_system_allocator, 0);
    CHECK_OK(slt_store_create(context, r->members, &r->store));
    CHECK_OK(slt_tape_create(r->store, limits, &r->tape));
    r->model = slt_slottar_build(r->tape, &r->options, &data, true);
    slt_tape_keep(r->tape, r->model.noise);
    CHECK_OK(slt_store_finish(r->store));
    CHECK_OK(slt_tape_finish(r->tape, r->model.loss, r->separate));
}

static inline void rig_destroy(rig *r) {
    slt_tape_destroy(r->tape);
    slt_store_destroy(r->store);
    slt_arena_deinit(&r->arena);
}

// ---- data

// places of the unsorted batch, longest first when sorted (stable)
static inline void rig_order(const rig_shape *s, uint64_t seed, int32_t *index) {
    for (int b = 0; b < s->B; b++) index[b] = b;
    for (int i = 1; s->sorted && i < s->B; i++)
        for (int j = i; j > 0 && rig_length(s, seed, index[j - 1]) < rig_length(s, seed, index[j]);
             j--) {
            int32_t other = index[j];
            index[j] = index[j - 1];
            index[j - 1] = other;
        }
}

static inline int32_t rig_companion(const rig *r, const int32_t *index, int b, int k) {
    if (r->options.decoder_pairing == SLT_PAIRING_NONE) return -1;
    if (r->options.decoder_pairing == SLT_PAIRING_OWN) return b;
    int wanted = (index[b] * r->shape.K + k) % r->shape.B, found = 0;
    while (index[found] != wanted) found++;
    return found;
}

static inline slt_batch rig_batch(rig *r, uint64_t seed) {
    const rig_shape *s = &r->shape;
    int32_t *offset, *length, *index, *companion;
    CHECK_OK(SLT_NEW(&r->arena, &offset, (size_t)s->B + 1));
    CHECK_OK(SLT_NEW(&r->arena, &length, (size_t)s->B));
    CHECK_OK(SLT_NEW(&r->arena, &index, (size_t)s->B));
    CHECK_OK(SLT_NEW(&r->arena, &companion, (size_t)s->B * (size_t)s->K));
    slt_batch batch = {s->B, offset, length, index, companion, 0};
    rig_order(s, seed, index);
    for (int b = 0; b < s->B; b++) {
        length[b] = rig_length(s, seed, index[b]);
        // the first position after the end takes part in the softmax of ends
        offset[b + 1] = offset[b] + (s->padded ? s->L : slt_min(length[b] + 1, s->L));
        batch.true_tokens += length[b];
        for (int k = 0; k < s->K; k++) companion[b * s->K + k] = rig_companion(r, index, b, k);
    }
    return batch;
}

// numbers in ±1, or about a third of ones; nothing after the end
static inline void rig_observe(rig *r, int member, const slt_batch *batch, uint64_t seed) {
    const rig_shape *s = &r->shape;
    size_t rows = (size_t)batch->offset[batch->count], D = (size_t)s->D, row = 0, ones = 0;
    slt_real *numbers;
    slt_bits *bits;
    int64_t *offset;
    uint16_t *ids;
    CHECK_OK(SLT_NEW(&r->arena, &numbers, rows * D));
    CHECK_OK(SLT_NEW(&r->arena, &bits, 1));
    CHECK_OK(SLT_NEW(&r->arena, &offset, rows + 1));
    CHECK_OK(SLT_NEW(&r->arena, &ids, rows * D));
    for (int b = 0; b < batch->count; b++)
        for (int l = 0; l < slt_batch_computed(batch, b); l++, row++) {
            for (int c = 0; c < s->D && l < batch->length[b]; c++) {
                uint32_t word = rig_word(seed, batch->index[b], l, c);
                numbers[row * D + (size_t)c] = (slt_real)(2 * slt_random_unit(word) - 1);
                if (word % 3 == 0) ids[ones++] = (uint16_t)c;
            }
            offset[row + 1] = (int64_t)ones;
        }
    *bits = (slt_bits){offset, ids};
    slt_tape_feed(r->tape, member, r->model.observations, s->bits ? (void *)bits : numbers);
}

// feeds a member with batch `seed`
static inline void rig_feed(rig *r, int member, uint64_t seed) {
    slt_frame *frame = slt_tape_frame(r->tape, member);
    frame->batch = rig_batch(r, seed);
    const slt_batch *batch = &frame->batch;
    int32_t *actions, *to;
    slt_real *vectors;
    int rows = batch->offset[batch->count];
    CHECK_OK(SLT_NEW(&r->arena, &actions, (size_t)rows));
    CHECK_OK(SLT_NEW(&r->arena, &vectors, (size_t)rows * VECTOR_WIDTH));
    to = actions;
    for (int b = 0; b < batch->count; b++)
        for (int l = 0; l < slt_batch_computed(batch, b); l++)
            *to++ = l < batch->length[b]
                        ? (int32_t)(rig_word(seed, batch->index[b], l, 1000) % (RIG_SYMBOLS - 1))
                        : RIG_SYMBOLS - 1;
    vector_rows(actions, rows, RIG_SYMBOLS - 1, seed, vectors);
    slt_tape_feed(r->tape, member, r->model.actions,
                  r->shape.vectors ? (const void *)vectors : actions);
    if (r->shape.D) rig_observe(r, member, batch, seed);
}

// initial values, and a step that differs from member to member
static inline void rig_start(rig *r, int member, uint64_t seed) {
    slt_frame *frame = slt_tape_frame(r->tape, member);
    CHECK_OK(slt_store_init(r->store, member, seed));
    frame->step = (slt_step){.seed = seed,
                             .noise = 1,
                             .dropout = (slt_real)r->options.dropout,
                             .learning_rate = (slt_real)(1e-3 * (double)(seed % 7 + 1)),
                             .adam_epsilon = (slt_real)1e-8,
                             .max_norm = (slt_real)0.5,
                             .active = true};
    frame->step.weight[SLT_SLOTTAR_BETA] = (slt_real)(0.1 * (double)(seed % 5));
}

// ---- running

static inline void rig_gradients(rig *r) {
    CHECK_OK(slt_tape_forward(r->tape));
    CHECK_OK(slt_tape_backward(r->tape));
}

static inline void rig_step(rig *r) {
    for (int m = 0; m < r->members; m++) {
        slt_frame *frame = slt_tape_frame(r->tape, m);
        frame->step.step++;
        frame->step.adam_count++;
    }
    rig_gradients(r);
    slt_adam_step(r->tape);
}

static inline slt_real rig_loss(const rig *r, int member) {
    return *slt_tape_value(r->tape, member, r->model.loss);
}

// every value read must have been written in this step
static inline void rig_poison(rig *r) { memset(r->tape->block, 0xff, slt_tape_bytes(r->tape)); }

// ---- comparing: members of two stores, every bit

static inline size_t rig_size(const rig *r, int parameter) {
    const slt_parameter *p = &r->store->parameters[parameter];
    return (size_t)p->rows * (size_t)p->columns;
}

static inline void rig_same_bits(const rig *a, slt_real *block_a, int member_a, const rig *b,
                                 slt_real *block_b, int member_b) {
    assert_int_equal(a->store->count, b->store->count);
    for (int i = 0; i < a->store->count; i++) {
        const slt_real *x = slt_store_at(a->store, block_a, i, member_a);
        const slt_real *y = slt_store_at(b->store, block_b, i, member_b);
        if (memcmp(x, y, rig_size(a, i) * sizeof *x) != 0)
            fail_msg("'%s' differs", a->store->parameters[i].part[0].name);
    }
}

static inline void rig_same_weights(const rig *a, int member_a, const rig *b, int member_b) {
    rig_same_bits(a, a->store->value, member_a, b, b->store->value, member_b);
    rig_same_bits(a, a->store->moment1, member_a, b, b->store->moment1, member_b);
    rig_same_bits(a, a->store->moment2, member_a, b, b->store->moment2, member_b);
}

#endif
