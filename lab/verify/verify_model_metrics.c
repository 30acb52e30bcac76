// Golden kind: golden/models/metrics.json, values of the reference's metric functions.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/golden_fields.h"

#include <stdio.h>
#include <string.h>
#include "metrics/access.h"
#include "metrics/ground_truth.h"
#include "models/ompn_model.h"
#include "metrics/label_scores.h"

#define TOLERANCE 1e-9
enum { LONGEST = 1 << 20 }; // steps

// ---- segmentation: a truth and a prediction with all their scores

static slt_status check_boundaries(slt_verification *v, json_t *record, const char *name,
                                   const slt_golden_list *ids, slt_golden_list *out) {
    SLT_TRY(SLT_NEW(v->arena, &out->values, (size_t)ids->count));
    out->count = slt_boundaries(out->values, ids->values, ids->count);
    return slt_verify_list(v, record, name, out->values, out->count);
}

static slt_status check_ordered(slt_verification *v, json_t *record, const slt_golden_list *ids) {
    int64_t *keys;
    int32_t *ordered;
    SLT_TRY(SLT_NEW(v->arena, &keys, (size_t)ids->count));
    SLT_TRY(SLT_NEW(v->arena, &ordered, (size_t)ids->count));
    for (int t = 0; t < ids->count; t++) keys[t] = ids->values[t];
    SLT_TRY(slt_renumber(v->arena, ordered, keys, ids->count, NULL));
    return slt_verify_list(v, record, "ordered", ordered, ids->count);
}

static slt_status check_segmentation(slt_verification *v, json_t *record) {
    slt_golden_list gt, pred, g, p;
    SLT_TRY(slt_field_list(v->arena, record, "gt", &gt));
    SLT_TRY(slt_field_list(v->arena, record, "pred", &pred));
    if (gt.count < 1 || gt.count != pred.count)
        SLT_FAIL(SLT_FORMAT, "%d true and %d predicted labels", gt.count, pred.count);
    SLT_TRY(check_boundaries(v, record, "gt_boundaries", &gt, &g));
    SLT_TRY(check_boundaries(v, record, "pred_boundaries", &pred, &p));
    SLT_TRY(check_ordered(v, record, &pred));

    slt_scored scored;
    SLT_TRY(slt_score_ids(v->arena, &scored, gt.values, pred.values, gt.count, 1));
    double exact = slt_boundary_f1(g.values, g.count, p.values, p.count, 0);
    SLT_TRY(slt_verify_number(v, record, "f1", scored.scores.f1, TOLERANCE));
    SLT_TRY(slt_verify_number(v, record, "f1_tol0", exact, TOLERANCE));
    SLT_TRY(slt_verify_number(v, record, "alignment", scored.scores.align, TOLERANCE));
    return slt_verify_number(v, record, "ari", scored.scores.ari, TOLERANCE);
}

// ---- access: masks and attention of slots

static slt_status read_access(slt_verification *v, json_t *record, slt_access_case *c) {
    slt_golden_matrix attention, mask;
    double threshold;
    SLT_TRY(slt_field_int(record, "L", 1, LONGEST, &c->L));
    SLT_TRY(slt_field_int(record, "T", 1, c->L, &c->T));
    SLT_TRY(slt_field_int(record, "K", 1, LONGEST, &c->K));
    SLT_TRY(slt_field_int(record, "G", 1, c->K, &c->G));
    SLT_TRY(slt_field_number(record, "t_on", &threshold));
    SLT_TRY(slt_field_matrix(v->arena, record, "attn", c->K, c->L, &attention));
    SLT_TRY(slt_field_matrix(v->arena, record, "mask", c->K, c->L, &mask));
    c->attention = (slt_slot_view){attention.values, c->L, 1};
    c->mask = (slt_slot_view){mask.values, c->L, 1};
    c->threshold = (float)threshold;
    return SLT_OK;
}

static slt_status check_slots(slt_verification *v, json_t *record, const slt_access_case *c) {
    json_t *forward = json_object_get(record, "fa_per_slot");
    json_t *backward = json_object_get(record, "ba_per_slot");
    size_t count = json_array_size(forward);
    if (count < 1 || count > (size_t)c->K || json_array_size(backward) != count)
        SLT_FAIL(SLT_FORMAT, "fields 'fa_per_slot' and 'ba_per_slot' do not fit %d slots", c->K);
    for (size_t k = 0; k < count; k++) {
        slt_access slot = slt_access_slot(c, (int)k);
        double fa = json_number_value(json_array_get(forward, k));
        double ba = json_number_value(json_array_get(backward, k));
        slt_verify_near(v, fa, slot.forward, TOLERANCE, 1, "fa_per_slot");
        slt_verify_near(v, ba, slot.backward, TOLERANCE, 1, "ba_per_slot");
    }
    return SLT_OK;
}

