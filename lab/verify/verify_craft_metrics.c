// Golden kind: golden/craft/metrics.jsonl, from what each model says on Craft to ids and scores.
//
// Records of the baselines carry both ways of scoring: over T+1 steps with DONE, as the reference
// does, and over the T real steps (fields clean_*).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/golden_fields.h"

#include <stdio.h>
#include <string.h>
#include "metrics/access.h"
#include "metrics/ground_truth.h"
#include "models/ompn_model.h"
#include "models/slot_ids.h"
#include "metrics/label_scores.h"

#define TOLERANCE 1e-9
enum { LONGEST = 1 << 20 }; // steps

// what a record gives to all models
typedef struct {
    json_t *json;
    int length, num_segs;
    slt_golden_list actions;
    int32_t *truth, *predicted; // (length)
    uint8_t *is_end;            // (length)
} record;

static slt_status read_record(slt_verification *v, json_t *json, const char *actions, record *r) {
    r->json = json;
    SLT_TRY(slt_field_int(json, "length", 1, LONGEST, &r->length));
    SLT_TRY(slt_field_int(json, "num_segs", 1, LONGEST, &r->num_segs));
    SLT_TRY(slt_field_list(v->arena, json, actions, &r->actions));
    if (r->actions.count != r->length)
        SLT_FAIL(SLT_FORMAT, "%d actions, but length %d", r->actions.count, r->length);
    SLT_TRY(SLT_NEW(v->arena, &r->truth, (size_t)r->length));
    SLT_TRY(SLT_NEW(v->arena, &r->predicted, (size_t)r->length));
    SLT_TRY(SLT_NEW(v->arena, &r->is_end, (size_t)r->length));
    return SLT_OK;
}

// the truth over the steps before DONE
static void make_truth(record *r, int T) {
    slt_craft_ends(r->is_end, r->actions.values, T);
    slt_ids_from_ends(r->truth, r->is_end, T);
}

// ---- comparisons: ids, boundaries and scores as the reference has them, or the clean ones

static slt_status check_boundaries(slt_verification *v, const record *r, const char *name,
                                   const int32_t *ids) {
    int32_t *boundaries;
    SLT_TRY(SLT_NEW(v->arena, &boundaries, (size_t)r->length));
    int count = slt_boundaries(boundaries, ids, r->length);
    return slt_verify_list(v, r->json, name, boundaries, count);
}

static slt_status check_scores(slt_verification *v, const record *r, int T,
                               const char *const names[3]) {
    slt_scored scored;
    SLT_TRY(slt_score_ids(v->arena, &scored, r->truth, r->predicted, T, 1));
    SLT_TRY(slt_verify_number(v, r->json, names[0], scored.scores.f1, TOLERANCE));
    SLT_TRY(slt_verify_number(v, r->json, names[1], scored.scores.align, TOLERANCE));
    return slt_verify_number(v, r->json, names[2], scored.scores.ari, TOLERANCE);
}

static slt_status check_reference(slt_verification *v, const record *r) {
    static const char *const names[] = {"f1", "align", "ari"};
    SLT_TRY(slt_verify_list(v, r->json, "gt_ids", r->truth, r->length));
    SLT_TRY(slt_verify_list(v, r->json, "pred_ids", r->predicted, r->length));
    SLT_TRY(check_boundaries(v, r, "gt_boundaries", r->truth));
    SLT_TRY(check_boundaries(v, r, "pred_boundaries", r->predicted));
    return check_scores(v, r, r->length, names);
}

static slt_status check_clean(slt_verification *v, const record *r) {
    static const char *const names[] = {"clean_f1", "clean_align", "clean_ari"};
    int T = r->length - 1;
    SLT_TRY(slt_verify_list(v, r->json, "clean_pred_ids", r->predicted, T));
    return check_scores(v, r, T, names);
}

// ---- SloTTAr

static slt_status check_slottar(slt_verification *v, json_t *json) {
    record r = {0};
    slt_golden_matrix masks, attention;
    SLT_TRY(read_record(v, json, "actions", &r));
    SLT_TRY(slt_field_matrix(v->arena, json, "masks", -1, r.length, &masks));
    SLT_TRY(slt_field_matrix(v->arena, json, "slot_attn", r.length, masks.rows, &attention));
    make_truth(&r, r.length);
    slt_slot_ids(masks.values, r.length, NULL, masks.rows, r.length, r.predicted);
    SLT_TRY(check_reference(v, &r));
    // the padding is all zero and not stored
    slt_access access =
        slt_access_score(attention.values, masks.values, r.length, masks.rows, r.num_segs);
    SLT_TRY(slt_verify_number(v, json, "fw_access", access.forward, TOLERANCE));
    return slt_verify_number(v, json, "bw_access", access.backward, TOLERANCE);
}

