// Pictures of environments: small canvases of characters with colours, for terminals and logs.
//
//     slt_canvas canvas;
//     slt_draw_env(batch, 0, &canvas);
//     for (int y = 0; y < canvas.height; y++, putchar('\n'))
//         for (int x = 0; x < canvas.width; x++) putchar(slt_canvas_at(&canvas, x, y)->mark);
//
// Marks of MiniGrid: # wall, / open door, D closed door, L locked door, k key, o ball, B box,
// G goal. Marks of Craft: # boundary, ~ water, % stone, T toolshed, W workbench, F factory, i iron,
// g grass, w wood, $ gold, * gem. Both: the agent is ^ > v <, a dot is an empty cell, a blank is
// not seen.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_DRAW_H
#define SLOTTAR_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "slottar/env.h"

#ifdef __cplusplus
extern "C" {
#endif

// PLAIN is whatever the medium has by itself.
typedef enum {
    SLT_INK_PLAIN,
    SLT_INK_RED,
    SLT_INK_GREEN,
    SLT_INK_BLUE,
    SLT_INK_PURPLE,
    SLT_INK_YELLOW,
    SLT_INK_GREY,
    SLT_INK_CYAN,
    SLT_INKS,
} slt_ink;

enum { SLT_CANVAS_SIDE = 25, SLT_CANVAS_TEXT = 160 };

// mark: printable ASCII; front, back: an slt_ink.
typedef struct {
    char mark;
    uint8_t front, back;
} slt_canvas_cell;

// A picture and two lines of text, which may be empty. With `tinted` the same mark comes in several
// colours that make a difference: who shows no colours should write them in letters.
typedef struct {
    int width, height;
    bool tinted;
    slt_canvas_cell cells[SLT_CANVAS_SIDE][SLT_CANVAS_SIDE]; // [y][x], y downward
    char task[SLT_CANVAS_TEXT];                              // what is to be done
    char pocket[SLT_CANVAS_TEXT];                            // what the agent carries
} slt_canvas;

static inline const slt_canvas_cell *slt_canvas_at(const slt_canvas *canvas, int x, int y) {
    return &canvas->cells[y][x];
}

// Draws the whole world of one copy, with the agent in it. RANGE when there is no such copy,
// INVALID when it was never reset.
SLT_API slt_status slt_draw_env(const slt_env_batch *batch, int index, slt_canvas *out);

// Draws what an agent saw, from the bytes of an observation: MiniGrid's 7x7 cells, the agent below
// in the middle looking up; Craft's 5x5 cells with the agent in the middle. environment: an id, or
// NULL when it is not known; then the size tells. INVALID for an id that there is not, SHAPE when
// the size does not fit. Bytes that mean nothing are drawn as not seen.
SLT_API slt_status slt_draw_observation(const char *environment, const uint8_t *observation,
                                        size_t size, slt_canvas *out);

#ifdef __cplusplus
}
#endif
#endif
