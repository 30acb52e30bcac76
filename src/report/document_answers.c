// What a run said, as JSON: ids, confidence and scores of all trajectories, masks and attention of
// the chosen ones.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "report/document.h"
#include "report/report_text.h"

static uint8_t byte_of(double share) {
    return (uint8_t)(!(share > 0) ? 0 : share >= 1 ? 255 : 255 * share + 0.5);
}

// ---- all trajectories

static slt_status put_ids(slt_report_book *book, slt_text *out, const slt_report_run *run) {
    const slt_report_set *set = &book->sets[run->set];
    uint16_t *ids;
    uint8_t *confidence;
    size_t at = 0, boundaries = 0;
    SLT_TRY(SLT_NEW(&book->arena, &ids, (size_t)set->steps));
    SLT_TRY(SLT_NEW(&book->arena, &confidence, (size_t)set->steps));
    for (int64_t i = 0; i < set->count; i++) {
        const slt_report_answer *a = &run->answers.list[i];
        for (int t = 0; t < a->length; t++) ids[at++] = (uint16_t)a->ids[t];
        for (int b = 0; b < a->segments - 1; b++)
            confidence[boundaries++] = byte_of((double)a->confidence[b]);
    }
    slt_text_add(out, "\"ids\":");
    slt_json_pack(out, SLT_DTYPE_U16, ids, at);
    slt_text_add(out, ",\"confidence\":");
    slt_json_pack(out, SLT_DTYPE_U8, confidence, boundaries);
    return out->status;
}

// the law of every segment
static slt_status put_laws(slt_report_book *book, slt_text *out, const slt_report_run *run) {
    const slt_report_set *set = &book->sets[run->set];
    uint8_t *laws;
    size_t at = 0;
    if (!run->answers.list[0].laws) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &laws, (size_t)set->steps));
    for (int64_t i = 0; i < set->count; i++)
        for (int n = 0; n < run->answers.list[i].segments; n++)
            laws[at++] = (uint8_t)run->answers.list[i].laws[n];
    slt_text_add(out, ",\"laws\":");
    slt_json_pack(out, SLT_DTYPE_U8, laws, at);
    return out->status;
}

// what every segment does
static slt_status put_types(slt_report_book *book, slt_text *out, const slt_report_run *run) {
    const slt_report_set *set = &book->sets[run->set];
    int32_t *types;
    size_t at = 0;
    if (!run->types.count) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &types, (size_t)set->steps));
    for (int64_t i = 0; i < set->count; i++)
        for (int n = 0; n < run->answers.list[i].segments; n++)
            types[at++] = run->answers.list[i].types[n];
    slt_text_add(out, ",\"types\":");
    slt_json_pack(out, SLT_DTYPE_I32, types, at);
    return out->status;
}

// the effects of types, and the plans
static void put_type_list(slt_text *out, const slt_report_types *types) {
    if (!types->count) return;
    slt_text_add(out, ",\"types\":[");
    for (int k = 0; k < types->count; k++) {
        slt_text_add(out, k ? "," : "");
        slt_json_text(out, types->effects[k]);
    }
    slt_text_add(out, "],\"plan_count\":%d,\"rules\":%d,\"plans\":[", types->plan_count,
                 types->rules);
    for (int i = 0; i < types->plans_shown; i++)
        slt_text_add(out, "%s{\"episodes\":%lld,\"tree\":%s}", i ? "," : "",
                     (long long)types->plans[i].trajectories, types->plans[i].tree);
    slt_text_add(out, "]");
}

static slt_status put_scores(slt_report_book *book, slt_text *out, const slt_report_run *run) {
    size_t count = (size_t)book->sets[run->set].count;
    float *values;
    if (!run->each) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &values, count));
#define PUT(name, text)                                                                            \
    for (size_t i = 0; i < count; i++) values[i] = (float)run->each[i].name;                       \
    slt_text_add(out, ",\"" #name "\":");                                                          \
    slt_json_pack(out, SLT_DTYPE_F32, values, count);
    SLT_SCORE_LIST(PUT)
#undef PUT
    return out->status;
}

// ---- the chosen ones: slot by slot, step by step within a slot

