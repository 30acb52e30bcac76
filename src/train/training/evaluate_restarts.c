// Evaluating restarts: the held-out loss of every member with rounded ends, the best one, and the
// next with other cuts. All runs that are due go through one pass over the episodes. No labels are
// read here.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "core/parallel_for.h"
#include "train/training/doubt.h"

// a member that takes part
typedef struct {
    int place; // in the learner
    slt_segmentation segmentation;
    double reconstruction, kl; // sums
    uint8_t *cuts;             // [steps] after which of them it cuts
    size_t at;                 // steps that it has seen
} member_part;

typedef struct {
    slt_training_run *run;
    slt_restart_report *out;
    member_part **parts; // [members] NULL: takes no part
    uint8_t *cuts;       // [members][steps]
} run_restarts;

typedef struct {
    slt_trainer *t;
    slt_arena *arena;
    run_restarts *runs; // a run each
    member_part *parts; // those of all runs
    int count, part_count;
    slt_feed feed;
    int asked;    // trajectories of the batch
    double times; // how often the batch counts in the sums
    double tokens, weight;
    size_t steps;
} evaluation;

// ---- who takes part

// those that were stopped do at the end
static bool takes_part(const slt_training_run *run, int member, bool at_end) {
    slt_member_health health = run->each[member].health;
    return health == SLT_MEMBER_RUNS || (health == SLT_MEMBER_STOPPED && at_end);
}

static slt_status add_run(evaluation *j, slt_training_run *run, bool at_end) {
    run_restarts *c = &j->runs[j->count++];
    size_t members = (size_t)run->members;
    c->run = run;
    c->out = at_end ? &run->outcome->result.restarts : &run->record.restarts;
    SLT_TRY(SLT_NEW(j->arena, &c->parts, members));
    // at the end they are kept for doubt.c
    SLT_TRY(SLT_NEW(at_end ? &j->t->arena : j->arena, &c->cuts, members * j->steps));
    if (at_end) run->votes = c->cuts, run->vote_steps = j->steps;
    for (int m = 0; m < run->members; m++) {
        if (!takes_part(run, m, at_end)) continue;
        member_part *p = c->parts[m] = &j->parts[j->part_count++];
        p->place = run->first + m;
        p->cuts = c->cuts + (size_t)m * j->steps;
        SLT_TRY(slt_answer_reserve(j->arena, j->t->learner, false, &p->segmentation));
    }
    return SLT_OK;
}

static slt_status prepare(evaluation *j, const int64_t *episodes, int64_t count, bool at_end) {
    slt_trainer *t = j->t;
    slt_learner *learner = t->learner;
    slt_batch_layout rule = slt_learner_batch_layout(learner, t->task.data, false);
    for (int64_t i = 0; i < count; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(t->task.data, episodes[i], &episode));
        j->steps += (size_t)episode.length;
    }
    int batch = slt_predict_batch(t->context, &learner->setup, learner->store->members);
    SLT_TRY(slt_feed_init(&j->feed, j->arena, &rule, batch + rule.fixed));
    SLT_TRY(SLT_NEW(j->arena, &j->runs, (size_t)t->due_count));
    SLT_TRY(SLT_NEW(j->arena, &j->parts, (size_t)learner->store->members));
    for (int i = 0; i < t->due_count; i++)
        if (t->due[i]->members > 1) SLT_TRY(add_run(j, t->due[i], at_end));
    return SLT_OK;
}

// ---- one batch

// for all members; those that take no part rest
static void hand_over(evaluation *j) {
    slt_learner *learner = j->t->learner;
    slt_tape *tape = learner->use.tape;
    const slt_model_kind *kind = learner->setup.kind;
    for (int place = 0; place < learner->store->members; place++) {
        const slt_member_ref *who = &j->t->places[place];
        slt_frame *frame = slt_tape_frame(tape, place);
        slt_feed_hand_over(&j->feed, tape, place, learner->use.io);
        frame->idle = true;
        frame->step = (slt_step){.seed = who->run->each[who->member].seed, .step = 0x80000000u};
        kind->step(learner->each[place].model, false, &frame->step);
        if (kind->round) kind->round(&frame->step);
    }
    for (int i = 0; i < j->part_count; i++) slt_tape_frame(tape, j->parts[i].place)->idle = false;
}

// where the member cuts the trajectories of the batch
static void record_boundaries(const evaluation *j, member_part *p) {
    const slt_learner *learner = j->t->learner;
    slt_segmentation *s = &p->segmentation;
    for (int i = 0; i < j->asked; i++) {
        learner->setup.kind->segment(learner->use.tape, p->place, learner->each[p->place].model,
                                     learner->use.vars, j->feed.order[i], s);
        for (int l = 0; l + 1 < s->length; l++) p->cuts[p->at + l] = s->ids[l] != s->ids[l + 1];
        p->at += (size_t)s->length;
    }
}

// what losses are means over: true steps or trajectories
static double weight_of(const evaluation *j, bool of_steps) {
    return j->times * (of_steps ? j->feed.batch.true_tokens : j->feed.batch.count);
}

// by whichever thread
static slt_status add_losses(void *user, int i) {
    const evaluation *j = user;
    const slt_learner *learner = j->t->learner;
    const slt_model_kind *kind = learner->setup.kind;
    member_part *p = &j->parts[i];
    p->reconstruction +=
        weight_of(j, !kind->per_trajectory) *
        slt_model_loss(learner->use.tape, p->place, learner->use.io.reconstruction);
    p->kl += weight_of(j, kind->per_step) *
             slt_model_loss(learner->use.tape, p->place, learner->use.io.kl);
    record_boundaries(j, p);
    return SLT_OK;
}

