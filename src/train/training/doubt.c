// How far to trust a finished run, and the calibration of its confidence.
//
// Restarts are weighed by what they cost more than the one that was kept, w = exp(-gap / 0.05 nats
// per step), the kept one by 1; another 0.1 confirms one boundary in two, so that a restart that
// nobody supports is not certain. The share of this weight that confirms a boundary within one step
// is what confidence is calibrated to; the share of all cuts that it has in common is trust.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/training/doubt.h"

#include <math.h>
#include <string.h>

static const double CLEAR = 0.01;       // nats per step: a difference that counts
static const double TEMPERATURE = 0.05; // nats per step
static const double DOUBTER = 0.1;      // weight of what confirms one boundary in two
enum { MOST_STEPS = 1 << 20 };          // of held-out episodes

// ---- evidence

static slt_status prepare(slt_trainer *t, slt_training_run *run, slt_evidence *e) {
    slt_split split = slt_trainer_held_out(t);
    *e = (slt_evidence){.t = t, .run = run, .trust = &run->outcome->result.trust};
    for (; e->count < t->task.count[split] && e->steps < MOST_STEPS; e->count++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(t->task.data, t->task.episodes[split][e->count], &episode));
        e->steps += (size_t)episode.length;
    }
    SLT_TRY(SLT_NEW(&t->arena, &e->cuts, e->steps));
    SLT_TRY(SLT_NEW(&t->arena, &e->raw, e->steps));
    SLT_TRY(SLT_NEW(&t->arena, &e->lengths, (size_t)e->count));
    return SLT_NEW(&t->arena, &e->numbers, (size_t)e->count);
}

static slt_status record_segments(void *user, const slt_episode *episode,
                                  const slt_segmentation *found) {
    slt_evidence *e = user;
    (void)episode;
    e->numbers[e->seen] = 1;
    for (int l = 0; l + 1 < found->length; l++) {
        bool cut = found->ids[l] != found->ids[l + 1];
        e->cuts[e->at + (size_t)l] = cut;
        e->raw[e->at + (size_t)l] = found->confidence[l];
        e->numbers[e->seen] += cut;
    }
    e->lengths[e->seen++] = found->length;
    e->at += (size_t)found->length;
    return SLT_OK;
}

// of all runs that are due, in one pass
static slt_status gather(slt_trainer *t, slt_evidence *all) {
    slt_predict_request *requests;
    slt_predict_losses *losses;
    SLT_TRY(SLT_NEW(&t->arena, &requests, (size_t)t->due_count));
    SLT_TRY(SLT_NEW(&t->arena, &losses, (size_t)t->due_count));
    for (int i = 0; i < t->due_count; i++) {
        slt_training_run *run = t->due[i];
        SLT_TRY(prepare(t, run, &all[i]));
        requests[i] =
            (slt_predict_request){.member = run->first + run->outcome->result.restarts.picked,
                                  .seed = run->request->seed,
                                  .visit = record_segments,
                                  .user = &all[i]};
    }
    return slt_predict(t->learner, t->task.data, t->task.episodes[slt_trainer_held_out(t)],
                       all[0].count, requests, t->due_count, losses);
}

// ---- restarts

// did two members begin with the same cuts? then they are one opinion
static bool same_start(const slt_evidence *e, int a, int b) {
    int heads = slt_restarts_inputs(e->t, e->run);
    return e->run->each[a].rule_initialised && e->run->each[b].rule_initialised &&
           a / heads == b / heads;
}

static double weight_of(const slt_evidence *e, int member) {
    const slt_restart_report *r = &e->run->outcome->result.restarts;
    if (member == r->picked) return 1;
    if (same_start(e, member, r->picked) || !isfinite(r->losses[member])) return 0;
    double gap = r->losses[member] - r->losses[r->picked];
    if (e->run->setup->kind->per_trajectory) gap /= e->t->task.model.mean_length;
    return exp(-fmax(gap, 0) / TEMPERATURE);
}

// a cut within one step of step l of an episode that begins at `first` and ends before `end`
static bool confirms(const uint8_t *cuts, size_t l, size_t first, size_t end) {
    return cuts[l] || (l > first && cuts[l - 1]) || (l + 1 < end && cuts[l + 1]);
}

