// Forward and Backward Access of SloTTAr's slots.
//
// on = { l < L : mask[l] > threshold }; a slot without any gives 0 and 0. With U the attention,
// hi = min(max on, T) and lo = min(min on, T), 0-based:
//
//                 forward                                backward
//     reference   |{hi < l < T,   U > threshold}|        |{l < lo-1, U > threshold}|
//                 / (T - hi + 1)                         / (lo - 1), 0 unless lo > 1
//     paper       the same / (T - hi)                    |{l < lo,   U > threshold}| / lo
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/access.h"

// first and last step of the padded ones where the slot's mask is on; 0 when there is none
static int find_on(const slt_access_case *c, int slot, int *first, int *last) {
    int count = 0;
    for (int l = 0; l < c->L; l++) {
        if (!(slt_slot_at(&c->mask, slot, l) > c->threshold)) continue;
        if (count++ == 0) *first = l;
        *last = l;
    }
    return count;
}

static int attended(const slt_access_case *c, int slot, int from, int to) {
    int count = 0;
    for (int l = from; l < to; l++) count += slt_slot_at(&c->attention, slot, l) > c->threshold;
    return count;
}

static double share(int count, int of) { return of > 0 ? (double)count / of : 0; }

slt_access slt_access_slot(const slt_access_case *c, int slot) {
    int lo = 0, hi = 0;
    if (!find_on(c, slot, &lo, &hi)) return (slt_access){0, 0};
    if (lo > c->T) lo = c->T;
    if (hi > c->T) hi = c->T;
    int off = c->form == SLT_ACCESS_REFERENCE; // the reference is off by one on both sides
    return (slt_access){
        share(attended(c, slot, hi + 1, c->T), c->T - hi + off),
        share(attended(c, slot, 0, lo - off), lo - off),
    };
}

slt_access slt_access_mean(const slt_access_case *c) {
    int slots = c->form == SLT_ACCESS_REFERENCE && c->G < c->K ? c->G : c->K;
    slt_access mean = {0, 0};
    for (int k = 0; k < slots; k++) {
        slt_access slot = slt_access_slot(c, k);
        mean.forward += slot.forward / slots;
        mean.backward += slot.backward / slots;
    }
    return mean;
}

slt_access slt_access_score(const float *attention, const float *masks, int T, int K,
                            int64_t segments) {
    return slt_access_mean(&(slt_access_case){.attention = {attention, 1, K},
                                              .mask = {masks, T, 1},
                                              .T = T,
                                              .L = T,
                                              .K = K,
                                              .G = segments < K ? (int)segments : K,
                                              .threshold = 0.8f,
                                              .form = SLT_ACCESS_REFERENCE});
}
