// Learning a network of skills on a tape, and its plain form.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/skill_net.h"

#include <math.h>
#include <string.h>
#include "core/philox.h"
#include "engine/tape.h"
#include "nn/nn.h"

enum { SEE, SEE_BIAS, THINK, THINK_BIAS, CHOOSE, CHOOSE_BIAS };
enum { PIECE = 64 }; // rows of a trajectory of the batch

slt_skill_matrix slt_skill_part(slt_skill_shape s, int part) {
    const slt_skill_matrix parts[SLT_SKILL_PARTS] = {
        [SEE] = {"see.kernel", s.inputs, s.hidden},
        [SEE_BIAS] = {"see.bias", 1, s.hidden},
        [THINK] = {"think.kernel", s.hidden, s.hidden},
        [THINK_BIAS] = {"think.bias", 1, s.hidden},
        [CHOOSE] = {"choose.kernel", s.hidden, s.outputs},
        [CHOOSE_BIAS] = {"choose.bias", 1, s.outputs},
    };
    return parts[part];
}

// ---- plain

slt_status slt_skill_net_init(slt_skill_net *net, slt_arena *arena, slt_skill_shape shape) {
    *net = (slt_skill_net){.shape = shape};
    for (int i = 0; i < SLT_SKILL_PARTS; i++) {
        slt_skill_matrix m = slt_skill_part(shape, i);
        SLT_TRY(SLT_NEW(arena, &net->part[i], (size_t)m.rows * (size_t)m.columns));
    }
    return SLT_OK;
}

static void add_row(float *restrict y, const float *restrict row, float weight, int width) {
    for (int k = 0; k < width; k++) y[k] += weight * row[k];
}

static void relu(float *y, int width) {
    for (int k = 0; k < width; k++) y[k] = y[k] > 0 ? y[k] : 0;
}

void slt_skill_think(const slt_skill_net *net, const uint16_t *ones, int64_t count, float *logits) {
    int hidden = net->shape.hidden, outputs = net->shape.outputs;
    float h[SLT_SKILL_HIDDEN], g[SLT_SKILL_HIDDEN];
    memcpy(h, net->part[SEE_BIAS], (size_t)hidden * sizeof *h);
    for (int64_t i = 0; i < count; i++)
        add_row(h, net->part[SEE] + (size_t)ones[i] * (size_t)hidden, 1, hidden);
    relu(h, hidden);
    memcpy(g, net->part[THINK_BIAS], (size_t)hidden * sizeof *g);
    for (int i = 0; i < hidden; i++)
        add_row(g, net->part[THINK] + (size_t)i * (size_t)hidden, h[i], hidden);
    relu(g, hidden);
    memcpy(logits, net->part[CHOOSE_BIAS], (size_t)outputs * sizeof *logits);
    for (int i = 0; i < hidden; i++)
        add_row(logits, net->part[CHOOSE] + (size_t)i * (size_t)outputs, g[i], outputs);
}

// -log softmax(logits)[target]
static double row_nats(const float *logits, int outputs, int target) {
    int best = 0;
    double all = 0;
    for (int k = 1; k < outputs; k++)
        if (logits[k] > logits[best]) best = k;
    for (int k = 0; k < outputs; k++) all += exp((double)(logits[k] - logits[best]));
    return log(all) + (double)(logits[best] - logits[target]);
}

double slt_skill_nats(const slt_skill_net *net, const slt_skill_rows *rows) {
    float logits[SLT_SKILL_OUTPUTS];
    double sum = 0;
    for (int64_t r = 0; r < rows->rows; r++) {
        slt_skill_think(net, rows->ones + rows->start[r], rows->start[r + 1] - rows->start[r],
                        logits);
        sum += row_nats(logits, net->shape.outputs, rows->target[r]);
    }
    return rows->rows ? sum / (double)rows->rows : 0;
}

// ---- on a tape

typedef struct {
    slt_store *store;
    slt_tape *tape;
    slt_var ones, targets;
    int32_t *offset, *length, *index; // of pieces
    int64_t *ones_offset;
    uint16_t *bits;
    slt_bits fed;
    int32_t *part_targets;
    int64_t *order;
    slt_skill_net best;
} learner;

