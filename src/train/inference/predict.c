// Using a model, batch by batch.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/inference/predict.h"

#include "core/parallel_for.h"
#include "core/group_impl.h"
#include "train/learner/companions.h"

// trajectories; on a device as many as have so many positions, which bounds its memory
enum { BATCH = 64, BATCH_OF_DEVICE = 512, LEAST_OF_DEVICE = 4, POSITIONS = 65 * 512 };

int slt_predict_batch(const slt_context *context, const slt_setup *setup, int length, int members) {
    if (!context->on_device || slt_model_padded(setup->kind, setup->model)) return BATCH;
    int each = BATCH_OF_DEVICE / members, most = POSITIONS / (length > 1 ? length : 1);
    if (each < BATCH) each = BATCH;
    if (each > most) each = most;
    return each < LEAST_OF_DEVICE ? LEAST_OF_DEVICE : each;
}

slt_status slt_predict_limits(const slt_context *context, const slt_setup *setup,
                              const slt_model_data *data, slt_dataset *set, int members,
                              slt_limits *out) {
    int slots = setup->kind->slots(setup->model);
    slt_batch_layout rule = {.data = set,
                             .length = data->length,
                             .slots = slots,
                             .padded = slt_model_padded(setup->kind, setup->model),
                             .done = slt_setup_done(setup),
                             .fixed = slt_companions_needed(setup) ? slots : 0};
    int batch = slt_predict_batch(context, setup, data->length, members);
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
    const slt_predict_request *request;
    const void *options;            // of its member
    slt_segmentation *segmentation; // [room]
    totals sum;
} job;

// a batch on its way through the tape
typedef struct {
    const int64_t *episodes;
    int asked;
    uint32_t number;
    slt_feed feed;
} pending_batch;

enum { PENDING = 2, EACH = 8 }; // trajectories that a thread takes at once

typedef struct {
    slt_learner *learner;
    pending_batch pending[PENDING]; // taken in turn
    int64_t begun, ended;           // of them
    job *jobs;
    int count;
    int ahead; // passes under way
    int room;  // trajectories whose segmentations are there at the same time
} predictor;

static int least(int a, int b) { return a < b ? a : b; }

// ---- one batch

// room for what a model says about one episode; pictures: masks and attention too
static slt_status reserve_answer(slt_arena *arena, const slt_learner *learner, bool pictures,
                                 slt_segmentation *out) {
    size_t L = (size_t)learner->data.length;
    size_t K = (size_t)learner->setup.kind->slots(learner->setup.model);
    SLT_TRY(SLT_NEW(arena, &out->ids, L));
    SLT_TRY(SLT_NEW(arena, &out->done_ids, L));
    SLT_TRY(SLT_NEW(arena, &out->counts, K));
    SLT_TRY(SLT_NEW(arena, &out->confidence, L));
    SLT_TRY(SLT_NEW(arena, &out->ends, L));
    SLT_TRY(SLT_NEW(arena, &out->head, slt_learner_predicted(learner)));
    if (!pictures) return SLT_OK;
    const slt_model_kind *kind = learner->setup.kind;
    out->slot_size = kind->slot_size ? kind->slot_size(learner->setup.model) : 0;
    if (out->slot_size) SLT_TRY(SLT_NEW(arena, &out->vectors, K * (size_t)out->slot_size));
    SLT_TRY(SLT_NEW(arena, &out->masks, K * L));
    return SLT_NEW(arena, &out->attention, K * L);
}

// trajectories [first, first + count) of a pass, for all requests
typedef struct {
    const predictor *predictor;
    const pending_batch *pending_batch;
    int first, count;
} piece;

// answers go out in the order they were asked, `order` has the sorted place of each
static slt_status segment_one(const piece *p, const job *l, int i) {
    const slt_learner *learner = p->predictor->learner;
    const slt_feed *feed = &p->pending_batch->feed;
    slt_segmentation *out = &l->segmentation[i];
    slt_episode episode;
    SLT_TRY(
        slt_dataset_episode(feed->rule.data, p->pending_batch->episodes[p->first + i], &episode));
    bool labels = !l->request->comparing;
    for (int at = 0; at < learner->data.length; at++) out->ends[at] = -1;
    out->true_count = labels ? (int)slt_episode_segment_count(&episode) : 0;
    learner->setup.kind->segment(learner->use.tape, l->request->member, l->options,
                                 learner->use.vars, feed->order[p->first + i], out);
    return SLT_OK;
}

static slt_status segment_some(void *user, int i) {
    const piece *p = user;
    int parts = (p->count + EACH - 1) / EACH, first = i % parts * EACH;
    const job *l = &p->predictor->jobs[i / parts];
    for (int at = first; at < first + EACH && at < p->count; at++) SLT_TRY(segment_one(p, l, at));
    return SLT_OK;
}

