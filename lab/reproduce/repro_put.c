// What the tables of results.md share: numbers, names, what the runs of a cell and the paper say.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "reproduce/repro_markdown.h"

#include <math.h>
#include <string.h>

void slt_repro_put(slt_text *out, double mean, double sd) {
    if (!isfinite(mean)) {
        slt_text_add(out, " – |");
        return;
    }
    slt_text_add(out, " %.2f", 100 * mean);
    if (isfinite(sd)) slt_text_add(out, " (%.2f)", 100 * sd);
    slt_text_add(out, " |");
}

void slt_repro_put_line(slt_text *out, int columns) {
    slt_text_add(out, "|---|");
    for (int i = 0; i < columns; i++) slt_text_add(out, "---|");
    slt_text_add(out, "\n");
}

void slt_repro_put_name(slt_text *out, const slt_repro_variant *variant,
                        const slt_repro_summary *summary) {
    if (variant->paper) slt_text_add(out, "%s, ", variant->paper);
    slt_text_add(out, "%s", variant->title);
    if (variant->profile) slt_text_add(out, " ¹");
    if (summary && summary->told_count) slt_text_add(out, " ²");
    if (summary && summary->counts_done) slt_text_add(out, " ³");
    if (slt_repro_told_prior(variant)) slt_text_add(out, " ⁴");
    if (slt_repro_told_cuts(variant)) slt_text_add(out, " ⁵");
}

slt_status slt_repro_summary_of(slt_repro *r, const slt_repro_set *set,
                                const slt_repro_variant *variant, slt_repro_summary *out) {
    slt_arena_mark mark = slt_arena_now(&r->arena);
    slt_repro_record *records;
    int *indices, count;
    int runs = slt_repro_runs(set, variant, r->seeds);
    slt_status status =
        slt_repro_records(r, &r->arena, set, variant, runs, &records, &indices, &count);
    if (status == SLT_OK) slt_repro_summarise(records, count, out);
    slt_arena_reset(&r->arena, mark);
    return status;
}

const slt_published_score *slt_repro_paper(const slt_repro_set *set, const char *model) {
    int count;
    const slt_published_score *rows = slt_paper_rows(&count);
    const char *name = set->paper ? set->paper : set->title;
    for (int i = 0; model && i < count; i++)
        if (strcmp(rows[i].set, name) == 0 && strcmp(rows[i].model, model) == 0) return &rows[i];
    return NULL;
}
