// Which sets of symbols the delimiter search looks at.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/delimiter.h"

// the number of sets of `size` out of `used`, or more than SLT_MOST_SETS when it is larger
static int64_t choose(int used, int size) {
    int64_t sets = 1;
    for (int i = 1; i <= size && sets <= SLT_MOST_SETS; i++) sets = sets * (used - size + i) / i;
    return sets;
}

// the next set of the same size in lexical order; false after the last
static bool next_set(slt_cut_set *set, int used) {
    int i = set->count - 1;
    while (i >= 0 && set->members[i] == used - set->count + i) i--;
    if (i < 0) return false;
    set->members[i]++;
    for (i++; i < set->count; i++) set->members[i] = (uint16_t)(set->members[i - 1] + 1);
    return true;
}

bool slt_sets_by_size(slt_cut_set *sets, int used, int *count) {
    *count = 0;
    for (int size = 0; size <= used; size++) {
        if (size > SLT_SET_SIZE || *count + choose(used, size) > SLT_MOST_SETS) return false;
        slt_cut_set set = {.count = size};
        for (int i = 0; i < size; i++) set.members[i] = (uint16_t)i;
        do sets[(*count)++] = set;
        while (next_set(&set, used));
    }
    return true;
}

// adds the symbol, or takes it away when it is there; keeps the order
static slt_cut_set toggled(const slt_cut_set *set, uint16_t symbol) {
    slt_cut_set out = {0};
    bool there = false, placed = false;
    for (int i = 0; i < set->count; i++) there |= set->members[i] == symbol;
    for (int i = 0; i < set->count; i++) {
        if (!there && !placed && set->members[i] > symbol) {
            out.members[out.count++] = symbol;
            placed = true;
        }
        if (set->members[i] != symbol) out.members[out.count++] = set->members[i];
    }
    if (!there && !placed) out.members[out.count++] = symbol;
    return out;
}

void slt_sets_around(slt_cut_set *sets, const slt_cut_set *centre, int used, int *count) {
    *count = 0;
    // a full set can only shrink
    if (centre->count == SLT_SET_SIZE)
        for (int i = 0; i < centre->count; i++)
            sets[(*count)++] = toggled(centre, centre->members[i]);
    else
        for (int a = 0; a < used; a++) sets[(*count)++] = toggled(centre, (uint16_t)a);
}
