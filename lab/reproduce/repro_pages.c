// The pictures: figures of the sets that a table shows, and one page with the first run of every
// cell.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "core/file.h"
#include "paper/paper_scores.h"
#include "reproduce/repro_impl.h"
#include "slottar/report.h"

// the first run of a cell, where it has scores and, not carried over from elsewhere, its answers
static bool first_run(const slt_repro *r, const slt_repro_set *set,
                      const slt_repro_variant *variant, char out[SLT_REPRO_PATH]) {
    char path[SLT_REPRO_PATH];
    slt_repro_record record;
    if (set->recorded || slt_repro_is_vote(variant)) return false; // the table is all of them
    slt_repro_record_path(r, set, variant, 0, path);
    if (!slt_repro_there(path) || slt_repro_record_read(path, &record) != SLT_OK || record.failed)
        return false;
    slt_repro_path(r, path, "runs/%s/%s/0/segments.safetensors", set->name, variant->name);
    slt_repro_path(r, out, "runs/%s/%s/0", set->name, variant->name);
    return slt_repro_there(path);
}

static slt_status draw(slt_repro *r, const slt_repro_set *set, const slt_repro_variant *variant) {
    char run[SLT_REPRO_PATH], folder[SLT_REPRO_PATH];
    const char *runs[] = {run};
    if (!first_run(r, set, variant, run)) return SLT_OK;
    slt_report_request request = {.runs = runs,
                                  .run_count = 1,
                                  .figures = slt_repro_path(r, folder, "figures/%s", set->name),
                                  .overwrite = true, // of the folder's own
                                  .split = SLT_SPLIT_TEST};
    request.published = slt_paper_rows(&request.published_count);
    SLT_TRY(slt_folder_make(folder));
    return slt_report(r->context, &request, NULL);
}

static slt_status draw_table(slt_repro *r, const slt_repro_table *table) {
    for (int s = 0; s < SLT_REPRO_SETS && table->sets[s]; s++) {
        SLT_TRY(slt_context_check(r->context));
        SLT_TRY(draw(r, slt_repro_set_find(table->sets[s]),
                     slt_repro_variant_find(table->variants[0])));
    }
    return SLT_OK;
}

// the first cells, as many as a page takes
static slt_status write_page(slt_repro *r) {
    char path[SLT_REPRO_PATH], (*paths)[SLT_REPRO_PATH];
    const char *runs[SLT_REPORT_RUNS];
    int count = 0;
    SLT_TRY(SLT_NEW(&r->arena, &paths, SLT_REPORT_RUNS));
    for (int i = 0; i < r->cell_count && count < SLT_REPORT_RUNS; i++)
        if (first_run(r, r->cells[i].set, r->cells[i].variant, paths[count])) {
            runs[count] = paths[count];
            count++;
        }
    if (!count) return SLT_OK;
    slt_report_request request = {.runs = runs,
                                  .run_count = count,
                                  .page = slt_repro_path(r, path, "report.html"),
                                  .overwrite = true, // of the folder's own
                                  .split = SLT_SPLIT_TEST};
    request.published = slt_paper_rows(&request.published_count);
    return slt_report(r->context, &request, NULL);
}

slt_status slt_repro_show(slt_repro *r) {
    if (r->request->no_pages) return SLT_OK;
    for (int i = 0; i < r->table_count; i++)
        if (r->tables[i]->kind == SLT_TABLE_FIGURES) SLT_TRY(draw_table(r, r->tables[i]));
    return write_page(r);
}
