// What the segments of a run do: types by effect, and plans, the grammar of their sequences.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "report/report_impl.h"
#include "slottar/skills.h"

enum { MOST_PLANS = 16, WORDS = 512, PATH = 4096 };

static slt_status copy_effects(slt_report_book *book, const slt_report_set *set,
                               const slt_types *types, slt_report_types *out) {
    char words[WORDS], *copy;
    out->count = slt_types_count(types);
    SLT_TRY(SLT_NEW(&book->arena, &out->effects, (size_t)out->count));
    for (int k = 0; k < out->count; k++) {
        SLT_TRY(slt_types_describe(types, set->data, k, words, sizeof words));
        SLT_TRY(slt_arena_text(&book->arena, words, strlen(words), &copy));
        out->effects[k] = copy;
    }
    return SLT_OK;
}

static slt_status copy_plans(slt_report_book *book, const slt_plans *plans, slt_report_types *out) {
    out->plan_count = slt_plans_count(plans);
    out->rules = slt_plans_rules(plans);
    out->plans_shown = out->plan_count < MOST_PLANS ? out->plan_count : MOST_PLANS;
    SLT_TRY(SLT_NEW(&book->arena, &out->plans, (size_t)out->plans_shown));
    for (int i = 0; i < out->plans_shown; i++) {
        const slt_type_plan *plan = slt_plans_at(plans, i);
        char *tree;
        SLT_TRY(slt_arena_text(&book->arena, plan->tree, strlen(plan->tree), &tree));
        out->plans[i] = (slt_report_plan){plan->sequences, tree};
    }
    return SLT_OK;
}

static slt_status add(slt_report_book *book, slt_report_run *run, const slt_types *types) {
    const slt_report_set *set = &book->sets[run->set];
    int32_t *all;
    int64_t *offsets;
    slt_plans *plans;
    SLT_TRY(SLT_NEW(&book->arena, &all, (size_t)set->steps));
    SLT_TRY(SLT_NEW(&book->arena, &offsets, (size_t)set->count + 1));
    for (int64_t i = 0; i < set->count; i++) {
        slt_report_answer *a = &run->answers.list[i];
        a->types = all + offsets[i];
        offsets[i + 1] = offsets[i] + a->segments;
        SLT_TRY(slt_types_of(types, set->data, set->episodes[i], a->ids, a->types));
    }
    SLT_TRY(copy_effects(book, set, types, &run->types));
    SLT_TRY(slt_plans_learn(book->context, all, offsets, set->count, &plans));
    slt_status status = copy_plans(book, plans, &run->types);
    slt_plans_close(plans);
    return status;
}

// a run without its model: what it keeps, if it does
static slt_status open_kept(slt_report_book *book, const slt_report_run *run, slt_types **out) {
    char path[PATH];
    int length = snprintf(path, sizeof path, "%s/%s", run->path, SLT_TYPES_FILE);
    if (length > 0 && length < PATH && access(path, F_OK) == 0)
        return slt_types_open(book->context, path, out);
    slt_context_log(book->context, SLT_LOG_WARNING, "no types of segments: %s", slt_last_error());
    return SLT_OK;
}

// laws are types of their own
slt_status slt_report_add_types(slt_report_book *book, slt_report_run *run) {
    const slt_types *types = NULL;
    slt_types *kept = NULL;
    slt_model *model = NULL;
    if (!book->sets[run->set].count || run->answers.list[0].laws) return SLT_OK;
    slt_status status = slt_model_open(book->context, run->path, &model);
    if (status == SLT_OK) {
        status = slt_model_types(model, &types);
    } else if (status != SLT_NOMEM) {
        status = open_kept(book, run, &kept);
        types = kept;
    }
    if (status == SLT_OK && types) status = add(book, run, types);
    slt_types_close(kept);
    slt_model_close(model);
    return status;
}
