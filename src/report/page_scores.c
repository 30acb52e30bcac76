// The table of scores of a data set: its runs with the options in which they differ, the paper's
// numbers, the baselines. Columns that nobody has a number for are left out.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/figure.h"
#include "report/page_parts.h"
#include "report/report_text.h"

enum { COLUMNS = sizeof(slt_report_scores) / sizeof(double) };

// what the table shows: scores that some row has, and options where they differ
typedef struct {
    slt_report_book *book;
    const slt_report_set *set;
    bool shown[COLUMNS], options;
    int count; // columns
} score_table;

typedef struct {
    double value, sd;
} entry;

static void put_entry(slt_text *out, const char *key, entry e) {
    char text[SLT_FIXED_TEXT], share[SLT_FIXED_TEXT];
    if (!isfinite(e.value)) {
        slt_text_add(out, "<td class=\"none\" data-score=\"%s\">–</td>", key);
        return;
    }
    double bar = fmin(1, fmax(0, e.value));
    slt_text_add(out, "<td style=\"--v:%s\" data-score=\"%s\">%s", slt_fixed(bar, 3, share), key,
                 slt_percent(e.value, text));
    if (isfinite(e.sd)) slt_text_add(out, "<small> ±%s</small>", slt_percent(e.sd, text));
    slt_text_add(out, "</td>");
}

// options: of a run; "" for other rows
static void put_row(const score_table *t, slt_text *out, const char *options,
                    const slt_report_scores *scores, const slt_report_scores *sd) {
    int column = 0;
    if (t->options) {
        slt_text_add(out, "<td class=\"options\">");
        slt_html_text(out, options);
        slt_text_add(out, "</td>");
    }
#define PUT(field, title)                                                                          \
    if (t->shown[column++])                                                                        \
        put_entry(out, #field, (entry){scores->field, sd ? sd->field : (double)NAN});
    SLT_REPORT_SCORES(PUT)
#undef PUT
    slt_text_add(out, "</tr>\n");
}

// ---- options that differ

enum { OPTIONS_TEXT = 512 };

static const slt_yaml_entry *find(const slt_report_run *run, const char *key) {
    for (size_t i = 0; i < run->config.count; i++)
        if (strcmp(run->config.entries[i].key, key) == 0) return &run->config.entries[i];
    return NULL;
}

static bool same_values(const slt_yaml_entry *a, const slt_yaml_entry *b) {
    if (!a || !b || a->count != b->count) return false;
    for (size_t v = 0; v < a->count; v++)
        if (strcmp(a->values[v], b->values[v]) != 0) return false;
    return true;
}

// some run of the same model has another value
static bool differs(const score_table *t, const slt_report_run *run, const slt_yaml_entry *option) {
    if (strncmp(option->key, "data", 4) == 0) return false;
    for (int r = 0; r < t->set->run_count; r++) {
        const slt_report_run *other = &t->book->runs[t->set->runs[r]];
        if (other->config.count && strcmp(other->model, run->model) == 0 &&
            !same_values(option, find(other, option->key)))
            return true;
    }
    return false;
}

// "lr=0.001 slots=5": what sets a run apart from the others of its model
static const char *differing(const score_table *t, const slt_report_run *run,
                             char out[OPTIONS_TEXT]) {
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < run->config.count && used < OPTIONS_TEXT - 1; i++) {
        const slt_yaml_entry *option = &run->config.entries[i];
        if (!option->count || !differs(t, run, option)) continue;
        int added = snprintf(out + used, OPTIONS_TEXT - used, "%s%s=%s", used ? " " : "",
                             option->key, option->values[0]);
        used += added > 0 ? (size_t)added : 0;
        for (size_t v = 1; v < option->count && used < OPTIONS_TEXT - 1; v++)
            used += (size_t)snprintf(out + used, OPTIONS_TEXT - used, ",%s", option->values[v]);
    }
    return out;
}

// ---- means

// all but seed and data, which the set stands for; a checkpoint without a run is alone
static bool same_configuration(const slt_report_run *a, const slt_report_run *b) {
    if (a == b) return true;
    if (!a->config.count || a->config.count != b->config.count) return false;
    for (size_t i = 0; i < a->config.count; i++) {
        const slt_yaml_entry *x = &a->config.entries[i], *y = &b->config.entries[i];
        if (strcmp(x->key, y->key) != 0) return false;
        bool counts = strcmp(x->key, "seed") != 0 && strncmp(x->key, "data", 4) != 0;
        if (counts && !same_values(x, y)) return false;
    }
    return true;
}

// mean and standard deviation (n-1) over the runs of one configuration, where there are several
static void put_mean(const score_table *t, const slt_report_run *like, bool apart, slt_text *out) {
    const slt_report_set *set = t->set;
    slt_report_book *book = t->book;
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
    slt_put_name(out, like->model);
    slt_text_add(out, ", mean of %d ± sd", (int)count);
    if (apart) {
        slt_text_add(out, ", as ");
        slt_text_add(out, "%s", slt_run_label(book, (int)(like - book->runs), label));
    }
    slt_text_add(out, "</th>");
    put_row(t, out, "", &mean, &sd);
}

// the first run of its configuration
static bool is_first(slt_report_book *book, const slt_report_set *set, int r) {
    for (int i = 0; i < r; i++)
        if (same_configuration(&book->runs[set->runs[i]], &book->runs[set->runs[r]])) return false;
    return true;
}

