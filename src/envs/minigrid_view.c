// The 7x7 view: the window before the agent, what of it can be seen, and its bytes.
//
// Sight is no line of sight but a sweep from the agent's row away from it: in each row, visible
// cells that do not block sight show their neighbours left and right, and the three cells behind
// themselves in the next row. The package sweeps each row first to the right, then to the left;
// since sight runs through a whole run of clear cells either way, this equals: every run that holds
// a visible cell becomes visible with the cells at its two ends, and shows its three neighbours.
//
// Everything is done on words of eight bytes: a byte per row, bits for columns.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid.h"

#include <stdio.h>
#include <string.h>

#define EACH_BYTE 0x0001010101010101u // a bit for each of the seven rows

static uint64_t load(const uint8_t *bytes) { // words are little-endian on the machines we run on
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

// swaps the blocks above and below the diagonal, of `shift` bits a side
static void swap_blocks(uint64_t *a, uint64_t *b, int shift, uint64_t mask) {
    uint64_t changed = (*a >> shift ^ *b) & mask;
    *a ^= changed << shift;
    *b ^= changed;
}

// 8x8 bytes: byte j of word i and byte i of word j change places
static void transpose(uint64_t word[8]) {
    for (int i = 0; i < 4; i++) swap_blocks(&word[i], &word[i + 4], 32, 0x00000000ffffffffu);
    for (int i = 0; i < 8; i++)
        if (!(i & 2)) swap_blocks(&word[i], &word[i + 2], 16, 0x0000ffff0000ffffu);
    for (int i = 0; i < 8; i += 2) swap_blocks(&word[i], &word[i + 1], 8, 0x00ff00ff00ff00ffu);
}

// looking up or down a view column is a piece of a grid column
static void window_along(const uint8_t *cell, int stride, bool up, uint64_t columns[SLT_VIEW]) {
    for (int i = 0; i < SLT_VIEW; i++)
        columns[i] = up ? load(cell + (i - 3) * stride - 6)
                        : __builtin_bswap64(load(cell - (i - 3) * stride)) >> 8;
}

// looking sideways it is a piece of a grid row
static void window_across(const uint8_t *cell, int stride, bool right, uint64_t columns[SLT_VIEW]) {
    uint64_t word[8] = {0};
    for (int j = 0; j < SLT_VIEW; j++)
        word[j] = right ? load(cell + (6 - j) * stride - 3)
                        : __builtin_bswap64(load(cell - (6 - j) * stride - 3)) >> 8;
    transpose(word);
    memcpy(columns, word, SLT_VIEW * sizeof *columns);
}

void slt_view_window(const uint8_t *cell, int stride, int direction, uint64_t columns[SLT_VIEW]) {
    if (direction & 1)
        window_along(cell, stride, direction == 3, columns);
    else
        window_across(cell, stride, direction == 0, columns);
}

// the bits of the cells that do not block sight: byte j, bit i
static uint64_t clear_cells(const uint64_t columns[SLT_VIEW]) {
    uint64_t blocked = 0;
    for (int i = 0; i < SLT_VIEW; i++) blocked |= (columns[i] >> 6 & EACH_BYTE) << i;
    return ~blocked & EACH_BYTE * 0x7f;
}

uint64_t slt_view_visible(const uint64_t columns[SLT_VIEW]) {
    // clear2, clear4: clear cells with one, three clear ones above them (in bits)
    uint64_t clear = clear_cells(columns);
    uint64_t clear2 = clear & clear >> 1, clear4 = clear2 & clear2 >> 2;
    uint64_t visible = 0;
    unsigned shown = 1 << 3; // in the row at hand, by the row before
    for (int shift = 48; shift >= 0 && shown; shift -= 8) {
        unsigned runs = (unsigned)(clear >> shift) & 0x7f;
        unsigned touched = shown & runs;
        // upward a sum carries through a run, downward it is filled by steps of 1, 2, 4
        touched |= runs & ~(runs + touched);
        touched |= touched >> 1 & runs;
        touched |= touched >> 2 & (unsigned)(clear2 >> shift);
        touched |= touched >> 4 & (unsigned)(clear4 >> shift);
        unsigned around = (touched | touched << 1 | touched >> 1) & 0x7f;
        visible |= (uint64_t)(shown | around) << shift;
        shown = around;
    }
    return visible;
}

// ---- bytes of cells

// type, colour and state of a cell code as bytes 0, 1, 2 of a word
#define COLOUR(type, colour, state) (type | colour << 8 | state << 16)
#define COLOURS(type, state)                                                                       \
    COLOUR(type, 0, state), COLOUR(type, 1, state), COLOUR(type, 2, state),                        \
        COLOUR(type, 3, state), COLOUR(type, 4, state), COLOUR(type, 5, state), 0, 0

static const uint32_t cell_bytes[128] = {
    COLOURS(0, 0), COLOURS(1, 0), COLOURS(5, 0), COLOURS(6, 0), COLOURS(7, 0), COLOURS(8, 0),
    COLOURS(4, 0), COLOURS(9, 0), COLOURS(2, 0), COLOURS(4, 1), COLOURS(4, 2),
};

void slt_cell_to_bytes(int cell, uint8_t bytes[3]) { memcpy(bytes, &cell_bytes[cell & 127], 3); }

int slt_cell_from_bytes(const uint8_t bytes[3]) {
    static const uint8_t kinds[10] = {0,       SLT_EMPTY, SLT_WALL, 0,        SLT_DOOR_OPEN,
                                      SLT_KEY, SLT_BALL,  SLT_BOX,  SLT_GOAL, SLT_LAVA};
    static const uint8_t doors[3] = {SLT_DOOR_OPEN, SLT_DOOR_CLOSED, SLT_DOOR_LOCKED};
    if (bytes[0] > 9 || bytes[1] > 5 || bytes[2] > 2 || !kinds[bytes[0]]) return SLT_UNSEEN;
    return (bytes[0] == 4 ? doors[bytes[2]] : kinds[bytes[0]]) | bytes[1];
}

// the 21 bytes of a view column, as words of 8, 8 and 5
static void column_bytes(uint64_t column, uint64_t out[3]) {
    uint64_t cell[SLT_VIEW];
    for (int j = 0; j < SLT_VIEW; j++) cell[j] = cell_bytes[column >> 8 * j & 127];
    out[0] = cell[0] | cell[1] << 24 | cell[2] << 48;
    out[1] = cell[2] >> 16 | cell[3] << 8 | cell[4] << 32 | cell[5] << 56;
    out[2] = cell[5] >> 8 | cell[6] << 16;
}

// all but the last column may write three bytes too many: the next one writes over them
static void write_columns(const uint64_t columns[SLT_VIEW], uint8_t *out) {
    uint64_t words[3];
    for (int i = 0; i < SLT_VIEW - 1; i++, out += 21) {
        column_bytes(columns[i], words);
        memcpy(out, words, 24);
    }
    column_bytes(columns[SLT_VIEW - 1], words);
    memcpy(out, words, 21);
}

void slt_minigrid_observe(const slt_env_kind *kind, const void *state, uint8_t *out) {
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(kind);
    const slt_minigrid *grid = state;
    const uint8_t *cell = grid->cells + slt_grid_index(rules->height, grid->x, grid->y);
    uint64_t columns[SLT_VIEW];
    slt_view_window(cell, rules->height + SLT_GRID_RIM, grid->direction, columns);
    if (!rules->sees_through_walls) {
        uint64_t visible = slt_view_visible(columns);
        for (int i = 0; i < SLT_VIEW; i++) columns[i] &= (visible >> i & EACH_BYTE) * 0xff;
    }
    // the own cell shows the hands
    columns[3] = (columns[3] & ~((uint64_t)0xff << 48)) | (uint64_t)grid->carried << 48;
    write_columns(columns, out);
}

void slt_minigrid_mission(const slt_env_kind *kind, const void *state, char *out, size_t size) {
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(kind);
    if (rules->describe)
        rules->describe(state, out, size);
    else
        snprintf(out, size, "%s", rules->mission);
}

void slt_minigrid_dump(const slt_env_kind *kind, const void *state, uint8_t *out) {
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(kind);
    const slt_minigrid *grid = state;
    for (int x = 0; x < rules->width; x++)
        for (int y = 0; y < rules->height; y++, out += 3)
            slt_cell_to_bytes(grid->cells[slt_grid_index(rules->height, x, y)], out);
}
