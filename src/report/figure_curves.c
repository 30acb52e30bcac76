// Training curves.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "report/figure.h"

typedef double (*reading)(const slt_report_epoch *epoch);

static double train_loss(const slt_report_epoch *e) { return e->train_loss; }
static double valid_loss(const slt_report_epoch *e) { return e->valid_loss; }
static double valid_f1(const slt_report_epoch *e) { return e->valid_f1; }
static double valid_align(const slt_report_epoch *e) { return e->valid_align; }

typedef struct {
    double low, high, first, last;
    bool any;
} range;

// numbers that a plot can show
static bool is_shown(double value, double epoch) { return fabs(value) < 1e6 && fabs(epoch) < 1e8; }

static void widen(range *r, const slt_report_run *run, reading read) {
    for (int i = 0; i < run->epoch_count; i++) {
        double value = read(&run->epochs[i]), epoch = run->epochs[i].epoch;
        if (!is_shown(value, epoch)) continue;
        if (!r->any) *r = (range){value, value, epoch, epoch, true};
        r->low = fmin(r->low, value);
        r->high = fmax(r->high, value);
        r->first = fmin(r->first, epoch);
        r->last = fmax(r->last, epoch);
    }
}

static void draw_curve(const slt_plot *plot, const slt_report_run *run, reading read,
                       const char *class) {
    bool first = true;
    slt_svg_path(plot->out, class);
    for (int i = 0; i < run->epoch_count; i++) {
        double value = read(&run->epochs[i]);
        if (!is_shown(value, run->epochs[i].epoch)) continue;
        slt_svg_point(plot->out, first, slt_plot_x(plot, run->epochs[i].epoch),
                      slt_plot_y(plot, value));
        first = false;
    }
    slt_svg_path_end(plot->out);
}

// a ring at the epoch whose weights are used
static void mark_best(const slt_plot *plot, const slt_report_run *run, reading read,
                      const char *class) {
    for (int i = 0; i < run->epoch_count; i++) {
        const slt_report_epoch *e = &run->epochs[i];
        if (e->epoch != (double)run->best_epoch || !is_shown(read(e), e->epoch)) continue;
        double x = slt_plot_x(plot, e->epoch), y = slt_plot_y(plot, read(e));
        slt_text_add(plot->out, "<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"5\"/>", class,
                     (int)lround(x), (int)lround(y));
    }
}

static slt_status draw(slt_report_book *book, const slt_report_set *set, slt_text *out,
                       const char *title, reading solid, reading dotted, bool percent) {
    range r = {0};
    char class[SLT_SVG_CLASS], label[SLT_RUN_LABEL];
    for (int i = 0; i < set->run_count; i++) {
        widen(&r, &book->runs[set->runs[i]], solid);
        widen(&r, &book->runs[set->runs[i]], dotted);
    }
    if (!r.any) return SLT_OK;
    slt_plot plot = percent ? slt_plot_begin(out, title, r.first, r.last, 0, 1)
                            : slt_plot_begin(out, title, r.first, r.last, fmin(0, r.low), r.high);
    slt_plot_y_axis(&plot, percent ? "" : "loss", percent);
    slt_plot_x_axis(&plot, "epoch", true);
    for (int i = 0; i < set->run_count; i++) {
        int index = set->runs[i], colour = slt_run_colour(i);
        const slt_report_run *run = &book->runs[index];
        draw_curve(&plot, run, dotted, slt_svg_class(class, "curve dotted run", colour));
        draw_curve(&plot, run, solid, slt_svg_class(class, "curve run", colour));
        mark_best(&plot, run, solid, slt_svg_class(class, "ring run", colour));
        if (set->run_count > 1)
            slt_plot_key(&plot, i, set->run_count, slt_svg_class(class, "bar run", colour),
                         slt_run_label(book, index, label));
    }
    slt_svg_end(out);
    return out->status;
}

slt_status slt_figure_losses(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    return draw(book, set, out, "loss by epoch", valid_loss, train_loss, false);
}

slt_status slt_figure_scores(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    return draw(book, set, out, "validation scores by epoch", valid_f1, valid_align, true);
}
