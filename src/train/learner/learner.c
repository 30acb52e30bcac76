// A learner.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/learner/learner.h"

#include <string.h>
#include "engine/adam.h"

static slt_status make_tape(slt_learner *learner, slt_limits limits, slt_learner_tape *out) {
    const slt_setup *setup = &learner->setup;
    SLT_TRY(slt_tape_create(learner->store, limits, &out->tape));
    setup->kind->build(out->tape, setup->model, &learner->data, !learner->data.segments_alone,
                       out->vars);
    out->io = setup->kind->io(out->vars);
    const slt_var losses[SLT_LOSSES] = {out->io.loss, out->io.reconstruction, out->io.kl};
    slt_tape_watch(out->tape, losses, SLT_LOSSES);
    return SLT_OK;
}

// the first tape declares the parameters; both share them
static slt_status build(slt_learner *learner, int members, slt_limits train, slt_limits use) {
    bool training = train.trajectories > 0;
    SLT_TRY(slt_store_create(learner->context, members, &learner->store));
    if (training) SLT_TRY(make_tape(learner, train, &learner->train));
    SLT_TRY(make_tape(learner, use, &learner->use));
    SLT_TRY(slt_store_finish(learner->store));
    if (training) SLT_TRY(slt_tape_finish(learner->train.tape, learner->train.io.loss, false));
    return slt_tape_finish(learner->use.tape, 0, false);
}

slt_status slt_learner_create(slt_context *context, const slt_setup *setup,
                              const slt_model_data *data, int members, slt_limits train,
                              slt_limits use, slt_learner **out) {
    int slots = setup->kind->slots(setup->model);
    if (slots > SLT_LEARNER_SLOTS) SLT_FAIL(SLT_RANGE, "%d slots are too many", slots);
    slt_learner *learner;
    SLT_TRY(SLT_ALLOC(&context->allocator, &learner, 1));
    learner->context = context;
    learner->setup = *setup;
    learner->data = *data;
    memcpy(learner->prior, data->prior, (size_t)slots * sizeof *learner->prior);
    learner->data.prior = learner->prior;
    slt_status status = SLT_ALLOC(&context->allocator, &learner->each, (size_t)members);
    for (int m = 0; m < members && status == SLT_OK; m++) learner->each[m] = *setup;
    if (status == SLT_OK) status = build(learner, members, train, use);
    if (status != SLT_OK) {
        slt_learner_destroy(learner);
        return status;
    }
    *out = learner;
    return SLT_OK;
}

void slt_learner_destroy(slt_learner *learner) {
    if (!learner) return;
    slt_tape_destroy(learner->train.tape);
    slt_tape_destroy(learner->use.tape);
    slt_device_dataset_destroy(learner->device_data);
    slt_store_destroy(learner->store);
    slt_free(&learner->context->allocator, learner->each);
    slt_free(&learner->context->allocator, learner);
}

// the tapes hold most of the memory, the weights are still needed
static void drop_tapes(slt_learner *learner) {
    slt_tape_destroy(learner->train.tape);
    slt_tape_destroy(learner->use.tape);
    learner->train.tape = learner->use.tape = NULL;
}

static void copy_member(slt_learner *to, int member, const slt_learner *from, int old) {
    slt_real *const into[] = {to->store->value, to->store->moment1, to->store->moment2};
    slt_real *const out_of[] = {from->store->value, from->store->moment1, from->store->moment2};
    to->each[member] = from->each[old];
    for (int block = 0; block < 3; block++)
        for (int i = 0; i < to->store->count; i++) {
            const slt_parameter *p = &to->store->parameters[i];
            memcpy(slt_store_at(to->store, into[block], i, member),
                   slt_store_at(from->store, out_of[block], i, old),
                   (size_t)p->rows * (size_t)p->columns * sizeof(slt_real));
        }
}

