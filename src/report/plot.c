// Plots: axes with round numbers, and a key.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include "report/report_text.h"
#include "report/svg.h"

slt_plot slt_plot_begin(slt_text *out, const char *title, double x0, double x1, double y0,
                        double y1) {
    slt_svg_begin(out, SLT_PLOT_WIDTH, SLT_PLOT_HEIGHT, title);
    if (!(x1 > x0)) x1 = x0 + 1;
    if (!(y1 > y0)) y1 = y0 + 1;
    return (slt_plot){out, 44, SLT_PLOT_WIDTH - 10, 34, SLT_PLOT_HEIGHT - 38, x0, x1, y0, y1};
}

double slt_plot_x(const slt_plot *plot, double x) {
    return plot->left + (plot->right - plot->left) * (x - plot->x0) / (plot->x1 - plot->x0);
}

double slt_plot_y(const slt_plot *plot, double y) {
    return plot->bottom - (plot->bottom - plot->top) * (y - plot->y0) / (plot->y1 - plot->y0);
}

double slt_round_step(double low, double high, int parts) {
    double raw = (high - low) / parts;
    if (!(raw > 0) || !isfinite(raw)) return 1;
    double power = pow(10, floor(log10(raw))), share = raw / power;
    return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

static const char *label_of(double value, double step, bool percent, char out[64]) {
    char text[SLT_FIXED_TEXT];
    double scale = percent ? 100 : 1;
    int decimals = (int)ceil(-log10(step * scale) - 1e-9);
    snprintf(out, 64, "%s%s",
             slt_fixed(value * scale,
                       decimals < 0   ? 0
                       : decimals > 6 ? 6
                                      : decimals,
                       text),
             percent ? " %" : "");
    return out;
}

// round values from low to high, at most TICKS of them: files may hold any number
enum { TICKS = 24 };

typedef struct {
    double first, step;
    int count;
} ticks;

static ticks find_ticks(double low, double high, int parts, bool whole) {
    ticks t = {.step = slt_round_step(low, high, parts)};
    if (whole && t.step < 1) t.step = 1;
    t.first = ceil(low / t.step - 1e-9) * t.step;
    while (t.count < TICKS && t.first + t.count * t.step <= high + t.step * 1e-9) t.count++;
    return t;
}

void slt_plot_y_axis(const slt_plot *plot, const char *label, bool percent) {
    char text[64];
    ticks t = find_ticks(plot->y0, plot->y1, 4, false);
    for (int i = 0; i < t.count; i++) {
        double value = t.first + i * t.step, y = slt_plot_y(plot, value);
        slt_svg_line(plot->out, "grid", plot->left, y, plot->right, y);
        slt_svg_text(plot->out, "tick", plot->left - 6, y + 4, 'e',
                     label_of(value, t.step, percent, text));
    }
    slt_svg_text(plot->out, "label", 2, plot->top - 10, 's', label);
}

void slt_plot_x_label(const slt_plot *plot, const char *label) {
    slt_svg_line(plot->out, "axis", plot->left, plot->bottom, plot->right, plot->bottom);
    slt_svg_text(plot->out, "label", (plot->left + plot->right) / 2, SLT_PLOT_HEIGHT - 6, 'm',
                 label);
}

void slt_plot_x_axis(const slt_plot *plot, const char *label, bool whole) {
    char text[64];
    ticks t = find_ticks(plot->x0, plot->x1, 6, whole);
    for (int i = 0; i < t.count; i++) {
        double value = t.first + i * t.step;
        slt_svg_text(plot->out, "tick", slt_plot_x(plot, value), plot->bottom + 17, 'm',
                     label_of(value, t.step, false, text));
    }
    slt_plot_x_label(plot, label);
}

// entries share the line after the label of the y axis; there is room for a few
void slt_plot_key(const slt_plot *plot, int place, int count, const char *class, const char *text) {
    enum { MOST = 8 };
    if (count > MOST) count = MOST;
    if (place >= count) return;
    double from = 74, each = (plot->right - from) / (count > 3 ? count : 3);
    double x = plot->right - each * (count - place);
    slt_svg_rect(plot->out, class, x, plot->top - 19, 10, 10);
    slt_svg_text(plot->out, "key", x + 14, plot->top - 10, 's', text);
}
