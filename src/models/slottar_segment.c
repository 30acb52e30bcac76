// From halting to the slots that are used, at test time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/slottar_segment.h"

static void most_probable(const slt_real *halting, int K, bool *active) {
    int best = 0;
    for (int k = 1; k < K; k++)
        if (halting[k] > halting[best]) best = k;
    for (int k = 0; k < K; k++) active[k] = k <= best;
}

void slt_slottar_active(slt_halting_kind rule, const slt_real *lambda, const slt_real *halting,
                        const float *uniform, int K, bool *active) {
    if (rule == SLT_HALT_ARGMAX || !uniform) {
        most_probable(halting, K, active);
        return;
    }
    slt_real sum = 1;
    if (rule == SLT_HALT_NORMALISED) {
        sum = 0;
        for (int k = 0; k < K; k++) sum += lambda[k];
    }
    bool halted = false;
    for (int k = 0; k < K; k++) {
        active[k] = !halted;
        halted = halted || uniform[k] < (float)(lambda[k] / sum);
    }
}
