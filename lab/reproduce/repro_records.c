// The records of all runs: each in its run's directory, and together in records.jsonl, a line each,
// so that results go from one machine to another without the runs.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "core/file.h"
#include "reproduce/repro_impl.h"

static int most_runs(const slt_repro_variant *variant) {
    return SLT_REPRODUCE_SEEDS * (variant->times ? variant->times : 1);
}

static slt_repro_carried *carried(const slt_repro *r, const slt_repro_set *set,
                                  const slt_repro_variant *variant, int index) {
    for (int i = 0; i < r->carried_count; i++) {
        slt_repro_carried *c = &r->carried[i];
        if (c->set == set && c->variant == variant && c->index == index) return c;
    }
    return NULL;
}

slt_status slt_repro_record_find(const slt_repro *r, const slt_repro_set *set,
                                 const slt_repro_variant *variant, int index, bool *there,
                                 slt_repro_record *out) {
    char path[SLT_REPRO_PATH];
    const slt_repro_carried *line = carried(r, set, variant, index);
    *there = slt_repro_there(slt_repro_record_path(r, set, variant, index, path));
    if (*there) return out ? slt_repro_record_read(path, out) : SLT_OK;
    *there = line != NULL;
    if (line && out) *out = line->record;
    return SLT_OK;
}

// ---- reading

// SET/VARIANT/INDEX
static slt_status name_run(const char *where, const json_t *run, slt_repro_carried *out) {
    char set[SLT_REPRO_WORD] = "", variant[SLT_REPRO_WORD] = "", more;
    const char *text = json_is_string(run) ? json_string_value(run) : "";
    int words = sscanf(text, "%63[^/]/%63[^/]/%d%c", set, variant, &out->index, &more);
    out->set = slt_repro_set_find(set);
    out->variant = slt_repro_variant_find(variant);
    if (words != 3 || !out->set || !out->variant || out->index < 0 ||
        out->index >= most_runs(out->variant))
        SLT_FAIL(SLT_FORMAT, "%s: no table has a run '%.120s'; remove the line to continue", where,
                 text);
    return SLT_OK;
}

static slt_status read_line(slt_repro *r, const char *where, const char *text, size_t length) {
    json_t *document;
    slt_repro_carried *line = &r->carried[r->carried_count];
    SLT_TRY(slt_json_parse(where, text, length, 4, &document));
    slt_status status = name_run(where, json_object_get(document, "run"), line);
    if (status == SLT_OK) status = slt_repro_record_parse(where, document, &line->record);
    if (status == SLT_OK && !carried(r, line->set, line->variant, line->index)) r->carried_count++;
    json_decref(document);
    return status;
}

static slt_status read_lines(slt_repro *r, const char *path, const slt_map *map) {
    const char *at = (const char *)map->data, *end = at + map->size;
    size_t lines = 0;
    for (const char *c = at; c && c < end; c++) lines += *c == '\n';
    SLT_TRY(SLT_NEW(&r->arena, &r->carried, lines + 1));
    for (int number = 1; at && at < end; number++) {
        char where[SLT_REPRO_PATH + 16];
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        snprintf(where, sizeof where, "%s:%d", path, number);
        SLT_TRY(read_line(r, where, at, (size_t)(stop - at)));
        at = stop + 1;
    }
    return SLT_OK;
}

slt_status slt_repro_carried_read(slt_repro *r) {
    char path[SLT_REPRO_PATH];
    slt_map map;
    if (!slt_repro_there(slt_repro_path(r, path, "records.jsonl"))) return SLT_OK;
    SLT_TRY(slt_map_open(path, &map));
    slt_status status = read_lines(r, path, &map);
    slt_map_close(&map);
    return status;
}

// ---- writing

static slt_status add_cell(const slt_repro *r, const slt_repro_set *set,
                           const slt_repro_variant *variant, slt_text *out) {
    for (int i = 0; i < most_runs(variant); i++) {
        char run[3 * SLT_REPRO_WORD];
        bool there;
        slt_repro_record record;
        SLT_TRY(slt_repro_record_find(r, set, variant, i, &there, &record));
        if (!there) continue;
        snprintf(run, sizeof run, "%s/%s/%d", set->name, variant->name, i);
        slt_repro_record_add(out, run, &record);
    }
    return SLT_OK;
}

static bool has_cell(const slt_repro *r, const slt_repro_set *set,
                     const slt_repro_variant *variant) {
    char path[SLT_REPRO_PATH];
    bool has = slt_repro_there(slt_repro_path(r, path, "runs/%s/%s", set->name, variant->name));
    for (int i = 0; i < r->carried_count && !has; i++)
        has = r->carried[i].set == set && r->carried[i].variant == variant;
    return has;
}

slt_status slt_repro_carried_write(slt_repro *r, slt_text *out) {
    const slt_repro_set *set;
    const slt_repro_variant *variant;
    for (int s = 0; (set = slt_repro_set_at(s)); s++)
        for (int v = 0; (variant = slt_repro_variant_at(v)); v++)
            if (has_cell(r, set, variant)) SLT_TRY(add_cell(r, set, variant, out));
    return SLT_OK;
}
