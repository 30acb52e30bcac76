// The likeliest paths of a vote's members over the last steps of an episode.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "stream/vote_stream.h"

// ---- the plan

static slt_status plan_member(slt_segmenter *s, const slt_vote_plan *plan, const slt_member *member,
                              slt_member_plan *out) {
    out->member = member;
    if (plan->linear) {
        out->K = member->linear.K;
        return slt_linear_plan_init(&out->linear, &s->arena, &member->linear);
    }
    out->K = member->symbols.K;
    slt_symbol_plan_init(&out->symbols, &member->symbols);
    return SLT_OK;
}

// members without a weight do not count, and so do not run
static slt_status fill(slt_segmenter *s, slt_vote_plan *plan) {
    const slt_run_group *group = &s->groups[s->result.chosen];
    const slt_vote_of *vote = &group->votes[s->answer];
    SLT_TRY(SLT_NEW(&s->arena, &plan->members, (size_t)group->count));
    SLT_TRY(SLT_NEW(&s->arena, &plan->weights, (size_t)group->count));
    for (int i = 0; i < group->count; i++) {
        if (!(vote->weights[i] > 0)) continue;
        SLT_TRY(plan_member(s, plan, &group->members[i], &plan->members[plan->count]));
        plan->effects |= !plan->linear && group->members[i].effects;
        plan->weights[plan->count] = vote->weights[i];
        if (vote->weights[i] > plan->weights[plan->speaker]) plan->speaker = plan->count;
        plan->count++;
    }
    if (!plan->count) SLT_FAIL(SLT_FORMAT, "%s: no run of %s counts", s->source, group->spec->name);
    return SLT_OK;
}

slt_status slt_vote_plan_of(slt_segmenter *s, const slt_vote_plan **out) {
    slt_vote_plan *plan = s->stream_plans;
    const slt_run_group *group = &s->groups[s->result.chosen];
    for (; plan; plan = plan->next)
        if (plan->chosen == s->result.chosen && plan->answer == s->answer)
            return *out = plan, SLT_OK;
    if (group->spec->kind == SLT_GROUP_MDL)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: a vote of slottar-mdl cannot follow a stream; one model can (train "
                 "slottar-mdl)",
                 s->source);
    if (group->hop)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: windows look ahead and cannot follow a stream; take the "
                 "group switching",
                 s->source);
    SLT_TRY(SLT_NEW(&s->arena, &plan, 1));
    plan->s = s;
    plan->chosen = s->result.chosen;
    plan->answer = s->answer;
    plan->linear = group->spec->kind == SLT_GROUP_SWITCHING;
    plan->phases = group->spec->kind == SLT_GROUP_PHASES;
    plan->rules = group->rules;
    plan->threshold = group->votes[s->answer].threshold;
    plan->gap = slt_vote_reach(&group->rules) + 1;
    SLT_TRY(fill(s, plan));
    plan->next = s->stream_plans;
    s->stream_plans = plan;
    *out = plan;
    return SLT_OK;
}

// ---- buffers

static slt_status reserve_member(slt_member_state *m, slt_arena *arena, const slt_vote_plan *plan,
                                 int i, size_t room) {
    size_t cells;
    if (!slt_size_mul(room, (size_t)plan->members[i].K, &cells))
        SLT_FAIL(SLT_RANGE, "a lag of so many steps is too large");
    if (plan->linear) SLT_TRY(slt_linear_state_init(&m->linear, arena, &plan->members[i].linear));
    SLT_TRY(SLT_NEW(arena, &m->back, cells));
    SLT_TRY(SLT_NEW(arena, &m->path, room));
    return SLT_NEW(arena, &m->cut, room);
}

slt_status slt_paths_init(slt_paths *p, slt_arena *arena, const slt_vote_plan *plan, int64_t keep) {
    const slt_motion_scale *scale = &plan->s->scale;
    int D = 1 + scale->observations.kept, A = scale->actions.kept;
    *p = (slt_paths){.plan = plan, .keep = keep, .room = 2 * keep, .frozen = -1};
    SLT_TRY(SLT_NEW(arena, &p->members, (size_t)plan->count));
    SLT_TRY(SLT_NEW(arena, &p->cuts, (size_t)plan->count));
    for (int i = 0; i < plan->count; i++) {
        SLT_TRY(reserve_member(&p->members[i], arena, plan, i, (size_t)p->room));
        p->cuts[i] = p->members[i].cut;
    }
    SLT_TRY(SLT_NEW(arena, &p->actions, (size_t)p->room));
    SLT_TRY(SLT_NEW(arena, &p->inputs, (size_t)(D + A)));
    SLT_TRY(SLT_NEW(arena, &p->action, (size_t)A + 1));
    return SLT_NEW(arena, &p->observation, (size_t)plan->s->observation + 1);
}

// the last `keep` steps move to the front
static void make_room(slt_paths *p) {
    if (p->steps - p->base < p->room) return;
    size_t drop = (size_t)(p->room - p->keep), keep = (size_t)p->keep;
    for (int i = 0; i < p->plan->count; i++) {
        slt_member_state *m = &p->members[i];
        size_t K = (size_t)p->plan->members[i].K;
        memmove(m->back, m->back + drop * K, keep * K);
        memmove(m->path, m->path + drop, keep);
        memmove(m->cut, m->cut + drop, keep);
    }
    memmove(p->actions, p->actions + drop, sizeof *p->actions * keep);
    p->base += (int64_t)drop;
}

