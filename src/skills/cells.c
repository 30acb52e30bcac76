// Cells of observations and their changes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/cells.h"

#include <math.h>
#include <string.h>
#include "skills/flag_bits.h"

slt_cell_shape slt_cells_of(const slt_dataset_info *info) {
    slt_cell_shape shape = {.size = info->observation_size, .channels = 1};
    int64_t last = info->observation_rank ? info->observation_shape[info->observation_rank - 1] : 1;
    if (info->observation_rank > 1 && last <= SLT_CELL_CHANNELS) shape.channels = (int)last;
    if (info->observation_kind == SLT_OBSERVATIONS_NONE ||
        shape.size / shape.channels > SLT_MOST_CELLS)
        shape.size = 0;
    shape.cells = (int32_t)(shape.size / shape.channels);
    return shape;
}

slt_status slt_step_change_init(slt_step_change *change, slt_arena *arena, slt_cell_shape shape) {
    *change = (slt_step_change){.shape = shape};
    size_t size = (size_t)shape.size + 1;
    SLT_TRY(SLT_NEW(arena, &change->reals, size));
    SLT_TRY(SLT_NEW(arena, &change->before, size));
    SLT_TRY(SLT_NEW(arena, &change->after, size));
    return SLT_NEW(arena, &change->changed, (size_t)shape.cells + 1);
}

static slt_status read_one(slt_step_change *change, const slt_dataset_info *info,
                           const slt_episode *episode, int64_t t, uint8_t *out, bool *symbols) {
    SLT_TRY(slt_episode_observe(info, episode, t, change->reals));
    for (int64_t i = 0; i < change->shape.size; i++) {
        float value = change->reals[i];
        bool fine = value >= 0 && value <= 255 && value == floorf(value);
        *symbols = *symbols && fine;
        out[i] = fine ? (uint8_t)value : 0;
    }
    return SLT_OK;
}

void slt_step_change_find(slt_step_change *change) {
    int64_t size = (int64_t)change->shape.cells * change->shape.channels;
    int32_t count = 0, last = -1;
    for (int64_t i = 0; i < size; i += SLT_FLAGS) {
        uint64_t left = slt_differences(change->before, change->after, i, size);
        for (; left; left &= left - 1) {
            int32_t cell = (int32_t)((i + __builtin_ctzll(left)) / change->shape.channels);
            if (cell != last) change->changed[count++] = last = cell;
        }
    }
    change->changed_count = count;
}

slt_status slt_step_change_read(slt_step_change *change, const slt_dataset_info *info,
                                const slt_episode *episode, int64_t t, bool *symbols) {
    *symbols = true;
    change->changed_count = 0;
    change->known = change->shape.size && (t + 1 < episode->length || info->has_finals);
    if (!change->known) return SLT_OK;
    SLT_TRY(read_one(change, info, episode, t, change->before, symbols));
    SLT_TRY(read_one(change, info, episode, t + 1, change->after, symbols));
    slt_step_change_find(change);
    return SLT_OK;
}

int slt_cell_atoms(const slt_step_change *change, int32_t cell, slt_atom *out) {
    int C = change->shape.channels, count = 0;
    const uint8_t *before = change->before + (size_t)cell * (size_t)C;
    const uint8_t *after = change->after + (size_t)cell * (size_t)C;
    for (int channels = 1; channels < 1 << C; channels++) {
        slt_atom atom = {.cell = cell, .channels = (uint8_t)channels};
        for (int c = 0; c < C && c < SLT_CELL_CHANNELS; c++) {
            if (!(channels >> c & 1)) continue;
            atom.before[c] = before[c];
            atom.after[c] = after[c];
        }
        if (memcmp(atom.before, atom.after, sizeof atom.before) != 0) out[count++] = atom;
    }
    return count;
}

bool slt_change_has(const slt_step_change *change, const slt_atom *atom) {
    int C = change->shape.channels;
    const uint8_t *before = change->before + (size_t)atom->cell * (size_t)C;
    const uint8_t *after = change->after + (size_t)atom->cell * (size_t)C;
    for (int c = 0; c < C && c < SLT_CELL_CHANNELS; c++)
        if (atom->channels >> c & 1 && (before[c] != atom->before[c] || after[c] != atom->after[c]))
            return false;
    return memcmp(before, after, (size_t)C) != 0;
}
