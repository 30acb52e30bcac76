// What an agent sees and recalls, as a list of ones for a network.
//
// The view is 7x7 cells before the agent. An agent with memory draws all that it has seen on a map;
// it knows its own actions, and the cell before it tells what comes of them, so it always knows
// where on the map it is. What it then sees is the map around itself, 13x13 cells, turned so that
// ahead is up. Only what was in a view is on the map: memory adds nothing but not forgetting.
//
// A cell gives at most two ones: what it is, and its colour where that tells things apart. The
// agent's own cell shows what it carries.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_RECALL_H
#define SLT_EXPERTS_RECALL_H

#include "envs/minigrid.h"

typedef enum { SLT_RECALL_NOTHING, SLT_RECALL_MAP } slt_recall_kind;

enum {
    SLT_RECALL_SIDE = 32, // of the map, which goes round: larger than any world
    SLT_RECALL_WINDOW = 13,
    SLT_RECALL_BITS = 16, // of a cell
    SLT_RECALL_CELLS = SLT_RECALL_WINDOW * SLT_RECALL_WINDOW,
    SLT_RECALL_ONES = 2 * SLT_RECALL_CELLS, // at most
};

typedef struct {
    slt_recall_kind kind;
    uint8_t x, y, direction; // on the map; it starts at (0, 0) and looks to the right
    uint8_t cells[SLT_RECALL_SIDE * SLT_RECALL_SIDE]; // codes, SLT_UNSEEN where nothing was seen
    uint8_t view[SLT_VIEW * SLT_VIEW];                // the last one, as codes
} slt_recall;

// bits of an observation: ones are below this
int slt_recall_width(slt_recall_kind kind);

// an episode begins
void slt_recall_begin(slt_recall *recall, slt_recall_kind kind);
// takes in a view of 147 bytes
void slt_recall_see(slt_recall *recall, const uint8_t *view);
// follows an own action, between two views
void slt_recall_act(slt_recall *recall, int action);
// the ones in ascending order; gives their number
int slt_recall_ones(const slt_recall *recall, uint16_t *ones);

#endif
