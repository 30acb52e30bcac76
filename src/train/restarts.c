// Restarts: how they begin, and which one is kept. No labels are read here.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/philox.h"
#include "metrics/delimiter.h"
#include "train/trainer.h"

// ---- beginning

uint64_t slt_member_seed(uint64_t seed, int member) {
    if (member == 0) return seed;
    slt_words words = slt_random_words(seed, SLT_RANDOM_MEMBERS, (uint64_t)member, 0);
    return (uint64_t)words.word[0] << 32 | words.word[1];
}

// sets of symbols that a member may begin with, cheapest first
struct slt_start_sets {
    int32_t symbols[SLT_TOP_SETS][SLT_SET_SIZE];
    int size[SLT_TOP_SETS]; // symbols of each
    int count;
};

// the actions of the first episodes of a split
static slt_status view_actions(slt_trainer *t, slt_split split, int64_t most, slt_sequence **out,
                               size_t *count) {
    int64_t there = t->task.count[split], used = there < most ? there : most;
    SLT_TRY(SLT_NEW(&t->arena, out, (size_t)used));
    for (int64_t i = 0; i < used; i++) {
        slt_episode episode;
        int32_t *actions;
        SLT_TRY(slt_dataset_episode(t->task.data, t->task.episodes[split][i], &episode));
        SLT_TRY(SLT_NEW(&t->arena, &actions, (size_t)episode.length));
        for (int64_t l = 0; l < episode.length; l++) actions[l] = slt_episode_action(&episode, l);
        (*out)[i] = (slt_sequence){actions, (int32_t)episode.length};
    }
    *count = (size_t)used;
    return SLT_OK;
}

// the search wants the prior by number of segments, from 0 on
static slt_status shift_prior(slt_trainer *t, slt_rule_input *input) {
    int K = t->learner->setup.kind->slots(t->learner->setup.model);
    double *prior;
    SLT_TRY(SLT_NEW(&t->arena, &prior, (size_t)K + 1));
    memcpy(prior + 1, t->task.prior, (size_t)K * sizeof *prior);
    input->prior = prior;
    input->prior_size = K + 1;
    return SLT_OK;
}

static slt_status search(slt_trainer *t, slt_delimiter_data *data, slt_delimiter_found *found) {
    enum { TRAIN = 2000, VALID = 500 }; // episodes: counts of symbols need no more
    slt_rule_input input = {.actions = t->task.model.symbols - 1};
    slt_sequence *train, *valid;
    SLT_TRY(view_actions(t, SLT_SPLIT_TRAIN, TRAIN, &train, &input.train_count));
    SLT_TRY(view_actions(t, slt_trainer_held_out(t), VALID, &valid, &input.valid_count));
    input.train = train;
    input.valid = valid;
    SLT_TRY(shift_prior(t, &input));
    SLT_TRY(slt_delimiter_pack(&t->arena, &input, data));
    return slt_delimiter_search(t->context, &t->arena, data, found);
}

static slt_status search_sets(slt_trainer *t, slt_start_sets *out) {
    slt_delimiter_data data;
    slt_delimiter_found *found;
    SLT_TRY(SLT_NEW(&t->arena, &found, 1));
    SLT_TRY(search(t, &data, found));
    out->count = found->tops;
    for (int i = 0; i < out->count; i++) {
        out->size[i] = found->top[i].count;
        for (int k = 0; k < out->size[i]; k++)
            out->symbols[i][k] = data.symbols[found->top[i].members[k]];
    }
    return SLT_OK;
}

// the cheapest sets of symbols, found once for all runs: they have data and prior in common
static slt_status find_sets(slt_trainer *t) {
    slt_start_sets *sets;
    if (t->sets) return SLT_OK;
    SLT_TRY(SLT_NEW(&t->arena, &sets, 1));
    slt_arena_mark mark = slt_arena_now(&t->arena);
    slt_status status = search_sets(t, sets);
    slt_arena_reset(&t->arena, mark);
    if (status == SLT_OK) t->sets = sets;
    return status;
}

