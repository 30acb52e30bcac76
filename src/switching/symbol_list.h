// Episodes of symbols as a device reads them (engine/device_symbols.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_SYMBOL_LIST_H
#define SLT_SWITCHING_SYMBOL_LIST_H

#include "engine/device_symbols.h"
#include "switching/symbol_chain.h"

// what a key says of a row: of the step before, its action and symbol (-1: there is none; of phases
// they do not matter), and the action
typedef struct {
    int32_t before, symbol, action;
} slt_symbol_key;

typedef struct {
    slt_symbol_list list;
    slt_symbol_key *keys; // [list.keys]
    double *last;         // [Q] sequences that end with a symbol
} slt_symbol_reading;

// The given episodes in that order, NULL: the first `count`; those without steps are left out.
slt_status slt_symbol_read_list(slt_arena *arena, const slt_symbols *symbols,
                                slt_symbol_family family, const int64_t *episodes, int64_t count,
                                slt_symbol_reading *out);

#endif
