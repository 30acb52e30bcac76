// The summary of a data set: a sentence, four numbers, the configurations.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/figure.h"
#include "report/page_parts.h"
#include "report/report_text.h"

// ---- sentences

// "slottar" or "slottar (3 runs), ompn": the models of a set, each once
static void put_models(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    for (int r = 0; r < set->run_count; r++) {
        const char *model = book->runs[set->runs[r]].model;
        int before = 0, count = 0;
        for (int i = 0; i < set->run_count; i++) {
            if (strcmp(book->runs[set->runs[i]].model, model) != 0) continue;
            before += i < r;
            count++;
        }
        if (before) continue;
        if (r) slt_text_add(out, ", ");
        slt_put_name(out, model);
        if (count > 1) slt_text_add(out, " (%d runs)", count);
    }
}

static void put_lead(slt_report_book *book, int index, slt_text *out) {
    const slt_report_set *set = &book->sets[index];
    const int64_t *unused;
    int64_t train = slt_dataset_split(set->data, SLT_SPLIT_TRAIN, &unused);
    slt_text_add(out, "<h2>");
    slt_put_name(out, book->set_count == 1 ? "Summary" : set->name);
    slt_text_add(out, "</h2>\n<p class=\"lead\">Segments by ");
    put_models(book, set, out);
    if (!book->request->data && !set->own_splits && !set->whole)
        slt_text_add(out, ", trained on %lld trajectories", (long long)train);
    slt_text_add(out, ". Shown: %lld trajector%s", (long long)set->count,
                 set->count == 1 ? "y" : "ies");
    if (!set->whole) slt_text_add(out, " of the %s split", slt_split_name(book->request->split));
    slt_text_add(out, ", %lld steps, ", (long long)set->steps);
    if (set->continuous)
        slt_text_add(out, "actions of %d number%s.", set->info->action_size,
                     set->info->action_size == 1 ? "" : "s");
    else
        slt_text_add(out, "%d actions.", set->info->action_count);
    if (set->own_splits)
        slt_text_add(out, " The file has no splits: every tenth episode is for test.");
    if (!set->labelled) slt_text_add(out, " It has no labels, so nothing is scored against them.");
    if (set->left_out)
        slt_text_add(out, " %lld more are left out: scores are those of the ones shown.",
                     (long long)set->left_out);
    slt_text_add(out, "</p>\n");
}

// ---- how far to trust it

static void put_banner(slt_report_book *book, int index, slt_text *out) {
    const slt_report_run *run = &book->runs[index];
    const slt_trust *trust = &run->trust;
    char label[SLT_RUN_LABEL], text[SLT_FIXED_TEXT];
    if (!trust->warning_count && isfinite(trust->trust) && !run->vote) return;
    slt_text_add(out, "<div class=\"trust%s\" role=\"%s\"><p><b>",
                 trust->doubtful ? " doubtful" : "", trust->doubtful ? "alert" : "note");
    if (book->sets[run->set].run_count > 1)
        slt_text_add(out, "%s: ", slt_run_label(book, index, label));
    slt_text_add(out, trust->doubtful ? "These segments are doubtful. " : "");
    if (isfinite(trust->trust))
        slt_text_add(out, "Trust %s of 1.</b></p><ul>", slt_fixed(trust->trust, 2, text));
    else
        slt_text_add(out, "Trust is unknown.</b></p><ul>");
    for (int i = 0; i < trust->warning_count; i++) {
        slt_text_add(out, "<li>");
        slt_html_text(out, trust->warnings[i]);
        slt_text_add(out, "</li>");
    }
    slt_text_add(out, "</ul></div>\n");
}

// ---- four numbers

static void put_tile(slt_text *out, const char *title, double value, const char *below) {
    char text[SLT_FIXED_TEXT];
    if (!isfinite(value)) return;
    slt_text_add(out, "<div class=\"tile\"><span>%s</span><b>%s</b><small>%s</small></div>\n",
                 title, slt_percent(value, text), below);
}

