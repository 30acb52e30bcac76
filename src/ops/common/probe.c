// Probes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/probe.h"

#include <math.h>
#include "core/philox.h"
#include "engine/tape_impl.h"
#include "ops/common/ops.h"

static double unit(const slt_probe *probe, uint64_t stream, uint64_t index) {
    slt_words words = slt_random_words(probe->shape.seed, SLT_RANDOM_TEST, index, (uint32_t)stream);
    return ((double)words.word[0] + 0.5) * 0x1p-32;
}

// ---- values

static slt_status make_numbers(slt_probe *probe, slt_probe_leaf *leaf, uint64_t stream) {
    slt_real *numbers;
    SLT_TRY(SLT_NEW(&probe->arena, &numbers, leaf->count));
    for (size_t i = 0; i < leaf->count; i++)
        numbers[i] = (slt_real)(leaf->low + (leaf->high - leaf->low) * unit(probe, stream, i));
    leaf->data = numbers;
    return SLT_OK;
}

static slt_status make_integers(slt_probe *probe, slt_probe_leaf *leaf, uint64_t stream) {
    int32_t *integers;
    SLT_TRY(SLT_NEW(&probe->arena, &integers, leaf->count));
    for (size_t i = 0; i < leaf->count; i++)
        integers[i] = (int32_t)(unit(probe, stream, i) * leaf->below);
    leaf->data = integers;
    return SLT_OK;
}

static slt_status make_bits(slt_probe *probe, slt_probe_leaf *leaf, int width, uint64_t stream) {
    slt_bits *bits;
    int64_t *offset;
    uint16_t *index;
    size_t rows = leaf->count / (size_t)width, ones = 0;
    SLT_TRY(SLT_NEW(&probe->arena, &bits, 1));
    SLT_TRY(SLT_NEW(&probe->arena, &offset, rows + 1));
    SLT_TRY(SLT_NEW(&probe->arena, &index, leaf->count));
    for (size_t r = 0; r < rows; r++) {
        for (int c = 0; c < width; c++)
            if (unit(probe, stream, r * (size_t)width + (size_t)c) < leaf->share)
                index[ones++] = (uint16_t)c;
        offset[r + 1] = (int64_t)ones;
    }
    *bits = (slt_bits){offset, index};
    leaf->data = bits;
    return SLT_OK;
}

static slt_status fill_leaves(slt_probe *probe) {
    for (int i = 0; i < probe->leaves; i++) {
        slt_probe_leaf *leaf = &probe->leaf[i];
        const slt_var_info *info = &probe->tape->vars[leaf->var];
        slt_shape shape = info->shape;
        int rows = shape.space == SLT_FIXED ? shape.rows
                                            : slt_space_capacity(probe->tape->limits, shape.space);
        leaf->count = (size_t)rows * (size_t)shape.width;
        uint64_t stream = (uint64_t)i + 1;
        if (info->type == SLT_NUMBERS) SLT_TRY(make_numbers(probe, leaf, stream));
        if (info->type == SLT_INTEGERS) SLT_TRY(make_integers(probe, leaf, stream));
        if (info->type == SLT_BITS) SLT_TRY(make_bits(probe, leaf, shape.width, stream));
        slt_tape_feed(probe->tape, 0, leaf->var, leaf->data);
    }
    return SLT_OK;
}

// ---- the batch

static int draw_length(const slt_probe *probe, int b) {
    double u = unit(probe, 1000, (uint64_t)b), v = unit(probe, 1001, (uint64_t)b);
    double normal = sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
    int length = (int)lround(probe->shape.mean + probe->shape.sd * normal);
    return length < 1 ? 1 : slt_min(length, probe->shape.length);
}

static slt_status make_batch(slt_probe *probe, slt_batch *batch) {
    int count = probe->shape.trajectories, slots = probe->shape.slots;
    int32_t *offset, *length, *index, *companion;
    SLT_TRY(SLT_NEW(&probe->arena, &offset, (size_t)count + 1));
    SLT_TRY(SLT_NEW(&probe->arena, &length, (size_t)count));
    SLT_TRY(SLT_NEW(&probe->arena, &index, (size_t)count));
    SLT_TRY(SLT_NEW(&probe->arena, &companion, (size_t)count * (size_t)slots));
    batch->true_tokens = 0;
    for (int b = 0; b < count; b++) {
        length[b] = draw_length(probe, b);
        offset[b + 1] = offset[b] + (probe->shape.padded ? probe->shape.length : length[b]);
        index[b] = b;
        batch->true_tokens += length[b];
        for (int k = 0; k < slots; k++) companion[b * slots + k] = (b * slots + k) % count;
    }
    batch->count = count;
    batch->offset = offset;
    batch->length = length;
    batch->index = index;
    batch->companion = companion;
    return SLT_OK;
}

// ---- a probe

static slt_status build(slt_probe *probe, slt_var (*make)(slt_probe *)) {
    slt_batch batch = {0};
    SLT_TRY(make_batch(probe, &batch));
    SLT_TRY(slt_store_create(probe->context, 1, &probe->store));
    SLT_TRY(slt_store_finish(probe->store));
    int spare = probe->shape.spare, length = probe->shape.length;
    slt_limits limits = {probe->shape.trajectories + spare,
                         batch.offset[batch.count] + spare * length, probe->shape.slots, length};
    SLT_TRY(slt_tape_create(probe->store, limits, &probe->tape));
    probe->result = make(probe);
    if (!slt_tape_failed(probe->tape)) {
        slt_shape shape = slt_tape_shape(probe->tape, probe->result);
        slt_var weights = slt_probe_constant(probe, shape.space, shape.rows, shape.width, -1, 1);
        probe->loss = slt_weighted_sum(probe->tape, probe->result, weights);
    }
    slt_tape_keep(probe->tape, probe->result);
    SLT_TRY(slt_tape_finish(probe->tape, probe->loss, false));
    slt_frame *frame = slt_tape_frame(probe->tape, 0);
    frame->batch = batch;
    frame->step.seed = probe->shape.seed;
    frame->step.noise = 1;
    frame->step.dropout = (slt_real)0.3;
    for (int i = 0; i < SLT_WEIGHTS; i++) frame->step.weight[i] = (slt_real)(0.3 + 0.2 * i);
    return fill_leaves(probe);
}

slt_status slt_probe_init(slt_probe *probe, slt_context *context, slt_probe_batch shape,
                          slt_var (*make)(slt_probe *)) {
    *probe = (slt_probe){.context = context, .shape = shape};
    slt_arena_init(&probe->arena, &context->allocator, 0);
    slt_status status = build(probe, make);
    if (status != SLT_OK) slt_probe_deinit(probe);
    return status;
}

void slt_probe_deinit(slt_probe *probe) {
    slt_tape_destroy(probe->tape);
    slt_store_destroy(probe->store);
    slt_arena_deinit(&probe->arena);
    *probe = (slt_probe){0};
}

slt_real *slt_probe_values(slt_probe *probe, int leaf, size_t *count) {
    *count = probe->leaf[leaf].count;
    return probe->leaf[leaf].data;
}

const slt_real *slt_probe_gradient(slt_probe *probe, int leaf) {
    return slt_tape_gradient(probe->tape, 0, probe->leaf[leaf].var);
}