// few of the ones are there at a time: the scale is that of those, not of the whole width
static slt_var build(learner *l, slt_skill_shape s) {
    slt_init init = {SLT_INIT_UNIFORM, 0.2};
    l->ones = slt_tape_input(l->tape, SLT_BITS, (slt_shape){SLT_TOKENS, 0, s.inputs}, "ones");
    l->targets = slt_tape_input(l->tape, SLT_INTEGERS, (slt_shape){SLT_TOKENS, 0, 1}, "targets");
    slt_var w = slt_weights(l->tape, "see.kernel", s.inputs, s.hidden, init);
    slt_var c = slt_weights(l->tape, "see.bias", 1, s.hidden, slt_constant(0));
    slt_var h = slt_activate(l->tape, slt_dense_bits(l->tape, l->ones, w, c), SLT_RELU);
    h = slt_nn_dropout(l->tape, h, 1);
    slt_var g = slt_nn_dense(l->tape, "think", h, s.hidden, SLT_RELU);
    g = slt_nn_dropout(l->tape, g, 2);
    slt_var logits = slt_nn_dense(l->tape, "choose", g, s.outputs, SLT_LINEAR);
    return slt_softmax_xent(l->tape, logits, l->targets);
}

static slt_status open_tape(learner *l, slt_context *context, slt_skill_shape shape, int batch,
                            uint64_t seed) {
    slt_limits limits = {
        .trajectories = (batch + PIECE - 1) / PIECE, .tokens = batch, .slots = 1, .length = PIECE};
    SLT_TRY(slt_store_create(context, 1, &l->store));
    SLT_TRY(slt_tape_create(l->store, limits, &l->tape));
    slt_var loss = build(l, shape);
    slt_tape_watch(l->tape, &loss, 1);
    SLT_TRY(slt_tape_status(l->tape));
    SLT_TRY(slt_store_finish(l->store));
    SLT_TRY(slt_tape_finish(l->tape, loss, false));
    return slt_store_init(l->store, 0, seed);
}

static slt_status take_memory(learner *l, slt_arena *arena, const slt_skill_rows *train, int batch,
                              slt_skill_shape shape) {
    size_t pieces = (size_t)(batch + PIECE - 1) / PIECE;
    int64_t most = 0;
    for (int64_t r = 0; r < train->rows; r++)
        if (train->start[r + 1] - train->start[r] > most)
            most = train->start[r + 1] - train->start[r];
    SLT_TRY(SLT_NEW(arena, &l->offset, pieces + 1));
    SLT_TRY(SLT_NEW(arena, &l->length, pieces));
    SLT_TRY(SLT_NEW(arena, &l->index, pieces));
    SLT_TRY(SLT_NEW(arena, &l->ones_offset, (size_t)batch + 1));
    SLT_TRY(SLT_NEW(arena, &l->bits, (size_t)batch * (size_t)most + 1));
    SLT_TRY(SLT_NEW(arena, &l->part_targets, (size_t)batch));
    SLT_TRY(SLT_NEW(arena, &l->order, (size_t)train->rows + 1));
    l->fed = (slt_bits){l->ones_offset, l->bits};
    return slt_skill_net_init(&l->best, arena, shape);
}

// Fisher and Yates
static void shuffle(learner *l, int64_t rows, uint64_t seed, int epoch) {
    for (int64_t i = 0; i < rows; i++) l->order[i] = i;
    for (int64_t i = rows - 1; i > 0; i--) {
        uint32_t word =
            slt_random_words(seed, SLT_RANDOM_SHUFFLE, (uint64_t)i, (uint32_t)epoch).word[0];
        int64_t k = (int64_t)((uint64_t)word * ((uint64_t)i + 1) >> 32), held = l->order[i];
        l->order[i] = l->order[k];
        l->order[k] = held;
    }
}

static void feed(learner *l, const slt_skill_rows *rows, int64_t first, int count) {
    int pieces = (count + PIECE - 1) / PIECE;
    for (int r = 0; r < count; r++) {
        int64_t row = l->order[first + r], ones = rows->start[row + 1] - rows->start[row];
        l->ones_offset[r + 1] = l->ones_offset[r] + ones;
        memcpy(l->bits + l->ones_offset[r], rows->ones + rows->start[row],
               (size_t)ones * sizeof *l->bits);
        l->part_targets[r] = rows->target[row];
    }
    for (int b = 0; b < pieces; b++) {
        l->length[b] = b + 1 < pieces ? PIECE : count - b * PIECE;
        l->offset[b + 1] = l->offset[b] + l->length[b];
        l->index[b] = b;
    }
    slt_tape_frame(l->tape, 0)->batch = (slt_batch){.count = pieces,
                                                    .offset = l->offset,
                                                    .length = l->length,
                                                    .index = l->index,
                                                    .true_tokens = count};
    slt_tape_feed(l->tape, 0, l->ones, &l->fed);
    slt_tape_feed(l->tape, 0, l->targets, l->part_targets);
}

