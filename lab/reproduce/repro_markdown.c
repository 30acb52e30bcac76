// results.md: what was run, then one section per table.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "reproduce/repro_markdown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// where the runs were made: commits and devices, each once; `others` found no room
enum { ORIGINS = 32 };
typedef struct {
    char text[ORIGINS][3 * SLT_REPRO_WORD + 16];
    int count;
    bool others;
} origins;

static void add_origin(origins *list, const slt_repro_record *record) {
    char text[sizeof list->text[0]];
    snprintf(text, sizeof text, "%s on %s%s%s", record->commit, record->device,
             record->precision[0] ? " in " : "", record->precision);
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->text[i], text) == 0) return;
    if (list->count < ORIGINS)
        memcpy(list->text[list->count++], text, sizeof text);
    else
        list->others = true;
}

static slt_status find_origins(slt_repro *r, origins *list) {
    for (int c = 0; c < r->cell_count; c++) {
        const slt_repro_cell *cell = &r->cells[c];
        slt_arena_mark mark = slt_arena_now(&r->arena);
        slt_repro_record *records;
        int *indices, count;
        SLT_TRY(slt_repro_records(r, &r->arena, cell->set, cell->variant, cell->runs, &records,
                                  &indices, &count));
        for (int i = 0; i < count; i++) add_origin(list, &records[i]);
        slt_arena_reset(&r->arena, mark);
    }
    return SLT_OK;
}

static slt_status put_origins(slt_repro *r, slt_text *out) {
    origins list = {.count = 0};
    SLT_TRY(find_origins(r, &list));
    for (int i = 0; i < list.count; i++)
        slt_text_add(out, "%s%s", i ? ", " : "\nRuns of commit ", list.text[i]);
    if (list.count) slt_text_add(out, list.others ? " and others.\n" : ".\n");
    return SLT_OK;
}

static slt_status put_head(slt_repro *r, slt_text *out) {
    slt_text_add(out,
                 "# All tables\n\nFor a reader who looks for a number: every table that `slottar "
                 "reproduce%s` "
                 "writes, from %d of %d runs, seeds %llu to %llu.",
                 r->request->quick ? " --quick" : "", r->result.done, r->result.runs,
                 (unsigned long long)r->request->seed,
                 (unsigned long long)r->request->seed + (unsigned)r->seeds - 1);
    if (r->result.failed) slt_text_add(out, " %d diverged and have no scores.", r->result.failed);
    slt_text_add(out, " Every number with its command, commit, device and runs is in "
                      "`results.json`.\n\n");
    if (r->request->quick)
        slt_text_add(out, "**Quick: small data sets, small models, few epochs. These numbers show "
                          "that everything runs; they are no results.**\n\n");
    slt_text_add(
        out, "Test split, percent, mean (standard deviation over the seeds, n−1). Baselines are "
             "rules without training. Nothing was chosen on test labels.\n\n"
             "¹ validation labels chose the epoch, as in the paper. ² told the true number of "
             "segments of every trajectory. ³ the step DONE is scored, too, as the reference "
             "code does. ⁴ told the number of segments of the data set, or its histogram where "
             "it varies. ⁵ half of the restarts, and single runs, begin with the boundaries of "
             "*delimiter*. Those without ¹ chose the epoch by the held-out loss; those without "
             "¹, ² and ⁴ were told nothing.\n");
    return SLT_OK;
}

static const slt_repro_view views[] = {
    [SLT_TABLE_SCORES] = slt_repro_view_scores,     [SLT_TABLE_TREND] = slt_repro_view_trend,
    [SLT_TABLE_ROBUST] = slt_repro_view_robust,     [SLT_TABLE_ACCESS] = slt_repro_view_access,
    [SLT_TABLE_SPEED] = slt_repro_view_speed,       [SLT_TABLE_PRIORS] = slt_repro_view_priors,
    [SLT_TABLE_FIGURES] = slt_repro_view_figures,   [SLT_TABLE_RESTARTS] = slt_repro_view_restarts,
    [SLT_TABLE_VERDICTS] = slt_repro_view_verdicts, [SLT_TABLE_WARNINGS] = slt_repro_view_warnings,
    [SLT_TABLE_SEGMENTS] = slt_repro_view_segments,
};

// a table with cells, none of which has a record
static bool is_empty(const slt_repro *r, const slt_repro_table *table) {
    bool wants = false;
    for (int c = 0; c < r->cell_count; c++) {
        const slt_repro_cell *cell = &r->cells[c];
        bool set = slt_repro_in(table->sets, SLT_REPRO_SETS, cell->set->name);
        if (!set || !slt_repro_in(table->variants, SLT_REPRO_VARIANTS, cell->variant->name))
            continue;
        bool there = false;
        wants = true;
        for (int i = 0; i < cell->runs && !there; i++)
            slt_repro_record_find(r, cell->set, cell->variant, i, &there, NULL);
        if (there) return false;
    }
    return wants;
}

slt_status slt_repro_markdown(slt_repro *r, slt_text *out) {
    SLT_TRY(put_head(r, out));
    for (int i = 0; i < r->table_count; i++) {
        const slt_repro_table *table = r->tables[i];
        slt_text_add(out, "\n## %s\n\n", table->title);
        if (table->text[0]) slt_text_add(out, "%s\n\n", table->text);
        if (is_empty(r, table))
            slt_text_add(out, "Not run yet: `slottar reproduce %s`.\n", table->name);
        else
            SLT_TRY(views[table->kind](r, table, out));
    }
    return put_origins(r, out);
}
