// A search that looks breadth-first but is not: new cells go in just before the last one of the
// queue. So about one path in eight is longer than the shortest. The published data come from this
// queue, so it is kept.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/craft_path.h"

#include <string.h>

enum { SIZE = SLT_CRAFT_SIZE, CELLS = SLT_CRAFT_CELLS, NOBODY = 255 };

// every cell enters once, so the queue never runs past its end
typedef struct {
    uint8_t cell[CELLS];
    int first, end;
} queue;

static void insert_before_last(queue *q, int cell) {
    if (q->end > q->first) {
        q->cell[q->end] = q->cell[q->end - 1];
        q->cell[q->end - 1] = (uint8_t)cell;
    } else {
        q->cell[q->end] = (uint8_t)cell;
    }
    q->end++;
}

// left, down, right, up; -1 beyond the map
static int neighbour(int cell, int side) {
    static const int8_t dx[4] = {-1, 0, 1, 0}, dy[4] = {0, -1, 0, 1};
    int x = cell / SIZE + dx[side], y = cell % SIZE + dy[side];
    return x < 0 || x >= SIZE || y < 0 || y >= SIZE ? -1 : slt_craft_index(x, y);
}

// fills parent[] (the start is its own) until the target is taken from the queue
static bool search(const int8_t *known, int start, int target, uint8_t *parent) {
    queue q = {.cell = {(uint8_t)start}, .end = 1};
    memset(parent, NOBODY, CELLS);
    parent[start] = (uint8_t)start;
    while (q.first < q.end) {
        int cell = q.cell[q.first++];
        if (cell == target) return true;
        for (int side = 0; side < 4; side++) {
            int next = neighbour(cell, side);
            if (next < 0 || parent[next] != NOBODY) continue;
            if (next != target && known[next] != SLT_CRAFT_EMPTY) continue;
            parent[next] = (uint8_t)cell;
            insert_before_last(&q, next);
        }
    }
    return false;
}

int slt_craft_path(const int8_t known[SLT_CRAFT_CELLS], int start, int target,
                   uint8_t path[SLT_CRAFT_CELLS]) {
    uint8_t parent[CELLS];
    if (!search(known, start, target, parent)) return 0;
    int length = 1;
    for (int cell = target; cell != start; cell = parent[cell]) length++;
    int cell = target;
    for (int i = length - 1; i >= 0; i--, cell = parent[cell]) path[i] = (uint8_t)cell;
    return length;
}
