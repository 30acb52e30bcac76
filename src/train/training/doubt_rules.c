// Baseline rules as a second opinion: each cuts the held-out episodes, told the numbers of segments
// that the model found (the prior's median where these contradict it) and no label, and is compared
// by the price of actions and cuts together. Continuous actions have no such price: there the rules
// that cut at jumps of the action are asked how many boundaries they have in common with the model.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "metrics/cut_code_length.h"
#include "train/training/doubt.h"

// nats per step that count; share of cuts in common below which a rule cuts elsewhere, and from
// which on it is the same
static const double CLEAR = 0.01, FAR = 2. / 3, SAME = 0.98;
enum { TRAIN_STEPS = 200000, HELD_OUT_STEPS = 50000 }; // counts of symbols need no more

// the cheapest rule so far that describes the data better than a run does
typedef struct {
    const char *rule;          // NULL: none
    double own, price, common; // nats per step of the run and of the rule; cuts in common
    double delimiter;          // cuts in common with that rule
    double jump;               // the most cuts in common with a rule that cuts at jumps
} better_rule;

typedef struct {
    slt_baseline_input input;
    slt_sequence *target;
    int32_t **ids;    // [target_count]
    int32_t *numbers; // [target_count] of segments that the rule finds
    uint8_t *cuts;    // [steps] of the rule
    size_t steps;
    better_rule *better_rules; // [runs]
} comparison;

// ---- what the rules look at

static slt_status price_of(slt_trainer *t, const comparison *c, const uint8_t *cuts, double *out) {
    const slt_baseline_input *in = &c->input;
    return slt_cut_code_length(&t->arena, c->target, in->target_count, in->actions, cuts, in->prior,
                               in->prior_size, out);
}

static slt_status reserve(slt_trainer *t, comparison *c, int runs) {
    size_t count = c->input.target_count;
    SLT_TRY(SLT_NEW(&t->arena, &c->ids, count));
    SLT_TRY(SLT_NEW(&t->arena, &c->numbers, count));
    SLT_TRY(SLT_NEW(&t->arena, &c->cuts, c->steps));
    SLT_TRY(SLT_NEW(&t->arena, &c->better_rules, (size_t)runs));
    for (size_t i = 0; i < count; i++)
        SLT_TRY(SLT_NEW(&t->arena, &c->ids[i], (size_t)c->target[i].length));
    return SLT_OK;
}

static slt_status prepare(slt_trainer *t, const slt_evidence *all, int runs, comparison *c) {
    slt_sequence *train;
    const float **train_vectors = NULL, **vectors = NULL;
    size_t train_steps;
    slt_baseline_input *in = &c->input;
    SLT_TRY(slt_trainer_actions(t, SLT_SPLIT_TRAIN, INT64_MAX, TRAIN_STEPS, &train, &train_vectors,
                                &in->train_count, &train_steps));
    SLT_TRY(slt_trainer_actions(t, slt_trainer_held_out(t), all[0].count, HELD_OUT_STEPS,
                                &c->target, &vectors, &in->target_count, &c->steps));
    in->train = train;
    in->valid = in->target = c->target;
    in->valid_count = in->target_count;
    in->train_vectors = train_vectors;
    in->target_vectors = vectors;
    in->channels = t->task.model.columns;
    in->actions = vectors ? 1 : t->task.model.symbols - 1;
    SLT_TRY(slt_trainer_prior(t, in));
    SLT_TRY(reserve(t, c, runs));
    for (int r = 0; r < runs && !vectors; r++) {
        c->better_rules[r].delimiter = 1;
        SLT_TRY(price_of(t, c, all[r].cuts, &c->better_rules[r].own));
        c->better_rules[r].price = c->better_rules[r].own;
    }
    return SLT_OK;
}

// ---- one rule

static void record_boundaries(comparison *c) {
    size_t at = 0;
    for (size_t i = 0; i < c->input.target_count; i++) {
        int T = c->target[i].length;
        c->numbers[i] = 1;
        for (int l = 0; l < T; l++) {
            c->cuts[at + (size_t)l] = l + 1 < T && c->ids[i][l] != c->ids[i][l + 1];
            c->numbers[i] += c->cuts[at + (size_t)l];
        }
        at += (size_t)T;
    }
}

