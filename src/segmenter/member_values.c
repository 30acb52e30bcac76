// Members in files: what decides their shape, and all their values as one list of numbers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "segmenter/segmenter_impl.h"

// places in a shape; symbols: D says whether there are effects
enum { LAWS, FAMILY, ACTIONS, INPUTS, COUNTS, EFFECTS, WINDOW = COUNTS };

// the same of slottar-mdl
enum { SLOTS, MDL_ACTIONS, OBSERVATION, BITS };

static bool is_mdl(const slt_run_group *group) { return group->spec->kind == SLT_GROUP_MDL; }

slt_member_shape slt_member_shape_of(const slt_run_group *group, const slt_member *member) {
    const slt_mdl_run *run = &member->mdl;
    if (is_mdl(group))
        return (slt_member_shape){{run->slots, run->actions, run->observation, run->bits}};
    if (slt_group_is_linear(group->spec->kind)) {
        const slt_linear_chain *c = &member->linear;
        return (slt_member_shape){{c->K, (int32_t)c->family, c->A, c->D, member->window, 0}};
    }
    const slt_symbol_chain *c = &member->symbols;
    return (slt_member_shape){{c->K, (int32_t)c->family, c->A, c->Q, c->N, member->effects}};
}

size_t slt_member_size(const slt_run_group *group, const slt_member *member) {
    if (is_mdl(group)) return member->mdl.size;
    if (slt_group_is_linear(group->spec->kind)) return slt_linear_size(&member->linear);
    return member->symbols.size + SLT_MOST_LAWS;
}

void slt_member_pack(const slt_run_group *group, const slt_member *member, double *values) {
    const slt_symbol_chain *c = &member->symbols;
    if (is_mdl(group)) {
        for (size_t i = 0; i < member->mdl.size; i++) values[i] = (double)member->mdl.weights[i];
        return;
    }
    if (slt_group_is_linear(group->spec->kind)) {
        slt_linear_pack(&member->linear, values);
        return;
    }
    memcpy(values, c->values, sizeof *values * c->size);
    for (int k = 0; k < SLT_MOST_LAWS; k++) values[c->size + (size_t)k] = c->group[k];
}

// an action and an observation have weights each, so `size` bounds what is reserved
static slt_status init_mdl(slt_segmenter *s, slt_member *member, const int32_t *n, size_t size,
                           const char *path) {
    enum { MOST_SLOTS = 1024 };
    bool few = (size_t)s->actions < size && (size_t)s->observation < size;
    if (n[SLOTS] < 1 || n[SLOTS] > MOST_SLOTS || n[MDL_ACTIONS] != s->actions || s->continuous ||
        n[OBSERVATION] != s->observation || (n[BITS] != 0 && n[BITS] != 1) || !few)
        SLT_FAIL(SLT_FORMAT, "%s: the shape of a member of mdl is wrong", path);
    member->mdl = (slt_mdl_run){.slots = n[SLOTS],
                                .actions = n[MDL_ACTIONS],
                                .observation = n[OBSERVATION],
                                .bits = n[BITS] != 0};
    return slt_mdl_run_init(s->context, &member->arena, &member->mdl);
}

slt_status slt_member_init(slt_segmenter *s, const slt_run_group *group, slt_member *member,
                           const slt_member_shape *shape, size_t size, const char *path) {
    const int32_t *n = shape->number;
    if (is_mdl(group)) return init_mdl(s, member, n, size, path);
    bool linear = slt_group_is_linear(group->spec->kind);
    int family = group->spec->kind == SLT_GROUP_EVENTS ? SLT_CHAIN_EVENTS : SLT_CHAIN_PHASES;
    bool windows = group->spec->kind == SLT_GROUP_WINDOWS;
    int A = s->scale.actions.kept * (windows ? 2 : 1);
    int D = windows ? 1 : 1 + s->scale.observations.kept;
    bool effects = n[EFFECTS] != 0;
    bool fits = n[LAWS] >= 1 && n[LAWS] <= SLT_MOST_LAWS && linear == s->continuous;
    if (linear)
        fits = fits && n[FAMILY] >= 0 && n[FAMILY] <= SLT_LAW_BOTH && n[ACTIONS] == A &&
               n[INPUTS] == D &&
               (windows ? n[WINDOW] >= SLT_LEAST_WINDOW && n[WINDOW] <= SLT_MOST_WINDOW
                        : n[WINDOW] == 0);
    else
        fits = fits && n[FAMILY] == family && n[ACTIONS] == s->actions &&
               n[INPUTS] == s->actions * (1 + effects) && (!effects || s->observation);
    if (!fits)
        SLT_FAIL(SLT_FORMAT, "%s: the shape of a member of %s is wrong", path, group->spec->name);
    member->window = linear ? n[WINDOW] : 0;
    if (linear)
        return slt_linear_init(&member->arena, (slt_law_family)n[FAMILY], n[LAWS], n[ACTIONS], D,
                               &member->linear);
    slt_symbol_options options = {.family = (slt_symbol_family)family,
                                  .laws = n[LAWS],
                                  .count_prior = slt_group_counts(s, group),
                                  .counts = s->counts};
    member->effects = effects;
    SLT_TRY(
        slt_symbol_chain_init(&member->arena, &options, n[ACTIONS], n[INPUTS], &member->symbols));
    if (member->symbols.N != n[COUNTS])
        SLT_FAIL(SLT_FORMAT, "%s: the shape of a member of %s is wrong", path, group->spec->name);
    return SLT_OK;
}

slt_status slt_member_unpack(slt_segmenter *s, const slt_run_group *group, slt_member *member,
                             const double *values, const char *path) {
    (void)s;
    slt_symbol_chain *c = &member->symbols;
    if (is_mdl(group)) {
        for (size_t i = 0; i < member->mdl.size; i++) member->mdl.weights[i] = (slt_real)values[i];
        return SLT_OK;
    }
    if (slt_group_is_linear(group->spec->kind)) {
        slt_linear_unpack(&member->linear, values);
        for (int i = 0; i < member->linear.K * member->linear.A; i++)
            if (!(member->linear.v[i] > 0 && member->linear.u[i] > 0))
                SLT_FAIL(SLT_FORMAT, "%s: a variance of %s is not positive", path,
                         group->spec->name);
        return SLT_OK;
    }
    memcpy(c->values, values, sizeof *values * c->size);
    for (int k = 0; k < SLT_MOST_LAWS; k++) {
        double law = values[c->size + (size_t)k];
        if (!(law >= 0 && law < SLT_MOST_LAWS))
            SLT_FAIL(SLT_FORMAT, "%s: a law of %s is out of range", path, group->spec->name);
        c->group[k] = (uint8_t)law;
    }
    return SLT_OK;
}