// the weight that confirms each boundary, episode by episode
static size_t pair_up(const slt_evidence *e, const double *weights, slt_calibration_pair *pairs) {
    const slt_restart_report *r = &e->run->outcome->result.restarts;
    size_t count = 0, first = 0;
    for (int64_t i = 0; i < e->count; i++) {
        size_t end = first + (size_t)e->lengths[i];
        for (size_t l = first; l < end; l++) {
            double sum = weights[r->members] / 2;
            if (!e->cuts[l]) continue;
            for (int m = 0; m < r->members; m++)
                if (m == r->picked ||
                    confirms(e->run->votes + (size_t)m * e->run->vote_steps, l, first, end))
                    sum += weights[m];
            pairs[count++] = (slt_calibration_pair){(double)e->raw[l], fmin(sum, 1)};
        }
        first = end;
    }
    return count;
}

static slt_status compare_restarts(slt_evidence *e, slt_trust *trust) {
    slt_training_run *run = e->run;
    const slt_restart_report *r = &run->outcome->result.restarts;
    double *weights, all = 0;
    slt_calibration_pair *pairs;
    SLT_TRY(SLT_NEW(&e->t->arena, &weights, (size_t)r->members + 1));
    SLT_TRY(SLT_NEW(&e->t->arena, &pairs, e->steps));
    for (int m = 0; m < r->members; m++) all += weights[m] = weight_of(e, m);
    weights[r->members] = DOUBTER;
    all += DOUBTER;
    for (int m = 0; m <= r->members; m++) weights[m] /= all;
    trust->trust = weights[r->members] / 2;
    for (int m = 0; m < r->members; m++) trust->trust += weights[m] * r->agreement[m];
    trust->trust = fmin(trust->trust, 1);
    slt_calibration_fit(pairs, pair_up(e, weights, pairs), &run->calibration);
    trust->calibrated = true;
    return SLT_OK;
}

// did nobody who began elsewhere come to the same cuts?
static bool stands_alone(const slt_evidence *e) {
    static const double SAME = 0.98;
    const slt_restart_report *r = &e->run->outcome->result.restarts;
    for (int m = 0; m < r->members; m++)
        if (m != r->picked && !same_start(e, m, r->picked) && r->agreement[m] >= SAME &&
            isfinite(r->losses[m]))
            return false;
    return true;
}

static void doubt_restarts(const slt_evidence *e, slt_trust *trust) {
    const slt_restart_report *r = &e->run->outcome->result.restarts;
    if (r->gap < CLEAR)
        slt_trust_doubt(
            trust, "other boundaries describe the data nearly as well (%.4f nats per step apart)",
            r->gap);
    else if (stands_alone(e))
        slt_trust_doubt(trust, "no restart from another start found these boundaries");
    else if (trust->trust <= 0.5)
        slt_trust_doubt(trust, "restarts share %.0f %% of the boundaries", 100 * trust->trust);
}

// ---- the verdict

static slt_status examine(slt_evidence *e) {
    const slt_learner *learner = e->t->learner;
    int K = learner->setup.kind->slots(learner->setup.model);
    char sentence[SLT_WARNING_TEXT];
    bool alone = e->run->members == 1;
    slt_trust_init(e->trust);
    e->run->calibration = (slt_calibration){0};
    if (!alone) SLT_TRY(compare_restarts(e, e->trust));
    if (!alone) doubt_restarts(e, e->trust);
    e->odd =
        slt_prior_contradicted(e->run->setup, e->t->task.prior, K, e->numbers, e->count, sentence);
    if (e->odd) slt_trust_doubt(e->trust, "%s", sentence);
    return SLT_OK;
}

// restarts that agree may be wrong together: a reason for doubt counts for every boundary
static void conclude(slt_evidence *e) {
    static const double DOUBTFUL = 0.8;
    slt_calibration *map = &e->run->calibration;
    for (int i = 0; e->trust->doubtful && i < map->count; i++) map->share[i] *= DOUBTFUL;
    if (e->run->members == 1)
        slt_trust_note(e->trust, "trained once, with nothing to compare: confidence is not "
                                 "calibrated; train with 8 restarts or more");
}

slt_status slt_doubt(slt_trainer *t) {
    slt_evidence *all;
    if (!t->due_count) return SLT_OK;
    SLT_TRY(SLT_NEW(&t->arena, &all, (size_t)t->due_count));
    SLT_TRY(gather(t, all));
    for (int i = 0; i < t->due_count; i++) SLT_TRY(examine(&all[i]));
    SLT_TRY(slt_doubt_rules(t, all, t->due_count));
    for (int i = 0; i < t->due_count; i++) conclude(&all[i]);
    return SLT_OK;
}
