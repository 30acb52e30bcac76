// Slot attention and masks of one trajectory, and how masks are made from end positions.
//
//     mask_1 = 1 - c_1, mask_k = (1 - c_k) c_{k-1}: backwards, c_k = 1 - mask_k / c_{k-1}
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include "report/figure.h"

typedef struct {
    const slt_report_set *set;
    const slt_report_answer *answer;
    slt_episode episode;
    slt_text *out;
    int K, T;
    double left, step; // x of step t is left + step*t
} scene;

static slt_status set_scene(slt_report_book *book, const slt_report_set *set, slt_text *out,
                            scene *s) {
    int run = 0;
    int64_t place = slt_figure_example(book, set, &run);
    *s = (scene){.set = set, .out = out, .left = 62};
    if (place < 0) return SLT_OK;
    s->answer = &book->runs[run].answers.list[place];
    s->K = book->runs[run].answers.slots;
    s->T = s->answer->length;
    s->step = fmax(460.0 / s->T, 9);
    return slt_report_episode(set, place, &s->episode);
}

static double x_of(const scene *s, double t) { return s->left + s->step * t; }
static double width_of(const scene *s) { return x_of(s, s->T) + 10; }

// one letter per action below the steps; vectors have none
static void draw_letters(const scene *s, double y) {
    char letter[SLT_ACTION_LETTER];
    if (s->episode.actions_f32) return;
    for (int t = 0; t < s->T; t++)
        slt_svg_text(s->out, "tick", x_of(s, t + 0.5), y, 'm',
                     slt_action_letter(s->set->info, slt_episode_action(&s->episode, t), letter));
}

// steps of equal width: the curve stands still over a step
static void draw_steps(const scene *s, const char *class, const double *values, double bottom,
                       double height, bool filled) {
    slt_svg_path(s->out, class);
    if (filled) slt_svg_point(s->out, true, x_of(s, 0), bottom);
    for (int t = 0; t < s->T; t++) {
        double y = bottom - height * values[t];
        slt_svg_point(s->out, t == 0 && !filled, x_of(s, t), y);
        slt_svg_point(s->out, false, x_of(s, t + 1), y);
    }
    if (filled) slt_svg_point(s->out, false, x_of(s, s->T), bottom);
    slt_svg_path_end(s->out);
}

// ---- attention above, mask below

static void draw_slot(const scene *s, int k, double top, double *values) {
    char class[SLT_SVG_CLASS], name[32];
    const double height = 20;
    size_t T = (size_t)s->T, K = (size_t)s->K, slot = (size_t)k;
    snprintf(name, sizeof name, "slot %d", k + 1);
    slt_svg_text(s->out, "label", s->left - 8, top + 26, 'e', name);
    slt_svg_line(s->out, "grid", x_of(s, 0), top + height, x_of(s, s->T), top + height);
    slt_svg_line(s->out, "grid", x_of(s, 0), top + 2 * height + 4, x_of(s, s->T),
                 top + 2 * height + 4);
    for (size_t t = 0; t < T; t++) values[t] = (double)s->answer->masks[slot * T + t];
    draw_steps(s, slt_svg_class(class, "area seg", k % 8), values, top + 2 * height + 4, height,
               true);
    for (size_t t = 0; t < T; t++) values[t] = (double)s->answer->attention[t * K + slot];
    draw_steps(s, "curve dotted ink", values, top + height, height, false);
}

slt_status slt_figure_slots(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    scene s;
    double *values;
    SLT_TRY(set_scene(book, set, out, &s));
    if (!s.answer) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &values, (size_t)s.T));
    slt_svg_begin(out, width_of(&s), 52 * s.K + 26, "slot attention and masks");
    for (int k = 0; k < s.K; k++) draw_slot(&s, k, 6 + 52 * k, values);
    draw_letters(&s, 52 * s.K + 18);
    slt_svg_end(out);
    return out->status;
}

// ---- from ends to masks

// c_k of every slot, [K][T], rising in time; 0 where the slot before it has hardly begun to end.
// Returns the number of slots that explain something
static int sum_up(const scene *s, double *sums) {
    size_t T = (size_t)s->T;
    int used = 0;
    for (int k = 0; k < s->K; k++) {
        const float *mask = s->answer->masks + (size_t)k * T;
        double most = 0, *c = sums + (size_t)k * T;
        for (size_t t = 0; t < T; t++) {
            double before = k ? sums[(size_t)(k - 1) * T + t] : 1;
            double value = before > 0.05 ? 1 - (double)mask[t] / before : 0;
            most = fmax(most, fmin(1, fmax(0, value)));
            c[t] = most;
            if (mask[t] > 0.5f) used = k + 1;
        }
    }
    return used;
}

static void draw_panel(const scene *s, int panel, int used, const double *sums, double *values) {
    static const char *const names[] = {"ends", "summed", "turned", "mask"};
    char class[SLT_SVG_CLASS];
    size_t T = (size_t)s->T;
    double top = 6 + 62.0 * panel, bottom = top + 52;
    slt_svg_text(s->out, "label", s->left - 8, bottom - 20, 'e', names[panel]);
    slt_svg_line(s->out, "grid", x_of(s, 0), bottom, x_of(s, s->T), bottom);
    for (int k = 0; k < used; k++) {
        const double *c = sums + (size_t)k * T;
        for (size_t t = 0; t < T; t++) {
            const double forms[] = {c[t] - (t ? c[t - 1] : 0), c[t], 1 - c[t],
                                    (double)s->answer->masks[(size_t)k * T + t]};
            values[t] = forms[panel];
        }
        draw_steps(s, slt_svg_class(class, panel == 3 ? "area seg" : "curve line", k % 8), values,
                   bottom, 48, panel == 3);
    }
}

slt_status slt_figure_masks(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    enum { PANELS = 4 };
    scene s;
    double *values, *sums;
    SLT_TRY(set_scene(book, set, out, &s));
    if (!s.answer) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &values, (size_t)s.T));
    SLT_TRY(SLT_NEW(&book->arena, &sums, (size_t)s.T * (size_t)s.K));
    int used = sum_up(&s, sums);
    slt_svg_begin(out, width_of(&s), 62 * PANELS + 26, "from ends to masks");
    for (int panel = 0; panel < PANELS; panel++) draw_panel(&s, panel, used, sums, values);
    draw_letters(&s, 62 * PANELS + 18);
    slt_svg_end(out);
    return out->status;
}
