// Tapes of a policy, and an update.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/policy_learner.h"

#include <math.h>
#include <string.h>
#include "core/philox.h"
#include "ops/common/ops.h"

enum { PIECE = 64, PER_TASK = 256, IMITATED = 256 }; // rows: of a trajectory, a task, a batch shown
enum { CLIP, ENTROPY, VALUE };                       // weights of a step
static const double ADAM_EPSILON = 1e-5;

// ---- tapes

static slt_limits limits_of(int rows) {
    return (slt_limits){
        .trajectories = (rows + PIECE - 1) / PIECE, .tokens = rows, .slots = 1, .length = PIECE};
}

static slt_status take_memory(slt_policy_tape *t, slt_arena *arena, int rows, int most) {
    size_t pieces = (size_t)limits_of(rows).trajectories;
    t->rows = rows;
    SLT_TRY(SLT_NEW(arena, &t->offset, pieces + 1));
    SLT_TRY(SLT_NEW(arena, &t->length, pieces));
    SLT_TRY(SLT_NEW(arena, &t->index, pieces));
    SLT_TRY(SLT_NEW(arena, &t->ones_offset, (size_t)rows + 1));
    SLT_TRY(SLT_NEW(arena, &t->ones, (size_t)rows * (size_t)most));
    t->bits = (slt_bits){t->ones_offset, t->ones};
    return SLT_OK;
}

static slt_status open_tape(slt_policy_learner *learner, slt_policy_tape *t, slt_arena *arena,
                            int rows) {
    SLT_TRY(take_memory(t, arena, rows, learner->worlds->most));
    SLT_TRY(slt_tape_create(learner->store, limits_of(rows), &t->tape));
    slt_policy_shape shape = {learner->worlds->view->width, (int)learner->options->hidden,
                              learner->worlds->actions};
    slt_policy_build(t->tape, shape, &t->vars);
    return SLT_OK;
}

// the loss: that of the policy, less entropy, and the value's error
static slt_var add_losses(slt_policy_tape *t) {
    slt_shape one = {SLT_TOKENS, 0, 1};
    t->actions = slt_tape_input(t->tape, SLT_INTEGERS, one, "actions");
    t->advantage = slt_tape_input(t->tape, SLT_NUMBERS, one, "advantage");
    t->before = slt_tape_input(t->tape, SLT_NUMBERS, one, "before");
    t->target = slt_tape_input(t->tape, SLT_NUMBERS, one, "target");
    slt_var policy =
        slt_policy_loss(t->tape, t->vars.logits, t->actions, t->advantage, t->before, CLIP);
    slt_var value = slt_squared_error(t->tape, t->vars.value, t->target);
    const slt_var watched[SLT_POLICY_NOTES] = {policy, policy + 1, policy + 2, value};
    slt_tape_watch(t->tape, watched, SLT_POLICY_NOTES);
    slt_var loss = slt_add_loss(t->tape, policy, policy + 1, ENTROPY);
    return slt_add_loss(t->tape, loss, value, VALUE);
}

static slt_status open_tapes(slt_policy_learner *learner, slt_arena *arena) {
    slt_worlds *worlds = learner->worlds;
    int64_t parts = learner->options->minibatches, all = (int64_t)worlds->N * worlds->T;
    SLT_TRY(slt_store_create(learner->context, 1, &learner->store));
    SLT_TRY(open_tape(learner, &learner->acts, arena, worlds->N));
    SLT_TRY(open_tape(learner, &learner->learns, arena, (int)((all + parts - 1) / parts)));
    slt_tape_keep(learner->acts.tape, learner->acts.vars.logits);
    slt_tape_keep(learner->acts.tape, learner->acts.vars.value);
    slt_var loss = add_losses(&learner->learns);
    SLT_TRY(slt_tape_status(learner->learns.tape));
    SLT_TRY(slt_store_finish(learner->store));
    SLT_TRY(slt_tape_finish(learner->acts.tape, 0, false));
    SLT_TRY(slt_tape_finish(learner->learns.tape, loss, false));
    return slt_store_init(learner->store, 0, learner->seed);
}

