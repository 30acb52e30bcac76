// CompILE's ids from hard boundaries.
//
// The probability of segment k at step t is [t < b_k] * prod over j < k of ([t >= b_j] + 1e-17);
// its arg-max over the first G segments, ties to the lowest, is the closed form below. A boundary
// belongs to the segment that it opens.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/id_rules.h"

static int32_t segment_at(const int32_t *boundaries, int G, int t) {
    for (int k = 0; k < G; k++)
        if (t < boundaries[k]) return k;
    return 0;
}

void slt_compile_ids(int32_t *ids, const int32_t *boundaries, int G, int T) {
    for (int t = 0; t < T; t++) ids[t] = segment_at(boundaries, G, t);
}
