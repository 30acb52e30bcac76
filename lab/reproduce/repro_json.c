// results.json: data sets with their baselines, cells with their runs, speeds, tables. Every number
// has the command that makes it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "paper/paper_scores.h"
#include "reproduce/repro_markdown.h"
#include "reproduce/repro_speed.h"
#include "reproduce/repro_summary.h"
#include "slottar/version.h"

static void add_text(slt_text *out, const char *name, const char *value) {
    slt_text_add(out, ",\"%s\":", name);
    if (value)
        slt_text_quote(out, value);
    else
        slt_text_add(out, "null");
}

static void add_number(slt_text *out, const char *name, double value) {
    slt_text_add(out, ",\"%s\":", name);
    if (isfinite(value))
        slt_text_add(out, "%.6g", value);
    else
        slt_text_add(out, "null");
}

// ---- data sets

static slt_status add_baselines(const slt_repro *r, const slt_repro_set *set, slt_text *out) {
    slt_repro_about about;
    SLT_TRY(slt_repro_about_read(r, set, &about));
    slt_text_add(out, ",\"episodes\":[%lld,%lld,%lld],\"steps\":%lld,\"baselines\":{",
                 (long long)about.episodes[0], (long long)about.episodes[1],
                 (long long)about.episodes[2], (long long)about.steps);
    const char *comma = "";
    for (int i = 0; i < SLT_REPRO_BASELINES && slt_baseline_name(i); i++) {
        if (!about.known[i]) continue;
        slt_text_add(out, "%s\"%s\":{\"f1\":%.6g,\"align\":%.6g}", comma, slt_baseline_name(i),
                     about.baselines[i].f1, about.baselines[i].align);
        comma = ",";
    }
    slt_text_add(out, "},\"missed\":{\"by\":\"" SLT_REPRO_RIVAL "\",\"episodes\":%lld",
                 (long long)about.missed);
    add_number(out, "f1", about.missed_f1);
    slt_text_add(out, "},\"segments\":{");
    comma = "";
    for (int n = 0; n < SLT_COUNT_BINS; n++) {
        if (!(about.share[n] > 0)) continue;
        slt_text_add(out, "%s\"%d\":%.6g", comma, n, about.share[n]);
        comma = ",";
    }
    slt_text_add(out, "}");
    return SLT_OK;
}

static slt_status add_set(const slt_repro *r, const slt_repro_set *set, slt_text *out) {
    char path[SLT_REPRO_PATH];
    slt_text command;
    slt_text_init(&command, &r->context->allocator);
    slt_repro_collect_command(r, set, &command);
    slt_text_add(out, "{\"name\":\"%s\"", set->name);
    add_text(out, "title", set->title);
    add_text(out, "command", command.bytes);
    slt_text_deinit(&command);
    if (slt_repro_there(slt_repro_path(r, path, "data/%s.json", set->name)))
        SLT_TRY(add_baselines(r, set, out));
    slt_text_add(out, "}");
    return SLT_OK;
}

static slt_status add_sets(const slt_repro *r, slt_text *out) {
    slt_text_add(out, ",\n\"sets\":[");
    for (int i = 0; i < r->set_count; i++) {
        slt_text_add(out, i ? ",\n" : "\n");
        SLT_TRY(add_set(r, r->sets[i], out));
    }
    slt_text_add(out, "]");
    return SLT_OK;
}

// ---- cells