static slt_status check_access(slt_verification *v, json_t *record) {
    slt_access_case c = {.form = SLT_ACCESS_REFERENCE};
    SLT_TRY(read_access(v, record, &c));
    SLT_TRY(check_slots(v, record, &c));
    slt_access mean = slt_access_mean(&c);
    SLT_TRY(slt_verify_number(v, record, "fa", mean.forward, TOLERANCE));
    return slt_verify_number(v, record, "ba", mean.backward, TOLERANCE);
}

// ---- ids from ends: OMPN's depths, and the truth from actions

static slt_status check_ids(slt_verification *v, json_t *record, const uint8_t *is_end, int T,
                            int *segments) {
    int32_t *ids;
    SLT_TRY(SLT_NEW(v->arena, &ids, (size_t)T));
    *segments = slt_ids_from_ends(ids, is_end, T);
    return slt_verify_list(v, record, "ids", ids, T);
}

static slt_status check_ompn(slt_verification *v, json_t *record) {
    int depth, T, G;
    slt_golden_matrix p_hat;
    int32_t *ends, *ids;
    SLT_TRY(slt_field_int(record, "n", 1, LONGEST, &depth));
    SLT_TRY(slt_field_int(record, "T", 1, LONGEST, &T));
    SLT_TRY(slt_field_int(record, "oracle_segments", 1, LONGEST, &G));
    SLT_TRY(slt_field_matrix(v->arena, record, "p_hat", T, depth + 1, &p_hat));
    SLT_TRY(SLT_NEW(v->arena, &ends, (size_t)T));
    SLT_TRY(SLT_NEW(v->arena, &ids, (size_t)T));
    int count = slt_ompn_ends(p_hat.values, depth, T, G, ends);
    SLT_TRY(slt_verify_list(v, record, "ends", ends, count));
    slt_ompn_ids_counted(p_hat.values, depth, T, G, ids);
    return slt_verify_list(v, record, "ids", ids, T);
}

static slt_status minigrid_ends(slt_verification *v, json_t *record, const slt_golden_list *actions,
                                uint8_t *is_end) {
    slt_golden_list own, front;
    SLT_TRY(slt_field_list(v->arena, record, "agent_cell_object", &own));
    SLT_TRY(slt_field_list(v->arena, record, "front_cell_state", &front));
    if (own.count != actions->count || front.count != actions->count)
        SLT_FAIL(SLT_FORMAT, "%d actions, but %d and %d view cells", actions->count, own.count,
                 front.count);
    slt_minigrid_ends(is_end, actions->values, own.values, front.values, actions->count);
    return SLT_OK;
}

static slt_status check_truth(slt_verification *v, json_t *record) {
    const char *kind = json_string_value(json_object_get(record, "kind"));
    slt_golden_list actions;
    uint8_t *is_end;
    SLT_TRY(slt_field_list(v->arena, record, "actions", &actions));
    SLT_TRY(SLT_NEW(v->arena, &is_end, (size_t)actions.count));
    if (kind && strcmp(kind, "craft") == 0)
        slt_craft_ends(is_end, actions.values, actions.count);
    else if (kind && strcmp(kind, "minigrid") == 0)
        SLT_TRY(minigrid_ends(v, record, &actions, is_end));
    else
        SLT_FAIL(SLT_FORMAT, "field 'kind' is neither craft nor minigrid");
    int segments;
    SLT_TRY(check_ids(v, record, is_end, actions.count, &segments));
    return slt_verify_number(v, record, "num_segments", segments, 0);
}

// ---- the file

static const struct {
    const char *name;
    slt_status (*check)(slt_verification *v, json_t *record);
} sections[] = {
    {"segmentation", check_segmentation},
    {"access", check_access},
    {"ompn_ids", check_ompn},
    {"ground_truth", check_truth},
};

enum { SECTIONS = sizeof sections / sizeof *sections };

static bool knows(const slt_golden *golden) {
    if (golden->is_lines) return false;
    for (int i = 0; i < SECTIONS; i++)
        if (!json_is_array(json_object_get(golden->head, sections[i].name))) return false;
    return true;
}

static slt_status run_section(slt_verification *v, const slt_golden *golden, int section) {
    json_t *records = json_object_get(golden->head, sections[section].name);
    char where[64];
    v->where = where;
    for (size_t i = 0; i < json_array_size(records); i++) {
        snprintf(where, sizeof where, "%s %zu", sections[section].name, i);
        slt_arena_mark mark = slt_arena_now(v->arena);
        slt_status status = sections[section].check(v, json_array_get(records, i));
        if (status != SLT_OK) return slt_fail_in(status, where);
        slt_arena_reset(v->arena, mark);
    }
    v->where = NULL;
    return SLT_OK;
}

static slt_status run(slt_verification *v, const slt_golden *golden) {
    for (int i = 0; i < SECTIONS; i++) {
        slt_status status = run_section(v, golden, i);
        if (status != SLT_OK) return slt_fail_in(status, golden->path);
    }
    return SLT_OK;
}

const slt_verify_kind slt_verify_model_metrics = {"metrics", knows, run};