typedef struct {
    uint8_t *masks, *attention, *counts;
    size_t masked, attended, counted;
    bool has_masks, has_attention, has_counts;
} slot_lists;

static void list_slots(slot_lists *l, const slt_report_answer *a, int K) {
    size_t T = (size_t)a->length;
    l->has_masks = l->has_masks && a->masks;
    l->has_attention = l->has_attention && a->attention;
    l->has_counts = l->has_counts && a->counts;
    for (size_t i = 0; l->has_masks && i < (size_t)K * T; i++)
        l->masks[l->masked++] = byte_of((double)a->masks[i]);
    for (int k = 0; l->has_attention && k < K; k++)
        for (size_t t = 0; t < T; t++)
            l->attention[l->attended++] = byte_of((double)a->attention[t * (size_t)K + (size_t)k]);
    for (int k = 0; l->has_counts && k < K; k++) l->counts[l->counted++] = byte_of(a->counts[k]);
}

static void put_bytes(slt_text *out, const char *name, const uint8_t *bytes, size_t count) {
    slt_text_add(out, ",\"%s\":", name);
    slt_json_pack(out, SLT_DTYPE_U8, bytes, count);
}

static slt_status put_slots(slt_report_book *book, slt_text *out, const slt_report_run *run) {
    const slt_report_set *set = &book->sets[run->set];
    size_t steps = 0, K = (size_t)run->answers.slots;
    slot_lists l = {.has_masks = true, .has_attention = true, .has_counts = true};
    for (int i = 0; i < set->chosen_count; i++)
        steps += (size_t)run->answers.list[set->chosen[i].place].length;
    SLT_TRY(SLT_NEW(&book->arena, &l.masks, steps * K));
    SLT_TRY(SLT_NEW(&book->arena, &l.attention, steps * K));
    SLT_TRY(SLT_NEW(&book->arena, &l.counts, (size_t)set->chosen_count * K));
    for (int i = 0; i < set->chosen_count; i++)
        list_slots(&l, &run->answers.list[set->chosen[i].place], run->answers.slots);
    slt_text_add(out, "\"slots\":%d", run->answers.slots);
    if (l.has_masks) put_bytes(out, "masks", l.masks, l.masked);
    if (l.has_attention) put_bytes(out, "attention", l.attention, l.attended);
    if (l.has_counts) put_bytes(out, "counts", l.counts, l.counted);
    return out->status;
}

// the vote on the chosen ones: heights; and a bit for every answer that has a boundary there
static slt_status put_vote(slt_report_book *book, slt_text *out, const slt_report_run *run) {
    const slt_report_set *set = &book->sets[run->set];
    const slt_report_answer *first = &run->answers.list[0];
    uint8_t *heights, *answers;
    size_t at = 0;
    if (!first->heights) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &heights, (size_t)set->steps));
    SLT_TRY(SLT_NEW(&book->arena, &answers, (size_t)set->steps));
    for (int i = 0; i < set->chosen_count; i++) {
        const slt_report_answer *a = &run->answers.list[set->chosen[i].place];
        for (int t = 0; t < a->length; t++, at++) {
            heights[at] = byte_of((double)a->heights[t]);
            for (int m = 0; m < a->answer_count; m++)
                answers[at] |= (uint8_t)(a->answers[m * a->length + t] << m);
        }
    }
    slt_text_add(out, ",\"line\":");
    slt_json_number(out, (double)first->line);
    slt_text_add(out, ",\"answer_count\":%d", first->answer_count);
    put_bytes(out, "heights", heights, at);
    put_bytes(out, "answers", answers, at);
    return out->status;
}

slt_status slt_document_answers(slt_report_book *book, slt_text *out, const slt_report_run *run) {
    put_type_list(out, &run->types);
    slt_text_add(out, ",\"trajectories\":{");
    SLT_TRY(put_ids(book, out, run));
    SLT_TRY(put_laws(book, out, run));
    SLT_TRY(put_types(book, out, run));
    SLT_TRY(put_scores(book, out, run));
    slt_text_add(out, "},\"detail\":{");
    SLT_TRY(put_slots(book, out, run));
    SLT_TRY(put_vote(book, out, run));
    slt_text_add(out, "}");
    return out->status;
}
