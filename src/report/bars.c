// Bars side by side.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "report/bars.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

slt_series *slt_bars_add(slt_bars *b, const char *label, const char *class, int colour) {
    slt_series *s = &b->list[b->count];
    if (b->count + 1 < SLT_BAR_SERIES) b->count++;
    memset(s, 0, sizeof *s);
    snprintf(s->label, sizeof s->label, "%s", label);
    s->class = class;
    s->colour = colour;
    return s;
}

void slt_series_to_shares(slt_series *s) {
    double sum = 0;
    for (int i = 0; i < SLT_BARS; i++) sum += s->bins[i];
    for (int i = 0; sum > 0 && i < SLT_BARS; i++) s->bins[i] /= sum;
}

void slt_bars_find_range(slt_bars *b) {
    b->first = SLT_BARS;
    b->last = 0;
    for (int s = 0; s < b->count; s++)
        for (int i = 0; i < SLT_BARS; i++) {
            if (!(b->list[s].bins[i] > 0)) continue;
            if (i < b->first) b->first = i;
            if (i > b->last) b->last = i;
        }
}

static void draw_bars(const slt_plot *plot, const slt_bars *b) {
    char class[SLT_SVG_CLASS];
    double room = (plot->right - plot->left) / (b->last - b->first + 1);
    double each = fmin(room * 0.84 / b->count, 34), inset = (room - each * b->count) / 2;
    for (int s = 0; s < b->count; s++)
        for (int i = b->first; i <= b->last; i++) {
            const slt_series *one = &b->list[s];
            double y = slt_plot_y(plot, one->bins[i]);
            if (!(one->bins[i] > 0)) continue;
            slt_svg_rect(
                plot->out,
                one->colour < 0 ? one->class : slt_svg_class(class, one->class, one->colour),
                plot->left + room * (i - b->first) + inset + each * s, y, each * 0.94,
                plot->bottom - y);
        }
}

static void draw_ticks(const slt_plot *plot, const slt_bars *b) {
    char text[32];
    double room = (plot->right - plot->left) / (b->last - b->first + 1);
    int step =
        (int)slt_round_step(0, b->last - b->first + 1, room > 24 ? b->last - b->first + 1 : 10);
    for (int i = b->first; i <= b->last; i++) {
        if (!b->ticks[i] && i % (step < 1 ? 1 : step)) continue;
        snprintf(text, sizeof text, "%d", i);
        slt_svg_text(plot->out, "tick", plot->left + room * (i - b->first + 0.5), plot->bottom + 15,
                     'm', b->ticks[i] ? b->ticks[i] : text);
    }
}

slt_status slt_bars_draw(slt_text *out, const slt_bars *b, const char *title, const char *label,
                         const char *across) {
    char class[SLT_SVG_CLASS];
    double most = 0;
    for (int s = 0; s < b->count; s++)
        for (int i = b->first; i <= b->last; i++) most = fmax(most, b->list[s].bins[i]);
    if (!(most > 0)) return SLT_OK;
    slt_plot plot = slt_plot_begin(out, title, 0, 1, 0, most);
    slt_plot_y_axis(&plot, label, true);
    draw_bars(&plot, b);
    draw_ticks(&plot, b);
    slt_plot_x_label(&plot, across);
    for (int s = 0; s < b->count; s++)
        slt_plot_key(&plot, s, b->count,
                     b->list[s].colour < 0
                         ? b->list[s].class
                         : slt_svg_class(class, b->list[s].class, b->list[s].colour),
                     b->list[s].label);
    slt_svg_end(out);
    return out->status;
}

slt_series *slt_bars_add_run(slt_report_book *book, const slt_report_set *set, slt_bars *b, int i) {
    char label[SLT_RUN_LABEL];
    return slt_bars_add(b, slt_run_label(book, set->runs[i], label), "bar run", slt_run_colour(i));
}