static slt_status hand_out(void *user, int i) {
    const piece *p = user;
    job *l = &p->predictor->jobs[i];
    const slt_predict_request *request = l->request;
    for (int at = 0; at < p->count; at++) {
        const slt_segmentation *segmentation = &l->segmentation[at];
        l->sum.right += segmentation->reconstructed;
        l->sum.steps += segmentation->length;
        if (!request->visit) continue;
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(p->pending_batch->feed.rule.data,
                                    p->pending_batch->episodes[p->first + at], &episode));
        SLT_TRY(request->visit(request->user, &episode, segmentation));
    }
    return SLT_OK;
}

// all members get the batch, those that were not asked rest
static void hand_over(predictor *a, const pending_batch *p) {
    const uint32_t FIRST = 0x80000000u; // after all steps of training
    const slt_model_kind *kind = a->learner->setup.kind;
    slt_tape *tape = a->learner->use.tape;
    for (int m = 0; m < a->learner->store->members; m++) {
        slt_feed_hand_over(&p->feed, tape, m, a->learner->use.io);
        slt_tape_frame(tape, m)->idle = true;
    }
    for (int i = 0; i < a->count; i++) {
        const slt_predict_request *request = a->jobs[i].request;
        slt_frame *frame = slt_tape_frame(tape, request->member);
        frame->idle = false;
        frame->step.seed = request->seed;
        frame->step.step = FIRST + (request->comparing ? 0 : p->number);
        kind->step(a->jobs[i].options, false, &frame->step);
        if (request->comparing && kind->round) kind->round(&frame->step);
    }
}

static void add_losses(const predictor *a, const pending_batch *p, job *l) {
    const slt_model_kind *kind = a->learner->setup.kind;
    const slt_model_io *io = &a->learner->use.io;
    const slt_tape *tape = a->learner->use.tape;
    double tokens = p->feed.batch.true_tokens, count = p->feed.batch.count;
    double reconstructed = kind->per_trajectory ? count : tokens;
    double weight = kind->per_step ? tokens : count;
    int member = l->request->member;
    l->sum.reconstruction += reconstructed * slt_model_loss(tape, member, io->reconstruction);
    l->sum.reconstructed += reconstructed;
    l->sum.kl += weight * slt_model_loss(tape, member, io->kl);
    l->sum.weight += weight;
}

static slt_status begin_pass(predictor *a, const int64_t *episodes, int asked, uint32_t number) {
    pending_batch *p = &a->pending[a->begun % a->ahead];
    p->episodes = episodes;
    p->asked = asked;
    p->number = number;
    SLT_TRY(slt_feed_fill(&p->feed, episodes, asked));
    hand_over(a, p);
    SLT_TRY(slt_tape_begin(a->learner->use.tape, a->count == 1 ? a->jobs[0].request->member : -1));
    a->begun++;
    return SLT_OK;
}

// the oldest: its frames are handed over once more, whoever reads results looks into them
static slt_status end_pass(predictor *a) {
    const pending_batch *p = &a->pending[a->ended++ % a->ahead];
    slt_context *context = a->learner->context;
    hand_over(a, p);
    SLT_TRY(slt_tape_end(a->learner->use.tape));
    for (int i = 0; i < a->count; i++) add_losses(a, p, &a->jobs[i]);
    for (int first = 0; first < p->asked; first += a->room) {
        piece part = {a, p, first, least(a->room, p->asked - first)};
        SLT_TRY(slt_parallel_for(context, a->count * ((part.count + EACH - 1) / EACH), segment_some,
                                 &part));
        SLT_TRY(slt_parallel_for(context, a->count, hand_out, &part));
    }
    return SLT_OK;
}

// ---- all batches

// fixed companions are in every batch; what they add to the sums is taken out again
static slt_status leave_companions_out(predictor *a, slt_arena *arena, int64_t batches) {
    totals *all;
    if (!a->pending[0].feed.rule.fixed) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &all, (size_t)a->count));
    for (int i = 0; i < a->count; i++) all[i] = a->jobs[i].sum, a->jobs[i].sum = (totals){0};
    SLT_TRY(begin_pass(a, NULL, 0, 0));
    SLT_TRY(end_pass(a));
    for (int i = 0; i < a->count; i++) {
        const totals alone = a->jobs[i].sum;
        a->jobs[i].sum = all[i];
        a->jobs[i].sum.reconstruction -= (double)batches * alone.reconstruction;
        a->jobs[i].sum.kl -= (double)batches * alone.kl;
        a->jobs[i].sum.reconstructed -= (double)batches * alone.reconstructed;
        a->jobs[i].sum.weight -= (double)batches * alone.weight;
    }
    return SLT_OK;
}

static slt_status prepare_job(predictor *a, slt_arena *arena, const slt_predict_request *request,
                              job *l) {
    l->request = request;
    l->options = a->learner->each[request->member].model;
    SLT_TRY(SLT_NEW(arena, &l->segmentation, (size_t)a->room));
    for (int i = 0; i < a->room; i++)
        SLT_TRY(reserve_answer(arena, a->learner, request->pictures, &l->segmentation[i]));
    return SLT_OK;
}