// mean, sd and the values themselves, by name
static void add_scores(slt_text *out, const slt_repro_summary *s, const slt_repro_record *records,
                       int count) {
    const char *comma = "";
    slt_text_add(out, ",\"test\":{");
#define FIELD(name, path)                                                                          \
    if (isfinite(s->mean.name)) {                                                                  \
        slt_text_add(out, "%s\"" #name "\":{\"mean\":%.6g", comma, s->mean.name);                  \
        add_number(out, "sd", s->sd.name);                                                         \
        slt_text_add(out, ",\"runs\":[");                                                          \
        for (int i = 0, n = 0; i < count; i++)                                                     \
            if (!records[i].failed)                                                                \
                slt_text_add(out, "%s%.6g", n++ ? "," : "", records[i].test.path);                 \
        slt_text_add(out, "]}");                                                                   \
        comma = ",";                                                                               \
    }
    SLT_REPRO_SCORES(FIELD)
#undef FIELD
    slt_text_add(out, "}");
}

static void add_missed(slt_text *out, const slt_repro_summary *s) {
    if (!isfinite(s->missed)) return;
    slt_text_add(out, ",\"missed\":{\"f1\":%.6g", s->missed);
    add_number(out, "sd", s->missed_sd);
    slt_text_add(out, "}");
}

static void add_kept(slt_text *out, const slt_repro_summary *s, const int *indices) {
    slt_text_add(out, ",\"kept\":{\"run\":%d", indices[s->kept]);
    add_number(out, "f1", s->kept_scores.f1);
    add_number(out, "align", s->kept_scores.align);
    slt_text_add(out, "}");
}

static void add_restarts(slt_text *out, const slt_repro_record *records, int count) {
    if (!count || !records[0].members) return;
    slt_text_add(out, ",\"restarts\":[");
    for (int i = 0; i < count; i++) {
        slt_text_add(out, "%s{\"members\":%d,\"agreeing\":%d", i ? "," : "", records[i].members,
                     records[i].agreeing);
        add_number(out, "gap", records[i].gap);
        add_text(out, "warning", records[i].warning);
        slt_text_add(out, "}");
    }
    slt_text_add(out, "]");
}

static void add_paper(slt_text *out, const slt_repro_cell *cell) {
    const slt_published_score *p = slt_repro_paper(cell->set, cell->variant->paper);
    if (!p) return;
    slt_text_add(out, ",\"paper\":{\"f1\":%.4f,\"f1_sd\":%.4f,\"align\":%.4f,\"align_sd\":%.4f",
                 p->f1, p->f1_sd, p->align, p->align_sd);
    if (!isnan(p->forward))
        slt_text_add(out,
                     ",\"forward\":%.4f,\"forward_sd\":%.4f,\"backward\":%.4f,\"backward_sd\":%.4f",
                     p->forward, p->forward_sd, p->backward, p->backward_sd);
    slt_text_add(out, "}");
}

// where the runs were made: of the first; all of them have it in their record.json
static void add_origin(slt_text *out, const slt_repro_record *records, const int *indices,
                       int count, const slt_repro_summary *s) {
    add_text(out, "version", records[0].version);
    add_text(out, "commit", records[0].commit);
    add_text(out, "device", records[0].device);
    add_text(out, "precision", records[0].precision[0] ? records[0].precision : NULL);
    slt_text_add(out, ",\"runs\":[");
    for (int i = 0; i < count; i++) slt_text_add(out, "%s%d", i ? "," : "", indices[i]);
    slt_text_add(out, "],\"failed\":%d,\"told_count\":%s,\"counts_done\":%s", s->failed,
                 s->told_count ? "true" : "false", s->counts_done ? "true" : "false");
    add_number(out, "seconds", s->seconds);
    slt_text_add(out, ",\"together\":%d", s->together);
    add_number(out, "epochs", s->epochs);
}

static slt_status add_command(const slt_repro *r, const slt_repro_cell *cell, slt_text *out) {
    slt_repro_run run;
    slt_text command;
    SLT_TRY(slt_repro_run_init(r, cell->set, cell->variant, 0, &run));
    slt_text_init(&command, &r->context->allocator);
    slt_repro_run_command(r, &run, &command);
    add_text(out, "command", command.bytes);
    slt_text_deinit(&command);
    return SLT_OK;
}

static slt_status add_cell(const slt_repro *r, slt_arena *arena, const slt_repro_cell *cell,
                           slt_text *out) {
    slt_repro_record *records;
    int *indices, count;
    slt_repro_summary summary;
    SLT_TRY(slt_repro_records(r, arena, cell->set, cell->variant, cell->runs, &records, &indices,
                              &count));
    slt_repro_summarise(records, count, &summary);
    slt_text_add(out, "{\"set\":\"%s\",\"variant\":\"%s\"", cell->set->name, cell->variant->name);
    add_text(out, "model", cell->variant->model);
    add_text(out, "profile", cell->variant->profile ? cell->variant->profile : "default");
    add_text(out, "told",
             slt_repro_told_prior(cell->variant) ? "number of segments or histogram" : "nothing");
    add_text(out, "starts", slt_repro_told_cuts(cell->variant) ? "delimiter" : "random");
    SLT_TRY(add_command(r, cell, out));
    slt_text_add(out, ",\"wanted\":%d", cell->runs);
    add_paper(out, cell);
    if (count) add_origin(out, records, indices, count, &summary);
    if (summary.runs) add_scores(out, &summary, records, count);
    if (summary.runs) add_missed(out, &summary);
    if (summary.kept >= 0) add_kept(out, &summary, indices);
    add_restarts(out, records, count);
    slt_text_add(out, "}");
    return SLT_OK;
}

static slt_status add_cells(slt_repro *r, slt_text *out) {
    slt_text_add(out, ",\n\"cells\":[");
    for (int i = 0; i < r->cell_count; i++) {
        slt_arena_mark mark = slt_arena_now(&r->arena);
        slt_text_add(out, i ? ",\n" : "\n");
        SLT_TRY(add_cell(r, &r->arena, &r->cells[i], out));
        slt_arena_reset(&r->arena, mark);
    }
    slt_text_add(out, "]");
    return SLT_OK;
}

// ---- speeds and tables

static slt_status add_speeds(const slt_repro *r, slt_text *out) {
    const char *comma = "\n";
    slt_text_add(out, ",\n\"speed\":[");
    for (int i = 0; slt_repro_variant_at(i); i++) {
        slt_repro_speed speed;
        bool there;
        SLT_TRY(slt_repro_speed_read(r, slt_repro_variant_at(i), &speed, &there));
        if (!there) continue;
        slt_text_add(out, "%s{\"variant\":\"%s\"", comma, slt_repro_variant_at(i)->name);
        add_number(out, "train_tokens_per_s", speed.train);
        add_number(out, "test_tokens_per_s", speed.test);
        add_number(out, "train_true_tokens_per_s", speed.train_true);
        add_number(out, "test_true_tokens_per_s", speed.test_true);
        add_text(out, "device", speed.device);
        slt_text_add(out, ",\"threads\":%d}", speed.threads);
        comma = ",\n";
    }
    slt_text_add(out, "]");
    return SLT_OK;
}

static void add_names(slt_text *out, const char *name, const char *const *list, int most) {
    slt_text_add(out, ",\"%s\":[", name);
    for (int i = 0; i < most && list[i]; i++) slt_text_add(out, "%s\"%s\"", i ? "," : "", list[i]);
    slt_text_add(out, "]");
}

static void add_tables(const slt_repro *r, slt_text *out) {
    slt_text_add(out, ",\n\"tables\":[");
    for (int i = 0; i < r->table_count; i++) {
        const slt_repro_table *table = r->tables[i];
        slt_text_add(out, "%s{\"name\":\"%s\"", i ? ",\n" : "\n", table->name);
        add_text(out, "title", table->title);
        add_names(out, "sets", table->sets, SLT_REPRO_SETS);
        add_names(out, "variants", table->variants, SLT_REPRO_VARIANTS);
        slt_text_add(out, "}");
    }
    slt_text_add(out, "]}\n");
}

slt_status slt_repro_json(slt_repro *r, slt_text *out) {
    slt_text_add(out, "{\"format\":\"slottar-results-1\",\"version\":\"%s\"", slt_version());
    add_text(out, "commit", slt_repro_commit());
    slt_text_add(out, ",\"quick\":%s,\"seed\":%llu,\"seeds\":%d,\"runs\":%d,\"done\":%d",
                 r->request->quick ? "true" : "false", (unsigned long long)r->request->seed,
                 r->seeds, r->result.runs, r->result.done);
    SLT_TRY(add_sets(r, out));
    SLT_TRY(add_cells(r, out));
    SLT_TRY(add_speeds(r, out));
    add_tables(r, out);
    return SLT_OK;
}
