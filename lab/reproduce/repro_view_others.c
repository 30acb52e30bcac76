// The other tables: restarts, warnings, speed, priors, figures.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "reproduce/repro_markdown.h"
#include "reproduce/repro_speed.h"
#include "train/learner/train_options.h"

// ---- restarts

static void put_gaps(slt_text *out, const slt_repro_summary *m) {
    if (isnan(m->least_gap))
        slt_text_add(out, " – |");
    else if (isinf(m->least_gap))
        slt_text_add(out, " all alike |");
    else if (isinf(m->largest_gap))
        slt_text_add(out, " %.3f to all alike |", m->least_gap);
    else
        slt_text_add(out, " %.3f to %.3f |", m->least_gap, m->largest_gap);
}

static slt_status put_group(slt_repro *r, const slt_repro_set *set,
                            const slt_repro_variant *variant, slt_text *out) {
    slt_repro_summary m;
    SLT_TRY(slt_repro_summary_of(r, set, variant, &m));
    if (!m.runs) return SLT_OK;
    slt_text_add(out, "| %s | %s | %d |", set->title, variant->title, m.runs);
    slt_repro_put(out, m.mean.f1, m.sd.f1);
    slt_repro_put(out, m.mean.align, m.sd.align);
    slt_repro_put(out, m.worst, NAN);
    slt_text_add(out, " %d of %d |", m.right, m.runs);
    put_gaps(out, &m);
    if (variant->restarts)
        slt_text_add(out, " %d |\n", m.warned);
    else
        slt_text_add(out, " – |\n");
    return SLT_OK;
}

slt_status slt_repro_view_restarts(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    slt_text_add(out, "| set | | runs | F1 | alignment | worst F1 | F1 above 95 | gap, nats per "
                      "step | warned |\n");
    slt_repro_put_line(out, 8);
    for (int s = 0; s < SLT_REPRO_SETS && table->sets[s]; s++)
        for (int v = 0; v < SLT_REPRO_VARIANTS && table->variants[v]; v++)
            SLT_TRY(put_group(r, slt_repro_set_find(table->sets[s]),
                              slt_repro_variant_find(table->variants[v]), out));
    return SLT_OK;
}

// ---- warnings

static void put_wrong(slt_text *out, const slt_repro_set *set, const slt_repro_variant *variant,
                      const slt_repro_record *record, int index) {
    slt_text_add(out, "- wrong without a warning: %s, %s, run %d: F1 %.2f\n", set->name,
                 variant->name, index, 100 * record->test.scores.mean.f1);
}

// of one cell; those that nobody was warned of go to `wrong`
static slt_status trust_cell(slt_repro *r, const slt_repro_set *set,
                             const slt_repro_variant *variant, slt_repro_trust *trust,
                             slt_text *wrong) {
    slt_arena_mark mark = slt_arena_now(&r->arena);
    slt_repro_record *records;
    int *indices, count;
    slt_status status = slt_repro_records(r, &r->arena, set, variant, SLT_REPRODUCE_SEEDS, &records,
                                          &indices, &count);
    for (int i = 0; status == SLT_OK && i < count; i++) {
        int before = trust->quiet_wrong;
        slt_repro_trust_add(trust, &records[i]);
        if (trust->quiet_wrong > before) put_wrong(wrong, set, variant, &records[i], indices[i]);
    }
    slt_arena_reset(&r->arena, mark);
    return status;
}

static slt_status trust_all(slt_repro *r, slt_repro_trust *trust, slt_text *wrong) {
    for (int s = 0; slt_repro_set_at(s); s++)
        for (int v = 0; slt_repro_variant_at(v); v++)
            if (slt_repro_variant_at(v)->restarts)
                SLT_TRY(trust_cell(r, slt_repro_set_at(s), slt_repro_variant_at(v), trust, wrong));
    return SLT_OK;
}

slt_status slt_repro_view_warnings(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    slt_repro_trust t = {0};
    slt_text wrong;
    (void)table;
    slt_text_init(&wrong, &r->context->allocator);
    slt_status status = trust_all(r, &t, &wrong);
    if (status == SLT_OK) status = wrong.status;
    slt_text_add(out, "%d groups of restarts: %d without a warning, %d of them wrong",
                 t.quiet + t.loud, t.quiet, t.quiet_wrong);
    if (t.quiet) slt_text_add(out, " (%.1f %%)", 100.0 * t.quiet_wrong / t.quiet);
    slt_text_add(out, "; %d with one, %d of them wrong. Wrong is F1 below %.0f.\n", t.loud,
                 t.loud_wrong, 100 * SLT_REPRO_WRONG);
    if (wrong.length) slt_text_put(out, wrong.bytes, wrong.length);
    slt_text_deinit(&wrong);
    return status;
}