static const char *compare_with(const slt_report_book *book, const slt_report_set *set, bool align,
                                char out[96]) {
    int fill = 0;
    const slt_published_score *rows = book->request->published;
    char text[SLT_FIXED_TEXT];
    double best = -1;
    const char *name = "";
    out[0] = 0;
    for (int i = 0; i < book->request->published_count; i++)
        if (set->paper && strcmp(rows[i].set, set->paper) == 0 &&
            strcmp(rows[i].model, "SloTTAr") == 0)
            fill = snprintf(out, 96, "paper %s",
                            slt_percent(align ? rows[i].align : rows[i].f1, text));
    for (int i = 0; i < set->baseline_count; i++) {
        double value = align ? set->baselines[i].scores.align : set->baselines[i].scores.f1;
        if (value > best) {
            best = value;
            name = set->baselines[i].name;
        }
    }
    if (best >= 0)
        snprintf(out + fill, 96 - (size_t)fill, "%sbest baseline %s (%s)", fill ? " · " : "",
                 slt_percent(best, text), name);
    return out;
}

// of all boundaries that were found; NAN when there is none
static double mean_confidence(slt_report_book *book, const slt_report_set *set) {
    double sum = 0, count = 0;
    for (int r = 0; r < set->run_count; r++)
        for (int64_t i = 0; i < set->count; i++) {
            const slt_report_answer *a = &book->runs[set->runs[r]].answers.list[i];
            for (int b = 0; b < a->segments - 1; b++, count++) sum += (double)a->confidence[b];
        }
    return count > 0 ? sum / count : (double)NAN;
}

static void put_tiles(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    double f1 = 0, align = 0, equal = 0;
    char text[96];
    bool calibrated = true;
    for (int r = 0; r < set->run_count; r++) {
        const slt_report_run *run = &book->runs[set->runs[r]];
        calibrated = calibrated && run->trust.calibrated;
        f1 += run->scores.f1 / set->run_count;
        align += run->scores.align / set->run_count;
        equal += (double)run->summary.equal_counts / (double)set->count / set->run_count;
    }
    slt_text_add(out, "<div class=\"tiles\">\n");
    if (set->labelled) {
        put_tile(out, "F1 of boundaries, %", f1, compare_with(book, set, false, text));
        put_tile(out, "Alignment, %", align, compare_with(book, set, true, text));
        put_tile(out, "Right number of segments, %", equal, "share of trajectories");
    }
    put_tile(out, calibrated ? "Confidence, %" : "The model's own probability, %",
             mean_confidence(book, set),
             calibrated ? "mean of all boundaries found" : "of its boundaries; not calibrated");
    slt_text_add(out, "</div>\n");
}

// ---- configurations

static void put_config(slt_report_book *book, int index, slt_text *out) {
    const slt_report_run *run = &book->runs[index];
    slt_text_add(out, "<details class=\"config\"><summary>How ");
    slt_put_name(out, run->path);
    slt_text_add(out, " was trained");
    if (run->epoch_count)
        slt_text_add(out, ": %d epochs, epoch %lld is shown", run->epoch_count,
                     (long long)run->best_epoch);
    if (isfinite(run->seconds)) slt_text_add(out, ", %ld s", lround(run->seconds));
    slt_text_add(out, "</summary><dl>");
    for (size_t i = 0; i < run->config.count; i++) {
        slt_text_add(out, "<div><dt>");
        slt_put_name(out, run->config.entries[i].key);
        slt_text_add(out, "</dt><dd>");
        for (size_t v = 0; v < run->config.entries[i].count; v++) {
            if (v) slt_text_add(out, ", ");
            slt_put_name(out, run->config.entries[i].values[v]);
        }
        slt_text_add(out, "</dd></div>");
    }
    slt_text_add(out, "</dl></details>\n");
}

void slt_page_summary(slt_report_book *book, int index, slt_text *out) {
    const slt_report_set *set = &book->sets[index];
    put_lead(book, index, out);
    for (int r = 0; r < set->run_count; r++) put_banner(book, set->runs[r], out);
    put_tiles(book, set, out);
    for (int r = 0; r < set->run_count; r++)
        if (book->runs[set->runs[r]].vote) slt_page_vote(&book->runs[set->runs[r]], out);
    slt_page_scores(book, set, out);
    for (int r = 0; r < set->run_count; r++)
        if (!book->runs[set->runs[r]].vote) put_config(book, set->runs[r], out);
}
