// Observations as cells of symbols, and what a step changes in them.
//
// Observations [..., C] with C <= 4 are cells of C channels, others are cells of one. An atom is a
// change of some channels of one cell: (cell, channels, before, after). Channels that stay the same
// may be among them: "a door, and it opened".
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_CELLS_H
#define SLT_SKILLS_CELLS_H

#include "core/memory.h"
#include "slottar/dataset.h"

enum { SLT_CELL_CHANNELS = 4, SLT_MOST_CELLS = 1 << 16 };

typedef struct {
    int32_t cell;
    uint8_t channels; // a bit each; 0: any change of the cell
    uint8_t before[SLT_CELL_CHANNELS], after[SLT_CELL_CHANNELS]; // 0 in other channels
    uint8_t unused[3];
} slt_atom;

typedef struct {
    int64_t size; // numbers of an observation; 0: there are none, or they are no symbols
    int channels;
    int32_t cells;
} slt_cell_shape;

slt_cell_shape slt_cells_of(const slt_dataset_info *info);

// two observations, and which cells differ
typedef struct {
    slt_cell_shape shape;
    float *reals;
    uint8_t *before, *after; // [size]
    int32_t *changed;        // [cells]
    int32_t changed_count;
    bool known; // false: there is no observation after the step
} slt_step_change;

slt_status slt_step_change_init(slt_step_change *change, slt_arena *arena, slt_cell_shape shape);
// what step t changed; *symbols false when an observation holds other than whole numbers 0..255
slt_status slt_step_change_read(slt_step_change *change, const slt_dataset_info *info,
                                const slt_episode *episode, int64_t t, bool *symbols);

// which cells differ, from `before` and `after`
void slt_step_change_find(slt_step_change *change);

// the atoms of a changed cell, at most 15; returns their number
int slt_cell_atoms(const slt_step_change *change, int32_t cell, slt_atom *out);
// whether a step's change has the atom in it
bool slt_change_has(const slt_step_change *change, const slt_atom *atom);

#endif
