// Types by effect, learned: which atoms and cells change at ends only, and which effects are
// frequent.
//
//   specific atom   at ends at least 5 times, and in 85 % of its occurrences
//   still cell      its changes are so; LATE when only the ends of episodes say it
//   symbol          of a still cell: of the fewest atoms that cover its changes, the first that
//                   fits; of an end that changed no still cell, or a late one: the same with the
//                   specific atoms of all other cells
//   effect          (last action, symbols); at least max(5, 0.5 %) of all ends make it a type
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "skills/types_impl.h"

enum { LEAST = 5, MOST_KEPT = 1 << 24 };
static const double SHARE = 0.85, RARE = 0.005;

typedef struct {
    int64_t at_ends, all;
} tally;

typedef struct {
    const slt_segment_source *source;
    slt_types *types;
    slt_arena *arena;
    slt_step_change change;
    slt_key_map atoms;
    // ends, one after another: action, and the numbers of their atoms
    int32_t *actions;
    int64_t *starts; // [ends+1]
    int64_t ends, kept, room;
    int32_t *kept_atoms;           // [kept]
    tally *of_atoms;               // [atoms.count]
    tally *of_cells, *before_last; // [cells]; the second without the last steps of episodes
    bool too_many;
} learner;

// ---- what ends change

static slt_status keep_atom(learner *l, int32_t atom) {
    if (l->kept == l->room) {
        int32_t *more;
        l->room = l->room ? 2 * l->room : 4096;
        SLT_TRY(SLT_NEW(l->arena, &more, (size_t)l->room));
        if (l->kept) memcpy(more, l->kept_atoms, (size_t)l->kept * sizeof *more);
        l->kept_atoms = more;
    }
    l->kept_atoms[l->kept++] = atom;
    return SLT_OK;
}

static slt_status add_end(learner *l, int32_t action) {
    slt_atom atoms[1 << SLT_CELL_CHANNELS];
    l->actions[l->ends++] = action;
    for (int32_t i = 0; i < l->change.changed_count; i++) {
        int count = slt_cell_atoms(&l->change, l->change.changed[i], atoms);
        for (int k = 0; k < count; k++) {
            int32_t number;
            if (l->kept >= MOST_KEPT) return l->too_many = true, SLT_OK;
            SLT_TRY(slt_key_map_add(&l->atoms, &atoms[k], &number));
            SLT_TRY(keep_atom(l, number));
        }
    }
    l->starts[l->ends] = l->kept;
    return SLT_OK;
}

static slt_status find_ends(learner *l, bool *symbols) {
    const slt_segment_source *s = l->source;
    for (int64_t i = 0; i < s->count; i++) {
        slt_episode episode;
        const int32_t *ids;
        bool segmented;
        SLT_TRY(slt_context_check(l->types->context));
        SLT_TRY(slt_source_episode(s, i, &episode, &ids, &segmented));
        for (int64_t t = 0; segmented && t < episode.length; t++) {
            if (!slt_ends_at(ids, episode.length, t)) continue;
            SLT_TRY(slt_step_change_read(&l->change, s->info, &episode, t, symbols));
            if (!*symbols) return SLT_OK;
            SLT_TRY(add_end(l, slt_episode_action(&episode, t)));
            if (l->too_many) return SLT_OK;
        }
    }
    return SLT_OK;
}

// ---- how often else

static void count_step(learner *l, bool end, bool last) {
    slt_atom atoms[1 << SLT_CELL_CHANNELS];
    for (int32_t i = 0; i < l->change.changed_count; i++) {
        int32_t cell = l->change.changed[i], number;
        tally *cells[] = {l->of_cells, l->before_last};
        for (int k = 0; k < (last ? 1 : 2); k++) {
            cells[k][cell].all++;
            cells[k][cell].at_ends += end;
        }
        int count = slt_cell_atoms(&l->change, cell, atoms);
        for (int k = 0; k < count; k++) {
            if ((number = slt_key_map_find(&l->atoms, &atoms[k])) < 0) continue;
            l->of_atoms[number].all++;
            l->of_atoms[number].at_ends += end;
        }
    }
}

