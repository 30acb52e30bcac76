// The summary of a data set: a sentence, four numbers, the table of scores, the configurations.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/figure.h"
#include "report/page_parts.h"
#include "report/report_text.h"

// "91.59" of .9159
static const char *percent(double value, char out[SLT_FIXED_TEXT]) {
    return slt_fixed(100 * value, 2, out);
}

static void put_name(slt_text *out, const char *text) {
    slt_text_add(out, "<bdi>");
    slt_html_text(out, text);
    slt_text_add(out, "</bdi>");
}

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
        put_name(out, model);
        if (count > 1) slt_text_add(out, " (%d runs)", count);
    }
}

static void put_lead(slt_report_book *book, int index, slt_text *out) {
    const slt_report_set *set = &book->sets[index];
    const int64_t *unused;
    int64_t train = slt_dataset_split(set->data, SLT_SPLIT_TRAIN, &unused);
    slt_text_add(out, "<h2>");
    put_name(out, book->set_count == 1 ? "Summary" : set->name);
    slt_text_add(out, "</h2>\n<p class=\"lead\">");
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
    if (!set->labelled) slt_text_add(out, " It has no labels: nothing is scored against a truth.");
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
    slt_text_add(out, "<div class=\"tile\"><span>%s</span><b>%s</b><small>%s</small></div>\n",
                 title, isfinite(value) ? percent(value, text) : "–", below);
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
            fill = snprintf(out, 96, "paper %s", percent(align ? rows[i].align : rows[i].f1, text));
    for (int i = 0; i < set->baseline_count; i++) {
        double value = align ? set->baselines[i].scores.align : set->baselines[i].scores.f1;
        if (value > best) {
            best = value;
            name = set->baselines[i].name;
        }
    }
    if (best >= 0)
        snprintf(out + fill, 96 - (size_t)fill, "%sbest baseline %s (%s)", fill ? " · " : "",
                 percent(best, text), name);
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

// ---- the table

typedef struct {
    double value, sd;
} entry;

static void put_entry(slt_text *out, entry e) {
    char text[SLT_FIXED_TEXT], share[SLT_FIXED_TEXT];
    if (!isfinite(e.value)) {
        slt_text_add(out, "<td class=\"none\">–</td>");
        return;
    }
    double bar = fmin(1, fmax(0, e.value));
    slt_text_add(out, "<td style=\"--v:%s\">%s", slt_fixed(bar, 3, share), percent(e.value, text));
    if (isfinite(e.sd)) slt_text_add(out, "<small> ±%s</small>", percent(e.sd, text));
    slt_text_add(out, "</td>");
}

static void put_row(slt_text *out, const slt_report_scores *scores, const slt_report_scores *sd) {
#define PUT(field, title) put_entry(out, (entry){scores->field, sd ? sd->field : (double)NAN});
    SLT_REPORT_SCORES(PUT)
#undef PUT
    slt_text_add(out, "</tr>\n");
}

// all but seed and data, which the set stands for; a checkpoint without a run is alone
static bool same_configuration(const slt_report_run *a, const slt_report_run *b) {
    if (a == b) return true;
    if (!a->config.count || a->config.count != b->config.count) return false;
    for (size_t i = 0; i < a->config.count; i++) {
        const slt_yaml_entry *x = &a->config.entries[i], *y = &b->config.entries[i];
        if (strcmp(x->key, y->key) != 0 || x->count != y->count) return false;
        if (strcmp(x->key, "seed") == 0 || strncmp(x->key, "data", 4) == 0) continue;
        for (size_t v = 0; v < x->count; v++)
            if (strcmp(x->values[v], y->values[v]) != 0) return false;
    }
    return true;
}

// mean and standard deviation (n-1) over the runs of one configuration, where there are several
static void put_mean(slt_report_book *book, const slt_report_set *set, const slt_report_run *like,
                     bool apart, slt_text *out) {
    char label[SLT_RUN_LABEL];
    slt_report_scores mean = {0}, sd = {0};
    double count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < set->run_count; r++) {
            const slt_report_run *run = &book->runs[set->runs[r]];
            if (!same_configuration(run, like)) continue;
            if (pass == 0) count++;
#define ADD(field, title)                                                                          \
    if (pass == 0) mean.field += run->scores.field;                                                \
    if (pass == 1)                                                                                 \
        sd.field +=                                                                                \
            (run->scores.field - mean.field / count) * (run->scores.field - mean.field / count);
            SLT_REPORT_SCORES(ADD)
#undef ADD
        }
    if (count < 2) return;
#define END(field, title)                                                                          \
    mean.field /= count;                                                                           \
    sd.field = sqrt(sd.field / (count - 1));
    SLT_REPORT_SCORES(END)
#undef END
    slt_text_add(out, "<tr class=\"mean\"><th scope=\"row\">");
    put_name(out, like->model);
    slt_text_add(out, ", mean of %d ± sd", (int)count);
    if (apart) {
        slt_text_add(out, ", as ");
        slt_text_add(out, "%s", slt_run_label(book, (int)(like - book->runs), label));
    }
    slt_text_add(out, "</th>");
    put_row(out, &mean, &sd);
}

// the first run of its configuration
static bool is_first(slt_report_book *book, const slt_report_set *set, int r) {
    for (int i = 0; i < r; i++)
        if (same_configuration(&book->runs[set->runs[i]], &book->runs[set->runs[r]])) return false;
    return true;
}