static slt_status take_arrays(slt_policy_learner *learner, slt_arena *arena) {
    size_t N = (size_t)learner->worlds->N, all = N * (size_t)learner->worlds->T;
    size_t part = (size_t)learner->learns.rows;
    SLT_TRY(SLT_NEW(arena, &learner->values, all + N));
    SLT_TRY(SLT_NEW(arena, &learner->advantages, all));
    SLT_TRY(SLT_NEW(arena, &learner->targets, all));
    SLT_TRY(SLT_NEW(arena, &learner->order, all));
    SLT_TRY(SLT_NEW(arena, &learner->part_actions, part));
    SLT_TRY(SLT_NEW(arena, &learner->part_advantage, part));
    SLT_TRY(SLT_NEW(arena, &learner->part_before, part));
    return SLT_NEW(arena, &learner->part_target, part);
}

slt_status slt_policy_learner_init(slt_policy_learner *learner, slt_context *context,
                                   slt_arena *arena, const slt_policy_options *options,
                                   slt_worlds *worlds, uint64_t seed) {
    *learner = (slt_policy_learner){
        .context = context, .options = options, .worlds = worlds, .seed = seed};
    SLT_TRY(open_tapes(learner, arena));
    return take_arrays(learner, arena);
}

void slt_policy_learner_deinit(slt_policy_learner *learner) {
    slt_tape_destroy(learner->acts.tape);
    slt_tape_destroy(learner->learns.tape);
    slt_store_destroy(learner->store);
}

// ---- batches

typedef struct {
    const slt_policy_seen *from;
    slt_policy_tape *to;
    const int32_t *tokens; // NULL: those from `first` on
    int first, rows;
} gathering;

static size_t token_of(const gathering *g, int r) {
    return (size_t)(g->tokens ? g->tokens[r] : g->first + r);
}

static void copy_rows(void *argument, int task, int thread) {
    (void)thread;
    const gathering *g = argument;
    int end = (task + 1) * PER_TASK < g->rows ? (task + 1) * PER_TASK : g->rows;
    for (int r = task * PER_TASK; r < end; r++) {
        size_t token = token_of(g, r);
        memcpy(g->to->ones + g->to->ones_offset[r], g->from->ones + token * (size_t)g->from->most,
               g->from->count[token] * sizeof(uint16_t));
    }
}

// lays the observations of some tokens end to end, and hands them to the tape
static void gather(slt_policy_learner *learner, const slt_policy_seen *from, slt_policy_tape *to,
                   const int32_t *tokens, int first, int rows) {
    gathering g = {from, to, tokens, first, rows};
    for (int r = 0; r < rows; r++)
        to->ones_offset[r + 1] = to->ones_offset[r] + from->count[token_of(&g, r)];
    slt_pool_run(learner->context->pool, (rows + PER_TASK - 1) / PER_TASK, copy_rows, &g);
    int pieces = (rows + PIECE - 1) / PIECE;
    for (int b = 0; b < pieces; b++) {
        to->length[b] = b + 1 < pieces ? PIECE : rows - b * PIECE;
        to->offset[b + 1] = to->offset[b] + to->length[b];
        to->index[b] = b;
    }
    slt_tape_frame(to->tape, 0)->batch = (slt_batch){.count = pieces,
                                                     .offset = to->offset,
                                                     .length = to->length,
                                                     .index = to->index,
                                                     .true_tokens = rows};
    slt_tape_feed(to->tape, 0, to->vars.ones, &to->bits);
}

static slt_policy_seen rows_of(const slt_worlds *worlds) {
    return (slt_policy_seen){.most = worlds->most, .ones = worlds->ones, .count = worlds->count};
}

// ---- acting

