// A small CompILE on made-up data: what a trajectory holds is a function of the data's seed and of
// its place in the unsorted batch alone, so the same batch can be packed, padded or sorted.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_COMPILE_RIG_H
#define SLT_TESTS_COMPILE_RIG_H

#include "check.h"
#include "core/philox.h"
#include "engine/adam.h"
#include "engine/tape_impl.h"
#include "models/compile_model.h"
#include "vector_rig.h"

enum { RIG_SYMBOLS = 6 }; // four actions, DONE, padding

typedef struct {
    int B, L, D, shortest, longest; // T, with DONE, is uniform in [shortest, longest]
    bool padded, sorted;
    bool vectors; // actions are vectors
} rig_shape;

typedef struct {
    rig_shape shape;
    slt_compile_options options;
    slt_context *context;
    slt_arena arena;
    slt_store *store;
    slt_tape *tape;
    slt_compile model;
    slt_compile_pass passes[SLT_COMPILE_SEGMENTS];
} rig;

static inline uint32_t rig_word(int index, int l, int c) {
    uint64_t place = ((uint64_t)index << 40) + ((uint64_t)(l + 1) << 20) + (uint64_t)c;
    return slt_random_words(5, SLT_RANDOM_TEST, place, 0).word[0];
}

static inline int rig_length(const rig_shape *shape, int index) {
    int range = shape->longest - shape->shortest + 1;
    return shape->shortest + (int)(rig_word(index, -1, 0) % (uint32_t)range);
}

// settings: "key=value key=value"
static inline void rig_open(rig *r, slt_context *context, rig_shape shape, const char *settings) {
    *r = (rig){.shape = shape, .context = context};
    const slt_options tables[] = {{slt_compile_rows(), &r->options}, {NULL, NULL}};
    char text[256], *rest = text;
    CHECK_OK(slt_options_defaults(tables));
    snprintf(text, sizeof text, "%s", settings);
    for (char *one; (one = strsep(&rest, " "));)
        if (*one) CHECK_OK(slt_options_set(tables, one));
    slt_limits limits = {shape.B, shape.B * shape.L, (int)r->options.segments, shape.L};
    slt_model_data data = {.symbols = RIG_SYMBOLS - 1, .observation = shape.D, .length = shape.L};
    if (shape.vectors) vector_data(&data);
    slt_arena_init(&r->arena, &slt_system_allocator, 0);
    CHECK_OK(slt_store_create(context, 1, &r->store));
    CHECK_OK(slt_tape_create(r->store, limits, &r->tape));
    r->model = slt_compile_build(r->tape, &r->options, &data, true, r->passes);
    CHECK_OK(slt_store_finish(r->store));
    CHECK_OK(slt_tape_finish(r->tape, r->model.loss, false));
}

static inline void rig_close(rig *r) {
    slt_tape_destroy(r->tape);
    slt_store_destroy(r->store);
    slt_arena_deinit(&r->arena);
}

// ---- data

static inline slt_batch rig_batch(rig *r) {
    const rig_shape *s = &r->shape;
    int N = (int)r->options.segments;
    int32_t *offset, *length, *index, *companion;
    CHECK_OK(SLT_NEW(&r->arena, &offset, (size_t)s->B + 1));
    CHECK_OK(SLT_NEW(&r->arena, &length, (size_t)s->B));
    CHECK_OK(SLT_NEW(&r->arena, &index, (size_t)s->B));
    CHECK_OK(SLT_NEW(&r->arena, &companion, (size_t)(s->B * N)));
    slt_batch batch = {s->B, offset, length, index, companion, 0};
    for (int b = 0; b < s->B; b++) {
        int place = b;
        for (; s->sorted && place > 0 && rig_length(s, index[place - 1]) < rig_length(s, b);
             place--)
            index[place] = index[place - 1];
        index[place] = b;
    }
    for (int b = 0; b < s->B; b++) {
        length[b] = rig_length(s, index[b]);
        offset[b + 1] = offset[b] + (s->padded ? s->L : length[b]);
        batch.true_tokens += length[b];
        for (int k = 0; k < N; k++) companion[b * N + k] = b;
    }
    return batch;
}

static inline void rig_fill(rig *r, const slt_batch *batch, int32_t *actions, int32_t *counts,
                            slt_real *numbers) {
    int D = r->shape.D, row = 0;
    for (int b = 0; b < batch->count; b++) {
        int T = batch->length[b], index = batch->index[b];
        counts[b] = 1 + (int32_t)(rig_word(index, -1, 1) % (uint32_t)r->options.segments);
        for (int l = 0; l < slt_batch_computed(batch, b); l++, row++) {
            actions[row] = l + 1 < T    ? (int32_t)(rig_word(index, l, 1000) % 4)
                           : l + 1 == T ? RIG_SYMBOLS - 2
                                        : RIG_SYMBOLS - 1;
            for (int c = 0; c < D && l < T; c++)
                numbers[row * D + c] = (slt_real)(2 * slt_random_unit(rig_word(index, l, c)) - 1);
        }
    }
}

static inline void rig_feed(rig *r) {
    slt_frame *frame = slt_tape_frame(r->tape, 0);
    frame->batch = rig_batch(r);
    size_t rows = (size_t)frame->batch.offset[frame->batch.count];
    int32_t *actions, *counts;
    slt_real *numbers, *vectors;
    CHECK_OK(SLT_NEW(&r->arena, &actions, rows));
    CHECK_OK(SLT_NEW(&r->arena, &vectors, rows * VECTOR_WIDTH));
    CHECK_OK(SLT_NEW(&r->arena, &counts, (size_t)frame->batch.count));
    CHECK_OK(SLT_NEW(&r->arena, &numbers, rows * (size_t)r->shape.D + 1));
    rig_fill(r, &frame->batch, actions, counts, numbers);
    vector_rows(actions, (int)rows, RIG_SYMBOLS - 2, 5, vectors);
    slt_tape_feed(r->tape, 0, r->model.actions, r->shape.vectors ? (const void *)vectors : actions);
    slt_tape_feed(r->tape, 0, r->model.counts, counts);
    slt_tape_feed(r->tape, 0, r->model.observations, numbers);
}

// initial values that leave no part of the equations out
static inline void rig_start(rig *r) {
    CHECK_OK(slt_store_init(r->store, 0, 3));
    for (size_t i = 0; i < r->store->size; i++) {
        uint32_t word = slt_random_words(1, SLT_RANDOM_TEST, i, 77).word[0];
        r->store->value[i] += (slt_real)(0.3 * (2 * (double)slt_random_unit(word) - 1));
    }
    slt_step *step = &slt_tape_frame(r->tape, 0)->step;
    *step = (slt_step){.seed = 3, .step = 1, .noise = 1, .active = true};
    step->learning_rate = (slt_real)1e-3;
    step->adam_epsilon = (slt_real)1e-7;
    step->weight[SLT_COMPILE_BETA] = (slt_real)0.3;
}

static inline void rig_gradients(rig *r) {
    // every value read must have been written in this step
    memset(r->tape->block, 0xff, slt_tape_bytes(r->tape));
    CHECK_OK(slt_tape_forward(r->tape));
    CHECK_OK(slt_tape_backward(r->tape));
}

static inline slt_real rig_loss(const rig *r) { return *slt_tape_value(r->tape, 0, r->model.loss); }

static inline size_t rig_size(const rig *r, int parameter) {
    const slt_parameter *p = &r->store->parameters[parameter];
    return (size_t)p->rows * (size_t)p->columns;
}

#endif
