// Symbol chains that a device works on together. Tables say how likely each key is under every law.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/symbol_group.h"
#include <math.h>
#include <string.h>
#include "core/parallel_for.h"

_Static_assert((int)SLT_MOST_LAWS == (int)SLT_SYMBOL_LAWS, "tables of moves have one size");
// of rows on the device, and of values here; more chains come in turn
static const double MOST_BYTES = 8e9, MOST_VALUES = 1e9;
enum { MOST_MEMBERS = 8192 };

static int fitting(double most, double each) {
    double fit = most / (each + 1);
    return fit < 1 ? 1 : fit > MOST_MEMBERS ? MOST_MEMBERS : (int)fit;
}

int slt_symbol_in_memory(slt_symbol_family family, int A) {
    double pairs = family == SLT_CHAIN_EVENTS ? (double)A * A : A;
    return fitting(MOST_VALUES, 3 * sizeof(double) * pairs * SLT_MOST_LAWS);
}

int slt_symbol_at_once(const slt_symbol_chain *c, int64_t rows, bool paths) {
    double states = c->N ? c->N : 1, laws = SLT_MOST_LAWS;
    double row = paths ? states * laws + 8 : 4 * sizeof(double) * states * laws + 32;
    int here = fitting(MOST_VALUES, 2 * sizeof(double) * (double)c->size * laws / c->K);
    int there = fitting(MOST_BYTES, (double)rows * row);
    return here < there ? here : there;
}

slt_status slt_symbol_group_init(slt_symbol_group *g, slt_context *context, int count, int lists) {
    *g = (slt_symbol_group){.context = context, .count = count, .lists = lists};
    slt_arena_init(&g->arena, &context->allocator, 0);
    SLT_TRY(slt_device_open(context, &g->device));
    g->kind = g->device->kind->symbols;
    SLT_TRY(SLT_NEW(&g->arena, &g->readings, (size_t)lists));
    SLT_TRY(SLT_NEW(&g->arena, &g->chain, (size_t)count));
    return SLT_NEW(&g->arena, &g->law, (size_t)count);
}

void slt_symbol_group_deinit(slt_symbol_group *g) {
    if (g->pass) g->kind->close(g->pass);
    slt_arena_deinit(&g->arena);
}

// ---- what the device is told

// a table [K][K] with room for all laws; none: what has no chance is called
static void pad_table(const double *from, int K, int laws, double none, double *out) {
    for (int j = 0; j < laws; j++)
        for (int k = 0; k < laws; k++) out[j * laws + k] = j < K && k < K ? from[j * K + k] : none;
}

static void fill_law(const slt_symbol_chain *c, bool paths, slt_symbol_law *law) {
    slt_symbol_moves moves, logs;
    int laws = slt_symbol_padded(c->K);
    double none = paths ? -INFINITY : 0;
    slt_symbol_moves_of(c, &moves);
    law->laws = laws;
    law->phases = c->family == SLT_CHAIN_PHASES;
    law->changes = moves.changes;
    law->crosses = moves.crosses;
    memcpy(law->group, c->group, sizeof law->group);
    if (paths) slt_symbol_log_moves(c, &moves, &logs);
    pad_table(paths ? logs.inside : moves.inside, c->K, laws, none, law->inside);
    pad_table(paths ? logs.across : moves.across, c->K, laws, none, law->across);
    for (int k = 0; k < laws; k++)
        law->same[k] = k >= c->K ? none : paths ? logs.inside[k * c->K + k] : moves.same[k];
}

// chances of a key inside a segment and at its start
static void fill_key(const slt_symbol_chain *c, const slt_symbol_key *key, double *p, double *f) {
    int K = c->K;
    const double *S = c->S + key->action * K, *inside = S;
    double go = 1, cut = 1;
    if (key->symbol < 0) {
        for (int k = 0; k < K; k++) f[k] = c->pi[k] * S[k];
        return;
    }
    if (c->family == SLT_CHAIN_EVENTS) {
        cut = c->h[key->symbol], go = 1 - cut;
        inside = c->B + ((size_t)key->before * (size_t)c->A + (size_t)key->action) * (size_t)K;
    }
    for (int k = 0; k < K; k++) p[k] = go * inside[k], f[k] = cut * S[k];
}

// their logs, added as slt_symbol_best_step does
static void fill_log_key(const slt_symbol_chain *c, const slt_symbol_key *key, double *p,
                         double *f) {
    uint16_t action[2] = {(uint16_t)key->before, (uint16_t)key->action};
    uint16_t symbol[2] = {(uint16_t)key->symbol, 0};
    slt_symbol_episode two = {.length = 2, .action = action, .symbol = symbol};
    const double *S = c->S + key->action * c->K;
    if (key->symbol < 0) {
        for (int k = 0; k < c->K; k++) f[k] = log(c->pi[k]) + log(S[k]);
        return;
    }
    slt_symbol_view v = slt_symbol_view_at(c, two, 1, c->K);
    double go = log(v.go), cut = log(v.cut);
    for (int k = 0; k < c->K; k++) p[k] = go + log(v.inside[k]), f[k] = cut + log(v.fresh[k]);
}

static slt_status fill_member(void *user, int i) {
    slt_symbol_group *g = user;
    const slt_symbol_chain *c = g->chain[i];
    const slt_symbol_reading *reading = &g->readings[g->law[i].list];
    if (g->law[i].idle) return SLT_OK;
    fill_law(c, g->paths, &g->law[i]);
    for (int key = 0; key < reading->list.keys; key++) {
        double *p = g->tables + ((size_t)i * (size_t)g->keys + (size_t)key) * 2 * (size_t)g->laws;
        double *f = p + g->laws;
        for (int k = 0; k < 2 * g->laws; k++) p[k] = g->paths ? -INFINITY : 0;
        (g->paths ? fill_log_key : fill_key)(c, &reading->keys[key], p, f);
    }
    return SLT_OK;
}