slt_status slt_learner_shrink(slt_learner **learner, const int *keep, int members, slt_limits train,
                              slt_limits use) {
    slt_learner *old = *learner, *smaller = NULL;
    slt_status status = slt_store_fetch(old->store);
    drop_tapes(old);
    if (status == SLT_OK)
        status = slt_learner_create(old->context, &old->setup, &old->data, members, train, use,
                                    &smaller);
    if (status == SLT_OK) status = slt_store_edit(smaller->store);
    if (status == SLT_OK) {
        for (int m = 0; m < members; m++) copy_member(smaller, m, old, keep[m]);
        smaller->companions = old->companions;
        smaller->device_data = old->device_data;
        old->device_data = NULL;
    }
    slt_learner_destroy(old);
    *learner = smaller;
    return status;
}

slt_batch_layout slt_learner_batch_layout(const slt_learner *learner, slt_dataset *data,
                                          bool training) {
    const slt_model_kind *kind = learner->setup.kind;
    const void *options = learner->setup.model;
    int slots = kind->slots(options);
    const slt_episode *fixed = training ? NULL : learner->companions;
    bool device_data = learner->device_data && learner->device_data->data == data;
    return (slt_batch_layout){.data = data,
                              .device_data = device_data ? learner->device_data : NULL,
                              .reads_actions = !training,
                              .length = learner->data.length,
                              .slots = slots,
                              .padding = learner->data.symbols - 1,
                              .padded = slt_model_padded(kind, options),
                              .channels = learner->data.channels,
                              .channel = learner->data.channel,
                              .observed = learner->data.observed,
                              .done = slt_setup_done(&learner->setup),
                              .oracle = kind->oracle && kind->oracle(options),
                              .companions = kind->companions(options),
                              .effects = learner->use.io.effects > 0,
                              .fixed = fixed ? slots : 0,
                              .fixed_episodes = fixed,
                              .observation_type = learner->data.observation_type,
                              .observation = learner->data.observation};
}

slt_status slt_learner_upload(slt_learner *learner, slt_dataset *data) {
    slt_batch_layout rule = slt_learner_batch_layout(learner, data, false);
    return slt_device_dataset_create(learner->context, &rule, &learner->device_data);
}

slt_status slt_learner_limits(const slt_setup *setup, const slt_model_data *data, slt_dataset *set,
                              int trajectories, int ranks, slt_limits *out) {
    slt_batch_layout rule = {.data = set,
                             .length = data->length,
                             .slots = setup->kind->slots(setup->model),
                             .padded = slt_model_padded(setup->kind, setup->model),
                             .done = slt_setup_done(setup),
                             .companions = setup->kind->companions(setup->model),
                             .ranks = ranks,
                             .whole = trajectories};
    *out = (slt_limits){
        .trajectories = slt_feed_share(&rule), .slots = rule.slots, .length = data->length};
    if (slt_feed_lists(&rule)) SLT_TRY(slt_feed_tokens(&rule, slt_feed_shared(&rule), &out->seen));
    return slt_feed_tokens(&rule, out->trajectories, &out->tokens);
}

slt_status slt_learner_each(const slt_learner *learner, slt_parallel_work work, void *user) {
    int members = learner->store->members;
    if (!learner->device_data) return slt_parallel_for(learner->context, members, work, user);
    for (int m = 0; m < members; m++) SLT_TRY(work(user, m));
    return SLT_OK;
}

void slt_learner_feed(slt_learner *learner, int member, const slt_feed *feed, uint64_t seed,
                      int64_t number, double learning_rate, bool active) {
    const slt_setup *setup = &learner->each[member];
    slt_tape *tape = learner->train.tape;
    slt_feed_hand_over(feed, tape, member, learner->train.io);
    slt_frame *frame = slt_tape_frame(tape, member);
    slt_step *step = &frame->step;
    frame->idle = !active;
    *step = (slt_step){.seed = seed,
                       .step = (uint32_t)number,
                       .learning_rate = (slt_real)learning_rate,
                       .adam_epsilon = (slt_real)setup->train.adam_eps,
                       .max_norm = (slt_real)setup->train.max_grad_norm,
                       .adam_count = (uint32_t)number + 1,
                       .active = active};
    setup->kind->step(setup->model, true, step);
}

bool slt_learner_rest(slt_learner *learner, int member) {
    slt_frame *frame = slt_tape_frame(learner->train.tape, member);
    frame->idle = true;
    frame->step.active = false;
    return frame->batch.offset != NULL;
}

slt_status slt_learner_step(slt_learner *learner) { return slt_tape_step(learner->train.tape); }