static void put_means(const score_table *t, slt_text *out) {
    const slt_report_set *set = t->set;
    slt_report_book *book = t->book;
    bool mixed = false;
    for (int r = 0; r < set->run_count; r++) {
        const slt_report_run *run = &book->runs[set->runs[r]];
        int configurations = 0;
        for (int i = 0; i < set->run_count; i++)
            configurations +=
                is_first(book, set, i) && strcmp(book->runs[set->runs[i]].model, run->model) == 0;
        mixed = mixed || configurations > 1;
        if (is_first(book, set, r)) put_mean(t, run, configurations > 1, out);
    }
    if (mixed)
        slt_text_add(out,
                     "<tr><td colspan=\"%d\">different configurations: means only over runs "
                     "that differ in their seed</td></tr>\n",
                     t->count);
}

static void put_runs(const score_table *t, slt_text *out) {
    const slt_report_set *set = t->set;
    slt_report_book *book = t->book;
    char label[SLT_RUN_LABEL], options[OPTIONS_TEXT];
    slt_text_add(out, "<tbody>\n");
    for (int r = 0; r < set->run_count; r++) {
        const slt_report_run *run = &book->runs[set->runs[r]];
        slt_text_add(
            out,
            "<tr class=\"run\" data-run=\"%d\"><th scope=\"row\"><i class=\"swatch bg%d\"></i>",
            set->runs[r], slt_run_colour(r));
        if (set->run_count > 1)
            slt_text_add(out, "<b>%s</b> ", slt_run_label(book, set->runs[r], label));
        slt_put_name(out, run->model);
        slt_text_add(out, " <small>");
        slt_put_name(out, run->path);
        if (run->answers.told_count)
            slt_text_add(out, ", given the true number of segments");
        else
            slt_text_add(out, ", told %s", slt_told_name(run->told));
        slt_text_add(out, "</small></th>");
        put_row(t, out, differing(t, run, options), &run->scores, NULL);
    }
    put_means(t, out);
    slt_text_add(out, "</tbody>\n");
}

static void put_paper(const score_table *t, slt_text *out) {
    const slt_report_set *set = t->set;
    const slt_report_book *book = t->book;
    if (!set->labelled || !set->paper || !book->request->published_count) return;
    slt_text_add(out,
                 "<tbody class=\"others\"><tr><th colspan=\"%d\" scope=\"rowgroup\">The paper, "
                 "five seeds each, at its full size</th></tr>\n",
                 t->count);
    for (int i = 0; i < book->request->published_count; i++) {
        const slt_published_score *p = &book->request->published[i];
        if (strcmp(p->set, set->paper) != 0) continue;
        slt_report_scores mean = {p->f1, NAN,        p->align,    NAN, NAN,
                                  NAN,   p->forward, p->backward, NAN};
        slt_report_scores sd = {p->f1_sd, NAN,           p->align_sd,    NAN, NAN,
                                NAN,      p->forward_sd, p->backward_sd, NAN};
        slt_text_add(out, "<tr><th scope=\"row\">%s</th>", p->model);
        put_row(t, out, "", &mean, &sd);
    }
    slt_text_add(out, "</tbody>\n");
}

static void put_baselines(const score_table *t, slt_text *out) {
    const slt_report_set *set = t->set;
    if (!set->baseline_count) return;
    slt_text_add(out,
                 "<tbody class=\"others\"><tr><th colspan=\"%d\" scope=\"rowgroup\">Baselines: "
                 "rules without training, given the true number of segments where they "
                 "need it</th></tr>\n",
                 t->count);
    for (int i = 0; i < set->baseline_count; i++) {
        slt_text_add(out, "<tr><th scope=\"row\">%s <small>told %s</small></th>",
                     set->baselines[i].name, slt_told_name(slt_rule_told(set->baselines[i].name)));
        put_row(t, out, "", &set->baselines[i].scores, NULL);
    }
    slt_text_add(out, "</tbody>\n");
}

// ---- the whole

// columns that some run or baseline has a number for; the paper's are among those of labelled runs
static void choose_columns(score_table *t) {
    const slt_report_set *set = t->set;
    char text[OPTIONS_TEXT];
    for (int r = 0; r < set->run_count + set->baseline_count; r++) {
        const slt_report_scores *s = r < set->run_count
                                         ? &t->book->runs[set->runs[r]].scores
                                         : &set->baselines[r - set->run_count].scores;
        int column = 0;
#define LOOK(field, title)                                                                         \
    t->shown[column] = t->shown[column] || isfinite(s->field);                                     \
    column++;
        SLT_REPORT_SCORES(LOOK)
#undef LOOK
        if (r < set->run_count)
            t->options = t->options || *differing(t, &t->book->runs[set->runs[r]], text);
    }
    t->count = 1 + t->options;
    for (int c = 0; c < COLUMNS; c++) t->count += t->shown[c];
}

void slt_page_scores(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    score_table t = {.book = book, .set = set};
    int column = 0;
    choose_columns(&t);
    if (t.count == 1) return;
    slt_text_add(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"scores\">"
                      "<table class=\"scores\"><caption>Scores in percent</caption>"
                      "<thead><tr><th scope=\"col\">Model</th>");
    if (t.options) slt_text_add(out, "<th scope=\"col\" class=\"options\">Differs in</th>");
#define HEAD(field, title)                                                                         \
    if (t.shown[column++]) slt_text_add(out, "<th scope=\"col\">" title "</th>");
    SLT_REPORT_SCORES(HEAD)
#undef HEAD
    slt_text_add(out, "</tr></thead>\n");
    put_runs(&t, out);
    put_paper(&t, out);
    put_baselines(&t, out);
    slt_text_add(out, "</table></div>\n");
}