// segmentations for a whole batch, where they are small
static int room_for(const slt_learner *learner, int requests, int batch) {
    const slt_model_kind *kind = learner->setup.kind;
    int64_t L = learner->data.length, K = kind->slots(learner->setup.model);
    int64_t size = kind->slot_size ? kind->slot_size(learner->setup.model) : 0;
    int64_t fit = (1 << 20) / (requests * (5 * L + 2 * K * L + K * size + 1));
    return fit < 1 ? 1 : fit < batch ? (int)fit : batch;
}

static slt_status prepare(predictor *a, slt_arena *arena, slt_dataset *data, int batch,
                          const slt_predict_request *requests) {
    slt_batch_layout rule = slt_learner_batch_layout(a->learner, data, false);
    a->room = room_for(a->learner, a->count, batch);
    a->ahead = least(PENDING, slt_tape_ahead(a->learner->use.tape));
    for (int i = 0; i < a->ahead; i++)
        SLT_TRY(slt_feed_init(&a->pending[i].feed, arena, &rule, batch + rule.fixed));
    SLT_TRY(SLT_NEW(arena, &a->jobs, (size_t)a->count));
    for (int i = 0; i < a->count; i++) SLT_TRY(prepare_job(a, arena, &requests[i], &a->jobs[i]));
    return SLT_OK;
}

// with as many batches under way as the tape allows
static slt_status answer_batches(predictor *a, const int64_t *episodes, int64_t count, int batch,
                                 const slt_predict_request *requests) {
    slt_context *context = a->learner->context;
    int ranks = requests->shared ? slt_group_size(context) : 1;
    int64_t first = ranks > 1 ? slt_group_rank(context) : 0;
    for (int64_t n = first; n * batch < count; n += ranks) {
        SLT_TRY(slt_context_check(context));
        int64_t at = n * batch;
        int asked = count - at < batch ? (int)(count - at) : batch;
        SLT_TRY(begin_pass(a, episodes + at, asked, (uint32_t)n));
        if (a->begun - a->ended == a->ahead) SLT_TRY(end_pass(a));
    }
    while (a->ended < a->begun) SLT_TRY(end_pass(a));
    return SLT_OK;
}

static slt_status answer_all(predictor *a, slt_arena *arena, slt_dataset *data,
                             const int64_t *episodes, int64_t count,
                             const slt_predict_request *requests) {
    const slt_learner *learner = a->learner;
    int batch = slt_predict_batch(learner->context, &learner->setup, learner->data.length,
                                  learner->store->members);
    SLT_TRY(prepare(a, arena, data, batch, requests));
    slt_status status = answer_batches(a, episodes, count, batch, requests);
    // what is still under way when something failed
    for (; a->ended < a->begun; a->ended++) slt_tape_end(learner->use.tape);
    SLT_TRY(status);
    return leave_companions_out(a, arena, a->begun);
}

double slt_answer_loss(const slt_model_kind *kind, const void *options, double reconstruction,
                       double kl) {
    slt_step step = {0};
    kind->step(options, false, &step);
    double weight = (double)step.weight[0];
    return weight != 0 ? reconstruction + weight * kl : reconstruction;
}

static slt_predict_losses mean_losses(const slt_model_kind *kind, const job *l) {
    const totals *sum = &l->sum;
    slt_predict_losses out;
    out.reconstruction = sum->reconstructed > 0 ? sum->reconstruction / sum->reconstructed : 0;
    out.kl = sum->weight > 0 ? sum->kl / sum->weight : 0;
    out.loss = slt_answer_loss(kind, l->options, out.reconstruction, out.kl);
    out.accuracy = sum->steps > 0 ? sum->right / sum->steps : 0;
    return out;
}

// a failure of one process is a failure of all
static slt_status add_shares(predictor *a, slt_status status) {
    slt_context *context = a->learner->context;
    SLT_TRY(slt_group_agree(context, status));
    for (int i = 0; i < a->count; i++) {
        totals *sum = &a->jobs[i].sum;
        SLT_TRY(slt_group_sum(context, sum, sizeof *sum / sizeof(double), sizeof(double)));
    }
    return SLT_OK;
}

slt_status slt_predict(slt_learner *learner, slt_dataset *data, const int64_t *episodes,
                       int64_t count, const slt_predict_request *requests, int members,
                       slt_predict_losses *out) {
    slt_arena arena;
    predictor a = {.learner = learner, .count = members};
    slt_arena_init(&arena, &learner->context->allocator, 1 << 20);
    slt_status status = answer_all(&a, &arena, data, episodes, count, requests);
    if (requests->shared) status = add_shares(&a, status);
    for (int i = 0; i < members && status == SLT_OK; i++)
        out[i] = mean_losses(learner->setup.kind, &a.jobs[i]);
    slt_arena_deinit(&arena);
    return status;
}
