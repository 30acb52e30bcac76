// Views and maps as ones.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/recall.h"

#include <string.h>

enum {
    OWN = 3 * SLT_VIEW + 6, // the agent's cell in a view
    FRONT = OWN - 1,
    REACH = SLT_RECALL_WINDOW / 2,
    COLOURS = 10, // the first bit of a colour
    ROUND = SLT_RECALL_SIDE - 1,
};

int slt_recall_width(slt_recall_kind kind) {
    int cells = kind == SLT_RECALL_MAP ? SLT_RECALL_CELLS : SLT_VIEW * SLT_VIEW;
    return cells * SLT_RECALL_BITS;
}

void slt_recall_begin(slt_recall *recall, slt_recall_kind kind) {
    memset(recall, 0, sizeof *recall); // SLT_UNSEEN is 0
    recall->kind = kind;
}

static uint8_t *cell_at(slt_recall *recall, int x, int y) {
    return recall->cells + (x & ROUND) * SLT_RECALL_SIDE + (y & ROUND);
}

// draws what is seen on the map; the own cell shows the hands, and what one stands on is as it was
static void draw(slt_recall *recall) {
    int fx = slt_step_x[recall->direction], fy = slt_step_y[recall->direction];
    for (int i = 0; i < SLT_VIEW; i++)
        for (int j = 0; j < SLT_VIEW; j++) {
            int cell = recall->view[i * SLT_VIEW + j];
            if (cell == SLT_UNSEEN || i * SLT_VIEW + j == OWN) continue;
            *cell_at(recall, recall->x + fx * (6 - j) - fy * (i - 3),
                     recall->y + fy * (6 - j) + fx * (i - 3)) = (uint8_t)cell;
        }
    uint8_t *own = cell_at(recall, recall->x, recall->y);
    if (*own == SLT_UNSEEN) *own = SLT_EMPTY;
}

void slt_recall_see(slt_recall *recall, const uint8_t *view) {
    for (int c = 0; c < SLT_VIEW * SLT_VIEW; c++)
        recall->view[c] = (uint8_t)slt_cell_from_bytes(view + 3 * c);
    if (recall->kind == SLT_RECALL_MAP) draw(recall);
}

void slt_recall_act(slt_recall *recall, int action) {
    if (action == SLT_TURN_LEFT) recall->direction = (recall->direction + 3) & 3;
    if (action == SLT_TURN_RIGHT) recall->direction = (recall->direction + 1) & 3;
    if (action != SLT_FORWARD) return;
    int kind = slt_cell_kind(recall->view[FRONT]);
    if (kind != SLT_EMPTY && kind != SLT_DOOR_OPEN && kind != SLT_GOAL && kind != SLT_LAVA) return;
    recall->x = (uint8_t)((recall->x + slt_step_x[recall->direction]) & ROUND);
    recall->y = (uint8_t)((recall->y + slt_step_y[recall->direction]) & ROUND);
}

// the ones of a cell; the commonest kind has none: empty in a view, unseen on a map
static int cell_ones(int cell, int silent, int first, uint16_t *ones) {
    int kind = slt_cell_kind(cell);
    if (kind == silent) return 0;
    bool plain = kind <= SLT_EMPTY; // the one of the two that is not silent
    ones[0] = (uint16_t)(first + (plain ? 0 : (kind >> 3) - 1));
    if (plain || kind == SLT_WALL || kind == SLT_GOAL || kind == SLT_LAVA) return 1;
    ones[1] = (uint16_t)(first + COLOURS + slt_cell_colour(cell));
    return 2;
}

static int view_ones(const slt_recall *recall, uint16_t *ones) {
    int count = 0;
    for (int c = 0; c < SLT_VIEW * SLT_VIEW; c++)
        count += cell_ones(recall->view[c], SLT_EMPTY, c * SLT_RECALL_BITS, ones + count);
    return count;
}

// columns from left to right, each from far to near, as in a view
static int map_ones(const slt_recall *recall, uint16_t *ones) {
    int fx = slt_step_x[recall->direction], fy = slt_step_y[recall->direction], count = 0;
    for (int i = -REACH, first = 0; i <= REACH; i++)
        for (int j = REACH; j >= -REACH; j--, first += SLT_RECALL_BITS) {
            int x = (recall->x + fx * j - fy * i) & ROUND,
                y = (recall->y + fy * j + fx * i) & ROUND;
            int cell = i || j ? recall->cells[x * SLT_RECALL_SIDE + y] : recall->view[OWN];
            count += cell_ones(cell, SLT_UNSEEN, first, ones + count);
        }
    return count;
}

int slt_recall_ones(const slt_recall *recall, uint16_t *ones) {
    return (recall->kind == SLT_RECALL_MAP ? map_ones : view_ones)(recall, ones);
}
