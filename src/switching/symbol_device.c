// Symbol chains on a device: it makes sums over steps, the host what follows from them. The starts
// of all event chains are tried at once.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/symbol_device.h"
#include <math.h>
#include <string.h>
#include "core/parallel_for.h"
#include "switching/symbol_group.h"

slt_status slt_symbol_on_device(slt_context *context, bool *out) {
    slt_device *device;
    SLT_TRY(slt_device_open(context, &device));
    *out = device && device->kind->symbols;
    return SLT_OK;
}

// what a chain asks for: the sums of a sweep, or its ends, once it has settled
typedef enum { SWEEPING, COUNTING } stage;

typedef struct {
    slt_symbol_learner learner;
    slt_symbol_job *job;
    stage stage;
    double last; // nats of the sweep before
    double best; // nats of the best start
    int tried;   // starts
} member;

typedef struct {
    slt_context *context;
    slt_arena arena;
    int count;
    member *members;
} learning;

// ---- the likeliest of many starts

// the starts of some chains, one chain after the other
typedef struct {
    slt_symbol_group group;
    member **members;
    int count, each; // chains, starts of each
    slt_symbol_chain *chains;
    slt_symbol_sums *sums;
    double *nats;
} trial;

static slt_status reserve_trial(trial *t) {
    size_t starts = (size_t)t->group.count;
    SLT_TRY(SLT_NEW(&t->group.arena, &t->chains, starts));
    SLT_TRY(SLT_NEW(&t->group.arena, &t->sums, starts));
    SLT_TRY(SLT_NEW(&t->group.arena, &t->nats, starts));
    for (int i = 0; i < t->group.count; i++) {
        member *p = t->members[i / t->each];
        SLT_TRY(slt_symbol_chain_init(&t->group.arena, &p->job->options, p->job->symbols->A,
                                      p->job->symbols->Q, &t->chains[i]));
        SLT_TRY(slt_symbol_sums_init(&t->sums[i], &t->group.arena, &t->chains[i]));
        t->group.chain[i] = &t->chains[i];
        t->group.law[i].list = i / t->each;
    }
    for (int i = 0; i < t->count; i++) {
        slt_symbol_learner *l = &t->members[i]->learner;
        int64_t few = l->count < SLT_SHORT_EPISODES ? l->count : SLT_SHORT_EPISODES;
        SLT_TRY(slt_symbol_read_list(&t->group.arena, l->symbols, l->chain->family, l->episodes,
                                     few, &t->group.readings[i]));
    }
    return slt_symbol_group_open(&t->group);
}

static slt_status draw_starts(void *user, int i) {
    trial *t = user;
    slt_symbol_learner *l = &t->members[i]->learner;
    for (int n = 0; n < t->each; n++) {
        slt_symbol_draw(l);
        memcpy(t->chains[i * t->each + n].values, l->chain->values,
               sizeof *l->chain->values * l->chain->size);
    }
    return SLT_OK;
}

static slt_status improve_start(void *user, int i) {
    trial *t = user;
    t->nats[i] = slt_symbol_group_sums(&t->group, i, &t->sums[i]);
    slt_symbol_maximise(&t->chains[i], &t->sums[i], t->members[i / t->each]->learner.barred);
    return SLT_OK;
}

static void keep_best(member *p, const trial *t, int i) {
    slt_symbol_chain *chain = p->learner.chain;
    if (p->tried++ && !(t->nats[i] > p->best)) return;
    p->best = t->nats[i];
    memcpy(p->learner.best, t->chains[i].values, sizeof *chain->values * chain->size);
}

static slt_status try_some(trial *t) {
    SLT_TRY(reserve_trial(t));
    SLT_TRY(slt_parallel_for(t->group.context, t->count, draw_starts, t));
    for (int n = 0; n < SLT_SHORT_SWEEPS; n++) {
        SLT_TRY(slt_symbol_group_load(&t->group));
        SLT_TRY(slt_symbol_group_expect(&t->group));
        SLT_TRY(slt_parallel_for(t->group.context, t->group.count, improve_start, t));
    }
    for (int i = 0; i < t->group.count; i++) keep_best(t->members[i / t->each], t, i);
    return SLT_OK;
}

