// Training slottar-mdl once, small and short, and segmenting with it. A run is independent of all
// others and has one thread, so results are the same for any number of threads.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "segmenter/mdl_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "switching/chain_random.h"
#include "train/learner/dataset_spec.h"
#include "train/learner/prior.h"

static const char UNTOLD[] = "2..8"; // segments, where nothing is known of their number
enum { USE_BATCH = 64 };             // trajectories that are segmented at once

// a learner of one member, and what it is made of
typedef struct {
    slt_context *context; // one thread on the CPU
    slt_arena arena;
    slt_setup setup;
    double prior[SLT_LEARNER_SLOTS];
    slt_model_data data;
    slt_learner *learner;
    slt_feed feed;
} workplace;

// ---- the workplace

static slt_status begin(slt_context *parent, workplace **out) {
    workplace *w;
    SLT_TRY(SLT_ALLOC(&parent->allocator, &w, 1));
    slt_status status = slt_context_child(parent, 1, &w->context);
    if (status != SLT_OK) {
        slt_free(&parent->allocator, w);
        return status;
    }
    w->context->on_device = false; // runs are too small for one
    slt_arena_init(&w->arena, &w->context->allocator, 0);
    *out = w;
    return SLT_OK;
}

static void end(slt_context *parent, workplace *w) {
    slt_learner_destroy(w->learner);
    slt_arena_deinit(&w->arena);
    slt_context_destroy(w->context);
    slt_free(&parent->allocator, w);
}

// slottar-mdl with its own defaults; slots: 0 leaves them to the prior
static slt_status choose_options(workplace *w, const char *prior, int slots) {
    char setting[32];
    slt_options tables[3];
    slt_prior known;
    snprintf(setting, sizeof setting, "slots=%d", slots);
    SLT_TRY(slt_setup_init(&w->setup, "slottar-mdl", NULL, NULL));
    slt_setup_tables(&w->setup, tables);
    SLT_TRY(slt_option_set(tables, "prior", prior ? prior : UNTOLD));
    SLT_TRY(slt_options_set(tables, setting));
    SLT_TRY(slt_setup_resolve(&w->setup));
    int K = w->setup.kind->slots(w->setup.model);
    for (int k = 0; k < K; k++) w->prior[k] = 1. / K;
    if (slots) return SLT_OK; // to segment, nobody asks for it
    SLT_TRY(slt_prior_read(w->setup.train.prior, w->setup.train.prior_spread, &known));
    return slt_prior_fill(&known, K, w->prior);
}

static slt_model_data shape_of(const workplace *w, const slt_mdl_run *run, int length) {
    return (slt_model_data){.symbols = run->actions + 1,
                            .observation = run->observation,
                            .observation_type = run->bits ? SLT_BITS : SLT_NUMBERS,
                            .length = length,
                            .prior = w->prior};
}

static slt_status positions(slt_dataset *data, int *out) {
    int64_t longest = slt_dataset_about(data)->longest;
    if (longest >= SLT_MOST_STEPS)
        SLT_FAIL(SLT_RANGE, "%s: the longest episode has %lld steps, slottar-mdl takes %d at most",
                 slt_dataset_path(data), (long long)longest, SLT_MOST_STEPS - 1);
    *out = (int)longest + 1;
    return SLT_OK;
}

static slt_limits smallest(const workplace *w) {
    return (slt_limits){1, 2, w->setup.kind->slots(w->setup.model), w->data.length};
}

// ---- weights: those that segments depend on; the decoder is left out

static size_t count_of(const slt_parameter *p) { return (size_t)p->rows * (size_t)p->columns; }

static void put_weights(const slt_store *store, const slt_real *weights) {
    for (int i = 0; i < store->count; weights += count_of(&store->parameters[i++]))
        memcpy(slt_store_at(store, store->value, i, 0), weights,
               sizeof *weights * count_of(&store->parameters[i]));
}

// by name: a store that was trained has more of them
static slt_status get_weights(const slt_store *store, const slt_store *trained, slt_real *weights) {
    for (int i = 0; i < store->count; weights += count_of(&store->parameters[i++])) {
        int from = slt_store_find(trained, store->parameters[i].part->name);
        if (from < 0 || count_of(&trained->parameters[from]) != count_of(&store->parameters[i]))
            SLT_FAIL(SLT_INTERNAL, "no weight %s", store->parameters[i].part->name);
        memcpy(weights, slt_store_at(trained, trained->value, from, 0),
               sizeof *weights * count_of(&store->parameters[i]));
    }
    return SLT_OK;
}

