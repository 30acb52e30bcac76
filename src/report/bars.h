// Bars side by side, one series per run and one for the truth.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_BARS_H
#define SLT_REPORT_BARS_H

#include "report/figure.h"

enum { SLT_BARS = 64, SLT_BAR_SERIES = 7 };

typedef struct {
    char label[SLT_RUN_LABEL];
    const char *class;
    int colour; // -1: the class has no number
    double bins[SLT_BARS];
} slt_series;

typedef struct {
    slt_series list[SLT_BAR_SERIES];
    int count, first, last;      // bins first..last are shown
    const char *ticks[SLT_BARS]; // NULL: the bin's number
} slt_bars;

// a series of zeros; beyond the last the last is used again
slt_series *slt_bars_add(slt_bars *bars, const char *label, const char *class, int colour);
// number r of the set's runs
slt_series *slt_bars_add_run(slt_report_book *book, const slt_report_set *set, slt_bars *bars,
                             int r);
void slt_series_to_shares(slt_series *series);
void slt_bars_find_range(slt_bars *bars);
// the whole figure; nothing when all bins are 0
slt_status slt_bars_draw(slt_text *out, const slt_bars *bars, const char *title, const char *label,
                         const char *across);

#endif