// ---- a step

static int best_of(const double *value, int K) {
    int best = 0;
    for (int k = 1; k < K; k++)
        if (value[k] > value[best]) best = k;
    return best;
}

// the likeliest path to this step, as far back as it differs from the one before: gives how far
static int64_t trace(const slt_paths *p, int member, int law) {
    slt_member_state *m = &p->members[member];
    const slt_member_plan *plan = &p->plan->members[member];
    int K = plan->K;
    int64_t t = p->steps - p->base, frozen = p->frozen - p->base;
    m->path[t] = (uint8_t)law;
    m->cut[t] = 0;
    for (; t > 0 && t - 1 > frozen; t--) {
        uint8_t from = m->back[t * K + law];
        int after = law;
        law = from & (SLT_CHAIN_CUT - 1);
        m->cut[t - 1] = from & SLT_CHAIN_CUT ? plan->member->sure[law][after] : 0;
        if (m->path[t - 1] == law) break;
        m->path[t - 1] = (uint8_t)law;
    }
    return t;
}

// Boundaries of phases go where they are most likely to be within a step, as offline: those that a
// path which changed from step `from` on can move.
static void place(const slt_paths *p, int member, int64_t from) {
    slt_member_state *m = &p->members[member];
    const slt_member *of = p->plan->members[member].member;
    int least = p->plan->rules.least_length;
    int64_t t = p->steps - p->base, frozen = p->frozen - p->base;
    int64_t first = from - least - 4 > frozen + 1 ? from - least - 4 : frozen + 1;
    if (first < 0) first = 0;
    memset(m->cut + first, 0, (size_t)(t + 1 - first));
    for (int64_t b = first ? first - 1 : 0; b < t; b++) {
        int law = m->path[b], after = m->path[b + 1];
        if (of->symbols.group[law] == of->symbols.group[after]) continue;
        int64_t at = slt_symbol_place(&of->symbols, p->actions, m->path, t + 1, least, b);
        // one that is there already stays
        if (b < first && (m->cut[b] || at < first)) continue;
        if (at < first && m->cut[at]) continue;
        m->cut[at < first ? first : at] = of->sure[law][after];
    }
}

static double push_linear(slt_paths *p, const slt_stream_step *step) {
    const slt_vote_plan *plan = p->plan;
    const slt_motion_scale *scale = &plan->s->scale;
    int D = 1 + scale->observations.kept, A = scale->actions.kept;
    bool first = p->steps == 0;
    double chance = 0;
    slt_standard_apply(&scale->actions, step->vector, p->action);
    p->inputs[0] = 1;
    if (D > 1) slt_standard_apply(&scale->observations, step->observation, p->inputs + 1);
    if (first) memcpy(p->inputs + D, p->action, sizeof *p->action * (size_t)A);
    for (int i = 0; i < plan->count; i++) {
        slt_member_state *m = &p->members[i];
        int K = plan->members[i].K;
        uint8_t *back = m->back + (p->steps - p->base) * K;
        chance += plan->weights[i] * slt_linear_advance(&plan->members[i].linear, &m->linear, first,
                                                        p->inputs, p->action, back);
        trace(p, i, best_of(m->linear.value, K));
    }
    memcpy(p->inputs + D, p->action, sizeof *p->action * (size_t)A);
    return chance;
}

static double push_symbols(slt_paths *p, const slt_stream_step *step) {
    const slt_vote_plan *plan = p->plan;
    size_t observed = sizeof *p->observation * (size_t)plan->s->observation;
    uint16_t action = (uint16_t)step->action, A = (uint16_t)plan->s->actions;
    int64_t now = p->steps - p->base;
    double chance = 0;
    bool changed = false;
    p->actions[now] = action;
    for (int i = 0; plan->effects && !changed && i < plan->s->observation; i++)
        changed = p->observation[i] != step->observation[i];
    for (int i = 0; i < plan->count; i++) {
        const slt_symbol_plan *chain = &plan->members[i].symbols;
        slt_member_state *m = &p->members[i];
        int K = plan->members[i].K;
        uint16_t before = now ? p->actions[now - 1] : 0, symbol = before;
        if (changed && plan->members[i].member->effects) symbol = (uint16_t)(symbol + A);
        if (p->steps == 0)
            slt_symbol_begin(chain, &m->symbols, action);
        else
            chance += plan->weights[i] * slt_symbol_advance(chain, &m->symbols, before, symbol,
                                                            action, m->back + now * K);
        int64_t from = trace(p, i, best_of(m->symbols.value, K));
        if (plan->phases) place(p, i, from);
    }
    if (plan->effects) memcpy(p->observation, step->observation, observed);
    return chance;
}

double slt_paths_push(slt_paths *p, const slt_stream_step *step) {
    make_room(p);
    double chance = (p->plan->linear ? push_linear : push_symbols)(p, step);
    p->steps++;
    return chance < 1 ? chance : 1;
}

int slt_paths_type(const slt_paths *p, int64_t step) {
    int i = p->plan->speaker, law = p->members[i].path[step - p->base];
    return p->plan->linear ? law : p->plan->members[i].symbols.chain->group[law];
}