// ---- the baselines, with DONE as their last step

static slt_status read_baseline(slt_verification *v, json_t *json, record *r) {
    SLT_TRY(read_record(v, json, "actions_with_done", r));
    if (r->length < 2) SLT_FAIL(SLT_FORMAT, "no step before DONE");
    make_truth(r, r->length - 1);
    slt_truth_done(r->truth, r->length);
    return SLT_OK;
}

// the share of segment k at step t: [t < b_k] · prod over j < k of [t >= b_j]
static slt_status compile_shares(slt_verification *v, const record *r, const int32_t *boundaries,
                                 slt_real **shares) {
    SLT_TRY(SLT_NEW(v->arena, shares, (size_t)r->num_segs * (size_t)r->length));
    for (int t = 0; t < r->length; t++)
        for (int k = 0; k < r->num_segs; k++) {
            if (t >= boundaries[k]) continue;
            (*shares)[k * r->length + t] = 1;
            break;
        }
    return SLT_OK;
}

static slt_status check_compile(slt_verification *v, json_t *json) {
    record r = {0};
    slt_golden_list boundaries;
    slt_real *shares;
    SLT_TRY(read_baseline(v, json, &r));
    SLT_TRY(slt_field_list(v->arena, json, "boundary_idx", &boundaries));
    if (boundaries.count < r.num_segs)
        SLT_FAIL(SLT_FORMAT, "%d boundaries for %d segments", boundaries.count, r.num_segs);
    SLT_TRY(compile_shares(v, &r, boundaries.values, &shares));
    slt_slot_ids(shares, r.length, NULL, r.num_segs, r.length, r.predicted);
    SLT_TRY(check_reference(v, &r));
    return check_clean(v, &r);
}

// ids over the first T steps
static slt_status ompn_ids(slt_verification *v, record *r, const slt_golden_matrix *p_hat, int T,
                           const char *chosen) {
    int32_t *ends;
    SLT_TRY(SLT_NEW(v->arena, &ends, (size_t)T));
    int depth = p_hat->columns - 1,
        count = slt_ompn_ends(p_hat->values, depth, T, r->num_segs, ends);
    slt_ompn_ids_counted(p_hat->values, depth, T, r->num_segs, r->predicted);
    return slt_verify_list(v, r->json, chosen, ends, count);
}

static slt_status check_ompn(slt_verification *v, json_t *json) {
    record r = {0};
    slt_golden_matrix p_hat;
    int levels;
    SLT_TRY(read_baseline(v, json, &r));
    SLT_TRY(slt_field_int(json, "nb_slots", 1, LONGEST, &levels));
    SLT_TRY(slt_field_matrix(v->arena, json, "p_hat", r.length, levels + 1, &p_hat));
    SLT_TRY(ompn_ids(v, &r, &p_hat, r.length, "topk_idx"));
    SLT_TRY(check_reference(v, &r));
    SLT_TRY(ompn_ids(v, &r, &p_hat, r.length - 1, "clean_topk_idx"));
    return check_clean(v, &r);
}

// ---- the file

static const struct {
    const char *model;
    slt_status (*check)(slt_verification *v, json_t *json);
} models[] = {
    {"slottar", check_slottar},
    {"compile", check_compile},
    {"ompn", check_ompn},
};

static slt_status check_line(slt_verification *v, json_t *json) {
    const char *model = json_string_value(json_object_get(json, "model"));
    for (size_t i = 0; model && i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].model, model) == 0) return models[i].check(v, json);
    SLT_FAIL(SLT_FORMAT, "field 'model' is none of slottar, compile, ompn");
}

static bool knows(const slt_golden *golden) {
    return json_is_string(json_object_get(golden->head, "model")) &&
           json_is_array(json_object_get(golden->head, "gt_ids")) &&
           json_is_array(json_object_get(golden->head, "pred_ids"));
}

static slt_status run(slt_verification *v, const slt_golden *golden) {
    char where[64];
    v->where = where;
    size_t offset = 0;
    for (int line = 1;; line++) {
        json_t *json;
        SLT_TRY(slt_golden_next(golden, &offset, &json));
        if (!json) break;
        snprintf(where, sizeof where, "line %d", line);
        slt_arena_mark mark = slt_arena_now(v->arena);
        slt_status status = check_line(v, json);
        slt_arena_reset(v->arena, mark);
        json_decref(json);
        if (status != SLT_OK) return slt_fail_in(slt_fail_in(status, where), golden->path);
    }
    v->where = NULL;
    return SLT_OK;
}

const slt_verify_kind slt_verify_craft_metrics = {"craft metrics", knows, run};