static slt_status evaluate_batch(evaluation *j, const int64_t *episodes, int count) {
    const slt_model_kind *kind = j->t->learner->setup.kind;
    SLT_TRY(slt_feed_fill(&j->feed, episodes, count));
    hand_over(j);
    SLT_TRY(slt_tape_begin(j->t->learner->use.tape, -1));
    SLT_TRY(slt_tape_end(j->t->learner->use.tape));
    j->asked = count;
    j->tokens += weight_of(j, !kind->per_trajectory);
    j->weight += weight_of(j, kind->per_step);
    return slt_parallel_for(j->t->context, j->part_count, add_losses, j);
}

// fixed companions are in every batch; what they add to the sums is taken out again
static slt_status leave_companions_out(evaluation *j, int64_t batches) {
    if (!j->feed.rule.fixed) return SLT_OK;
    j->times = -(double)batches;
    return evaluate_batch(j, NULL, 0);
}

static slt_status evaluate_all(evaluation *j, const int64_t *episodes, int64_t count) {
    const slt_learner *learner = j->t->learner;
    int batch = slt_predict_batch(j->t->context, &learner->setup, learner->store->members);
    j->times = 1;
    for (int64_t at = 0; at < count; at += batch) {
        SLT_TRY(slt_context_check(j->t->context));
        int asked = count - at < batch ? (int)(count - at) : batch;
        SLT_TRY(evaluate_batch(j, episodes + at, asked));
    }
    return leave_companions_out(j, (count + batch - 1) / batch);
}

// ---- the verdict

static void mean_losses(const evaluation *j, const run_restarts *c) {
    const slt_setup *setup = c->run->setup;
    for (int m = 0; m < c->run->members; m++) {
        const member_part *p = c->parts[m];
        c->out->losses[m] = INFINITY;
        if (!p) continue;
        double kl = j->weight > 0 ? p->kl / j->weight : 0;
        double rec = j->tokens > 0 ? p->reconstruction / j->tokens : 0;
        double loss = slt_answer_loss(setup->kind, setup->model, rec, kl);
        if (isfinite(loss)) c->out->losses[m] = loss;
    }
}

static const double CLEAR = 0.01; // nats per step: a difference that counts

// the least loss; a head that sees more has to be clearly better than a simpler one
static int best_member(const slt_trainer *t, const run_restarts *c) {
    const double *losses = c->out->losses;
    int best = -1;
    for (int head = 0; head < slt_restarts_inputs(t, c->run); head++)
        for (int m = 0; m < c->run->members; m++) {
            double ahead = best >= 0 && head > slt_restarts_input(t, c->run, best) ? CLEAR : 0;
            bool better = best < 0 || losses[m] + ahead < losses[best];
            if (slt_restarts_input(t, c->run, m) == head && better) best = m;
        }
    return best;
}

static void rank(const evaluation *j, const run_restarts *c, bool at_end) {
    static const double SAME = 0.98;
    slt_restart_report *out = c->out;
    out->members = c->run->members;
    int kept = at_end && !slt_restarts_settle(c->run) ? slt_restarts_kept(c->run) : -1;
    out->picked = kept >= 0 ? kept : best_member(j->t, c);
    out->head = slt_restarts_input(j->t, c->run, out->picked);
    out->runner_up = -1;
    const uint8_t *picked = c->cuts + (size_t)out->picked * j->steps;
    for (int m = 0; m < out->members; m++) {
        const uint8_t *cuts = c->cuts + (size_t)m * j->steps;
        out->agreement[m] = slt_cuts_in_common(cuts, picked, j->steps);
        bool same = out->agreement[m] >= SAME;
        out->agreeing += same;
        bool closer = out->runner_up < 0 || out->losses[m] < out->losses[out->runner_up];
        if (!same && isfinite(out->losses[m]) && closer) out->runner_up = m;
    }
    out->gap = INFINITY;
    if (out->runner_up >= 0) out->gap = out->losses[out->runner_up] - out->losses[out->picked];
}

static slt_status evaluate_due(evaluation *j, bool at_end) {
    const slt_trainer *t = j->t;
    slt_split split = slt_trainer_held_out(t);
    SLT_TRY(prepare(j, t->task.episodes[split], t->task.count[split], at_end));
    SLT_TRY(evaluate_all(j, t->task.episodes[split], t->task.count[split]));
    for (int i = 0; i < j->count; i++) {
        const run_restarts *c = &j->runs[i];
        *c->out = (slt_restart_report){0};
        mean_losses(j, c);
        rank(j, c, at_end);
    }
    return SLT_OK;
}

static bool has_restarts(const slt_trainer *t) {
    for (int i = 0; i < t->due_count; i++)
        if (t->due[i]->members > 1) return true;
    return false;
}

slt_status slt_restarts_evaluate(slt_trainer *t, bool at_end) {
    slt_arena arena;
    evaluation j = {.t = t, .arena = &arena};
    if (!has_restarts(t)) return SLT_OK;
    slt_arena_init(&arena, &t->context->allocator, 1 << 20);
    slt_status status = evaluate_due(&j, at_end);
    slt_arena_deinit(&arena);
    return status;
}