static slt_status count_steps(learner *l) {
    const slt_segment_source *s = l->source;
    SLT_TRY(SLT_NEW(l->arena, &l->of_atoms, (size_t)l->atoms.count + 1));
    SLT_TRY(SLT_NEW(l->arena, &l->of_cells, (size_t)l->change.shape.cells + 1));
    SLT_TRY(SLT_NEW(l->arena, &l->before_last, (size_t)l->change.shape.cells + 1));
    for (int64_t i = 0; l->change.shape.size && i < s->count; i++) {
        slt_episode episode;
        const int32_t *ids;
        bool segmented, symbols;
        SLT_TRY(slt_context_check(l->types->context));
        SLT_TRY(slt_source_episode(s, i, &episode, &ids, &segmented));
        for (int64_t t = 0; segmented && t < episode.length; t++) {
            SLT_TRY(slt_step_change_read(&l->change, s->info, &episode, t, &symbols));
            count_step(l, slt_ends_at(ids, episode.length, t), t + 1 == episode.length);
        }
    }
    return SLT_OK;
}

static bool only_at_ends(const tally *t) {
    return t->at_ends >= LEAST && (double)t->at_ends >= SHARE * (double)t->all;
}

static void sort_cells(learner *l) {
    for (int32_t c = 0; c < l->change.shape.cells; c++) {
        if (!only_at_ends(&l->of_cells[c])) continue;
        bool still = only_at_ends(&l->before_last[c]);
        l->types->cells[c] = still ? SLT_CELL_STILL : SLT_CELL_LATE;
    }
}

// ---- symbols: the fewest atoms that cover the ends, greedily

static const slt_atom *atom_at(const learner *l, int32_t number) {
    return slt_key_map_at(&l->atoms, number);
}

// of a still cell: its own atoms; cell -1: specific atoms of all cells that are not still
static bool may_cover(const learner *l, int32_t number, int32_t cell) {
    int32_t own = atom_at(l, number)->cell;
    if (cell >= 0) return own == cell;
    return l->types->cells[own] != SLT_CELL_STILL && only_at_ends(&l->of_atoms[number]);
}

// does an end need a symbol of its own?
static bool is_open(const learner *l, int64_t end, int32_t cell) {
    bool still = false, late = false;
    if (cell >= 0) return true;
    for (int64_t i = l->starts[end]; i < l->starts[end + 1]; i++) {
        int kind = l->types->cells[atom_at(l, l->kept_atoms[i])->cell];
        still = still || kind == SLT_CELL_STILL;
        late = late || kind == SLT_CELL_LATE;
    }
    return !still || late;
}

// counts of atoms over open ends; the best one, or -1
static int32_t best_atom(const learner *l, const uint8_t *open, int32_t cell, int32_t *counts) {
    int32_t best = -1;
    memset(counts, 0, (size_t)l->atoms.count * sizeof *counts);
    for (int64_t e = 0; e < l->ends; e++)
        for (int64_t i = l->starts[e]; open[e] && i < l->starts[e + 1]; i++)
            if (may_cover(l, l->kept_atoms[i], cell)) counts[l->kept_atoms[i]]++;
    for (int32_t a = 0; a < l->atoms.count; a++) {
        if (counts[a] < LEAST || (best >= 0 && counts[a] < counts[best])) continue;
        bool simpler = best < 0 || __builtin_popcount(atom_at(l, a)->channels) <
                                       __builtin_popcount(atom_at(l, best)->channels);
        if (best < 0 || counts[a] > counts[best] || simpler) best = a;
    }
    return best;
}

static slt_status cover(learner *l, int32_t cell) {
    slt_arena_mark mark = slt_arena_now(l->arena);
    uint8_t *open;
    int32_t *counts, best;
    SLT_TRY(SLT_NEW(l->arena, &open, (size_t)l->ends + 1));
    SLT_TRY(SLT_NEW(l->arena, &counts, (size_t)l->atoms.count + 1));
    for (int64_t e = 0; e < l->ends; e++) open[e] = is_open(l, e, cell);
    while ((best = best_atom(l, open, cell, counts)) >= 0) {
        l->types->symbols[l->types->symbol_count++] = *atom_at(l, best);
        for (int64_t e = 0; e < l->ends; e++)
            for (int64_t i = l->starts[e]; i < l->starts[e + 1]; i++)
                if (l->kept_atoms[i] == best) open[e] = 0;
    }
    slt_arena_reset(l->arena, mark);
    return SLT_OK;
}

static slt_status find_symbols(learner *l) {
    slt_types *types = l->types;
    // every symbol covers at least LEAST ends that none before it covers
    SLT_TRY(SLT_NEW(&types->arena, &types->symbols, (size_t)l->atoms.count + 1));
    for (int32_t c = 0; c < types->shape.cells; c++)
        if (types->cells[c] == SLT_CELL_STILL) SLT_TRY(cover(l, c));
    types->still_symbols = types->symbol_count;
    return cover(l, -1);
}

