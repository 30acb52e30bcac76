// The k smallest of n values, with ties to the lower index: what top-k of the negated values gives.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/labels.h"

#include <stdlib.h>

typedef struct {
    double value;
    int index;
} entry;

// by value, then by index; NaN comes last
static int compare(const void *left, const void *right) {
    const entry *a = left, *b = right;
    bool a_nan = a->value != a->value, b_nan = b->value != b->value;
    if (a_nan != b_nan) return a_nan - b_nan;
    if (a->value < b->value) return -1;
    if (a->value > b->value) return 1;
    return a->index - b->index;
}

slt_status slt_mark_smallest(slt_arena *scratch, uint8_t *marked, const double *values, int n,
                             int k) {
    slt_arena_mark mark = slt_arena_now(scratch);
    entry *entries;
    SLT_TRY(SLT_NEW(scratch, &entries, (size_t)n));
    for (int i = 0; i < n; i++) {
        entries[i] = (entry){values[i], i};
        marked[i] = 0;
    }
    qsort(entries, (size_t)n, sizeof *entries, compare);
    for (int i = 0; i < n && i < k; i++) marked[entries[i].index] = 1;
    slt_arena_reset(scratch, mark);
    return SLT_OK;
}
