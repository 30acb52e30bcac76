// What a linear chain has learned, as one list of numbers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/linear_impl.h"

slt_status slt_linear_init(slt_arena *arena, slt_law_family family, int K, int A, int D,
                           slt_linear_chain *out) {
    size_t k = (size_t)K, a = (size_t)A, d = (size_t)D;
    *out = (slt_linear_chain){.family = family, .K = K, .A = A, .D = D};
    SLT_TRY(SLT_NEW(arena, &out->W, (d + a) * k * a));
    SLT_TRY(SLT_NEW(arena, &out->V, d * k * a));
    SLT_TRY(SLT_NEW(arena, &out->v, k * a));
    SLT_TRY(SLT_NEW(arena, &out->u, k * a));
    SLT_TRY(SLT_NEW(arena, &out->rho, a));
    SLT_TRY(SLT_NEW(arena, &out->low, a));
    return SLT_NEW(arena, &out->high, a);
}

// one list for both directions: each part, and how many numbers it has
typedef void (*part_visit)(void *user, float *floats, double *doubles, size_t count);

static void each_part(slt_linear_chain *c, part_visit visit, void *user) {
    size_t K = (size_t)c->K, A = (size_t)c->A, KA = K * A;
    visit(user, c->W, NULL, (size_t)slt_linear_inputs(c) * KA);
    visit(user, c->V, NULL, (size_t)c->D * KA);
    visit(user, NULL, c->v, KA);
    visit(user, NULL, c->u, KA);
    visit(user, NULL, c->rho, A);
    visit(user, NULL, c->low, A);
    visit(user, NULL, c->high, A);
    visit(user, NULL, c->q, K);
    visit(user, NULL, c->start, K);
    for (size_t j = 0; j < K; j++) visit(user, NULL, c->change[j], K);
    for (size_t j = 0; j < K; j++) visit(user, NULL, c->fresh[j], K);
    visit(user, NULL, &c->mix, 1);
    visit(user, NULL, &c->floor, 1);
}

static void count(void *user, float *floats, double *doubles, size_t n) {
    (void)floats, (void)doubles;
    *(size_t *)user += n;
}

static void pack(void *user, float *floats, double *doubles, size_t n) {
    double **to = user;
    for (size_t i = 0; i < n; i++) *(*to)++ = floats ? (double)floats[i] : doubles[i];
}

static void unpack(void *user, float *floats, double *doubles, size_t n) {
    const double **from = user;
    for (size_t i = 0; i < n; i++, (*from)++)
        if (floats)
            floats[i] = (float)**from;
        else
            doubles[i] = **from;
}

size_t slt_linear_size(const slt_linear_chain *chain) {
    slt_linear_chain c = *chain;
    size_t n = 0;
    each_part(&c, count, &n);
    return n;
}

void slt_linear_pack(const slt_linear_chain *chain, double *values) {
    slt_linear_chain c = *chain;
    each_part(&c, pack, &values);
}

void slt_linear_unpack(slt_linear_chain *chain, const double *values) {
    each_part(chain, unpack, &values);
}
