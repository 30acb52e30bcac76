// Tables of F1, alignment and access: the paper's figures, the runs, the baselines.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "reproduce/repro_markdown.h"

static int sets_of(const slt_repro_table *table, const slt_repro_set *sets[SLT_REPRO_SETS]) {
    int count = 0;
    for (; count < SLT_REPRO_SETS && table->sets[count]; count++)
        sets[count] = slt_repro_set_find(table->sets[count]);
    return count;
}

static int variants_of(const slt_repro_table *table,
                       const slt_repro_variant *variants[SLT_REPRO_VARIANTS]) {
    int count = 0;
    for (; count < SLT_REPRO_VARIANTS && table->variants[count]; count++)
        variants[count] = slt_repro_variant_find(table->variants[count]);
    return count;
}

// a baseline of a data set that has not been looked at yet is a dash
static slt_status about_of(const slt_repro *r, const slt_repro_set *set, slt_repro_about *out) {
    char path[SLT_REPRO_PATH];
    *out = (slt_repro_about){0};
    if (!slt_repro_there(slt_repro_path(r, path, "data/%s.json", set->name))) return SLT_OK;
    return slt_repro_about_read(r, set, out);
}

// ---- sets as columns

typedef struct {
    slt_repro *r;
    const slt_repro_set *sets[SLT_REPRO_SETS];
    const slt_repro_variant *variants[SLT_REPRO_VARIANTS];
    int set_count, variant_count;
    slt_text *out;
} view;

static void put_paper(const view *v, const char *model) {
    bool any = false;
    for (int s = 0; s < v->set_count; s++) any |= slt_repro_paper(v->sets[s], model) != NULL;
    if (!any) return;
    slt_text_add(v->out, "| %s, the paper |", model);
    for (int s = 0; s < v->set_count; s++) {
        const slt_published_score *p = slt_repro_paper(v->sets[s], model);
        slt_repro_put(v->out, p ? p->f1 : (double)NAN, p ? p->f1_sd : (double)NAN);
        slt_repro_put(v->out, p ? p->align : (double)NAN, p ? p->align_sd : (double)NAN);
    }
    slt_text_add(v->out, "\n");
}

static void put_means(const view *v, const slt_repro_summary *summaries) {
    for (int s = 0; s < v->set_count; s++) {
        const slt_repro_summary *m = &summaries[s];
        bool some = m->runs > 0;
        slt_repro_put(v->out, some ? m->mean.f1 : (double)NAN, m->sd.f1);
        slt_repro_put(v->out, some ? m->mean.align : (double)NAN, m->sd.align);
    }
    slt_text_add(v->out, "\n");
}

// the single run that somebody without labels would have kept
static void put_kept(const view *v, const slt_repro_summary *summaries) {
    int runs = 0;
    for (int s = 0; s < v->set_count; s++)
        if (summaries[s].runs > runs) runs = summaries[s].runs;
    if (runs < 2) return;
    slt_text_add(v->out, "| – the one of %d with the least held-out loss |", runs);
    for (int s = 0; s < v->set_count; s++) {
        bool some = summaries[s].kept >= 0;
        slt_repro_put(v->out, some ? summaries[s].kept_scores.f1 : (double)NAN, NAN);
        slt_repro_put(v->out, some ? summaries[s].kept_scores.align : (double)NAN, NAN);
    }
    slt_text_add(v->out, "\n");
}

static slt_status put_variant(const view *v, const slt_repro_variant *variant) {
    slt_repro_summary summaries[SLT_REPRO_SETS];
    slt_repro_summary all = {0};
    int runs = 0, failed = 0, wanted = 0;
    for (int s = 0; s < v->set_count; s++) {
        wanted += slt_repro_runs(v->sets[s], variant, v->r->seeds);
        SLT_TRY(slt_repro_summary_of(v->r, v->sets[s], variant, &summaries[s]));
        all.told_count |= summaries[s].told_count;
        all.counts_done |= summaries[s].counts_done;
        runs += summaries[s].runs;
        failed += summaries[s].failed;
    }
    if (!runs && !failed) return SLT_OK;
    slt_text_add(v->out, "| ");
    slt_repro_put_name(v->out, variant, &all);
    if (runs < wanted) slt_text_add(v->out, " (%d of %d runs", runs, wanted);
    if (failed) slt_text_add(v->out, ", %d diverged", failed);
    if (runs < wanted) slt_text_add(v->out, ")");
    slt_text_add(v->out, " |");
    put_means(v, summaries);
    if (!variant->restarts) put_kept(v, summaries);
    return SLT_OK;
}