// heads between which restarts choose
static int heads(const slt_trainer *t, const slt_live_run *run) {
    const slt_model_kind *kind = run->setup->kind;
    return kind->heads && run->members > 1 ? kind->heads(run->setup->model, &t->task.model) : 1;
}

static int head_of(const slt_trainer *t, const slt_live_run *run, int member) {
    const slt_store *store = t->learner->store;
    return heads(t, run) > 1 ? run->setup->kind->has_on(store, run->first + member) : 0;
}

// the first `count` members start with one of the best sets each, every head with each
static slt_status begin_from_sets(slt_trainer *t, slt_live_run *run, int count) {
    SLT_TRY(find_sets(t));
    const slt_start_sets *sets = t->sets;
    for (int m = 0; m < count && m / heads(t, run) < sets->count; m++) {
        int i = m / heads(t, run);
        run->setup->kind->start(t->learner->store, run->first + m, sets->symbols[i], sets->size[i]);
        run->each[m].hinted = true;
    }
    return SLT_OK;
}

// members that start with a set; of mixed ones half, and the only one
static int hinted(const slt_live_run *run) {
    switch (run->setup->kind->start ? run->setup->train.starts : SLT_STARTS_RANDOM) {
    case SLT_STARTS_TABLE:
        return run->members;
    case SLT_STARTS_MIXED:
        return (run->members + 1) / 2;
    default:
        return 0;
    }
}

slt_status slt_restarts_begin(slt_trainer *t, slt_live_run *run) {
    slt_store *store = t->learner->store;
    const slt_model_kind *kind = run->setup->kind;
    for (int m = 0; m < run->members; m++)
        SLT_TRY(slt_store_init(store, run->first + m, run->each[m].seed));
    for (int m = 0; m < run->members && heads(t, run) > 1; m++)
        kind->put_on(store, run->first + m, (m + 1) % heads(t, run)); // the first as if alone
    return hinted(run) ? begin_from_sets(t, run, hinted(run)) : SLT_OK;
}

// ---- judging

typedef struct {
    slt_trainer *t;
    slt_live_run *run;
    bool all; // members that were stopped, too
    slt_feed feed;
    slt_segmentation segmentation;
    double *reconstruction, *kl; // [members]
    double tokens, weight, trajectories;
    uint8_t *cuts; // [members][steps]
    size_t steps, at;
} judge;

static bool takes_part(const judge *j, int member) {
    slt_member_health health = j->run->each[member].health;
    return health == SLT_MEMBER_RUNS || (health == SLT_MEMBER_STOPPED && j->all);
}

static slt_status prepare(judge *j, slt_arena *arena, const int64_t *episodes, int64_t count) {
    slt_learner *learner = j->t->learner;
    slt_feed_rule rule = slt_learner_feed_rule(learner, j->t->task.data, false);
    size_t R = (size_t)j->run->members, L = (size_t)learner->data.length;
    size_t K = (size_t)learner->setup.kind->slots(learner->setup.model);
    for (int64_t i = 0; i < count; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(j->t->task.data, episodes[i], &episode));
        j->steps += (size_t)episode.length;
    }
    int batch = slt_answer_batch(j->t->context, &learner->setup, learner->store->members);
    SLT_TRY(slt_feed_init(&j->feed, arena, &rule, batch + rule.fixed));
    SLT_TRY(SLT_NEW(arena, &j->segmentation.ids, L));
    SLT_TRY(SLT_NEW(arena, &j->segmentation.counts, K));
    SLT_TRY(SLT_NEW(arena, &j->segmentation.confidence, L));
    SLT_TRY(SLT_NEW(arena, &j->segmentation.ends, L));
    SLT_TRY(SLT_NEW(arena, &j->reconstruction, R));
    SLT_TRY(SLT_NEW(arena, &j->kl, R));
    return SLT_NEW(arena, &j->cuts, R * j->steps);
}

