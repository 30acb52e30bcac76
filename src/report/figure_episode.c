// One trajectory with its segments: continuous actions as lines, the vote below; and what each
// answer of a vote says of a few trajectories.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include "report/figure.h"
#include "report/report_text.h"

enum { CHANNELS = 8, POINTS = 1500, EXAMPLES = 4 };
static const double WIDTH = 520, LEFT = 52;

// the run that the pictures are of: a vote where there is one
static const slt_report_run *shown_run(const slt_report_book *book, const slt_report_set *set) {
    for (int r = 0; r < set->run_count; r++)
        if (book->runs[set->runs[r]].vote) return &book->runs[set->runs[r]];
    return &book->runs[set->runs[0]];
}

static int64_t typical_place(const slt_report_set *set) {
    for (int i = 0; i < set->chosen_count; i++)
        if (set->chosen[i].why == SLT_WHY_TYPICAL) return set->chosen[i].place;
    return set->chosen_count ? set->chosen[0].place : -1;
}

typedef struct {
    slt_text *out;
    const slt_report_set *set;
    const slt_report_answer *answer;
    slt_episode episode;
    int T;
} scene;

static double x_of(const scene *s, double t) { return LEFT + (WIDTH - LEFT - 8) * t / s->T; }

// ---- segments

// [from, to) of segment n
typedef void (*draw_segment)(const scene *s, double top, double height, int n, int from, int to);

// a colour per place in the trajectory
static void draw_by_place(const scene *s, double top, double height, int n, int from, int to) {
    char name[SLT_SVG_CLASS];
    slt_svg_rect(s->out, slt_svg_class(name, "seg", n % 8), x_of(s, from) + 0.5, top,
                 x_of(s, to) - x_of(s, from) - 1, height);
}

// a colour per law, or per slot, and the letter of the law above
static void draw_by_law(const scene *s, double top, double height, int n, int from, int to) {
    char name[SLT_SVG_CLASS], letter[2] = "";
    const slt_report_answer *a = s->answer;
    int colour = (a->laws ? a->laws[n] : a->ids[from]) % 8;
    double x = x_of(s, from), width = x_of(s, to) - x;
    slt_svg_rect(s->out, slt_svg_class(name, s->set->continuous ? "wash seg" : "seg", colour),
                 x + 0.5, top, width - 1, height);
    if (!a->laws || width < 10) return;
    letter[0] = (char)('A' + a->laws[n] % 26);
    slt_svg_text(s->out, "key", x + width / 2, top - 4, 'm', letter);
}

static void draw_ids(const scene *s, const int32_t *ids, double top, double height,
                     draw_segment draw) {
    for (int t = 0, from = 0, n = 0; t < s->T; t++) {
        if (t + 1 < s->T && ids[t + 1] == ids[t]) continue;
        draw(s, top, height, n++, from, t + 1);
        from = t + 1;
    }
}

// 1 ends a segment
static void draw_ends(const scene *s, const uint8_t *ends, double top, double height) {
    for (int t = 0, from = 0, n = 0; t < s->T; t++) {
        if (t + 1 < s->T && !ends[t]) continue;
        draw_by_place(s, top, height, n++, from, t + 1);
        from = t + 1;
    }
}

// ---- lines and votes

static void draw_channel(const scene *s, int channel, double top, double height) {
    char name[SLT_SVG_CLASS];
    int size = s->set->info->action_size, stride = 1 + s->T / POINTS;
    float low = INFINITY, high = -INFINITY;
    for (int t = 0; t < s->T; t++) {
        low = fminf(low, s->episode.actions_f32[t * size + channel]);
        high = fmaxf(high, s->episode.actions_f32[t * size + channel]);
    }
    double range = high > low ? (double)high - (double)low : 1;
    slt_svg_path(s->out, slt_svg_class(name, "channel line", channel % 8));
    for (int t = 0; t < s->T; t += stride) {
        double share = ((double)s->episode.actions_f32[t * size + channel] - (double)low) / range;
        slt_svg_point(s->out, t == 0, x_of(s, t + 0.5), top + height - 4 - (height - 8) * share);
    }
    slt_svg_path_end(s->out);
}

static void draw_names(const scene *s, int channels, double y) {
    char class[SLT_SVG_CLASS], name[48];
    const slt_dataset_info *info = s->set->info;
    double each = (WIDTH - LEFT) / (channels > 4 ? channels : 4);
    for (int c = 0; c < channels; c++) {
        double x = LEFT + each * c;
        if (info->action_names)
            snprintf(name, sizeof name, "%.8s", info->action_names[c]);
        else
            snprintf(name, sizeof name, "%d", c);
        slt_svg_line(s->out, slt_svg_class(class, "channel line", c % 8), x, y - 4, x + 12, y - 4);
        slt_svg_text(s->out, "key", x + 16, y, 's', name);
    }
    if (info->action_size > channels) {
        snprintf(name, sizeof name, "first %d of %d", channels, info->action_size);
        slt_svg_text(s->out, "label", LEFT, y + 15, 's', name);
    }
}