// a learner of the weights that are kept, and room for them
static slt_status measure(workplace *w, slt_arena *arena, slt_mdl_run *run) {
    slt_limits none = {0};
    SLT_TRY(choose_options(w, NULL, run->slots));
    w->data = shape_of(w, run, 2);
    w->data.segments_alone = true;
    SLT_TRY(slt_learner_create(w->context, &w->setup, &w->data, 1, none, smallest(w), &w->learner));
    run->size = slt_store_member_size(w->learner->store);
    return SLT_NEW(arena, &run->weights, run->size);
}

slt_status slt_mdl_run_init(slt_context *context, slt_arena *arena, slt_mdl_run *run) {
    workplace *w;
    SLT_TRY(begin(context, &w));
    slt_status status = measure(w, arena, run);
    end(context, w);
    return status;
}

// ---- learning

static double mean_length(const slt_mdl_episodes *e) {
    const int64_t *offsets = slt_dataset_offsets(e->data);
    int64_t steps = 0;
    for (int64_t i = 0; i < e->count; i++) steps += offsets[e->list[i] + 1] - offsets[e->list[i]];
    return (double)steps / (double)e->count;
}

static slt_status make_learner(workplace *w, const slt_mdl_episodes *e, const slt_mdl_start *start,
                               int batch) {
    slt_limits train;
    SLT_TRY(slt_learner_limits(&w->setup, &w->data, e->data, batch, 1, &train));
    SLT_TRY(
        slt_learner_create(w->context, &w->setup, &w->data, 1, train, smallest(w), &w->learner));
    const slt_model_kind *kind = w->setup.kind;
    SLT_TRY(slt_store_init(w->learner->store, 0, start->seed));
    if (kind->inputs(w->setup.model, &w->data) > 1)
        kind->set_input(w->learner->store, 0, start->effects);
    slt_batch_layout layout = slt_learner_batch_layout(w->learner, e->data, true);
    return slt_feed_init(&w->feed, &w->arena, &layout, batch);
}

static slt_status take_step(workplace *w, const int64_t *episodes, int batch, uint64_t seed,
                            int64_t step, double gone) {
    const slt_train_options *o = &w->setup.train;
    slt_step_stats note;
    bool there;
    SLT_TRY(slt_context_check(w->context));
    SLT_TRY(slt_feed_fill(&w->feed, episodes, batch));
    slt_learner_feed(w->learner, 0, &w->feed, seed, step, o->lr * (1 - (1 - o->lr_end) * gone),
                     true);
    SLT_TRY(slt_learner_step(w->learner));
    SLT_TRY(slt_tape_stats(w->learner->train.tape, 0, true, &note, &there));
    if (there && !(isfinite(note.value[SLT_LOSS]) && isfinite(note.norm)))
        SLT_FAIL(SLT_DIVERGED, "step %lld of a run of slottar-mdl gave a loss of %g",
                 (long long)step + 1, (double)note.value[SLT_LOSS]);
    return SLT_OK;
}

// Batches of shuffled episodes; those that are left over at the end of a pass wait for the next.
// Few episodes: so many passes as the options allow, which are fewer steps.
static slt_status learn(workplace *w, const slt_mdl_episodes *e, int batch, uint64_t seed) {
    int64_t *order, at = e->count, steps = w->setup.train.epochs * (e->count / batch);
    slt_chain_random random;
    if (steps > w->setup.train.steps) steps = w->setup.train.steps;
    SLT_TRY(SLT_NEW(&w->arena, &order, (size_t)e->count));
    memcpy(order, e->list, sizeof *order * (size_t)e->count);
    slt_chain_random_init(&random, seed);
    for (int64_t step = 0; step < steps; step++, at += batch) {
        if (at + batch > e->count) {
            slt_chain_shuffle(&random, order, e->count);
            at = 0;
        }
        SLT_TRY(take_step(w, order + at, batch, seed, step, (double)step / (double)steps));
    }
    return SLT_OK;
}

static slt_status keep(workplace *w, slt_arena *arena, slt_mdl_run *out) {
    slt_learner *trained = w->learner;
    w->learner = NULL;
    slt_status status = measure(w, arena, out);
    if (status == SLT_OK) status = get_weights(w->learner->store, trained->store, out->weights);
    slt_learner_destroy(trained);
    return status;
}

static slt_status fit(workplace *w, slt_arena *arena, const slt_mdl_episodes *e,
                      const slt_mdl_start *start, slt_mdl_run *out) {
    const slt_dataset_info *info = slt_dataset_about(e->data);
    int length = 0;
    SLT_TRY(choose_options(w, start->prior, 0));
    int batch = (int)(w->setup.train.batch < e->count ? w->setup.train.batch : e->count);
    SLT_TRY(positions(e->data, &length));
    *out = (slt_mdl_run){.slots = w->setup.kind->slots(w->setup.model),
                         .actions = start->actions,
                         .observation = (int)info->observation_size,
                         .bits = info->observation_kind == SLT_OBSERVATIONS_BITS};
    w->data = shape_of(w, out, length);
    w->data.mean_length = mean_length(e);
    SLT_TRY(make_learner(w, e, start, batch));
    SLT_TRY(learn(w, e, batch, start->seed));
    return keep(w, arena, out);
}