// where the members cut the trajectories of the batch
static void note_cuts(judge *j, int count) {
    slt_learner *learner = j->t->learner;
    for (int i = 0; i < count; i++) {
        slt_segmentation *s = &j->segmentation;
        for (int m = 0; m < j->run->members; m++) {
            if (!takes_part(j, m)) continue;
            uint8_t *cuts = j->cuts + (size_t)m * j->steps + j->at;
            learner->setup.kind->segment(learner->use.tape, j->run->first + m, j->run->setup->model,
                                         learner->use.vars, j->feed.order[i], s);
            for (int l = 0; l + 1 < s->length; l++) cuts[l] = s->ids[l] != s->ids[l + 1];
        }
        j->at += (size_t)s->length;
    }
}

// the batch for all members of the run; those of other runs rest
static void hand_over(judge *j) {
    slt_learner *learner = j->t->learner;
    slt_tape *tape = learner->use.tape;
    const slt_model_kind *kind = learner->setup.kind;
    for (int slot = 0; slot < learner->store->members; slot++) {
        int m = slot - j->run->first;
        bool ours = m >= 0 && m < j->run->members;
        slt_frame *frame = slt_tape_frame(tape, slot);
        slt_feed_hand_over(&j->feed, tape, slot, learner->use.io);
        frame->idle = !ours || !takes_part(j, m);
        frame->step = (slt_step){.step = 0x80000000u};
        if (ours) frame->step.seed = j->run->each[m].seed;
        kind->step(learner->each[slot].model, false, &frame->step);
        if (kind->round) kind->round(&frame->step);
    }
}

static slt_status judge_batch(judge *j, const int64_t *episodes, int count) {
    slt_learner *learner = j->t->learner;
    const slt_model_kind *kind = learner->setup.kind;
    const slt_model_io *io = &learner->use.io;
    slt_tape *tape = learner->use.tape;
    SLT_TRY(slt_feed_fill(&j->feed, episodes, count));
    hand_over(j);
    SLT_TRY(slt_tape_forward(tape));
    double all = j->feed.batch.count, steps = j->feed.batch.true_tokens;
    double tokens = kind->per_trajectory ? all : steps, weight = kind->per_step ? steps : all;
    for (int m = 0, slot = j->run->first; m < j->run->members; m++, slot++) {
        if (!takes_part(j, m)) continue;
        j->reconstruction[m] += tokens * slt_model_loss(tape, slot, io->reconstruction);
        j->kl[m] += weight * slt_model_loss(tape, slot, io->kl);
    }
    j->tokens += tokens;
    j->trajectories += count;
    j->weight += weight;
    note_cuts(j, count);
    return SLT_OK;
}

static slt_status judge_all(judge *j, const int64_t *episodes, int64_t count) {
    const slt_learner *learner = j->t->learner;
    int batch = slt_answer_batch(j->t->context, &learner->setup, learner->store->members);
    for (int64_t at = 0; at < count; at += batch) {
        SLT_TRY(slt_context_check(j->t->context));
        int asked = count - at < batch ? (int)(count - at) : batch;
        SLT_TRY(judge_batch(j, episodes + at, asked));
    }
    return SLT_OK;
}

// share of cuts that two members have in common
static double agreement(const judge *j, int a, int b) {
    const uint8_t *x = j->cuts + (size_t)a * j->steps, *y = j->cuts + (size_t)b * j->steps;
    size_t both = 0, all = 0;
    for (size_t i = 0; i < j->steps; i++) {
        both += x[i] & y[i];
        all += (size_t)x[i] + y[i];
    }
    return all ? 2 * (double)both / (double)all : 1;
}

