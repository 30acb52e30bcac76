// slt_baseline_segment: finds the rule, checks what it is given, lets it prepare and cut.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/baseline_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/number.h"

static const slt_baseline *const rules[] = {
#define ROW(name) &slt_baseline_##name,
    SLT_BASELINES(ROW)
#undef ROW
};

enum { RULES = sizeof rules / sizeof *rules };

const char *slt_baseline_name(int index) {
    return index >= 0 && index < RULES ? rules[index]->name : NULL;
}

const char *slt_baseline_help(int index) {
    return index >= 0 && index < RULES ? rules[index]->help : NULL;
}

static const slt_baseline *find_rule(const char *name) {
    for (int i = 0; i < RULES; i++)
        if (strcmp(rules[i]->name, name) == 0) return rules[i];
    return NULL;
}

bool slt_rule_takes(const char *name, bool discrete) {
    const slt_baseline *rule = find_rule(name);
    return rule && !(rule->needs & (discrete ? SLT_NEEDS_VECTORS : SLT_NEEDS_SYMBOLS));
}

slt_told slt_rule_told(const char *name) {
    const slt_baseline *rule = find_rule(name);
    if (!rule) return SLT_KNOWS_NOTHING;
    if (rule->needs & SLT_NEEDS_COUNT) return SLT_KNOWS_COUNT;
    return rule->needs & SLT_NEEDS_PRIOR ? SLT_KNOWS_HISTOGRAM : SLT_KNOWS_NOTHING;
}

const char *slt_told_name(slt_told told) {
    static const char *const names[] = {"nothing", "count", "histogram", "labels"};
    return (size_t)told < sizeof names / sizeof *names ? names[told] : "?";
}

static slt_status unknown_rule(const char *name) {
    char names[256] = "";
    for (int i = 0; i < RULES; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", rules[i]->name);
    }
    SLT_FAIL(SLT_INVALID, "no rule '%.60s'; there are %s", name, names);
}

// ---- checks

static slt_status check_split(const slt_sequence *sequences, size_t count, int actions,
                              const char *split) {
    for (size_t i = 0; i < count; i++) {
        if (sequences[i].length < 1)
            SLT_FAIL(SLT_SHAPE, "%s trajectory %zu has no steps", split, i);
        for (int t = 0; t < sequences[i].length; t++)
            if (sequences[i].values[t] < 0 || sequences[i].values[t] >= actions)
                SLT_FAIL(SLT_RANGE, "%s trajectory %zu, step %d: action %d is not in 0..%d", split,
                         i, t, sequences[i].values[t], actions - 1);
    }
    return SLT_OK;
}

static slt_status check_vectors(const float *const *vectors, const slt_sequence *sequences,
                                size_t count, int channels, const char *split) {
    for (size_t i = 0; vectors && i < count; i++)
        for (size_t k = 0; k < (size_t)sequences[i].length * (size_t)channels; k++)
            if (!isfinite(vectors[i][k]))
                SLT_FAIL(SLT_RANGE, "%s trajectory %zu, step %zu: action %zu is %g", split, i,
                         k / (size_t)channels, k % (size_t)channels, (double)vectors[i][k]);
    return SLT_OK;
}

static slt_status check_prior(const slt_baseline_input *input) {
    double sum = 0;
    for (int n = 0; n < input->prior_size; n++) {
        if (!(input->prior[n] >= 0 && isfinite(input->prior[n])))
            SLT_FAIL(SLT_RANGE, "prior of %d segments is %g", n, input->prior[n]);
        if (n > 0) sum += input->prior[n];
    }
    if (!(sum > 0)) SLT_FAIL(SLT_INVALID, "the prior gives no number of segments any probability");
    return SLT_OK;
}

static slt_status check_input(const slt_baseline_input *input) {
    if (input->actions < 1) SLT_FAIL(SLT_RANGE, "%d actions", input->actions);
    SLT_TRY(check_split(input->train, input->train_count, input->actions, "training"));
    SLT_TRY(check_split(input->valid, input->valid_count, input->actions, "validation"));
    SLT_TRY(check_split(input->target, input->target_count, input->actions, "target"));
    if ((input->train_vectors || input->target_vectors) && input->channels < 1)
        SLT_FAIL(SLT_RANGE, "actions of %d numbers", input->channels);
    SLT_TRY(check_vectors(input->train_vectors, input->train, input->train_count, input->channels,
                          "training"));
    SLT_TRY(check_vectors(input->target_vectors, input->target, input->target_count,
                          input->channels, "target"));
    for (size_t i = 0; input->true_counts && i < input->target_count; i++)
        if (input->true_counts[i] < 1)
            SLT_FAIL(SLT_RANGE, "target trajectory %zu: true count %d", i, input->true_counts[i]);
    return input->prior ? check_prior(input) : SLT_OK;
}