static void compare(const slt_evidence *e, const comparison *c, const char *rule, double price,
                    better_rule *out) {
    double common = slt_cuts_in_common(e->cuts, c->cuts, c->steps);
    if (strcmp(rule, "delimiter") == 0) out->delimiter = common;
    if (price > out->price - (out->rule ? 0 : CLEAR) || common >= SAME) return;
    out->rule = rule;
    out->price = price;
    out->common = common;
}

static void tell_vectors(const better_rule *r, slt_trust *trust) {
    if (r->jump < FAR)
        slt_trust_doubt(trust,
                        "the largest jumps of the action are elsewhere (baseline jump: %.0f %% of "
                        "the boundaries in common)",
                        100 * r->jump);
}

static void tell(const better_rule *r, slt_trust *trust) {
    if (r->rule)
        (r->common < FAR ? slt_trust_doubt : slt_trust_note)(
            trust,
            "the baseline %s describes the data better (%.3f nats per step, not %.3f) and finds "
            "other boundaries (%.0f %% in common)",
            r->rule, r->price, r->own, 100 * r->common);
    else if (r->delimiter < FAR)
        slt_trust_doubt(
            trust,
            "the best rule on actions alone (delimiter) finds other boundaries (%.0f %% "
            "in common)",
            100 * r->delimiter);
}

// one that no prior allows is no alternative
static bool is_odd(const slt_evidence *e, const comparison *c) {
    char unused[SLT_WARNING_TEXT];
    const slt_baseline_input *in = &c->input;
    return slt_prior_contradicted(e->run->setup, in->prior + 1, in->prior_size - 1, c->numbers,
                                  (int64_t)in->target_count, unused);
}

// the largest jumps, as many as the run has boundaries, or those above a threshold; told of none,
// it is no second opinion
static slt_status try_jumps(slt_trainer *t, const slt_evidence *all, int runs, comparison *c,
                            const char *rule) {
    bool counted = slt_rule_told(rule) == SLT_KNOWS_COUNT;
    for (int r = 0; r < runs; r++) {
        if (counted && !memchr(all[r].cuts, 1, c->steps)) continue;
        c->input.true_counts = all[r].numbers;
        SLT_TRY(slt_baseline_segment(t->context, rule, &c->input, c->ids, NULL));
        record_boundaries(c);
        double common = slt_cuts_in_common(all[r].cuts, c->cuts, c->steps);
        if (common > c->better_rules[r].jump) c->better_rules[r].jump = common;
    }
    return SLT_OK;
}

// a rule that is told no numbers cuts the same for all runs
static slt_status try_rule(slt_trainer *t, const slt_evidence *all, int runs, comparison *c,
                           const char *rule) {
    bool counted = slt_rule_told(rule) == SLT_KNOWS_COUNT;
    double price = 0;
    for (int r = 0; r < runs; r++) {
        if (r == 0 || counted) {
            c->input.true_counts = all[r].odd ? NULL : all[r].numbers;
            SLT_TRY(slt_baseline_segment(t->context, rule, &c->input, c->ids, NULL));
            record_boundaries(c);
            SLT_TRY(price_of(t, c, c->cuts, &price));
        }
        if (!is_odd(&all[r], c)) compare(&all[r], c, rule, price, &c->better_rules[r]);
    }
    return SLT_OK;
}

// tables of counts have their limits: a rule, or all of them, may have to be left out
static slt_status without(slt_status status) { return status == SLT_UNSUPPORTED ? SLT_OK : status; }

slt_status slt_doubt_rules(slt_trainer *t, const slt_evidence *all, int count) {
    comparison c = {0};
    const char *rule;
    bool vectors = t->task.model.columns > 0;
    if (!all[0].count) return SLT_OK;
    slt_arena_mark mark = slt_arena_now(&t->arena);
    slt_status status = prepare(t, all, count, &c);
    for (int i = 0; status == SLT_OK && (rule = slt_baseline_name(i)); i++) {
        if (!slt_rule_takes(rule, !vectors)) continue;
        if (!vectors) status = without(try_rule(t, all, count, &c, rule));
        if (vectors && !slt_rule_takes(rule, true)) status = try_jumps(t, all, count, &c, rule);
    }
    for (int r = 0; status == SLT_OK && r < count; r++)
        (vectors ? tell_vectors : tell)(&c.better_rules[r], all[r].trust);
    slt_arena_reset(&t->arena, mark);
    return without(status);
}