// the policy on what the copies see before step t; logits stay on the tape
static slt_status think(slt_policy_learner *learner, int t) {
    int N = learner->worlds->N;
    slt_policy_seen rows = rows_of(learner->worlds);
    gather(learner, &rows, &learner->acts, NULL, t * N, N);
    SLT_TRY(slt_tape_forward(learner->acts.tape));
    const slt_real *values = slt_tape_value(learner->acts.tape, 0, learner->acts.vars.value);
    for (int i = 0; i < N; i++)
        learner->values[(size_t)t * (size_t)N + (size_t)i] = (float)values[i];
    return SLT_OK;
}

slt_status slt_policy_learner_play(slt_policy_learner *learner) {
    slt_worlds *worlds = learner->worlds;
    for (int t = 0; t < worlds->T; t++) {
        SLT_TRY(think(learner, t));
        slt_worlds_play(worlds, t,
                        slt_tape_value(learner->acts.tape, 0, learner->acts.vars.logits));
    }
    return think(learner, worlds->T);
}

// ---- learning

// advantages of an update: mean 0, standard deviation 1
static void even_out(float *advantages, size_t count) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) sum += (double)advantages[i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += ((double)advantages[i] - mean) * ((double)advantages[i] - mean);
    double scale = 1 / (sqrt(squares / (double)count) + 1e-8);
    for (size_t i = 0; i < count; i++)
        advantages[i] = (float)(scale * ((double)advantages[i] - mean));
}

// what is done counts as right where the planner acts
static void set_weights(slt_policy_learner *learner) {
    const slt_worlds *worlds = learner->worlds;
    size_t all = (size_t)worlds->N * (size_t)worlds->T;
    slt_worlds_advantages(worlds, learner->values, learner->options->gamma,
                          learner->options->lambda, learner->advantages, learner->targets);
    if (!worlds->apes) even_out(learner->advantages, all);
    for (size_t i = 0; worlds->apes && i < all; i++) learner->advantages[i] = 1;
}

// Fisher and Yates, with numbers of this epoch
static void shuffle(const slt_policy_learner *learner, int epoch, int32_t *order, int all) {
    uint32_t step = (uint32_t)learner->updates;
    for (int i = 0; i < all; i++) order[i] = i;
    for (int i = all - 1; i > 0; i--) {
        uint64_t index = (uint64_t)epoch << 40 | (uint64_t)i;
        uint32_t word = slt_random_words(learner->seed, SLT_RANDOM_SHUFFLE, index, step).word[0];
        int k = (int)((uint64_t)word * ((uint64_t)i + 1) >> 32), held = order[i];
        order[i] = order[k];
        order[k] = held;
    }
}

static void feed_losses(slt_policy_learner *learner) {
    slt_policy_tape *to = &learner->learns;
    slt_tape_feed(to->tape, 0, to->actions, learner->part_actions);
    slt_tape_feed(to->tape, 0, to->advantage, learner->part_advantage);
    slt_tape_feed(to->tape, 0, to->before, learner->part_before);
    slt_tape_feed(to->tape, 0, to->target, learner->part_target);
}

static void feed_part(slt_policy_learner *learner, int first, int rows) {
    slt_policy_tape *to = &learner->learns;
    const int32_t *tokens = learner->order + first;
    for (int r = 0; r < rows; r++) {
        int token = tokens[r];
        learner->part_actions[r] = learner->worlds->actions_taken[token];
        learner->part_advantage[r] = learner->advantages[token];
        learner->part_before[r] = learner->worlds->chances[token];
        learner->part_target[r] = learner->targets[token];
    }
    slt_policy_seen from = rows_of(learner->worlds);
    gather(learner, &from, to, tokens, 0, rows);
    feed_losses(learner);
}