static slt_status check_needs(const slt_baseline *rule, const slt_baseline_input *input) {
    const struct {
        slt_baseline_need need;
        bool there;
        const char *what;
    } table[] = {
        {SLT_NEEDS_SYMBOLS, !input->target_vectors, "discrete actions"},
        {SLT_NEEDS_VECTORS, input->target_vectors && (input->train_vectors || !input->train_count),
         "continuous actions"},
        {SLT_NEEDS_COUNT, input->true_counts || input->prior,
         "the true numbers of segments, or a prior over them"},
        {SLT_NEEDS_TRAIN, input->train_count > 0, "training trajectories"},
        {SLT_NEEDS_VALID, input->valid_count > 0, "validation trajectories"},
        {SLT_NEEDS_PRIOR, input->prior, "a prior over the number of segments (a flat one will do)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if ((rule->needs & table[i].need) && !table[i].there)
            SLT_FAIL(table[i].need & (SLT_NEEDS_SYMBOLS | SLT_NEEDS_VECTORS) ? SLT_UNSUPPORTED
                                                                             : SLT_INVALID,
                     "rule %s needs %s", rule->name, table[i].what);
    return SLT_OK;
}

// ---- counts

static int prior_median(const slt_baseline_input *input) {
    double sum = 0, below = 0;
    for (int n = 1; n < input->prior_size; n++) sum += input->prior[n];
    for (int n = 1; n < input->prior_size; n++) {
        below += input->prior[n];
        if (2 * below >= sum) return n;
    }
    return input->prior_size - 1;
}

// one number of segments for all when the true ones are not given; 0: take the true ones
static int common_count(const slt_baseline *rule, slt_baseline_job *job) {
    if (!(rule->needs & SLT_NEEDS_COUNT) || job->input->true_counts) return 0;
    int median = prior_median(job->input);
    job->report->prior_count = true;
    slt_baseline_note(job, "not told the true counts: %d segments everywhere, the prior's median",
                      median);
    return median;
}

static int cuts_wanted(const slt_baseline *rule, const slt_baseline_input *input, int common,
                       size_t i) {
    if (!(rule->needs & SLT_NEEDS_COUNT)) return 0;
    int segments = common ? common : input->true_counts[i];
    int most = input->target[i].length;
    return (segments < most ? segments : most) - 1;
}

// ---- run

void slt_baseline_note(slt_baseline_job *job, const char *format, ...) {
    char *note = job->report->note;
    size_t used = strlen(note), size = sizeof job->report->note;
    if (used) used += (size_t)snprintf(note + used, size - used, "; ");
    if (used >= size) return;
    va_list arguments;
    va_start(arguments, format);
    slt_format_list(note + used, size - used, format, arguments);
    va_end(arguments);
}

static slt_status cut_all(const slt_baseline *rule, slt_baseline_job *job, int common,
                          int32_t *const *ids) {
    const slt_baseline_input *input = job->input;
    for (size_t i = 0; i < input->target_count; i++) {
        SLT_TRY(slt_context_check(job->context));
        slt_arena_mark mark = slt_arena_now(job->arena);
        int T = input->target[i].length;
        uint8_t *is_end;
        SLT_TRY(SLT_NEW(job->arena, &is_end, (size_t)T));
        SLT_TRY(rule->cut(job, is_end, i, cuts_wanted(rule, input, common, i)));
        slt_ids_from_ends(ids[i], is_end, T);
        slt_arena_reset(job->arena, mark);
    }
    return SLT_OK;
}

slt_status slt_baseline_segment(slt_context *context, const char *name,
                                const slt_baseline_input *input, int32_t *const *ids,
                                slt_baseline_report *report) {
    const slt_baseline *rule = find_rule(name);
    if (!rule) return unknown_rule(name);
    SLT_TRY(check_input(input));
    SLT_TRY(check_needs(rule, input));

    slt_arena arena;
    slt_arena_init(&arena, &context->allocator, 0);
    slt_baseline_report written = {.note = ""};
    slt_baseline_job job = {context, &arena, input, &written, NULL};
    int common = common_count(rule, &job);
    char *anchor; // keeps the first block from one trajectory to the next
    slt_status status = SLT_NEW(&arena, &anchor, 1);
    if (status == SLT_OK && rule->prepare) status = rule->prepare(&job);
    if (status == SLT_OK) status = cut_all(rule, &job, common, ids);
    slt_arena_deinit(&arena);
    if (status == SLT_OK && report) *report = written;
    return status;
}
