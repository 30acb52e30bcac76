// Using a model, batch by batch.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/answer.h"

#include "core/each.h"
#include "core/group_impl.h"
#include "train/companions.h"

enum { BATCH = 64, BATCH_OF_DEVICE = 512 };

int slt_answer_batch(const slt_context *context, const slt_setup *setup, int members) {
    bool free = context->on_device && !setup->kind->padded(setup->model);
    int each = BATCH_OF_DEVICE / members;
    return free && each > BATCH ? each : BATCH;
}

slt_status slt_answer_limits(const slt_context *context, const slt_setup *setup,
                             const slt_model_data *data, slt_dataset *set, int members,
                             slt_limits *out) {
    int slots = setup->kind->slots(setup->model);
    slt_feed_rule rule = {.data = set,
                          .length = data->length,
                          .slots = slots,
                          .padded = setup->kind->padded(setup->model),
                          .done = slt_setup_done(setup),
                          .fixed = slt_companions_needed(setup) ? slots : 0};
    int batch = slt_answer_batch(context, setup, members);
    *out = (slt_limits){batch + rule.fixed, 0, slots, data->length};
    return slt_feed_tokens(&rule, out->trajectories, &out->tokens);
}

// sums over batches
typedef struct {
    double reconstruction, kl;
    double reconstructed, weight; // what these are sums over: true steps or trajectories
    double steps, right;
} totals;

// a request while it is answered
typedef struct {
    const slt_answer_request *request;
    const void *options; // of its member
    slt_segmentation segmentation;
    totals sum;
} lane;

typedef struct {
    slt_learner *learner;
    slt_feed feed;
    lane *lanes;
    int count;
} answerer;

// ---- one batch

static slt_status reserve(slt_arena *arena, const slt_learner *learner, bool pictures,
                          slt_segmentation *out) {
    size_t L = (size_t)learner->data.length;
    size_t K = (size_t)learner->setup.kind->slots(learner->setup.model);
    SLT_TRY(SLT_NEW(arena, &out->ids, L));
    SLT_TRY(SLT_NEW(arena, &out->done_ids, L));
    SLT_TRY(SLT_NEW(arena, &out->counts, K));
    SLT_TRY(SLT_NEW(arena, &out->confidence, L));
    SLT_TRY(SLT_NEW(arena, &out->ends, L));
    if (!pictures) return SLT_OK;
    const slt_model_kind *kind = learner->setup.kind;
    out->slot_size = kind->slot_size ? kind->slot_size(learner->setup.model) : 0;
    if (out->slot_size) SLT_TRY(SLT_NEW(arena, &out->vectors, K * (size_t)out->slot_size));
    SLT_TRY(SLT_NEW(arena, &out->masks, K * L));
    return SLT_NEW(arena, &out->attention, K * L);
}

// the sorted place of each episode of the batch: answers go out in the order they were asked
static slt_status hand_out(const answerer *a, lane *l, const int64_t *episodes, int count) {
    const slt_learner *learner = a->learner;
    const slt_answer_request *request = l->request;
    slt_segmentation *segmentation = &l->segmentation;
    for (int i = 0; i < count; i++) {
        for (int p = 0; p < learner->data.length; p++) segmentation->ends[p] = -1;
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(a->feed.rule.data, episodes[i], &episode));
        segmentation->true_count = (int)slt_episode_segment_count(&episode);
        learner->setup.kind->segment(learner->use.tape, request->member, l->options,
                                     learner->use.vars, a->feed.order[i], segmentation);
        l->sum.right += segmentation->reconstructed;
        l->sum.steps += segmentation->length;
        if (request->visit) SLT_TRY(request->visit(request->user, &episode, segmentation));
    }
    return SLT_OK;
}

// all members get the batch, those that were not asked rest
static void hand_over(answerer *a, uint32_t number) {
    const slt_model_kind *kind = a->learner->setup.kind;
    slt_tape *tape = a->learner->use.tape;
    for (int m = 0; m < a->learner->store->members; m++) {
        slt_feed_hand_over(&a->feed, tape, m, a->learner->use.io);
        slt_tape_frame(tape, m)->idle = true;
    }
    for (int i = 0; i < a->count; i++) {
        const slt_answer_request *request = a->lanes[i].request;
        slt_frame *frame = slt_tape_frame(tape, request->member);
        frame->idle = false;
        frame->step.seed = request->seed;
        frame->step.step = 0x80000000u + number; // apart from the steps of training
        kind->step(a->lanes[i].options, false, &frame->step);
        if (request->rounded && kind->round) kind->round(&frame->step);
    }
}

static void add_losses(const answerer *a, lane *l) {
    const slt_model_kind *kind = a->learner->setup.kind;
    const slt_model_io *io = &a->learner->use.io;
    const slt_tape *tape = a->learner->use.tape;
    double tokens = a->feed.batch.true_tokens, count = a->feed.batch.count;
    double reconstructed = kind->per_trajectory ? count : tokens;
    double weight = kind->per_step ? tokens : count;
    int member = l->request->member;
    l->sum.reconstruction += reconstructed * slt_model_loss(tape, member, io->reconstruction);
    l->sum.reconstructed += reconstructed;
    l->sum.kl += weight * slt_model_loss(tape, member, io->kl);
    l->sum.weight += weight;
}