static slt_status put_baselines(const view *v) {
    slt_repro_about about[SLT_REPRO_SETS];
    for (int s = 0; s < v->set_count; s++) SLT_TRY(about_of(v->r, v->sets[s], &about[s]));
    for (int i = 0; i < SLT_REPRO_BASELINES && slt_baseline_name(i); i++) {
        if (!slt_rule_takes(slt_baseline_name(i), true)) continue;
        slt_text_add(v->out, "| *%s* |", slt_baseline_name(i));
        for (int s = 0; s < v->set_count; s++) {
            bool known = about[s].known[i];
            slt_repro_put(v->out, known ? about[s].baselines[i].f1 : (double)NAN, NAN);
            slt_repro_put(v->out, known ? about[s].baselines[i].align : (double)NAN, NAN);
        }
        slt_text_add(v->out, "\n");
    }
    return SLT_OK;
}

static void put_head(const view *v) {
    slt_text_add(v->out, "| |");
    for (int s = 0; s < v->set_count; s++)
        slt_text_add(v->out, " %s: F1 | alignment |", v->sets[s]->title);
    slt_text_add(v->out, "\n");
    slt_repro_put_line(v->out, 2 * v->set_count);
}

static view view_of(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    view v = {.r = r, .out = out};
    v.set_count = sets_of(table, v.sets);
    v.variant_count = variants_of(table, v.variants);
    return v;
}

// every method of the paper, then the baselines
slt_status slt_repro_view_scores(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    view v = view_of(r, table, out);
    const char *before = "";
    put_head(&v);
    for (int i = 0; i < v.variant_count; i++) {
        const char *paper = v.variants[i]->paper;
        if (paper && strcmp(paper, before) != 0) put_paper(&v, paper);
        before = paper ? paper : before;
        SLT_TRY(put_variant(&v, v.variants[i]));
    }
    return put_baselines(&v);
}

slt_status slt_repro_view_trend(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    view v = view_of(r, table, out);
    put_head(&v);
    put_paper(&v, "SloTTAr");
    for (int i = 0; i < v.variant_count; i++) SLT_TRY(put_variant(&v, v.variants[i]));
    return SLT_OK;
}

// ---- sets as rows

static slt_status put_robust(slt_repro *r, const slt_repro_set *set,
                             const slt_repro_variant *const *variants, int count, slt_text *out) {
    slt_repro_about about;
    slt_repro_summary m;
    int warned = 0, runs = 0;
    SLT_TRY(about_of(r, set, &about));
    slt_text_add(out, "| %s |", set->title);
    for (int i = 0; i < SLT_REPRO_BASELINES && slt_baseline_name(i); i++)
        if (slt_rule_takes(slt_baseline_name(i), true))
            slt_repro_put(out, about.known[i] ? about.baselines[i].f1 : (double)NAN, NAN);
    for (int i = 0; i < count; i++) {
        SLT_TRY(slt_repro_summary_of(r, set, variants[i], &m));
        slt_repro_put(out, m.runs ? m.mean.f1 : (double)NAN, m.sd.f1);
        warned += m.warned;
        runs += m.runs;
    }
    slt_text_add(out, " %d of %d |\n", warned, runs);
    return SLT_OK;
}

