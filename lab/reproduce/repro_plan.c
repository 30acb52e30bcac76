// What is wanted: tables by their names, the sets and cells that they need, each once.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "reproduce/repro_impl.h"

// ---- tables

// without names all tables, but those of segments only where there are recordings
static bool is_wanted(const slt_reproduce_request *request, const slt_repro_table *table) {
    if (!request->table_count) return table->kind != SLT_TABLE_SEGMENTS || request->sets;
    return slt_repro_in(request->tables, request->table_count, table->name);
}

static slt_status refuse_table(const char *name) {
    char list[512] = "";
    for (int i = 0; slt_reproduce_table(i); i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 slt_reproduce_table(i));
    SLT_FAIL(SLT_INVALID, "no table '%.80s'; there are %s", name, list);
}

static slt_status choose_tables(slt_repro *r) {
    int all = 0;
    while (slt_repro_table_at(all)) all++;
    for (int i = 0; i < r->request->table_count; i++)
        if (!slt_repro_table_find(r->request->tables[i]))
            return refuse_table(r->request->tables[i]);
    SLT_TRY(SLT_NEW(&r->arena, &r->tables, (size_t)all));
    for (int i = 0; i < all; i++)
        if (is_wanted(r->request, slt_repro_table_at(i)))
            r->tables[r->table_count++] = slt_repro_table_at(i);
    return SLT_OK;
}

// ---- what is trained: models by name, or cells as SET/VARIANT with wildcards

static bool is_pattern(const char *wish) { return strchr(wish, '/') != NULL; }

static bool means(const char *wish, const slt_repro_set *set, const slt_repro_variant *variant) {
    char name[128];
    snprintf(name, sizeof name, "%s/%s", set->name, variant->name);
    return is_pattern(wish) ? fnmatch(wish, name, 0) == 0 : strcmp(wish, variant->model) == 0;
}

// the first wish that means the cell; -1: none does
static int wish_of(const slt_reproduce_request *request, const slt_repro_set *set,
                   const slt_repro_variant *variant) {
    for (int i = 0; i < request->model_count; i++)
        if (means(request->models[i], set, variant)) return i;
    return request->model_count ? -1 : 0;
}

static slt_status check_models(const slt_reproduce_request *request) {
    for (int i = 0; i < request->model_count; i++)
        if (!is_pattern(request->models[i]) && strcmp(request->models[i], SLT_REPRO_VOTE) != 0 &&
            !slt_train_options_of(request->models[i], 0))
            SLT_FAIL(SLT_INVALID, "no model '%.80s'; cells are SET/VARIANT", request->models[i]);
    return SLT_OK;
}

// ---- sets and cells

static void add_set(slt_repro *r, const slt_repro_set *set) {
    for (int i = 0; i < r->set_count; i++)
        if (r->sets[i] == set) return;
    r->sets[r->set_count++] = set;
}

// a damaged record is noticed before anything is trained
static slt_status count_done(slt_repro *r, slt_repro_cell *cell) {
    for (int i = 0; i < cell->runs; i++) {
        bool there;
        slt_repro_record record;
        SLT_TRY(slt_repro_record_find(r, cell->set, cell->variant, i, &there, &record));
        cell->done += there;
        r->result.failed += there && record.failed;
    }
    r->result.runs += cell->runs;
    r->result.done += cell->done;
    return SLT_OK;
}

static slt_status add_cell(slt_repro *r, const slt_repro_set *set,
                           const slt_repro_variant *variant) {
    int wish = wish_of(r->request, set, variant);
    if (wish < 0 || !slt_repro_applies(variant, set)) return SLT_OK;
    for (int i = 0; i < r->cell_count; i++)
        if (r->cells[i].set == set && r->cells[i].variant == variant) return SLT_OK;
    int runs = slt_repro_runs(set, variant, r->seeds);
    if (r->request->quick) runs = slt_repro_runs(NULL, variant, r->seeds);
    slt_repro_cell *cell = &r->cells[r->cell_count++];
    *cell = (slt_repro_cell){.set = set, .variant = variant, .wish = wish, .runs = runs};
    return count_done(r, cell);
}

static bool is_wanted_set(const slt_repro *r, const slt_repro_table *table,
                          const slt_repro_set *set) {
    bool wanted = !table->variants[0];
    for (int v = 0; v < SLT_REPRO_VARIANTS && table->variants[v]; v++)
        wanted |= slt_repro_applies(slt_repro_variant_find(table->variants[v]), set) &&
                  wish_of(r->request, set, slt_repro_variant_find(table->variants[v])) >= 0;
    return wanted;
}

// a row after the other, so that the first seeds of all methods on a set lie together
static slt_status add_table(slt_repro *r, const slt_repro_table *table) {
    for (int s = 0; s < SLT_REPRO_SETS && table->sets[s]; s++) {
        const slt_repro_set *set = slt_repro_set_find(table->sets[s]);
        if (is_wanted_set(r, table, set)) add_set(r, set);
        for (int v = 0; v < SLT_REPRO_VARIANTS && table->variants[v]; v++)
            SLT_TRY(add_cell(r, set, slt_repro_variant_find(table->variants[v])));
    }
    return SLT_OK;
}

// in the order of the wishes; among those of one, in that of the tables
static slt_status put_in_order(slt_repro *r) {
    slt_repro_cell *ordered;
    int count = 0;
    SLT_TRY(SLT_NEW(&r->arena, &ordered, (size_t)r->cell_count + 1));
    for (int wish = 0; wish == 0 || wish < r->request->model_count; wish++) {
        int before = count;
        for (int i = 0; i < r->cell_count; i++)
            if (r->cells[i].wish == wish) ordered[count++] = r->cells[i];
        if (count == before && r->request->model_count && is_pattern(r->request->models[wish]))
            SLT_FAIL(SLT_INVALID,
                     "no cell '%.80s' in these tables, or none that is not named before",
                     r->request->models[wish]);
    }
    r->cells = ordered;
    return SLT_OK;
}

static slt_status make_room(slt_repro *r) {
    size_t sets = 0, variants = 0;
    while (slt_repro_set_at((int)sets)) sets++;
    while (slt_repro_variant_at((int)variants)) variants++;
    SLT_TRY(SLT_NEW(&r->arena, &r->sets, sets));
    return SLT_NEW(&r->arena, &r->cells, sets * variants);
}

slt_status slt_repro_plan(slt_repro *r) {
    r->seeds = r->request->seeds ? r->request->seeds : r->request->quick ? 2 : 5;
    if (r->seeds < 1 || r->seeds > SLT_REPRODUCE_SEEDS)
        SLT_FAIL(SLT_RANGE, "%d seeds are not 1 to %d", r->seeds, SLT_REPRODUCE_SEEDS);
    SLT_TRY(choose_tables(r));
    SLT_TRY(check_models(r->request));
    SLT_TRY(make_room(r));
    SLT_TRY(slt_repro_carried_read(r));
    for (int i = 0; i < r->table_count; i++) SLT_TRY(add_table(r, r->tables[i]));
    return put_in_order(r);
}
