// Hypotheses about the paper's figures, a row each, with a verdict.
//
// A run reaches the paper when its F1 is not below the paper's mean less two of its standard
// deviations, or less five points where that is more. The paper reports five runs that agree: a
// hypothesis has to make five of five likely. With the 95 % bounds (Wilson) of the share of runs
// that reach it, a hypothesis explains the paper's row where even the lower bound gives five of
// five with a probability of 5 % or more, does not where even the upper bound gives less, and is
// open in between.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "reproduce/repro_markdown.h"
#include "reproduce/repro_verdict.h"

double slt_repro_least_f1(const slt_published_score *paper) {
    return paper->f1 - fmax(2 * paper->f1_sd, 0.05);
}

// the bounds of a share: Wilson's score interval
static void bounds_of(int reached, int runs, double *low, double *high) {
    const double z = 1.959964;
    double n = runs, p = reached / n, middle = p + z * z / (2 * n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    *low = (middle - half) / (1 + z * z / n);
    *high = (middle + half) / (1 + z * z / n);
}

slt_repro_verdict slt_repro_verdict_of(int reached, int runs) {
    const double likely = 0.05;
    double low, high;
    if (!runs) return SLT_VERDICT_OPEN;
    bounds_of(reached, runs, &low, &high);
    if (pow(low, 5) >= likely) return SLT_VERDICT_EXPLAINS;
    return pow(high, 5) < likely ? SLT_VERDICT_DOES_NOT : SLT_VERDICT_OPEN;
}

static int count_reached(const slt_repro_record *records, int count, double least) {
    int reached = 0;
    for (int i = 0; i < count; i++)
        reached += !records[i].failed && records[i].test.scores.mean.f1 >= least;
    return reached;
}

static void put_means(slt_text *out, const slt_repro_summary *m) {
    slt_repro_put(out, m->mean.f1, m->sd.f1);
    slt_repro_put(out, m->mean.align, m->sd.align);
    slt_repro_put(out, m->mean.forward, m->sd.forward);
    slt_repro_put(out, m->mean.backward, m->sd.backward);
}

static slt_status put_command(slt_repro *r, const slt_repro_set *set,
                              const slt_repro_variant *variant, slt_text *out) {
    slt_repro_run run;
    slt_text command;
    SLT_TRY(slt_repro_run_init(r, set, variant, 0, &run));
    slt_text_init(&command, &r->context->allocator);
    slt_repro_run_command(r, &run, &command);
    slt_status status = command.status;
    if (status == SLT_OK) slt_text_add(out, " `%s` |\n", command.bytes);
    slt_text_deinit(&command);
    return status;
}

static slt_status put_row(slt_repro *r, const slt_repro_set *set, const slt_repro_variant *variant,
                          slt_text *out) {
    static const char *const verdicts[] = {"explains", "does not", "open"};
    const slt_published_score *paper = slt_repro_paper(set, variant->paper);
    slt_repro_record *records;
    int *indices, count, wanted = slt_repro_runs(set, variant, r->seeds);
    slt_repro_summary m;
    SLT_TRY(slt_repro_records(r, &r->arena, set, variant, wanted, &records, &indices, &count));
    if (!count) return SLT_OK;
    slt_repro_summarise(records, count, &m);
    slt_text_add(out, "| %s | %s | %d to %d |", set->title, variant->title,
                 (int)r->request->seed + variant->from + indices[0],
                 (int)r->request->seed + variant->from + indices[count - 1]);
    put_means(out, &m);
    int reached = paper ? count_reached(records, count, slt_repro_least_f1(paper)) : 0;
    slt_text_add(out, " %d of %d | %s | %s %s |", reached, count,
                 paper && variant->trial ? verdicts[slt_repro_verdict_of(reached, count)] : "–",
                 records[0].device, records[0].precision);
    return put_command(r, set, variant, out);
}

static void put_paper(const slt_repro_set *set, const char *model, slt_text *out) {
    const slt_published_score *p = slt_repro_paper(set, model);
    if (!p) return;
    slt_text_add(out, "| %s | *the paper's %s* | five |", set->title, model);
    slt_repro_put(out, p->f1, p->f1_sd);
    slt_repro_put(out, p->align, p->align_sd);
    slt_repro_put(out, p->forward, p->forward_sd);
    slt_repro_put(out, p->backward, p->backward_sd);
    slt_text_add(out, " F1 %.2f or more | | | |\n", 100 * slt_repro_least_f1(p));
}

static const char RULE[] =
    "A run reaches the paper when its F1 is not below the paper's mean less two standard "
    "deviations, at least five points. A row *explains* the paper where the lower 95 % bound of "
    "the share of such runs gives five of five with a probability of 5 % or more, *does not* where "
    "the upper bound gives less, and is *open* in between.\n\n";

slt_status slt_repro_view_verdicts(slt_repro *r, const slt_repro_table *table, slt_text *out) {
    slt_text_add(out,
                 "%s| set | changed | seeds | F1 | alignment | forward | backward | reach the "
                 "paper | verdict | device, precision | command of the first |\n",
                 RULE);
    slt_repro_put_line(out, 10);
    for (int s = 0; s < SLT_REPRO_SETS && table->sets[s]; s++) {
        const slt_repro_set *set = slt_repro_set_find(table->sets[s]);
        const char *before = "";
        for (int v = 0; v < SLT_REPRO_VARIANTS && table->variants[v]; v++) {
            const slt_repro_variant *variant = slt_repro_variant_find(table->variants[v]);
            slt_arena_mark mark = slt_arena_now(&r->arena);
            if (variant->paper != before) put_paper(set, variant->paper, out);
            before = variant->paper;
            SLT_TRY(put_row(r, set, variant, out));
            slt_arena_reset(&r->arena, mark);
        }
    }
    return SLT_OK;
}
