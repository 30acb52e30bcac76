// Count tables that predict an action from its history: p = (n + s) / (N + s*A).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_ACTION_CODE_H
#define SLT_METRICS_ACTION_CODE_H

#include "core/memory.h"

// The last one or two actions as a number; `symbols` stands for "none".
typedef struct {
    int symbols;   // actions are 0..symbols-1
    int order;     // how many actions back: 2, or less where the table would be too large
    int contexts;  // (symbols+1)^order
    int near, far; // weights of the last action and the one before
} slt_history;

// the longest history up to two actions whose table (states, contexts, symbols) has at most `cells`
// cells; UNSUPPORTED when none fits
slt_status slt_history_init(slt_history *history, int symbols, int states, int cells);

static inline int slt_history_context(const slt_history *history, int last, int before) {
    return last * history->near + before * history->far;
}

// nats of n occurrences of one symbol that has `count` of the row's `total` in training
double slt_code_nats(double n, double count, double total, double smooth, int actions);

#endif
