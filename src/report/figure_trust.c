// Is the model right as often as it says? Boundaries by confidence.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "report/figure.h"

// the place of a bin: its mean confidence, and the share that is right
typedef struct {
    double x, y, share;
} dot;

static bool dot_at(const slt_plot *plot, const slt_reliability *r, int bin, dot *out) {
    double all = 0, count = r->count[bin];
    for (int i = 0; i < SLT_RELIABILITY_BINS; i++) all += r->count[i];
    if (count <= 0) return false;
    *out = (dot){slt_plot_x(plot, r->confidence[bin] / count),
                 slt_plot_y(plot, r->right[bin] / count), count / all};
    return true;
}

static void draw_run(const slt_plot *plot, const slt_report_run *run, int colour) {
    char class[SLT_SVG_CLASS];
    bool first = true;
    dot d;
    slt_svg_path(plot->out, slt_svg_class(class, "curve thin run", colour));
    for (int i = 0; i < SLT_RELIABILITY_BINS; i++) {
        if (!dot_at(plot, &run->reliability, i, &d)) continue;
        slt_svg_point(plot->out, first, d.x, d.y);
        first = false;
    }
    slt_svg_path_end(plot->out);
    for (int i = 0; i < SLT_RELIABILITY_BINS; i++)
        if (dot_at(plot, &run->reliability, i, &d))
            slt_text_add(plot->out, "<circle class=\"dot run%d\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>",
                         colour, (int)lround(d.x), (int)lround(d.y),
                         (int)lround(2.5 + 8 * sqrt(d.share)));
}

slt_status slt_figure_trust(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    char class[SLT_SVG_CLASS], label[SLT_RUN_LABEL];
    if (!set->labelled) return SLT_OK;
    slt_plot plot = slt_plot_begin(out, "right boundaries by confidence", 0, 1, 0, 1);
    slt_plot_y_axis(&plot, "right", true);
    slt_plot_x_axis(&plot, "confidence", false);
    slt_svg_line(out, "ideal", slt_plot_x(&plot, 0), slt_plot_y(&plot, 0), slt_plot_x(&plot, 1),
                 slt_plot_y(&plot, 1));
    for (int r = 0; r < set->run_count; r++) {
        draw_run(&plot, &book->runs[set->runs[r]], slt_run_colour(r));
        if (set->run_count > 1)
            slt_plot_key(&plot, r, set->run_count,
                         slt_svg_class(class, "bar run", slt_run_colour(r)),
                         slt_run_label(book, set->runs[r], label));
    }
    slt_svg_end(out);
    return out->status;
}