static void draw_vote(const scene *s, double top, double height) {
    char text[SLT_FIXED_TEXT];
    double bottom = top + height, each = (WIDTH - LEFT - 8) / s->T, last = -100;
    const slt_report_answer *a = s->answer;
    slt_svg_text(s->out, "label", LEFT - 8, bottom - 2, 'e', "vote");
    slt_svg_line(s->out, "grid", LEFT, bottom, WIDTH - 8, bottom);
    for (int t = 0, b = 0; t < s->T; t++) {
        double h = height * (double)a->heights[t], x = x_of(s, t + 1);
        bool boundary = t + 1 < s->T && a->ids[t + 1] != a->ids[t];
        if (h > 0)
            slt_svg_rect(s->out, boundary ? "bar run0" : "bar truth", x - fmax(1, 0.4 * each),
                         bottom - h, fmax(2, 0.8 * each), h);
        if (!boundary) continue;
        if (x - last > 26)
            slt_svg_text(s->out, "tick", last = x, top - 3, 'm',
                         slt_fixed(100 * (double)a->confidence[b], 0, text));
        b++;
    }
    if (a->line > 0) {
        double y = bottom - height * (double)a->line;
        slt_svg_line(s->out, "ideal", LEFT, y, WIDTH - 8, y);
    }
}

static slt_status set_scene(const slt_report_set *set, const slt_report_run *run, int64_t place,
                            slt_text *out, scene *s) {
    *s = (scene){.out = out, .set = set, .answer = &run->answers.list[place]};
    s->T = s->answer->length;
    return slt_report_episode(set, place, &s->episode);
}

slt_status slt_figure_episode(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    const slt_report_run *run = shown_run(book, set);
    int64_t place = typical_place(set);
    int channels = set->info->action_size < CHANNELS ? set->info->action_size : CHANNELS;
    scene s;
    if (place < 0 || (!set->continuous && !run->vote)) return SLT_OK;
    SLT_TRY(set_scene(set, run, place, out, &s));
    double panel = set->continuous ? 120 : 26, at = 20;
    bool truth = set->labelled, vote = s.answer->heights;
    double bottom = at + panel + (truth ? 18 : 0) + (vote ? 72 : 0) + (set->continuous ? 40 : 8);
    slt_svg_begin(out, WIDTH, bottom, "one trajectory with its segments");
    slt_svg_text(out, "label", LEFT - 8, at + 14, 'e', "found");
    draw_ids(&s, s.answer->ids, at, panel, draw_by_law);
    for (int c = 0; set->continuous && c < channels; c++) draw_channel(&s, c, at, panel);
    at += panel + 5;
    if (truth) {
        slt_svg_text(out, "label", LEFT - 8, at + 9, 'e', "true");
        draw_ids(&s, s.episode.segments, at, 10, draw_by_place);
        at += 13;
    }
    if (vote) draw_vote(&s, at + 18, 44);
    if (set->continuous) draw_names(&s, channels, bottom - 20);
    slt_svg_end(out);
    return out->status;
}

// ---- answers one under the other

static slt_status draw_example(const slt_report_set *set, const slt_report_run *run, int64_t place,
                               slt_text *out, double top) {
    scene s;
    char name[32];
    SLT_TRY(set_scene(set, run, place, out, &s));
    snprintf(name, sizeof name, "episode %lld", (long long)s.episode.index);
    slt_svg_text(out, "key", LEFT, top + 10, 's', name);
    top += 14;
    if (set->labelled) {
        slt_svg_text(out, "label", LEFT - 8, top + 9, 'e', "true");
        draw_ids(&s, s.episode.segments, top, 10, draw_by_place);
        top += 13;
    }
    slt_svg_text(out, "label", LEFT - 8, top + 9, 'e', "vote");
    draw_ids(&s, s.answer->ids, top, 10, draw_by_place);
    for (int m = 0; m < s.answer->answer_count; m++) {
        top += 13;
        snprintf(name, sizeof name, "%d", m + 1);
        slt_svg_text(out, "label", LEFT - 8, top + 9, 'e', name);
        draw_ends(&s, s.answer->answers + (size_t)m * (size_t)s.T, top, 10);
    }
    return out->status;
}

slt_status slt_figure_answers(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    const slt_report_run *run = shown_run(book, set);
    int answers = run->vote ? run->answers.list[0].answer_count : 0, shown = 0, count = 0;
    if (answers < 2) return SLT_OK;
    for (int i = 0; i < set->chosen_count; i++) count += set->chosen[i].why == SLT_WHY_TYPICAL;
    count = count < EXAMPLES ? count : EXAMPLES;
    double each = 22 + 13 * (answers + 1 + set->labelled);
    slt_svg_begin(out, WIDTH, each * count + 4, "answers of the vote");
    for (int i = 0; i < set->chosen_count && shown < count; i++)
        if (set->chosen[i].why == SLT_WHY_TYPICAL)
            SLT_TRY(draw_example(set, run, set->chosen[i].place, out, each * shown++ + 2));
    slt_svg_end(out);
    return out->status;
}
