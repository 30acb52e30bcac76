// Histories and code lengths of count tables.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/action_code.h"

#include <math.h>

slt_status slt_history_init(slt_history *history, int symbols, int states, int cells) {
    int64_t contexts[] = {1, (int64_t)symbols + 1, 0};
    contexts[2] = contexts[1] * contexts[1];
    for (int order = 2; order >= 0; order--) {
        // two divisions instead of a product that may overflow
        if (contexts[order] > cells / states / symbols) continue;
        *history = (slt_history){symbols, order, (int)contexts[order], order > 0,
                                 order > 1 ? symbols + 1 : 0};
        return SLT_OK;
    }
    SLT_FAIL(SLT_UNSUPPORTED, "%d different actions are too many for count tables", symbols);
}

double slt_code_nats(double n, double count, double total, double smooth, int actions) {
    return n * (log(total + smooth * actions) - log(count + smooth));
}
