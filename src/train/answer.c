// Using a model, batch by batch.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/answer.h"

#include "core/group_impl.h"
#include "train/companions.h"

enum { BATCH = 64, BATCH_OF_DEVICE = 512 };

int slt_answer_batch(const slt_context *context, const slt_setup *setup) {
    return context->on_device && !setup->kind->padded(setup->model) ? BATCH_OF_DEVICE : BATCH;
}

slt_status slt_answer_limits(const slt_context *context, const slt_setup *setup,
                             const slt_model_data *data, slt_dataset *set, slt_limits *out) {
    int slots = setup->kind->slots(setup->model);
    slt_feed_rule rule = {.data = set,
                          .length = data->length,
                          .slots = slots,
                          .padded = setup->kind->padded(setup->model),
                          .done = slt_setup_done(setup),
                          .fixed = slt_companions_needed(setup) ? slots : 0};
    *out = (slt_limits){slt_answer_batch(context, setup) + rule.fixed, 0, slots, data->length};
    return slt_feed_tokens(&rule, out->trajectories, &out->tokens);
}

// sums over batches
typedef struct {
    double reconstruction, kl;
    double reconstructed, weight; // what these are sums over: true steps or trajectories
    double steps, right;
} totals;

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
static slt_status hand_out(slt_learner *learner, const slt_feed *feed, const int64_t *episodes,
                           int count, const slt_answer_request *request,
                           slt_segmentation *segmentation, totals *sum) {
    const slt_model_kind *kind = learner->setup.kind;
    for (int i = 0; i < count; i++) {
        int b = feed->order[i];
        for (int l = 0; l < learner->data.length; l++) segmentation->ends[l] = -1;
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(feed->rule.data, episodes[i], &episode));
        segmentation->true_count = (int)slt_episode_segment_count(&episode);
        kind->segment(learner->use.tape, request->member, learner->setup.model, learner->use.vars,
                      b, segmentation);
        sum->right += segmentation->reconstructed;
        sum->steps += segmentation->length;
        if (!request->visit) continue;
        SLT_TRY(request->visit(request->user, &episode, segmentation));
    }
    return SLT_OK;
}

static slt_status answer_batch(slt_learner *learner, slt_feed *feed, const int64_t *episodes,
                               int asked, uint32_t number, const slt_answer_request *request,
                               slt_segmentation *segmentation, totals *sum) {
    slt_tape *tape = learner->use.tape;
    SLT_TRY(slt_feed_fill(feed, episodes, asked));
    for (int m = 0; m < learner->store->members; m++)
        slt_feed_hand_over(feed, tape, m, learner->use.io);
    slt_frame *frame = slt_tape_frame(tape, request->member);
    frame->step.seed = request->seed;
    frame->step.step = 0x80000000u + number; // apart from the steps of training
    const slt_model_kind *kind = learner->setup.kind;
    kind->step(learner->setup.model, false, &frame->step);
    if (request->rounded && kind->round) kind->round(&frame->step);
    SLT_TRY(slt_tape_forward_member(tape, request->member));
    const slt_model_io *io = &learner->use.io;
    double tokens = feed->batch.true_tokens, count = feed->batch.count;
    double reconstructed = kind->per_trajectory ? count : tokens;
    double weight = kind->per_step ? tokens : count;
    sum->reconstruction +=
        reconstructed * slt_model_loss(tape, request->member, io->reconstruction);
    sum->reconstructed += reconstructed;
    sum->kl += weight * slt_model_loss(tape, request->member, io->kl);
    sum->weight += weight;
    return hand_out(learner, feed, episodes, asked, request, segmentation, sum);
}

// fixed companions are in every batch; what they add to the sums is taken out again
static slt_status leave_companions_out(slt_learner *learner, slt_feed *feed, int64_t batches,
                                       const slt_answer_request *request, totals *sum) {
    totals alone = {0};
    if (!feed->rule.fixed) return SLT_OK;
    SLT_TRY(answer_batch(learner, feed, NULL, 0, 0, request, NULL, &alone));
    sum->reconstruction -= (double)batches * alone.reconstruction;
    sum->kl -= (double)batches * alone.kl;
    sum->reconstructed -= (double)batches * alone.reconstructed;
    sum->weight -= (double)batches * alone.weight;
    return SLT_OK;
}

static slt_status answer_all(slt_learner *learner, slt_arena *arena, slt_dataset *data,
                             const int64_t *episodes, int64_t count,
                             const slt_answer_request *request, totals *out) {
    slt_feed feed;
    slt_segmentation segmentation = {0};
    slt_feed_rule rule = slt_learner_feed_rule(learner, data, false);
    totals sum = {0};
    int64_t batches = 0;
    int batch = slt_answer_batch(learner->context, &learner->setup);
    SLT_TRY(slt_feed_init(&feed, arena, &rule, batch + rule.fixed));
    SLT_TRY(reserve(arena, learner, request->pictures, &segmentation));
    int ranks = request->shared ? slt_group_size(learner->context) : 1;
    int64_t first = ranks > 1 ? slt_group_rank(learner->context) : 0;
    for (int64_t n = first; n * batch < count; n += ranks, batches++) {
        SLT_TRY(slt_context_check(learner->context));
        int64_t at = n * batch;
        int asked = count - at < batch ? (int)(count - at) : batch;
        SLT_TRY(answer_batch(learner, &feed, episodes + at, asked, (uint32_t)n, request,
                             &segmentation, &sum));
    }
    SLT_TRY(leave_companions_out(learner, &feed, batches, request, &sum));
    *out = sum;
    return SLT_OK;
}

static void weigh(const slt_learner *learner, const totals *found, slt_answer_losses *out) {
    totals sum = *found;
    slt_step step = {0};
    learner->setup.kind->step(learner->setup.model, false, &step);
    out->reconstruction = sum.reconstructed > 0 ? sum.reconstruction / sum.reconstructed : 0;
    out->kl = sum.weight > 0 ? sum.kl / sum.weight : 0;
    out->loss = out->reconstruction + (double)step.weight[0] * out->kl;
    out->accuracy = sum.steps > 0 ? sum.right / sum.steps : 0;
}

slt_status slt_answer(slt_learner *learner, slt_dataset *data, const int64_t *episodes,
                      int64_t count, const slt_answer_request *request, slt_answer_losses *out) {
    slt_arena arena;
    slt_arena_init(&arena, &learner->context->allocator, 1 << 20);
    totals sum;
    slt_status status = answer_all(learner, &arena, data, episodes, count, request, &sum);
    slt_arena_deinit(&arena);
    if (request->shared) {
        SLT_TRY(slt_group_agree(learner->context, status));
        status = slt_group_sum(learner->context, &sum, sizeof sum / sizeof(double), sizeof(double));
    }
    if (status == SLT_OK) weigh(learner, &sum, out);
    return status;
}
