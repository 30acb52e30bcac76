// What the agent of Craft sees: 1075 bytes, nearly all zero, so they are cleared and the ones set.
//
// The near view is the 5 x 5 window around the agent, a channel per kind. The far view sums up the
// 25 x 25 window in 5 x 5 blocks: a cell at distance d lies in block (d+12)/5. Seen from 1..8 the
// map falls into at most three blocks a side, the ring of boundary into the outer ones.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "envs/craft_world.h"

enum {
    KINDS = SLT_CRAFT_KINDS,
    FAR = SLT_CRAFT_CHANNELS,
    POCKET = 2 * SLT_CRAFT_CHANNELS,
    DIRECTION = POCKET + KINDS,
    COLUMN = 5 * KINDS, // features from one column of blocks or cells to the next
};

#define BLOCK(p, c) (((c) - (p) + 12) / 5)

// one coordinate seen from p = 1..8
typedef struct {
    uint8_t first;       // the first block
    uint8_t part[3];     // of three blocks: 0 beyond the map, 1 inner cells only, 2 with boundary
    uint8_t block[8];    // of the inner cells
    uint64_t columns[3]; // inner cells of the three blocks as bits, for x
    uint64_t rows[3];    // and for y
} band;

// clang-format off
#define EACH(F, p, b) (F(p, b, 1) | F(p, b, 2) | F(p, b, 3) | F(p, b, 4) \
                     | F(p, b, 5) | F(p, b, 6) | F(p, b, 7) | F(p, b, 8))
#define XBITS(p, b, c) (BLOCK(p, c) == (b) ? UINT64_C(0xff) << 8 * ((c) - 1) : 0)
#define YBITS(p, b, c) (BLOCK(p, c) == (b) ? UINT64_C(0x0101010101010101) << ((c) - 1) : 0)
#define PART(p, b)     (BLOCK(p, 0) == (b) || BLOCK(p, 9) == (b) ? 2 : (b) < BLOCK(p, 9))
#define THREE(M, p, b) {M(p, b), M(p, (b) + 1), M(p, (b) + 2)}
#define XMASK(p, b)    EACH(XBITS, p, b)
#define YMASK(p, b)    EACH(YBITS, p, b)
#define BAND(p)                                                                                \
    {BLOCK(p, 0), THREE(PART, p, BLOCK(p, 0)),                                                 \
     {BLOCK(p, 1), BLOCK(p, 2), BLOCK(p, 3), BLOCK(p, 4),                                      \
      BLOCK(p, 5), BLOCK(p, 6), BLOCK(p, 7), BLOCK(p, 8)},                                     \
     THREE(XMASK, p, BLOCK(p, 0)), THREE(YMASK, p, BLOCK(p, 0))}

static const band bands[8] = {
    BAND(1), BAND(2), BAND(3), BAND(4), BAND(5), BAND(6), BAND(7), BAND(8),
};
// clang-format on

// a cell outside the map writes a zero into its empty channel: no branches
static void see_near(const slt_craft_world *world, uint8_t *out) {
    const uint8_t *corner = &world->cell[slt_craft_cell(world->x - 2, world->y - 2)];
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            int kind = corner[i * SLT_CRAFT_PADDED + j];
            out[i * COLUMN + j * KINDS + (kind & ~SLT_CRAFT_OUTSIDE)] = kind < SLT_CRAFT_OUTSIDE;
        }
    }
}

// what most blocks have: empty cells and boundary
static void see_ground(const slt_craft_world *world, const band *bx, const band *by, uint8_t *out) {
    uint64_t empty = ~world->things;
    out += bx->first * COLUMN + by->first * KINDS;
    for (int i = 0; i < 3; i++) {
        uint64_t column = empty & bx->columns[i];
        for (int j = 0; j < 3; j++) {
            uint8_t *block = out + i * COLUMN + j * KINDS;
            block[SLT_CRAFT_EMPTY] = (column & by->rows[j]) != 0;
            block[SLT_CRAFT_BOUNDARY] = bx->part[i] * by->part[j] > 1;
        }
    }
}

static void see_things(const slt_craft_world *world, const band *bx, const band *by, uint8_t *out) {
    for (uint64_t left = world->things; left; left &= left - 1) {
        int cell = __builtin_ctzll(left), x = cell >> 3, y = cell & 7;
        int kind = slt_craft_look(world, x + 1, y + 1);
        out[bx->block[x] * COLUMN + by->block[y] * KINDS + kind] = 1;
    }
}

void slt_craft_observe(const slt_craft_world *world, bool full, uint8_t *out) {
    memset(out, 0, SLT_CRAFT_FEATURES);
    see_near(world, out);
    if (full) {
        const band *bx = &bands[world->x - 1], *by = &bands[world->y - 1];
        see_ground(world, bx, by, out + FAR);
        see_things(world, bx, by, out + FAR);
    }
    memcpy(out + POCKET, world->inventory, KINDS);
    out[DIRECTION + world->direction] = 1;
}
