// What the families draw with.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENVS_ENV_DRAW_H
#define SLT_ENVS_ENV_DRAW_H

#include "slottar/draw.h"

// an empty picture of that size; sides 1..SLT_CANVAS_SIDE
void slt_canvas_init(slt_canvas *canvas, int width, int height);

static inline void slt_canvas_put(slt_canvas *canvas, int x, int y, slt_canvas_cell cell) {
    canvas->cells[y][x] = cell;
}

// puts an agent above whatever is there
static inline void slt_canvas_agent(slt_canvas *canvas, int x, int y, char arrow) {
    slt_canvas_put(canvas, x, y, (slt_canvas_cell){arrow, SLT_INK_RED, SLT_INK_PLAIN});
}

// adds to a text of SLT_CANVAS_TEXT bytes; cut when it does not fit
void slt_canvas_say(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