slt_status slt_mdl_run_fit(slt_context *context, slt_arena *arena, const slt_mdl_episodes *episodes,
                           const slt_mdl_start *start, slt_mdl_run *out) {
    workplace *w;
    SLT_TRY(begin(context, &w));
    slt_status status = fit(w, arena, episodes, start, out);
    end(context, w);
    return status;
}

// ---- segmenting

static slt_status check(const slt_mdl_run *run, slt_dataset *data) {
    bool bits = slt_dataset_about(data)->observation_kind == SLT_OBSERVATIONS_BITS;
    if (run->observation && bits != run->bits)
        SLT_FAIL(SLT_SHAPE, "%s has observations of %s, slottar-mdl learned from %s",
                 slt_dataset_path(data), bits ? "bits" : "numbers", run->bits ? "bits" : "numbers");
    return SLT_OK;
}

static slt_status open_run(workplace *w, const slt_mdl_run *run, slt_dataset *data) {
    slt_limits none = {0}, use;
    int length = 0;
    SLT_TRY(check(run, data));
    SLT_TRY(choose_options(w, NULL, run->slots));
    SLT_TRY(positions(data, &length));
    w->data = shape_of(w, run, length);
    w->data.segments_alone = true;
    SLT_TRY(slt_learner_limits(&w->setup, &w->data, data, USE_BATCH, 1, &use));
    SLT_TRY(slt_learner_create(w->context, &w->setup, &w->data, 1, none, use, &w->learner));
    put_weights(w->learner->store, run->weights);
    slt_batch_layout layout = slt_learner_batch_layout(w->learner, data, false);
    return slt_feed_init(&w->feed, &w->arena, &layout, USE_BATCH);
}

static slt_status reserve_answer(workplace *w, slt_segmentation *out) {
    size_t length = (size_t)w->data.length;
    SLT_TRY(SLT_NEW(&w->arena, &out->ids, length));
    SLT_TRY(SLT_NEW(&w->arena, &out->confidence, length));
    SLT_TRY(SLT_NEW(&w->arena, &out->ends, length));
    return SLT_NEW(&w->arena, &out->counts, (size_t)w->setup.kind->slots(w->setup.model));
}

static slt_status run_batch(workplace *w, const int64_t *episodes, int count) {
    slt_tape *tape = w->learner->use.tape;
    slt_frame *frame = slt_tape_frame(tape, 0);
    SLT_TRY(slt_feed_fill(&w->feed, episodes, count));
    slt_feed_hand_over(&w->feed, tape, 0, w->learner->use.io);
    w->setup.kind->step(w->setup.model, false, &frame->step);
    SLT_TRY(slt_tape_begin(tape, 0));
    return slt_tape_end(tape);
}

static slt_status segment(workplace *w, const slt_mdl_episodes *e, int most_laws, uint8_t *cut,
                          uint8_t *law, float *chance) {
    slt_segmentation a = {0};
    SLT_TRY(reserve_answer(w, &a));
    for (int64_t first = 0, at = 0; first < e->count; first += USE_BATCH) {
        int count = e->count - first < USE_BATCH ? (int)(e->count - first) : USE_BATCH;
        SLT_TRY(slt_context_check(w->context));
        SLT_TRY(run_batch(w, e->list + first, count));
        for (int i = 0; i < count; i++, at += a.length) {
            w->setup.kind->segment(w->learner->use.tape, 0, w->setup.model, w->learner->use.vars,
                                   w->feed.order[i], &a);
            for (int t = 0; t < a.length; t++) {
                bool last = t + 1 == a.length;
                cut[at + t] = !last && a.ids[t] != a.ids[t + 1];
                law[at + t] = (uint8_t)(a.ids[t] < most_laws ? a.ids[t] : most_laws - 1);
                if (chance) chance[at + t] = last ? 0 : a.ends[t];
            }
        }
    }
    return SLT_OK;
}

slt_status slt_mdl_run_segment(slt_context *context, const slt_mdl_run *run,
                               const slt_mdl_episodes *episodes, int most_laws, uint8_t *cut,
                               uint8_t *law, float *chance) {
    workplace *w;
    SLT_TRY(begin(context, &w));
    slt_status status = open_run(w, run, episodes->data);
    if (status == SLT_OK) status = segment(w, episodes, most_laws, cut, law, chance);
    end(context, w);
    return status;
}