// ---- speed

static const slt_paper_speed *paper_speed(const char *model) {
    int count;
    const slt_paper_speed *rows = slt_paper_speeds(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].model, model) == 0) return &rows[i];
    return NULL;
}

static void put_thousands(slt_text *out, double value, bool known) {
    if (known)
        slt_text_add(out, " %.0f |", value / 1000);
    else
        slt_text_add(out, " – |");
}

static void put_wall_clock(slt_text *out, const slt_repro_summary *m) {
    if (!m->runs || isnan(m->seconds)) {
        slt_text_add(out, " – |\n");
        return;
    }
    slt_text_add(out, " %.1f s", m->seconds);
    if (m->together > 1) slt_text_add(out, " for %d runs at once", m->together);
    slt_text_add(out, ", epochs: %.0f |\n", m->epochs);
}

static slt_status put_speed(slt_repro *r, const slt_repro_set *set,
                            const slt_repro_variant *variant, slt_text *out) {
    const slt_paper_speed *p = paper_speed(variant->paper);
    slt_repro_speed speed = {0};
    slt_repro_summary m;
    bool there;
    SLT_TRY(slt_repro_speed_read(r, variant, &speed, &there));
    SLT_TRY(slt_repro_summary_of(r, set, variant, &m));
    slt_text_add(out, "| ");
    slt_repro_put_name(out, variant, NULL);
    if (there) slt_text_add(out, ", %s", speed.device);
    slt_text_add(out, " | %.0f | %.0f | %.0f min |", p->train, p->test, p->minutes);
    put_thousands(out, speed.train, there);
    put_thousands(out, speed.test, there);
    put_wall_clock(out, &m);
    return SLT_OK;
}

slt_status slt_repro_view_speed(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    slt_text_add(out,
                 "| thousands of tokens a second | the paper (GTX 1080 Ti): train | test | wall "
                 "clock | ours: train | test | wall clock |\n");
    slt_repro_put_line(out, 6);
    for (int v = 0; v < SLT_REPRO_VARIANTS && table->variants[v]; v++)
        SLT_TRY(put_speed(r, slt_repro_set_find(table->sets[0]),
                          slt_repro_variant_find(table->variants[v]), out));
    return SLT_OK;
}

// ---- priors

static void put_shares(slt_text *out, const slt_repro_about *about) {
    for (int n = 0; n < SLT_COUNT_BINS; n++)
        if (about->share[n] > 0) slt_text_add(out, " %d: %.3f", n, about->share[n]);
    slt_text_add(out, " |");
}

// what the reference code has, by the preset
static slt_status put_told(slt_text *out, const char *preset) {
    slt_setup setup;
    SLT_TRY(slt_setup_init(&setup, "slottar", NULL, preset));
    slt_text_add(out, " %s |\n", setup.train.prior);
    return SLT_OK;
}

slt_status slt_repro_view_priors(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    slt_text_add(out,
                 "| set | trajectories | number of segments: share | the reference's prior, from "
                 "1 on |\n");
    slt_repro_put_line(out, 3);
    for (int s = 0; s < SLT_REPRO_SETS && table->sets[s]; s++) {
        const slt_repro_set *set = slt_repro_set_find(table->sets[s]);
        char path[SLT_REPRO_PATH];
        slt_repro_about about;
        if (!slt_repro_there(slt_repro_path(r, path, "data/%s.json", set->name))) continue;
        SLT_TRY(slt_repro_about_read(r, set, &about));
        slt_text_add(out, "| %s | %lld |", set->title, (long long)about.episodes[0]);
        put_shares(out, &about);
        SLT_TRY(put_told(out, set->set));
    }
    return SLT_OK;
}

// ---- figures

// the pictures that are there, by set; false: none
static bool put_pictures(const slt_repro *r, const slt_repro_set *set, slt_text *out) {
    static const char *const pictures[] = {"slots", "masks", "priors", "tasks"};
    const char *before = "";
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        char path[SLT_REPRO_PATH];
        slt_repro_path(r, path, "figures/%s/%s.svg", set->name, pictures[i]);
        if (!slt_repro_there(path)) continue;
        if (!*before) slt_text_add(out, "- %s:", set->title);
        slt_text_add(out, "%s [%s](figures/%s/%s.svg)", before, pictures[i], set->name,
                     pictures[i]);
        before = ",";
    }
    if (*before) slt_text_add(out, "\n");
    return *before;
}

slt_status slt_repro_view_figures(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    bool any = false;
    for (int s = 0; s < SLT_REPRO_SETS && table->sets[s]; s++)
        any |= put_pictures(r, slt_repro_set_find(table->sets[s]), out);
    if (!any) slt_text_add(out, "Not drawn yet.\n");
    return SLT_OK;
}