// ---- effects

// at ends, or, of effects that ends have, elsewhere
static slt_status count_effects(learner *l, bool at_ends, slt_key_map *found, tally *times) {
    const slt_segment_source *s = l->source;
    for (int64_t i = 0; i < s->count; i++) {
        slt_episode episode;
        const int32_t *ids;
        bool segmented, symbols;
        SLT_TRY(slt_context_check(l->types->context));
        SLT_TRY(slt_source_episode(s, i, &episode, &ids, &segmented));
        for (int64_t t = 0; segmented && t < episode.length; t++) {
            slt_effect effect;
            int32_t number;
            if (slt_ends_at(ids, episode.length, t) != at_ends) continue;
            SLT_TRY(slt_step_change_read(&l->change, s->info, &episode, t, &symbols));
            slt_effect_of(l->types, &l->change, slt_episode_action(&episode, t), &effect);
            if (at_ends)
                SLT_TRY(slt_key_map_add(found, &effect, &number));
            else if ((number = slt_key_map_find(found, &effect)) < 0)
                continue;
            times[number].all++;
            times[number].at_ends += at_ends;
        }
    }
    return SLT_OK;
}

// the frequent ones, the most frequent first
static slt_status keep_frequent(learner *l, const slt_key_map *found, tally *times) {
    slt_types *types = l->types;
    double least = RARE * (double)l->ends > LEAST ? RARE * (double)l->ends : LEAST;
    if (l->ends < 2 * LEAST) least = 1;
    SLT_TRY(SLT_NEW(&types->arena, &types->times, SLT_MOST_TYPES));
    SLT_TRY(SLT_NEW(&types->arena, &types->occurrences, SLT_MOST_TYPES));
    while (types->count < SLT_MOST_TYPES) {
        int32_t best = -1, number;
        for (int32_t i = 0; i < found->count; i++)
            if (times[i].at_ends > 0 && (best < 0 || times[i].at_ends > times[best].at_ends))
                best = i;
        if (best < 0 || (double)times[best].at_ends < least) break;
        SLT_TRY(slt_key_map_add(&types->effects, slt_key_map_at(found, best), &number));
        types->occurrences[types->count] = times[best].all;
        types->times[types->count++] = times[best].at_ends;
        times[best].at_ends = 0;
    }
    return SLT_OK;
}

// ---- the whole

static slt_status prepare(learner *l, bool with_observations) {
    const slt_segment_source *s = l->source;
    slt_types *types = l->types;
    int64_t steps = 0;
    types->shape = slt_cells_of(s->info);
    if (!with_observations) types->shape = (slt_cell_shape){.channels = 1};
    for (int64_t i = 0; i < s->count; i++) {
        const int64_t *offsets = slt_dataset_offsets(s->data) + s->episodes[i];
        steps += offsets[1] - offsets[0];
    }
    SLT_TRY(SLT_NEW(&types->arena, &types->cells, (size_t)types->shape.cells + 1));
    SLT_TRY(slt_step_change_init(&l->change, l->arena, types->shape));
    SLT_TRY(slt_key_map_init(&l->atoms, l->arena, sizeof(slt_atom)));
    SLT_TRY(SLT_NEW(l->arena, &l->actions, (size_t)steps + 1));
    return SLT_NEW(l->arena, &l->starts, (size_t)steps + 2);
}

slt_status slt_effects_learn(slt_types *types, const slt_segment_source *source, bool *symbols) {
    learner l = {.source = source, .types = types, .arena = source->arena};
    slt_key_map found;
    tally *times;
    SLT_TRY(prepare(&l, true));
    SLT_TRY(find_ends(&l, symbols));
    if (!*symbols) return SLT_OK;
    if (l.too_many) { // pictures, not symbols: the action alone
        l = (learner){.source = source, .types = types, .arena = source->arena};
        SLT_TRY(prepare(&l, false));
        SLT_TRY(find_ends(&l, symbols));
    }
    SLT_TRY(count_steps(&l));
    sort_cells(&l);
    SLT_TRY(find_symbols(&l));
    SLT_TRY(slt_key_map_init(&found, l.arena, sizeof(slt_effect)));
    SLT_TRY(SLT_NEW(l.arena, &times, (size_t)l.ends + 1));
    SLT_TRY(count_effects(&l, true, &found, times));
    SLT_TRY(count_effects(&l, false, &found, times));
    return keep_frequent(&l, &found, times);
}
