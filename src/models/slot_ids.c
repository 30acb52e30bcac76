// Arg-max over the slots' masks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/slot_ids.h"

void slt_slot_ids(const slt_real *masks, int stride, const bool *active, int K, int T,
                  int32_t *ids) {
    for (int l = 0; l < T; l++) {
        slt_real most = 0;
        ids[l] = 0;
        for (int k = 0; k < K; k++) {
            slt_real mask = !active || active[k] ? masks[(long)k * stride + l] : 0;
            if (k > 0 && !(mask > most)) continue;
            most = mask;
            ids[l] = k;
        }
    }
}
