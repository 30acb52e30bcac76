// Is the model right as often as it says? Boundaries by confidence.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "report/figure.h"

static void draw_run(const slt_plot *plot, const slt_report_run *run, int colour) {
    char class[SLT_SVG_CLASS];
    uint64_t all = 0;
    bool first = true;
    for (int i = 0; i < SLT_REPORT_SURE; i++) all += run->sure[i];
    slt_svg_path(plot->out, slt_svg_class(class, "curve thin run", colour));
    for (int i = 0; i < SLT_REPORT_SURE; i++) {
        if (!run->sure[i]) continue;
        slt_svg_point(plot->out, first, slt_plot_x(plot, (i + 0.5) / SLT_REPORT_SURE),
                      slt_plot_y(plot, (double)run->sure_right[i] / (double)run->sure[i]));
        first = false;
    }
    slt_svg_path_end(plot->out);
    for (int i = 0; i < SLT_REPORT_SURE; i++) {
        if (!run->sure[i]) continue;
        double share = (double)run->sure[i] / (double)all;
        slt_text_add(
            plot->out, "<circle class=\"dot run%d\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>", colour,
            (int)lround(slt_plot_x(plot, (i + 0.5) / SLT_REPORT_SURE)),
            (int)lround(slt_plot_y(plot, (double)run->sure_right[i] / (double)run->sure[i])),
            (int)lround(2.5 + 8 * sqrt(share)));
    }
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
