// Episodes of symbols as a device reads them: keys are numbered as they come when sorted by symbol
// before and action, and rows are sorted by them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/symbol_list.h"
#include "switching/symbol_impl.h"

enum { PART_ROWS = 512 }; // with one key, summed by one block

typedef struct {
    slt_symbol_reading *out;
    const slt_symbols *symbols;
    bool events;
    const int64_t *episodes;
    int64_t count;
    size_t codes;                    // numbers that a row's code can be
    int32_t *code, *sequence, *rows; // [rows], [sequences+1], [codes]: rows with this code
} reader;

static slt_symbol_episode episode_at(const reader *r, int64_t i) {
    return slt_symbol_episode_view(r->symbols, r->episodes ? r->episodes[i] : i);
}

static slt_status reserve(slt_arena *arena, slt_arena *scratch, reader *r) {
    int64_t rows = 0;
    int sequences = 0;
    for (int64_t i = 0; i < r->count; i++) {
        int64_t T = episode_at(r, i).length;
        rows += T;
        sequences += T > 0;
    }
    if (rows < 1 || rows >= INT32_MAX)
        SLT_FAIL(SLT_RANGE, "%lld steps; a device takes 1 to %d", (long long)rows, INT32_MAX - 1);
    r->out->list = (slt_symbol_list){.rows = (int)rows, .sequences = sequences};
    r->codes = ((size_t)(r->events ? r->symbols->Q : 1) + 1) * (size_t)r->symbols->A;
    SLT_TRY(SLT_NEW(arena, &r->code, (size_t)rows));
    SLT_TRY(SLT_NEW(arena, &r->sequence, (size_t)sequences + 1));
    SLT_TRY(SLT_NEW(arena, &r->out->last, (size_t)r->symbols->Q));
    return SLT_NEW(scratch, &r->rows, r->codes);
}

// code: the action at a first step; else after those, by the symbol before
static void number_codes(reader *r) {
    int32_t at = 0, A = r->symbols->A;
    int sequences = 0;
    for (int64_t i = 0; i < r->count; i++) {
        slt_symbol_episode e = episode_at(r, i);
        if (!e.length) continue;
        r->sequence[sequences++] = at;
        for (int64_t t = 0; t < e.length; t++) {
            int32_t symbol = t ? (r->events ? e.symbol[t - 1] : 0) : -1;
            r->rows[r->code[at++] = (symbol + 1) * A + e.action[t]]++;
        }
        r->out->last[e.symbol[e.length - 1]]++;
    }
    r->sequence[sequences] = at;
}

// codes that occur are keys; their rows begin at places in `order`
static slt_status number_keys(slt_arena *arena, reader *r, int32_t **place) {
    slt_symbol_list *list = &r->out->list;
    int32_t *part, *key_parts, at = 0;
    int keys = 0, parts = 0;
    for (size_t c = 0; c < r->codes; c++) {
        list->keys += r->rows[c] > 0;
        list->parts += (r->rows[c] + PART_ROWS - 1) / PART_ROWS;
    }
    SLT_TRY(SLT_NEW(arena, &r->out->keys, (size_t)list->keys));
    SLT_TRY(SLT_NEW(arena, &key_parts, (size_t)list->keys + 1));
    SLT_TRY(SLT_NEW(arena, &part, (size_t)list->parts + 1));
    SLT_TRY(SLT_NEW(arena, place, (size_t)list->keys));
    for (size_t c = 0; c < r->codes; c++) {
        int32_t rows = r->rows[c], code = (int32_t)c, A = r->symbols->A;
        if (!rows) continue;
        r->out->keys[keys] = (slt_symbol_key){.before = -1, .symbol = code / A - 1, code % A};
        key_parts[keys] = parts;
        (*place)[keys] = at;
        for (int32_t from = 0; from < rows; from += PART_ROWS) part[parts++] = at + from;
        at += rows;
        r->rows[c] = keys++;
    }
    key_parts[keys] = parts;
    part[parts] = at;
    list->part = part;
    list->key_parts = key_parts;
    return SLT_OK;
}

// codes become keys, rows are put in their order
static slt_status sort_rows(slt_arena *arena, reader *r, int32_t *place) {
    slt_symbol_list *list = &r->out->list;
    int32_t *order, at = 0;
    SLT_TRY(SLT_NEW(arena, &order, (size_t)list->rows));
    for (int64_t i = 0; i < r->count; i++) {
        slt_symbol_episode e = episode_at(r, i);
        for (int64_t t = 0; t < e.length; t++, at++) {
            int32_t key = r->rows[r->code[at]];
            if (t) r->out->keys[key].before = e.action[t - 1];
            order[place[key]++] = at;
            r->code[at] = t ? key : ~key;
        }
    }
    list->key = r->code;
    list->sequence = r->sequence;
    list->order = order;
    return SLT_OK;
}

static slt_status read_all(slt_arena *arena, slt_arena *scratch, reader *r) {
    int32_t *place;
    SLT_TRY(reserve(arena, scratch, r));
    number_codes(r);
    SLT_TRY(number_keys(arena, r, &place));
    return sort_rows(arena, r, place);
}

slt_status slt_symbol_read_list(slt_arena *arena, const slt_symbols *symbols,
                                slt_symbol_family family, const int64_t *episodes, int64_t count,
                                slt_symbol_reading *out) {
    reader r = {.out = out,
                .symbols = symbols,
                .events = family == SLT_CHAIN_EVENTS,
                .episodes = episodes,
                .count = count};
    slt_arena scratch;
    slt_arena_init(&scratch, arena->allocator, 0);
    slt_status status = read_all(arena, &scratch, &r);
    slt_arena_deinit(&scratch);
    return status;
}
