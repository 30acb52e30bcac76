// One world per task, with the way of the agent in the colours of the true sub-routines.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "report/figure.h"
#include "report/worlds.h"

enum { CELL = 22, GAP = 24, MOST = 6 };

static void draw_cells(slt_text *out, const slt_canvas *canvas, double left, double top) {
    char class[SLT_SVG_CLASS], mark[2] = "";
    for (int y = 0; y < canvas->height; y++)
        for (int x = 0; x < canvas->width; x++) {
            const slt_canvas_cell *cell = slt_canvas_at(canvas, x, y);
            double cx = left + CELL * x, cy = top + CELL * y;
            slt_svg_rect(out, slt_svg_class(class, "cell back", cell->back), cx, cy, CELL, CELL);
            mark[0] = cell->mark;
            if (!strchr(" .#^>v<", cell->mark))
                slt_svg_text(out, slt_svg_class(class, "mark front", cell->front), cx + CELL / 2.0,
                             cy + CELL / 2.0 + 5, 'm', mark);
        }
}

static bool find_agent(const slt_canvas *canvas, int *x, int *y) {
    for (*y = 0; *y < canvas->height; (*y)++)
        for (*x = 0; *x < canvas->width; (*x)++) {
            const slt_canvas_cell *cell = slt_canvas_at(canvas, *x, *y);
            if (cell->front == SLT_INK_RED && strchr("^>v<", cell->mark)) return true;
        }
    return false;
}

// a path per segment, each a little next to the last so that ways back can be seen
static void draw_way(slt_text *out, const slt_canvas *frames, const slt_episode *episode,
                     double left, double top) {
    char class[SLT_SVG_CLASS];
    int segment = 0, x, y;
    bool open = false, first = true;
    for (int64_t t = 0; t < episode->length; t++) {
        double shift = 3.0 * (segment % 5) - 6;
        if (!open) slt_svg_path(out, slt_svg_class(class, "way line", segment % 8));
        open = true;
        if (find_agent(&frames[t], &x, &y)) {
            slt_svg_point(out, first, left + CELL * (x + 0.5) + shift,
                          top + CELL * (y + 0.5) + shift);
            first = false;
        }
        bool last = t + 1 == episode->length;
        if (!last && episode->segments[t] == episode->segments[t + 1]) continue;
        slt_svg_path_end(out);
        open = false;
        first = true;
        segment++;
    }
}

// one trajectory per task whose world can be drawn
typedef struct {
    int64_t places[MOST];
    int count, width, height; // in cells: side by side, and the highest
} tour;

static slt_status visit(const slt_report_set *set, slt_drawn_worlds *worlds, int64_t place,
                        uint64_t *tasks, tour *out) {
    slt_episode episode;
    slt_world_frames frames;
    SLT_TRY(slt_report_episode(set, place, &episode));
    uint64_t task = UINT64_C(1) << (episode.task & 63);
    if (out->count == MOST || (*tasks & task)) return SLT_OK;
    SLT_TRY(slt_drawn_worlds_draw(worlds, place, &frames));
    if (!frames.worlds) return SLT_OK;
    *tasks |= task;
    out->places[out->count++] = place;
    out->width += frames.worlds[0].width;
    if (frames.worlds[0].height > out->height) out->height = frames.worlds[0].height;
    return SLT_OK;
}

static slt_status plan_tour(const slt_report_set *set, slt_drawn_worlds *worlds, tour *out) {
    uint64_t tasks = 0;
    *out = (tour){.count = 0};
    for (int i = 0; i < set->chosen_count; i++)
        if (set->chosen[i].why == SLT_WHY_TYPICAL)
            SLT_TRY(visit(set, worlds, set->chosen[i].place, &tasks, out));
    return SLT_OK;
}

static slt_status draw_tour(const slt_report_set *set, slt_drawn_worlds *worlds, slt_text *out) {
    tour route;
    double left = 4;
    SLT_TRY(plan_tour(set, worlds, &route));
    if (!route.count) return SLT_OK;
    slt_svg_begin(out, CELL * route.width + GAP * (route.count - 1) + 8, CELL * route.height + 30,
                  "worlds and sub-routines");
    for (int i = 0; i < route.count; i++) {
        slt_world_frames frames;
        slt_episode episode;
        char name[128];
        SLT_TRY(slt_drawn_worlds_draw(worlds, route.places[i], &frames));
        SLT_TRY(slt_report_episode(set, route.places[i], &episode));
        double width = CELL * frames.worlds[0].width;
        draw_cells(out, &frames.worlds[0], left, 4);
        draw_way(out, frames.worlds, &episode, left, 4);
        const char *id = slt_report_environment(set, episode.task, name, sizeof name);
        slt_svg_text(out, "label", left + width / 2, CELL * frames.worlds[0].height + 22, 'm',
                     id ? id : "");
        left += width + GAP;
    }
    slt_svg_end(out);
    return out->status;
}

slt_status slt_figure_tasks(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    slt_drawn_worlds *worlds;
    if (!set->labelled) return SLT_OK;
    slt_arena_mark mark = slt_arena_now(&book->arena);
    SLT_TRY(slt_drawn_worlds_open(book, set, &worlds));
    slt_status status = draw_tour(set, worlds, out);
    slt_drawn_worlds_close(worlds);
    slt_arena_reset(&book->arena, mark);
    return status;
}