// the steps that the starts of a chain see
static int64_t short_steps(const slt_symbol_learner *l) {
    int64_t steps = 0;
    for (int64_t e = 0; e < l->count && e < SLT_SHORT_EPISODES; e++)
        steps += slt_symbol_episode_view(l->symbols, l->episodes[e]).length;
    return steps;
}

// some of the starts of some chains: as many as fit
static slt_status try_starts(learning *l, member **members, int count, int starts, int at_once) {
    for (int done = 0, each; done < starts; done += each) {
        if (slt_context_is_cancelled(l->context)) return SLT_OK;
        each = starts - done < at_once ? starts - done : at_once;
        trial t = {.members = members, .count = count, .each = each};
        slt_status status = slt_symbol_group_init(&t.group, l->context, count * each, count);
        if (status == SLT_OK) status = try_some(&t);
        slt_symbol_group_deinit(&t.group);
        SLT_TRY(status);
    }
    for (int i = 0; i < count; i++) {
        slt_symbol_chain *chain = members[i]->learner.chain;
        memcpy(chain->values, members[i]->learner.best, sizeof *chain->values * chain->size);
    }
    return SLT_OK;
}

// chains with candidates try starts; the others draw values
static slt_status begin_all(learning *l) {
    member **members;
    int count = 0, starts = 1;
    int64_t most = 1;
    SLT_TRY(SLT_NEW(&l->arena, &members, (size_t)l->count));
    for (int i = 0; i < l->count; i++) {
        member *p = &l->members[i];
        if (!p->learner.candidate_count) {
            slt_symbol_draw(&p->learner);
            continue;
        }
        int64_t steps = short_steps(&p->learner);
        most = steps > most ? steps : most;
        starts = p->job->options.starts;
        members[count++] = p;
    }
    int at_once = slt_symbol_at_once(l->members[0].learner.chain, most, false);
    int some = at_once > starts ? at_once / starts : 1;
    for (int i = 0; i < count; i += some)
        SLT_TRY(try_starts(l, members + i, count - i < some ? count - i : some, starts, at_once));
    return SLT_OK;
}

// ---- sweeps

typedef struct {
    slt_symbol_group group;
    member *members; // [group's count]
} sweeps;

static void finish(slt_symbol_group *g, member *p, int i) {
    if (p->learner.chain->family == SLT_CHAIN_PHASES) slt_symbol_merge_laws(p->learner.chain);
    p->job->done = true;
    g->law[i].idle = true;
}

// what a chain makes of the device's sums
static slt_status advance(void *user, int i) {
    sweeps *s = user;
    slt_symbol_group *g = &s->group;
    member *p = &s->members[i];
    slt_symbol_learner *l = &p->learner;
    if (g->law[i].idle) return SLT_OK;
    if (p->stage == COUNTING) {
        slt_symbol_group_ends(g, i, l->ends, l->single);
        if (!slt_symbol_bar_others(l)) {
            finish(g, p, i);
            return SLT_OK;
        }
        p->stage = SWEEPING;
        p->last = -INFINITY;
        l->chain->sweeps = 0;
        return SLT_OK;
    }
    double nats = slt_symbol_group_sums(g, i, &l->sums) / (double)l->steps;
    slt_symbol_maximise(l->chain, &l->sums, l->barred);
    bool settled = slt_symbol_settled(l->chain, nats, p->last);
    p->last = nats;
    if (!settled && l->chain->sweeps < p->job->options.sweeps) return SLT_OK;
    p->stage = COUNTING;
    if (!slt_symbol_has_strays(l)) finish(g, p, i);
    return SLT_OK;
}

static slt_status sweep_all(sweeps *l) {
    slt_symbol_group *g = &l->group;
    for (int i = 0; i < g->count; i++) {
        const slt_symbol_learner *p = &l->members[i].learner;
        g->chain[i] = p->chain;
        g->law[i].list = i;
        SLT_TRY(slt_symbol_read_list(&g->arena, p->symbols, p->chain->family, p->episodes, p->count,
                                     &g->readings[i]));
    }
    SLT_TRY(slt_symbol_group_open(g));
    for (int busy = g->count; busy && !slt_context_is_cancelled(g->context);) {
        SLT_TRY(slt_symbol_group_load(g));
        SLT_TRY(slt_symbol_group_expect(g));
        SLT_TRY(slt_parallel_for(g->context, g->count, advance, l));
        busy = 0;
        for (int i = 0; i < g->count; i++) busy += !g->law[i].idle;
    }
    return SLT_OK;
}

