// Boundaries of an id sequence, and ids from ends.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/labels.h"

int slt_boundaries(int32_t *out, const int32_t *ids, int T) {
    int count = 0;
    for (int t = 0; t + 1 < T; t++)
        if (ids[t] != ids[t + 1]) out[count++] = t;
    return count;
}

int slt_ids_from_ends(int32_t *ids, const uint8_t *is_end, int T) {
    int segment = 0;
    for (int t = 0; t < T; t++) {
        ids[t] = segment;
        if (is_end[t] && t + 1 < T) segment++;
    }
    return T > 0 ? segment + 1 : 0;
}
