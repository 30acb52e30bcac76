// Symbol chains that a device works on together: what it is told of them, and what its sums say.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_SYMBOL_GROUP_H
#define SLT_SWITCHING_SYMBOL_GROUP_H

#include "core/context_impl.h"
#include "engine/device.h"
#include "switching/symbol_learn.h"
#include "switching/symbol_list.h"

typedef struct {
    slt_context *context;
    slt_device *device;
    const slt_symbol_device *kind;
    slt_arena arena;
    slt_symbol_pass *pass;
    bool paths;
    int count, lists;
    slt_symbol_reading *readings;   // [lists]
    const slt_symbol_chain **chain; // [count]
    int laws, keys, rows;           // most of a member, laws padded; most of a list
    slt_symbol_law *law;            // [count]: the caller sets `list` and `idle`
    double *tables, *sums;          // [count][keys][...]
    slt_symbol_totals *totals;      // [count]
} slt_symbol_group;

slt_status slt_symbol_group_init(slt_symbol_group *group, slt_context *context, int count,
                                 int lists);
// once readings, chains and their lists are set
slt_status slt_symbol_group_open(slt_symbol_group *group);
void slt_symbol_group_deinit(slt_symbol_group *group);

// sends what the chains are now
slt_status slt_symbol_group_load(slt_symbol_group *group);
slt_status slt_symbol_group_expect(slt_symbol_group *group);
// a member's sums and the nats of its episodes, after expect
double slt_symbol_group_sums(const slt_symbol_group *group, int member, slt_symbol_sums *out);
// ends after each symbol, and those before a segment of one step [Q]
void slt_symbol_group_ends(const slt_symbol_group *group, int member, double *ends, double *single);

// how many chains have room for their values and sums here
int slt_symbol_in_memory(slt_symbol_family family, int A);
// how many like this one, of any number of laws, fit on a device, too, with so many rows each
int slt_symbol_at_once(const slt_symbol_chain *chain, int64_t rows, bool paths);

#endif