// what is done for each member, by whichever thread
typedef struct {
    const answerer *answerer;
    const int64_t *episodes;
    int asked;
} batch_work;

static slt_status answer_member(void *user, int i) {
    const batch_work *w = user;
    lane *l = &w->answerer->lanes[i];
    add_losses(w->answerer, l);
    return hand_out(w->answerer, l, w->episodes, w->asked);
}

// one member has all threads inside its operations, of several each thread takes some
static slt_status answer_batch(answerer *a, const int64_t *episodes, int asked, uint32_t number) {
    slt_tape *tape = a->learner->use.tape;
    SLT_TRY(slt_feed_fill(&a->feed, episodes, asked));
    hand_over(a, number);
    SLT_TRY(a->count == 1 ? slt_tape_forward_member(tape, a->lanes[0].request->member)
                          : slt_tape_forward(tape));
    slt_tape_bring(tape);
    batch_work w = {a, episodes, asked};
    return slt_for_each(a->learner->context, a->count, answer_member, &w);
}

// ---- all batches

// fixed companions are in every batch; what they add to the sums is taken out again
static slt_status leave_companions_out(answerer *a, slt_arena *arena, int64_t batches) {
    totals *all;
    if (!a->feed.rule.fixed) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &all, (size_t)a->count));
    for (int i = 0; i < a->count; i++) all[i] = a->lanes[i].sum, a->lanes[i].sum = (totals){0};
    SLT_TRY(answer_batch(a, NULL, 0, 0));
    for (int i = 0; i < a->count; i++) {
        const totals alone = a->lanes[i].sum;
        a->lanes[i].sum = all[i];
        a->lanes[i].sum.reconstruction -= (double)batches * alone.reconstruction;
        a->lanes[i].sum.kl -= (double)batches * alone.kl;
        a->lanes[i].sum.reconstructed -= (double)batches * alone.reconstructed;
        a->lanes[i].sum.weight -= (double)batches * alone.weight;
    }
    return SLT_OK;
}

static slt_status prepare(answerer *a, slt_arena *arena, slt_dataset *data, int batch,
                          const slt_answer_request *requests) {
    slt_feed_rule rule = slt_learner_feed_rule(a->learner, data, false);
    SLT_TRY(slt_feed_init(&a->feed, arena, &rule, batch + rule.fixed));
    SLT_TRY(SLT_NEW(arena, &a->lanes, (size_t)a->count));
    for (int i = 0; i < a->count; i++) {
        lane *l = &a->lanes[i];
        l->request = &requests[i];
        l->options = a->learner->each[requests[i].member].model;
        SLT_TRY(reserve(arena, a->learner, requests[i].pictures, &l->segmentation));
    }
    return SLT_OK;
}

static slt_status answer_all(answerer *a, slt_arena *arena, slt_dataset *data,
                             const int64_t *episodes, int64_t count,
                             const slt_answer_request *requests) {
    slt_context *context = a->learner->context;
    int batch = slt_answer_batch(context, &a->learner->setup, a->learner->store->members);
    int64_t batches = 0;
    SLT_TRY(prepare(a, arena, data, batch, requests));
    int ranks = requests->shared ? slt_group_size(context) : 1;
    int64_t first = ranks > 1 ? slt_group_rank(context) : 0;
    for (int64_t n = first; n * batch < count; n += ranks, batches++) {
        SLT_TRY(slt_context_check(context));
        int64_t at = n * batch;
        int asked = count - at < batch ? (int)(count - at) : batch;
        SLT_TRY(answer_batch(a, episodes + at, asked, (uint32_t)n));
    }
    return leave_companions_out(a, arena, batches);
}

static slt_answer_losses weigh(const slt_model_kind *kind, const lane *l) {
    const totals *sum = &l->sum;
    slt_answer_losses out;
    slt_step step = {0};
    kind->step(l->options, false, &step);
    out.reconstruction = sum->reconstructed > 0 ? sum->reconstruction / sum->reconstructed : 0;
    out.kl = sum->weight > 0 ? sum->kl / sum->weight : 0;
    out.loss = out.reconstruction + (double)step.weight[0] * out.kl;
    out.accuracy = sum->steps > 0 ? sum->right / sum->steps : 0;
    return out;
}

// a failure of one process is a failure of all
static slt_status add_shares(answerer *a, slt_status status) {
    slt_context *context = a->learner->context;
    SLT_TRY(slt_group_agree(context, status));
    for (int i = 0; i < a->count; i++) {
        totals *sum = &a->lanes[i].sum;
        SLT_TRY(slt_group_sum(context, sum, sizeof *sum / sizeof(double), sizeof(double)));
    }
    return SLT_OK;
}

slt_status slt_answer(slt_learner *learner, slt_dataset *data, const int64_t *episodes,
                      int64_t count, const slt_answer_request *requests, int members,
                      slt_answer_losses *out) {
    slt_arena arena;
    answerer a = {.learner = learner, .count = members};
    slt_arena_init(&arena, &learner->context->allocator, 1 << 20);
    slt_status status = answer_all(&a, &arena, data, episodes, count, requests);
    if (requests->shared) status = add_shares(&a, status);
    for (int i = 0; i < members && status == SLT_OK; i++)
        out[i] = weigh(learner->setup.kind, &a.lanes[i]);
    slt_arena_deinit(&arena);
    return status;
}
