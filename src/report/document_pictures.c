// The worlds of the trajectories in detail, as JSON: frames of cells, each the number of a look.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "report/document.h"
#include "report/report_text.h"
#include "report/worlds.h"

enum { LOOKS = 256, TEXTS = 4096 };

typedef struct {
    slt_text cells, widths, heights; // widths and heights: one per trajectory, 0 where not drawn
    bool any;
} film;

typedef struct {
    slt_canvas_cell looks[LOOKS];
    int look_count;
    char *texts[TEXTS]; // what is carried or to be done
    int text_count;
    slt_text said; // u16 per step
    film views, worlds;
    slt_arena *arena;
} studio;

static int find_look(studio *s, slt_canvas_cell cell) {
    for (int i = 0; i < s->look_count; i++)
        if (memcmp(&s->looks[i], &cell, sizeof cell) == 0) return i;
    if (s->look_count == LOOKS) return 0;
    s->looks[s->look_count] = cell;
    return s->look_count++;
}

static slt_status find_text(studio *s, const char *text, uint16_t *out) {
    int i = 0;
    while (i < s->text_count && strcmp(s->texts[i], text) != 0) i++;
    if (i == s->text_count && i < TEXTS) {
        SLT_TRY(slt_arena_text(s->arena, text, strlen(text), &s->texts[i]));
        s->text_count++;
    }
    *out = (uint16_t)(i < TEXTS ? i : 0);
    return SLT_OK;
}

static void add_frames(studio *s, film *f, const slt_canvas *frames, int64_t count) {
    int width = frames ? frames[0].width : 0, height = frames ? frames[0].height : 0;
    slt_text_add(&f->widths, "%s%d", f->widths.length ? "," : "", width);
    slt_text_add(&f->heights, "%s%d", f->heights.length ? "," : "", height);
    f->any = f->any || frames;
    for (int64_t t = 0; frames && t < count; t++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                uint8_t look = (uint8_t)find_look(s, *slt_canvas_at(&frames[t], x, y));
                slt_text_put(&f->cells, &look, 1);
            }
}

// one line per step: what is carried, and in the whole world the task
static slt_status add_words(studio *s, const slt_world_frames *frames, int64_t count) {
    const slt_canvas *from = frames->worlds ? frames->worlds : frames->views;
    for (int64_t t = 0; t < count; t++) {
        char line[2 * SLT_CANVAS_TEXT + 16] = "";
        uint16_t number;
        if (from) {
            strcat(line, from[t].task);
            strcat(line, from[t].task[0] ? "; carries " : "carries ");
            strcat(line, from[t].pocket[0] ? from[t].pocket : "nothing");
        }
        SLT_TRY(find_text(s, line, &number));
        slt_text_put(&s->said, &number, sizeof number);
    }
    return SLT_OK;
}

// ---- writing

static void put_film(slt_text *out, const char *name, film *f) {
    if (!f->any) return;
    slt_text_add(out, ",\"%s\":{\"width\":[", name);
    slt_text_put(out, f->widths.bytes, f->widths.length);
    slt_text_add(out, "],\"height\":[");
    slt_text_put(out, f->heights.bytes, f->heights.length);
    slt_text_add(out, "],\"cells\":");
    slt_json_pack(out, SLT_DTYPE_U8, f->cells.bytes, f->cells.length);
    slt_text_add(out, "}");
}

static slt_status put_studio(slt_text *out, studio *s) {
    slt_text_add(out, ",\"looks\":[");
    for (int i = 0; i < s->look_count; i++)
        slt_text_add(out, "%s[%d,%d,%d]", i ? "," : "", s->looks[i].mark, s->looks[i].front,
                     s->looks[i].back);
    slt_text_add(out, "],\"texts\":[");
    for (int i = 0; i < s->text_count; i++) {
        slt_text_add(out, i ? "," : "");
        slt_json_text(out, s->texts[i]);
    }
    slt_text_add(out, "],\"text\":");
    slt_json_pack(out, SLT_DTYPE_U16, s->said.bytes, s->said.length / 2);
    put_film(out, "views", &s->views);
    put_film(out, "worlds", &s->worlds);
    return out->status;
}

static slt_status shoot(slt_report_book *book, const slt_report_set *set, slt_drawn_worlds *worlds,
                        studio *s) {
    for (int i = 0; i < set->chosen_count; i++) {
        int64_t place = set->chosen[i].place;
        int64_t length = book->runs[set->runs[0]].answers.list[place].length;
        slt_world_frames frames;
        SLT_TRY(slt_context_check(book->context));
        SLT_TRY(slt_drawn_worlds_draw(worlds, place, &frames));
        add_frames(s, &s->views, frames.views, length);
        add_frames(s, &s->worlds, frames.worlds, length);
        SLT_TRY(add_words(s, &frames, length));
    }
    return SLT_OK;
}

slt_status slt_document_pictures(slt_report_book *book, slt_text *out, const slt_report_set *set) {
    studio *s;
    slt_drawn_worlds *worlds;
    SLT_TRY(SLT_NEW(&book->arena, &s, 1));
    s->arena = &book->arena;
    slt_text *parts[] = {&s->said,         &s->views.cells,   &s->views.widths,  &s->views.heights,
                         &s->worlds.cells, &s->worlds.widths, &s->worlds.heights};
    enum { PARTS = sizeof parts / sizeof *parts };
    for (int i = 0; i < PARTS; i++) slt_text_init(parts[i], &book->context->allocator);
    SLT_TRY(slt_drawn_worlds_open(book, set, &worlds));
    slt_status status = shoot(book, set, worlds, s);
    for (int i = 0; i < PARTS && status == SLT_OK; i++) status = parts[i]->status;
    if (status == SLT_OK)
        status = s->views.any || s->worlds.any ? put_studio(out, s)
                                               : slt_document_values(book, out, set);
    slt_drawn_worlds_close(worlds);
    for (int i = 0; i < PARTS; i++) slt_text_deinit(parts[i]);
    return status;
}
