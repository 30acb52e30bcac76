// The table of segments: peers, baselines, models alone and the vote, told and not told; F1 within
// one step, one to one. Peers come from FOLDER/peers.json, {set: {method: {"f1_one": ...}}}, as the
// laboratory's peer program writes it; a method whose name ends with + is told the number.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/json.h"
#include "reproduce/repro_markdown.h"

typedef struct {
    slt_repro *r;
    const slt_repro_set *sets[SLT_REPRO_SETS];
    int count;
    slt_text *out;
} view;

static void put_score(slt_text *out, double value) {
    if (isfinite(value))
        slt_text_add(out, " %.1f |", 100 * value);
    else
        slt_text_add(out, " – |");
}

// ---- peers

enum { PEERS = 32 };

static double peer_score(const json_t *peers, const slt_repro_set *set, const char *method) {
    const json_t *row = json_object_get(json_object_get(peers, set->name), method);
    const json_t *value = json_object_get(row, "f1_one");
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool is_told(const char *method) { return method[strlen(method) - 1] == '+'; }

static int peer_names(const view *v, json_t *peers, bool told, const char *names[PEERS]) {
    int count = 0;
    for (int s = 0; s < v->count; s++) {
        const char *name;
        json_t *row;
        json_object_foreach(json_object_get(peers, v->sets[s]->name), name, row) {
            bool known = !*name || is_told(name) != told || count == PEERS;
            for (int i = 0; i < count && !known; i++) known = strcmp(names[i], name) == 0;
            if (!known) names[count++] = name;
        }
    }
    return count;
}

static void put_peers(const view *v, json_t *peers, bool told) {
    const char *names[PEERS];
    int count = peer_names(v, peers, told, names);
    for (int i = 0; i < count; i++) {
        slt_text_add(v->out, "| peer: %.*s | %s |", (int)strlen(names[i]) - told, names[i],
                     told ? "count" : "nothing");
        for (int s = 0; s < v->count; s++)
            put_score(v->out, peer_score(peers, v->sets[s], names[i]));
        slt_text_add(v->out, "\n");
    }
    if (!count) return;
    slt_text_add(v->out, "| **best peer** | %s |", told ? "count" : "nothing");
    for (int s = 0; s < v->count; s++) {
        double best = NAN;
        for (int i = 0; i < count; i++) best = fmax(best, peer_score(peers, v->sets[s], names[i]));
        put_score(v->out, best);
    }
    slt_text_add(v->out, "\n");
}

static slt_status put_all_peers(const view *v) {
    char path[SLT_REPRO_PATH];
    json_t *peers;
    if (!slt_repro_there(slt_repro_path(v->r, path, "peers.json"))) return SLT_OK;
    SLT_TRY(slt_json_read(path, 4, &peers));
    put_peers(v, peers, true);
    put_peers(v, peers, false);
    json_decref(peers);
    return SLT_OK;
}

// ---- baselines

static slt_status put_baselines(const view *v) {
    static const char *const shown[] = {"uniform", "delimiter", "jump", "jump-threshold", NULL};
    slt_repro_about about[SLT_REPRO_SETS];
    for (int s = 0; s < v->count; s++) {
        char path[SLT_REPRO_PATH];
        about[s] = (slt_repro_about){0};
        if (slt_repro_there(slt_repro_path(v->r, path, "data/%s.json", v->sets[s]->name)))
            SLT_TRY(slt_repro_about_read(v->r, v->sets[s], &about[s]));
    }
    for (int i = 0; i < SLT_REPRO_BASELINES && slt_baseline_name(i); i++) {
        const char *name = slt_baseline_name(i);
        if (!slt_repro_in(shown, 5, name)) continue;
        slt_text_add(v->out, "| *%s* | %s |", name, slt_told_name(slt_rule_told(name)));
        for (int s = 0; s < v->count; s++)
            put_score(v->out, about[s].known[i] ? about[s].baselines[i].f1_one : (double)NAN);
        slt_text_add(v->out, "\n");
    }
    return SLT_OK;
}

// ---- variants

// what the runs of a cell say; runs 0: there is none
typedef struct {
    int runs, warned;
    double f1, worst, alone, trust, seconds;
    bool told_count, votes;
    char group[SLT_REPRO_WORD];
    slt_reliability reliability;
} outcome;

static void add_record(const slt_repro_record *record, outcome *out) {
    double f1 = record->test.scores.mean.f1_one;
    if (record->failed) return;
    out->runs++;
    out->f1 += f1;
    out->worst = fmin(out->worst, f1);
    out->alone += record->alone;
    out->trust += record->trust;
    out->seconds += record->seconds;
    out->warned += record->warning[0] != 0;
    out->told_count |= record->test.told_count;
    out->votes |= record->group[0] != 0;
    size_t used = strlen(out->group);
    if (!strstr(out->group, record->group))
        snprintf(out->group + used, sizeof out->group - used, "%s%s", used ? ", " : "",
                 record->group);
    for (int b = 0; b < SLT_RELIABILITY_BINS; b++) {
        out->reliability.count[b] += record->test.reliability.count[b];
        out->reliability.confidence[b] += record->test.reliability.confidence[b];
        out->reliability.right[b] += record->test.reliability.right[b];
    }
}

static slt_status outcome_of(const view *v, const slt_repro_set *set,
                             const slt_repro_variant *variant, outcome *out) {
    slt_arena_mark mark = slt_arena_now(&v->r->arena);
    slt_repro_record *records;
    int *indices, count;
    *out = (outcome){.worst = INFINITY};
    SLT_TRY(slt_repro_records(v->r, &v->r->arena, set, variant, v->r->seeds, &records, &indices,
                              &count));
    for (int i = 0; i < count; i++) add_record(&records[i], out);
    slt_arena_reset(&v->r->arena, mark);
    double n = out->runs ? out->runs : (double)NAN;
    out->f1 /= n, out->alone /= n, out->trust /= n, out->seconds /= n;
    return SLT_OK;
}

typedef void (*put_cell)(slt_text *out, const outcome *o);

static void put_f1(slt_text *out, const outcome *o) {
    if (o->runs > 1)
        slt_text_add(out, " %.1f (%.1f) |", 100 * o->f1, 100 * o->worst);
    else
        put_score(out, o->f1);
}
static void put_alone(slt_text *out, const outcome *o) { put_score(out, o->alone); }
static void put_trust(slt_text *out, const outcome *o) {
    slt_text_add(out, isfinite(o->trust) ? " %.2f |" : " – |", o->trust);
}
static void put_group(slt_text *out, const outcome *o) {
    slt_text_add(out, " %s |", o->runs ? o->group : "–");
}
static void put_seconds(slt_text *out, const outcome *o) {
    slt_text_add(out, isfinite(o->seconds) ? " %.0f |" : " – |", o->seconds);
}
static void put_warned(slt_text *out, const outcome *o) {
    if (o->runs)
        slt_text_add(out, " %d of %d |", o->warned, o->runs);
    else
        slt_text_add(out, " – |");
}

static void put_row(const view *v, const char *name, const char *told, put_cell put,
                    const outcome *outcomes) {
    slt_text_add(v->out, "| %s | %s |", name, told);
    for (int s = 0; s < v->count; s++) put(v->out, &outcomes[s]);
    slt_text_add(v->out, "\n");
}

static slt_status put_variant(const view *v, const slt_repro_variant *variant,
                              slt_reliability *confidence) {
    outcome outcomes[SLT_REPRO_SETS], all = {0};
    for (int s = 0; s < v->count; s++) {
        SLT_TRY(outcome_of(v, v->sets[s], variant, &outcomes[s]));
        all.runs += outcomes[s].runs;
        all.told_count |= outcomes[s].told_count;
        all.votes |= outcomes[s].votes;
        bool answers = outcomes[s].votes && !variant->settings; // with all groups, as by default
        for (int b = 0; b < SLT_RELIABILITY_BINS && answers; b++) {
            confidence->count[b] += outcomes[s].reliability.count[b];
            confidence->confidence[b] += outcomes[s].reliability.confidence[b];
            confidence->right[b] += outcomes[s].reliability.right[b];
        }
    }
    if (!all.runs) return SLT_OK;
    const char *told = all.told_count                    ? "count"
                       : variant->told == SLT_TOLD_RANGE ? "range"
                       : slt_repro_told_prior(variant)   ? "histogram"
                                                         : "nothing";
    if (all.votes) put_row(v, "one run of the vote, mean of all", told, put_alone, outcomes);
    put_row(v, variant->title, told, put_f1, outcomes);
    if (all.votes) put_row(v, "– trust", "", put_trust, outcomes);
    if (all.votes) put_row(v, "– answered by", "", put_group, outcomes);
    put_row(v, "– warned", "", put_warned, outcomes);
    put_row(v, "– seconds", "", put_seconds, outcomes);
    return SLT_OK;
}

static void put_calibration(const view *v, const slt_reliability *all) {
    double boundaries = 0, error = 0;
    for (int b = 0; b < SLT_RELIABILITY_BINS; b++) {
        boundaries += all->count[b];
        error += fabs(all->confidence[b] - all->right[b]);
    }
    if (boundaries > 0)
        slt_text_add(v->out,
                     "\nExpected calibration error of the vote's boundary confidence, all sets "
                     "together: %.3f (%.0f boundaries).\n",
                     error / boundaries, boundaries);
}

slt_status slt_repro_view_segments(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    view v = {.r = r, .out = out};
    slt_reliability confidence = {0};
    slt_text_add(out, "| F1 | told |");
    for (; v.count < SLT_REPRO_SETS && table->sets[v.count]; v.count++) {
        v.sets[v.count] = slt_repro_set_find(table->sets[v.count]);
        slt_text_add(out, " %s |", v.sets[v.count]->title);
    }
    slt_text_add(out, "\n");
    slt_repro_put_line(out, 1 + v.count);
    SLT_TRY(put_all_peers(&v));
    SLT_TRY(put_baselines(&v));
    for (int i = 0; i < SLT_REPRO_VARIANTS && table->variants[i]; i++)
        SLT_TRY(put_variant(&v, slt_repro_variant_find(table->variants[i]), &confidence));
    put_calibration(&v, &confidence);
    return SLT_OK;
}