static void weigh(const judge *j, slt_restart_report *out) {
    slt_step step = {0};
    j->run->setup->kind->step(j->run->setup->model, false, &step);
    for (int m = 0; m < j->run->members; m++) {
        double kl = j->weight > 0 ? j->kl[m] / j->weight : 0;
        double rec = j->tokens > 0 ? j->reconstruction[m] / j->tokens : 0;
        double loss = rec + (step.weight[0] != 0 ? (double)step.weight[0] * kl : 0);
        out->losses[m] = takes_part(j, m) && isfinite(loss) ? loss : INFINITY;
    }
}

// nats per trajectory that the number of segments costs, where the model has them
static double count_cost(const judge *j, int member) {
    bool known = j->run->setup->kind->per_step && j->trajectories > 0;
    return known ? j->kl[member] / j->trajectories : 0;
}

static const double CLEAR = 0.01; // nats per step: a difference that counts

static void warn(const judge *j, slt_restart_report *out) {
    static const double ODD = 2; // nats per trajectory
    double cost = count_cost(j, out->picked);
    if (cost > log(j->run->setup->kind->slots(j->run->setup->model)) + ODD)
        snprintf(out->warning, sizeof out->warning,
                 "the number of segments does not fit the prior (%.1f nats per trajectory)", cost);
    else if (out->gap < CLEAR)
        snprintf(out->warning, sizeof out->warning,
                 "other cuts describe the data nearly as well (%.4f nats per step apart)",
                 out->gap);
    else if (out->agreeing == 1 && !j->run->each[out->picked].hinted)
        snprintf(out->warning, sizeof out->warning, "no other restart found these cuts");
}

// the least loss; a head that sees more has to be clearly better than a simpler one
static int best_member(const judge *j, const slt_restart_report *out) {
    int best = -1;
    for (int head = 0; head < heads(j->t, j->run); head++)
        for (int m = 0; m < out->members; m++) {
            double ahead = best >= 0 && head > head_of(j->t, j->run, best) ? CLEAR : 0;
            bool better = best < 0 || out->losses[m] + ahead < out->losses[best];
            if (head_of(j->t, j->run, m) == head && better) best = m;
        }
    return best;
}

static void rank(const judge *j, slt_restart_report *out) {
    static const double SAME = 0.98;
    out->members = j->run->members;
    out->picked = best_member(j, out);
    out->head = head_of(j->t, j->run, out->picked);
    out->runner_up = -1;
    for (int m = 0; m < out->members; m++) {
        out->agreement[m] = agreement(j, m, out->picked);
        bool same = out->agreement[m] >= SAME;
        out->agreeing += same;
        bool closer = out->runner_up < 0 || out->losses[m] < out->losses[out->runner_up];
        if (!same && isfinite(out->losses[m]) && closer) out->runner_up = m;
    }
    out->gap = INFINITY;
    if (out->runner_up >= 0) out->gap = out->losses[out->runner_up] - out->losses[out->picked];
    warn(j, out);
}

slt_status slt_restarts_judge(slt_trainer *t, slt_live_run *run, bool all,
                              slt_restart_report *out) {
    slt_split split = slt_trainer_held_out(t);
    slt_arena arena;
    judge j = {.t = t, .run = run, .all = all};
    slt_arena_init(&arena, &t->context->allocator, 1 << 20);
    slt_status status = prepare(&j, &arena, t->task.episodes[split], t->task.count[split]);
    if (status == SLT_OK) status = judge_all(&j, t->task.episodes[split], t->task.count[split]);
    if (status == SLT_OK) {
        *out = (slt_restart_report){0};
        weigh(&j, out);
        rank(&j, out);
    }
    slt_arena_deinit(&arena);
    return status;
}

void slt_restarts_thin_out(slt_live_run *run, const slt_restart_report *report) {
    double far = run->setup->train.thin;
    if (far <= 0 || 3 * run->state.total_steps < run->state.limit) return;
    for (int m = 0; m < run->members; m++)
        if (run->each[m].health == SLT_MEMBER_RUNS &&
            report->losses[m] > report->losses[report->picked] + far)
            run->each[m].health = SLT_MEMBER_STOPPED;
}
