// Motion at a coarser time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/windows.h"
#include <math.h>

static const double LEAST_VARIANCE = 1e-4;

// mean and log deviation of number `i` over steps from ... to - 1
static void describe(const slt_motion *m, int64_t from, int64_t to, int i, float *out) {
    double sum = 0, square = 0, n = (double)(to - from);
    for (int64_t t = from; t < to; t++) {
        double x = m->actions[t * m->A + i];
        sum += x, square += x * x;
    }
    double mean = sum / n;
    out[0] = (float)mean;
    out[m->A] = (float)(.5 * log(fmax(LEAST_VARIANCE, square / n - mean * mean)));
}

static void describe_row(const slt_motion *m, int64_t episode, int64_t row, int hop, int window,
                         float *out) {
    int64_t first = m->offsets[episode], last = m->offsets[episode + 1];
    int64_t from = first + row * hop + hop / 2 - window / 2, to = from + window;
    if (from < first) from = first;
    if (to > last || row + 1 == slt_window_rows(last - first, hop)) to = last;
    for (int i = 0; i < m->A; i++) describe(m, from, to, i, out + i);
}

slt_status slt_motion_windows(slt_arena *arena, const slt_motion *m, int hop, int window,
                              slt_motion *out) {
    int64_t *offsets, at = 0;
    *out = (slt_motion){.episodes = m->episodes, .A = 2 * m->A, .D = 1};
    SLT_TRY(SLT_NEW(arena, &offsets, (size_t)m->episodes + 1));
    for (int64_t e = 0; e < m->episodes; e++)
        offsets[e + 1] = offsets[e] + slt_window_rows(m->offsets[e + 1] - m->offsets[e], hop);
    out->offsets = offsets;
    out->steps = offsets[m->episodes];
    SLT_TRY(SLT_NEW(arena, &out->actions, (size_t)out->steps * (size_t)out->A + 1));
    SLT_TRY(SLT_NEW(arena, &out->features, (size_t)out->steps + 1));
    for (int64_t e = 0; e < m->episodes; e++)
        for (int64_t row = 0; at < offsets[e + 1]; row++, at++) {
            describe_row(m, e, row, hop, window, out->actions + at * out->A);
            out->features[at] = 1;
        }
    return SLT_OK;
}
