// Evaluating restarts: the held-out loss of every member with rounded ends, the best one, and the
// next with other cuts. All runs that are due go through one pass over the episodes. No labels are
// read here.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "train/training/doubt.h"

// a run whose restarts are compared
typedef struct {
    slt_training_run *run;
    slt_restart_report *out;
    uint8_t *cuts; // [members][steps] after which of them a member cuts
} run_restarts;

// where a member writes its cuts
typedef struct {
    const run_restarts *of;
    int member;
    uint8_t *cuts; // of its next episode
} cut_writer;

typedef struct {
    slt_trainer *t;
    slt_arena *arena;
    run_restarts *runs; // a run each
    slt_predict_request *requests;
    cut_writer *writers; // of each request
    int count, requested;
    size_t steps; // of all episodes
} evaluation;

// ---- who takes part

// those that were stopped do at the end
static bool takes_part(const slt_training_run *run, int member, bool at_end) {
    slt_member_health health = run->each[member].health;
    return health == SLT_MEMBER_RUNS || (health == SLT_MEMBER_STOPPED && at_end);
}

static slt_status record_boundaries(void *user, const slt_episode *episode,
                                    const slt_segmentation *found) {
    cut_writer *w = user;
    (void)episode;
    for (int l = 0; l + 1 < found->length; l++) w->cuts[l] = found->ids[l] != found->ids[l + 1];
    w->cuts += found->length;
    return SLT_OK;
}

static slt_status add_run(evaluation *j, slt_training_run *run, bool at_end) {
    run_restarts *c = &j->runs[j->count++];
    c->run = run;
    c->out = at_end ? &run->outcome->result.restarts : &run->end.record.restarts;
    // at the end they are kept for doubt.c
    SLT_TRY(SLT_NEW(at_end ? &j->t->arena : j->arena, &c->cuts, (size_t)run->members * j->steps));
    if (at_end) run->votes = c->cuts, run->vote_steps = j->steps;
    for (int m = 0; m < run->members; m++) {
        if (!takes_part(run, m, at_end)) continue;
        cut_writer *w = &j->writers[j->requested];
        *w = (cut_writer){c, m, c->cuts + (size_t)m * j->steps};
        j->requests[j->requested++] = (slt_predict_request){.member = run->first + m,
                                                            .seed = run->each[m].seed,
                                                            .comparing = true,
                                                            .visit = record_boundaries,
                                                            .user = w};
    }
    return SLT_OK;
}

static slt_status prepare(evaluation *j, const int64_t *episodes, int64_t count, bool at_end) {
    slt_trainer *t = j->t;
    size_t members = (size_t)t->learner->store->members;
    for (int64_t i = 0; i < count; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(t->task.data, episodes[i], &episode));
        j->steps += (size_t)episode.length;
    }
    SLT_TRY(SLT_NEW(j->arena, &j->runs, (size_t)t->due_count));
    SLT_TRY(SLT_NEW(j->arena, &j->requests, members));
    SLT_TRY(SLT_NEW(j->arena, &j->writers, members));
    for (int i = 0; i < t->due_count; i++)
        if (t->due[i]->members > 1) SLT_TRY(add_run(j, t->due[i], at_end));
    return SLT_OK;
}

// ---- the verdict

// infinite where a member takes no part
static slt_status find_losses(evaluation *j, const int64_t *episodes, int64_t count) {
    slt_predict_losses *losses;
    SLT_TRY(SLT_NEW(j->arena, &losses, (size_t)j->requested));
    if (j->requested)
        SLT_TRY(slt_predict(j->t->learner, j->t->task.data, episodes, count, j->requests,
                            j->requested, losses));
    for (int i = 0; i < j->count; i++) {
        *j->runs[i].out = (slt_restart_report){.members = j->runs[i].run->members};
        for (int m = 0; m < j->runs[i].run->members; m++) j->runs[i].out->losses[m] = INFINITY;
    }
    for (int i = 0; i < j->requested; i++)
        if (isfinite(losses[i].loss))
            j->writers[i].of->out->losses[j->writers[i].member] = losses[i].loss;
    return SLT_OK;
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
    SLT_TRY(find_losses(j, t->task.episodes[split], t->task.count[split]));
    for (int i = 0; i < j->count; i++) rank(j, &j->runs[i], at_end);
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