static slt_status read_stats(learner *l, bool wait) {
    for (;;) {
        slt_step_stats stats;
        bool there;
        SLT_TRY(slt_tape_stats(l->tape, 0, wait, &stats, &there));
        if (!there) return SLT_OK;
        if (!isfinite(stats.norm) || !isfinite(stats.value[0]))
            SLT_FAIL(SLT_DIVERGED, "skills: step %llu gave a loss of %g",
                     (unsigned long long)stats.number, (double)stats.value[0]);
    }
}

static slt_status run_epoch(learner *l, const slt_skill_rows *train, const slt_skill_fit *fit,
                            int epoch, uint32_t *steps) {
    double all = (double)fit->epochs * ceil((double)train->rows / fit->batch);
    shuffle(l, train->rows, fit->seed, epoch);
    for (int64_t first = 0; first < train->rows; first += fit->batch) {
        int64_t left = train->rows - first;
        feed(l, train, first, left < fit->batch ? (int)left : fit->batch);
        slt_tape_frame(l->tape, 0)->step =
            (slt_step){.seed = fit->seed,
                       .step = *steps,
                       .learning_rate = (slt_real)(fit->lr * (1 - 0.95 * (double)*steps / all)),
                       .adam_epsilon = (slt_real)1e-8,
                       .max_norm = 1,
                       .dropout = (slt_real)fit->dropout,
                       .adam_count = *steps + 1,
                       .active = true};
        SLT_TRY(slt_tape_step(l->tape));
        ++*steps;
        SLT_TRY(read_stats(l, false));
    }
    return read_stats(l, true);
}

static slt_status take_weights(learner *l, slt_skill_net *net) {
    SLT_TRY(slt_store_fetch(l->store));
    for (int i = 0; i < SLT_SKILL_PARTS; i++) {
        slt_skill_matrix m = slt_skill_part(net->shape, i);
        const slt_real *from =
            slt_store_at(l->store, l->store->value, slt_store_find(l->store, m.name), 0);
        for (size_t k = 0; k < (size_t)m.rows * (size_t)m.columns; k++)
            net->part[i][k] = (float)from[k];
    }
    return SLT_OK;
}

static void copy_net(const slt_skill_net *from, slt_skill_net *to) {
    for (int i = 0; i < SLT_SKILL_PARTS; i++) {
        slt_skill_matrix m = slt_skill_part(from->shape, i);
        memcpy(to->part[i], from->part[i], (size_t)m.rows * (size_t)m.columns * sizeof(float));
    }
}

static slt_status learn(learner *l, slt_context *context, const slt_skill_rows *train,
                        const slt_skill_rows *held_out, const slt_skill_fit *fit,
                        slt_skill_net *net) {
    double best = INFINITY;
    uint32_t steps = 0;
    for (int epoch = 0; epoch < fit->epochs; epoch++) {
        SLT_TRY(slt_context_check(context));
        SLT_TRY(run_epoch(l, train, fit, epoch, &steps));
        SLT_TRY(take_weights(l, &l->best));
        double nats = held_out->rows ? slt_skill_nats(&l->best, held_out) : -epoch;
        if (nats >= best) continue;
        best = nats;
        copy_net(&l->best, net);
    }
    return SLT_OK;
}

slt_status slt_skill_net_learn(slt_context *context, const slt_skill_rows *train,
                               const slt_skill_rows *held_out, const slt_skill_fit *fit,
                               slt_skill_net *net) {
    learner l = {0};
    slt_arena arena;
    slt_arena_init(&arena, &context->allocator, 0);
    slt_status status = take_memory(&l, &arena, train, fit->batch, net->shape);
    if (status == SLT_OK) status = open_tape(&l, context, net->shape, fit->batch, fit->seed);
    if (status == SLT_OK) status = learn(&l, context, train, held_out, fit, net);
    slt_tape_destroy(l.tape);
    slt_store_destroy(l.store);
    slt_arena_deinit(&arena);
    return status;
}
