// Learning a symbol chain by EM on one thread. Event chains can begin with a few symbols as sure
// ends: many random sets are tried for a few sweeps, and the likeliest continues.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "switching/symbol_learn.h"

typedef struct {
    slt_symbol_learner learner;
    slt_symbol_tables tables;
    float *chance; // [longest] of a boundary after each step
} fit;

static double expect(fit *f, int64_t count) {
    slt_symbol_learner *l = &f->learner;
    slt_symbol_moves moves;
    double nats = 0;
    slt_symbol_moves_of(l->chain, &moves);
    slt_symbol_sums_clear(&l->sums);
    for (int64_t e = 0; e < count; e++)
        nats +=
            slt_symbol_smooth(l->chain, &moves, slt_symbol_episode_view(l->symbols, l->episodes[e]),
                              &f->tables, NULL, &l->sums);
    return nats;
}

static void sweep(fit *f, int most) {
    slt_symbol_learner *l = &f->learner;
    slt_symbol_chain *c = l->chain;
    double last = -INFINITY;
    for (c->sweeps = 0; c->sweeps < most;) {
        double nats = expect(f, l->count) / (double)l->steps;
        slt_symbol_maximise(c, &l->sums, l->barred);
        if (slt_symbol_settled(c, nats, last)) break;
        last = nats;
    }
}

// Ends after each symbol, and those of them after which the next step ends a segment, too.
static void count_ends(fit *f) {
    slt_symbol_learner *l = &f->learner;
    slt_symbol_moves moves;
    slt_symbol_moves_of(l->chain, &moves);
    memset(l->ends, 0, sizeof *l->ends * (size_t)l->chain->Q);
    memset(l->single, 0, sizeof *l->single * (size_t)l->chain->Q);
    for (int64_t e = 0; e < l->count; e++) {
        slt_symbol_episode view = slt_symbol_episode_view(l->symbols, l->episodes[e]);
        slt_symbol_smooth(l->chain, &moves, view, &f->tables, f->chance, NULL);
        f->chance[view.length - 1] = 1;
        for (int64_t t = 0; t + 1 < view.length; t++) {
            l->ends[view.symbol[t]] += f->chance[t];
            l->single[view.symbol[t]] += (double)f->chance[t] * f->chance[t + 1];
        }
    }
}

static bool bar_others(fit *f) {
    if (!slt_symbol_has_strays(&f->learner)) return false;
    count_ends(f);
    return slt_symbol_bar_others(&f->learner);
}

// the likeliest of many
static void try_starts(fit *f, int starts) {
    slt_symbol_learner *l = &f->learner;
    slt_symbol_chain *c = l->chain;
    int64_t few = l->count < SLT_SHORT_EPISODES ? l->count : SLT_SHORT_EPISODES;
    double best = -INFINITY;
    for (int i = 0; i < starts; i++) {
        double nats = 0;
        slt_symbol_draw(l);
        for (int n = 0; n < SLT_SHORT_SWEEPS; n++) {
            nats = expect(f, few);
            slt_symbol_maximise(c, &l->sums, l->barred);
        }
        if (i && !(nats > best)) continue;
        best = nats;
        memcpy(l->best, c->values, sizeof *l->best * c->size);
    }
    memcpy(c->values, l->best, sizeof *l->best * c->size);
}

static void learn(fit *f, const slt_symbol_options *options) {
    slt_symbol_learner *l = &f->learner;
    if (l->candidate_count)
        try_starts(f, options->starts);
    else
        slt_symbol_draw(l);
    do sweep(f, options->sweeps);
    while (bar_others(f));
    if (l->chain->family == SLT_CHAIN_PHASES) slt_symbol_merge_laws(l->chain);
}

static slt_status reserve(fit *f, slt_arena *scratch) {
    const slt_symbol_learner *l = &f->learner;
    int64_t longest = 0;
    for (int64_t e = 0; e < l->count; e++) {
        int64_t T = slt_symbol_episode_view(l->symbols, l->episodes[e]).length;
        longest = T > longest ? T : longest;
    }
    SLT_TRY(slt_symbol_tables_init(&f->tables, scratch, l->chain, longest));
    return SLT_NEW(scratch, &f->chance, (size_t)longest);
}

slt_status slt_symbol_fit(slt_arena *arena, const slt_symbols *symbols, const int64_t *episodes,
                          int64_t count, const slt_symbol_options *options, slt_symbol_chain *out) {
    slt_arena scratch;
    slt_symbol_chain chain;
    fit f = {
        .learner = {.chain = &chain, .symbols = symbols, .episodes = episodes, .count = count}};
    slt_arena_init(&scratch, arena->allocator, 0);
    slt_status status = slt_symbol_learner_init(&f.learner, arena, &scratch, options);
    if (status == SLT_OK) status = reserve(&f, &scratch);
    if (status == SLT_OK) {
        learn(&f, options);
        *out = chain;
    }
    slt_arena_deinit(&scratch);
    return status;
}