// where the rival is wrong; sets where it never is are left out
static slt_status put_missed(slt_repro *r, const slt_repro_set *set,
                             const slt_repro_variant *const *variants, int count, slt_text *out) {
    slt_repro_about about;
    SLT_TRY(about_of(r, set, &about));
    if (!about.missed) return SLT_OK;
    slt_text_add(out, "| %s | %lld of %lld |", set->title, (long long)about.missed,
                 (long long)about.episodes[SLT_SPLIT_TEST]);
    slt_repro_put(out, about.missed_f1, NAN);
    for (int i = 0; i < count; i++) {
        slt_repro_summary m;
        SLT_TRY(slt_repro_summary_of(r, set, variants[i], &m));
        slt_repro_put(out, m.runs ? m.missed : (double)NAN, m.missed_sd);
    }
    slt_text_add(out, "\n");
    return SLT_OK;
}

static slt_status put_all_missed(slt_repro *r, const slt_repro_set *const *sets, int set_count,
                                 const slt_repro_variant *const *variants, int count,
                                 slt_text *out) {
    slt_text_add(out, "\nOn the test trajectories that *" SLT_REPRO_RIVAL
                      "* gets wrong, and on them alone:\n\n| F1 | trajectories "
                      "| *" SLT_REPRO_RIVAL "* |");
    for (int i = 0; i < count; i++) slt_text_add(out, " %s |", variants[i]->title);
    slt_text_add(out, "\n");
    slt_repro_put_line(out, count + 2);
    for (int s = 0; s < set_count; s++) SLT_TRY(put_missed(r, sets[s], variants, count, out));
    return SLT_OK;
}

slt_status slt_repro_view_robust(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    const slt_repro_set *sets[SLT_REPRO_SETS];
    const slt_repro_variant *variants[SLT_REPRO_VARIANTS];
    int set_count = sets_of(table, sets), count = variants_of(table, variants), rules = 0;
    slt_text_add(out, "| F1 |");
    for (int i = 0; i < SLT_REPRO_BASELINES && slt_baseline_name(i); i++) {
        if (!slt_rule_takes(slt_baseline_name(i), true)) continue;
        slt_text_add(out, " *%s* |", slt_baseline_name(i));
        rules++;
    }
    for (int i = 0; i < count; i++) slt_text_add(out, " %s |", variants[i]->title);
    slt_text_add(out, " warned |\n");
    slt_repro_put_line(out, rules + count + 1);
    for (int s = 0; s < set_count; s++) SLT_TRY(put_robust(r, sets[s], variants, count, out));
    return put_all_missed(r, sets, set_count, variants, count, out);
}

// ---- access

static slt_status put_access(slt_repro *r, const slt_repro_set *set,
                             const slt_repro_variant *const *variants, int count, slt_text *out) {
    const slt_published_score *p = slt_repro_paper(set, variants[0]->paper);
    slt_text_add(out, "| %s |", set->title);
    slt_repro_put(out, p ? p->forward : (double)NAN, p ? p->forward_sd : (double)NAN);
    slt_repro_put(out, p ? p->backward : (double)NAN, p ? p->backward_sd : (double)NAN);
    for (int i = 0; i < count; i++) {
        slt_repro_summary m;
        SLT_TRY(slt_repro_summary_of(r, set, variants[i], &m));
        slt_repro_put(out, m.runs ? m.mean.forward : (double)NAN, m.sd.forward);
        slt_repro_put(out, m.runs ? m.mean.backward : (double)NAN, m.sd.backward);
    }
    slt_text_add(out, "\n");
    return SLT_OK;
}

slt_status slt_repro_view_access(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    const slt_repro_set *sets[SLT_REPRO_SETS];
    const slt_repro_variant *variants[SLT_REPRO_VARIANTS];
    int set_count = sets_of(table, sets), count = variants_of(table, variants);
    slt_text_add(out, "| | the paper: forward | backward |");
    for (int i = 0; i < count; i++) {
        slt_text_add(out, " ");
        slt_repro_put_name(out, variants[i], NULL);
        slt_text_add(out, ": forward | backward |");
    }
    slt_text_add(out, "\n");
    slt_repro_put_line(out, 2 + 2 * count);
    for (int s = 0; s < set_count; s++) SLT_TRY(put_access(r, sets[s], variants, count, out));
    return SLT_OK;
}