static slt_status learn(learning *l, slt_symbol_job *jobs) {
    int64_t most = 1;
    SLT_TRY(SLT_NEW(&l->arena, &l->members, (size_t)l->count));
    for (int i = 0; i < l->count; i++) {
        member *p = &l->members[i];
        p->job = &jobs[i];
        p->last = -INFINITY;
        p->learner = (slt_symbol_learner){.chain = jobs[i].out,
                                          .symbols = jobs[i].symbols,
                                          .episodes = jobs[i].episodes,
                                          .count = jobs[i].count};
        SLT_TRY(slt_symbol_learner_init(&p->learner, jobs[i].arena, &l->arena, &jobs[i].options));
        most = p->learner.steps > most ? p->learner.steps : most;
    }
    SLT_TRY(begin_all(l));
    int each = slt_symbol_at_once(jobs[0].out, most, false);
    for (int i = 0; i < l->count; i += each) {
        sweeps s = {.members = l->members + i};
        int count = l->count - i < each ? l->count - i : each;
        slt_status status = slt_symbol_group_init(&s.group, l->context, count, count);
        if (status == SLT_OK) status = sweep_all(&s);
        slt_symbol_group_deinit(&s.group);
        SLT_TRY(status);
    }
    return SLT_OK;
}

slt_status slt_symbol_fit_all(slt_context *context, slt_symbol_job *jobs, int count) {
    int each = slt_symbol_in_memory(jobs[0].options.family, jobs[0].symbols->A);
    for (int i = 0; i < count; i += each) {
        learning l = {.context = context, .count = count - i < each ? count - i : each};
        slt_arena_init(&l.arena, &context->allocator, 0);
        slt_status status = learn(&l, jobs + i);
        slt_arena_deinit(&l.arena);
        SLT_TRY(status);
    }
    return SLT_OK;
}

// ---- likeliest paths

static slt_status find_paths(slt_symbol_group *g, const slt_symbol_chain *const *chains,
                             const slt_symbols *const *symbols, uint8_t *cut, uint8_t *law) {
    const slt_symbols *read[2] = {symbols[0], NULL};
    for (int i = 0; i < g->count; i++) {
        const slt_symbol_chain *c = chains[i];
        const slt_symbols *s = symbols[i];
        if (s->A != c->A || s->Q != c->Q)
            SLT_FAIL(SLT_INVALID,
                     "the chain knows %d actions and %d symbols, the data have %d and %d", c->A,
                     c->Q, s->A, s->Q);
        g->chain[i] = c;
        if (s != read[0]) read[1] = s;
        g->law[i].list = s != read[0];
    }
    g->lists = read[1] ? 2 : 1;
    for (int i = 0; i < g->lists; i++)
        SLT_TRY(slt_symbol_read_list(&g->arena, read[i], chains[0]->family, NULL, read[i]->episodes,
                                     &g->readings[i]));
    SLT_TRY(slt_symbol_group_open(g));
    SLT_TRY(slt_symbol_group_load(g));
    return g->kind->paths(g->pass, cut, law);
}

slt_status slt_symbol_segment_all(slt_context *context, const slt_symbol_chain *const *chains,
                                  const slt_symbols *const *symbols, int count, uint8_t *cut,
                                  uint8_t *law) {
    int64_t steps = symbols[0]->steps;
    int each = slt_symbol_at_once(chains[0], steps, true);
    for (int i = 0; i < count && steps; i += each) {
        slt_symbol_group g;
        slt_status status =
            slt_symbol_group_init(&g, context, count - i < each ? count - i : each, 2);
        g.paths = true;
        if (status == SLT_OK)
            status = find_paths(&g, chains + i, symbols + i, cut + i * steps, law + i * steps);
        slt_symbol_group_deinit(&g);
        SLT_TRY(status);
    }
    return SLT_OK;
}