static void put_means(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    bool mixed = false;
    for (int r = 0; r < set->run_count; r++) {
        const slt_report_run *run = &book->runs[set->runs[r]];
        int configurations = 0;
        for (int i = 0; i < set->run_count; i++)
            configurations +=
                is_first(book, set, i) && strcmp(book->runs[set->runs[i]].model, run->model) == 0;
        mixed = mixed || configurations > 1;
        if (is_first(book, set, r)) put_mean(book, set, run, configurations > 1, out);
    }
    if (mixed)
        slt_text_add(out, "<tr><td colspan=\"9\">different configurations: means only over runs "
                          "that differ in their seed</td></tr>\n");
}

static void put_runs(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    char label[SLT_RUN_LABEL];
    slt_text_add(out, "<tbody>\n");
    for (int r = 0; r < set->run_count; r++) {
        const slt_report_run *run = &book->runs[set->runs[r]];
        slt_text_add(
            out,
            "<tr class=\"run\" data-run=\"%d\"><th scope=\"row\"><i class=\"swatch bg%d\"></i>",
            set->runs[r], slt_run_colour(r));
        if (set->run_count > 1)
            slt_text_add(out, "<b>%s</b> ", slt_run_label(book, set->runs[r], label));
        put_name(out, run->model);
        slt_text_add(out, " <small>");
        put_name(out, run->path);
        if (run->answers.told_count)
            slt_text_add(out, ", given the true number of segments");
        else
            slt_text_add(out, ", told %s", slt_told_name(run->told));
        slt_text_add(out, "</small></th>");
        put_row(out, &run->scores, NULL);
    }
    put_means(book, set, out);
    slt_text_add(out, "</tbody>\n");
}

static void put_paper(const slt_report_book *book, const slt_report_set *set, slt_text *out) {
    if (!set->paper || !book->request->published_count) return;
    slt_text_add(out,
                 "<tbody class=\"others\"><tr><th colspan=\"10\" scope=\"rowgroup\">The paper, "
                 "five seeds each, at its full size</th></tr>\n");
    for (int i = 0; i < book->request->published_count; i++) {
        const slt_published_score *p = &book->request->published[i];
        if (strcmp(p->set, set->paper) != 0) continue;
        slt_report_scores mean = {p->f1, NAN,        p->align,    NAN, NAN,
                                  NAN,   p->forward, p->backward, NAN};
        slt_report_scores sd = {p->f1_sd, NAN,           p->align_sd,    NAN, NAN,
                                NAN,      p->forward_sd, p->backward_sd, NAN};
        slt_text_add(out, "<tr><th scope=\"row\">%s</th>", p->model);
        put_row(out, &mean, &sd);
    }
    slt_text_add(out, "</tbody>\n");
}

static void put_baselines(const slt_report_set *set, slt_text *out) {
    if (!set->baseline_count) return;
    slt_text_add(out,
                 "<tbody class=\"others\"><tr><th colspan=\"10\" scope=\"rowgroup\">Baselines: "
                 "rules without training, given the true number of segments where they "
                 "need it</th></tr>\n");
    for (int i = 0; i < set->baseline_count; i++) {
        slt_text_add(out, "<tr><th scope=\"row\">%s <small>told %s</small></th>",
                     set->baselines[i].name, slt_told_name(slt_rule_told(set->baselines[i].name)));
        put_row(out, &set->baselines[i].scores, NULL);
    }
    slt_text_add(out, "</tbody>\n");
}

static void put_table(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    slt_text_add(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"scores\">"
                      "<table class=\"scores\"><caption>Scores in percent</caption>"
                      "<thead><tr><th scope=\"col\">Model</th>");
#define HEAD(field, title) slt_text_add(out, "<th scope=\"col\">" title "</th>");
    SLT_REPORT_SCORES(HEAD)
#undef HEAD
    slt_text_add(out, "</tr></thead>\n");
    put_runs(book, set, out);
    put_paper(book, set, out);
    put_baselines(set, out);
    slt_text_add(out, "</table></div>\n");
}

// ---- configurations

static void put_config(slt_report_book *book, int index, slt_text *out) {
    const slt_report_run *run = &book->runs[index];
    slt_text_add(out, "<details class=\"config\"><summary>How ");
    put_name(out, run->path);
    slt_text_add(out, " was trained");
    if (run->epoch_count)
        slt_text_add(out, ": %d epochs, epoch %lld is shown", run->epoch_count,
                     (long long)run->best_epoch);
    if (isfinite(run->seconds)) slt_text_add(out, ", %ld s", lround(run->seconds));
    slt_text_add(out, "</summary><dl>");
    for (size_t i = 0; i < run->config.count; i++) {
        slt_text_add(out, "<div><dt>");
        put_name(out, run->config.entries[i].key);
        slt_text_add(out, "</dt><dd>");
        for (size_t v = 0; v < run->config.entries[i].count; v++) {
            if (v) slt_text_add(out, ", ");
            put_name(out, run->config.entries[i].values[v]);
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
    put_table(book, set, out);
    for (int r = 0; r < set->run_count; r++)
        if (!book->runs[set->runs[r]].vote) put_config(book, set->runs[r], out);
}
