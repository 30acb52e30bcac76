// SloTTAr's ids: arg-max over the slots' masks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/id_rules.h"

void slt_mask_ids(int32_t *ids, const slt_slot_view *mask, int K, int T) {
    for (int t = 0; t < T; t++) {
        int best = 0;
        for (int k = 1; k < K; k++)
            if (slt_slot_at(mask, k, t) > slt_slot_at(mask, best, t)) best = k;
        ids[t] = best;
    }
}