static void set_step(slt_policy_learner *learner, double done) {
    const slt_policy_options *o = learner->options;
    bool apes = learner->worlds->apes;
    slt_step *step = &slt_tape_frame(learner->learns.tape, 0)->step;
    *step = (slt_step){.seed = learner->seed,
                       .step = (uint32_t)learner->updates,
                       .learning_rate = (slt_real)(o->lr * (1 - (1 - o->lr_end) * fmin(done, 1))),
                       .adam_epsilon = (slt_real)ADAM_EPSILON,
                       .max_norm = (slt_real)o->max_grad_norm,
                       .adam_count = (uint32_t)learner->updates + 1,
                       .active = true};
    step->weight[CLIP] = apes ? 0 : (slt_real)o->clip;
    step->weight[ENTROPY] = apes ? 0 : (slt_real)-o->entropy;
    step->weight[VALUE] = (slt_real)o->value;
}

static slt_status read_stats(slt_policy_learner *learner, bool wait) {
    for (;;) {
        slt_step_stats note;
        bool there;
        SLT_TRY(slt_tape_stats(learner->learns.tape, 0, wait, &note, &there));
        if (!there) return SLT_OK;
        if (!isfinite(note.norm) || !isfinite(note.value[SLT_POLICY_LOSS]))
            SLT_FAIL(SLT_DIVERGED,
                     "update %llu gave a loss of %g and a gradient of norm %g; the policy before "
                     "it is whole; try a smaller lr",
                     (unsigned long long)note.number, (double)note.value[SLT_POLICY_LOSS],
                     note.norm);
        for (int i = 0; i < SLT_POLICY_NOTES; i++) learner->notes[i] += (double)note.value[i];
        learner->noted++;
    }
}

slt_status slt_policy_learner_learn(slt_policy_learner *learner, double done) {
    int all = learner->worlds->N * learner->worlds->T, rows = learner->learns.rows;
    set_weights(learner);
    for (int epoch = 0; epoch < learner->options->epochs; epoch++) {
        shuffle(learner, epoch, learner->order, all);
        for (int first = 0; first < all; first += rows) {
            feed_part(learner, first, all - first < rows ? all - first : rows);
            set_step(learner, done);
            SLT_TRY(slt_tape_step(learner->learns.tape));
            learner->updates++;
            SLT_TRY(read_stats(learner, false));
        }
    }
    SLT_TRY(read_stats(learner, true));
    slt_worlds_turn(learner->worlds);
    return SLT_OK;
}

// ---- imitating demonstrations

// what was done counts as right, as where the planner acts; values are not learned
static void feed_shown(slt_policy_learner *learner, const slt_policy_seen *shown,
                       const int32_t *tokens, int rows) {
    for (int r = 0; r < rows; r++) {
        learner->part_actions[r] = shown->actions[tokens[r]];
        learner->part_advantage[r] = 1;
        learner->part_before[r] = learner->part_target[r] = 0;
    }
    gather(learner, shown, &learner->learns, tokens, 0, rows);
    feed_losses(learner);
}

slt_status slt_policy_learner_imitate(slt_policy_learner *learner, const slt_policy_seen *shown,
                                      int32_t *order, int epoch) {
    int batch = learner->learns.rows < IMITATED ? learner->learns.rows : IMITATED;
    bool apes = learner->worlds->apes;
    shuffle(learner, epoch, order, shown->rows);
    learner->worlds->apes = true;
    slt_status status = SLT_OK;
    for (int first = 0; status == SLT_OK && first < shown->rows; first += batch) {
        int left = shown->rows - first;
        feed_shown(learner, shown, order + first, left < batch ? left : batch);
        set_step(learner, 0);
        slt_tape_frame(learner->learns.tape, 0)->step.weight[VALUE] = 0;
        status = slt_tape_step(learner->learns.tape);
        learner->updates++;
        if (status == SLT_OK) status = read_stats(learner, false);
    }
    learner->worlds->apes = apes;
    return status == SLT_OK ? read_stats(learner, true) : status;
}