slt_status slt_symbol_group_load(slt_symbol_group *g) {
    SLT_TRY(slt_parallel_for(g->context, g->count, fill_member, g));
    return g->kind->load(g->pass, g->law, g->tables);
}

// the chances of numbers of segments, or their logs
static slt_status read_prior(slt_symbol_group *g, double **out) {
    const slt_symbol_chain *c = g->chain[0];
    for (int i = 1; i < g->count; i++)
        if (g->chain[i]->N != c->N)
            SLT_FAIL(SLT_INVALID, "chains that are told %d and %d numbers of segments",
                     g->chain[i]->N, c->N);
    SLT_TRY(SLT_NEW(&g->arena, out, (size_t)c->N + 1));
    for (int n = 0; n < c->N; n++)
        (*out)[n] = g->paths ? log(c->count_prior[n]) : c->count_prior[n];
    return SLT_OK;
}

slt_status slt_symbol_group_open(slt_symbol_group *g) {
    slt_symbol_list *list;
    double *prior = NULL;
    SLT_TRY(SLT_NEW(&g->arena, &list, (size_t)g->lists));
    for (int i = 0; i < g->lists; i++) {
        list[i] = g->readings[i].list;
        g->keys = list[i].keys > g->keys ? list[i].keys : g->keys;
        g->rows = list[i].rows > g->rows ? list[i].rows : g->rows;
    }
    for (int i = 0; i < g->count; i++) {
        int laws = slt_symbol_padded(g->chain[i]->K);
        g->laws = laws > g->laws ? laws : g->laws;
    }
    SLT_TRY(read_prior(g, &prior));
    size_t keys = (size_t)g->count * (size_t)g->keys;
    SLT_TRY(SLT_NEW(&g->arena, &g->tables, keys * 2 * (size_t)g->laws));
    if (!g->paths) {
        SLT_TRY(SLT_NEW(&g->arena, &g->sums, keys * slt_symbol_columns(g->laws)));
        SLT_TRY(SLT_NEW(&g->arena, &g->totals, (size_t)g->count));
    }
    slt_symbol_task task = {.count = g->count,
                            .lists = g->lists,
                            .list = list,
                            .laws = g->laws,
                            .counts = g->chain[0]->N,
                            .prior = prior,
                            .paths = g->paths};
    return g->kind->open(g->device, &task, &g->pass);
}

// ---- what it says

slt_status slt_symbol_group_expect(slt_symbol_group *g) {
    return g->kind->expect(g->pass, g->totals, g->sums);
}

static const double *sums_of(const slt_symbol_group *g, int member, int key) {
    size_t columns = slt_symbol_columns(g->laws);
    return g->sums + ((size_t)member * (size_t)g->keys + (size_t)key) * columns;
}

// a key's share of the sums
static void add_key(const slt_symbol_chain *c, const slt_symbol_key *key, const double *stay,
                    const double *enter, slt_symbol_sums *out) {
    int K = c->K;
    double *S = out->S + key->action * K, stays = 0, cut = 0;
    for (int k = 0; k < K; k++) S[k] += enter[k], stays += stay[k], cut += enter[k];
    if (key->symbol < 0) {
        for (int k = 0; k < K; k++) out->pi[k] += enter[k];
    } else if (c->family == SLT_CHAIN_PHASES) {
        for (int k = 0; k < K; k++) out->inside[k * K + k] += stay[k];
    } else {
        size_t pair = (size_t)key->before * (size_t)c->A + (size_t)key->action;
        for (int k = 0; k < K; k++) out->B[pair * (size_t)K + (size_t)k] += stay[k];
        out->h[key->symbol] += cut;
        out->stays[key->symbol] += stays;
    }
}

double slt_symbol_group_sums(const slt_symbol_group *g, int member, slt_symbol_sums *out) {
    const slt_symbol_chain *c = g->chain[member];
    const slt_symbol_law *law = &g->law[member];
    const slt_symbol_reading *reading = &g->readings[law->list];
    const slt_symbol_totals *totals = &g->totals[member];
    double nats = totals->nats;
    slt_symbol_sums_clear(out);
    for (int key = 0; key < reading->list.keys; key++) {
        const double *stay = sums_of(g, member, key), *enter = stay + law->laws;
        add_key(c, &reading->keys[key], stay, enter, out);
    }
    for (int j = 0; j < c->K; j++)
        for (int k = 0; k < c->K; k++) {
            double moves = totals->moves[j * law->laws + k];
            out->across[j * c->K + k] = moves;
            if (law->changes) out->inside[j * c->K + k] = moves;
        }
    // the end of an episode is an event, too
    for (int q = 0; q < c->Q && !law->phases; q++) {
        if (!(reading->last[q] > 0)) continue;
        out->h[q] += reading->last[q];
        nats += reading->last[q] * log(c->h[q]);
    }
    return nats;
}

void slt_symbol_group_ends(const slt_symbol_group *g, int member, double *ends, double *single) {
    const slt_symbol_law *law = &g->law[member];
    const slt_symbol_reading *reading = &g->readings[law->list];
    memset(ends, 0, sizeof *ends * (size_t)g->chain[member]->Q);
    memset(single, 0, sizeof *single * (size_t)g->chain[member]->Q);
    for (int key = 0; key < reading->list.keys; key++) {
        const double *columns = sums_of(g, member, key) + 2 * law->laws;
        int symbol = reading->keys[key].symbol;
        if (symbol < 0) continue;
        ends[symbol] += columns[0];
        single[symbol] += columns[1];
    }
}
