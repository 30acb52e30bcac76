// Symbol chains on a device (switching/symbol_chain.h says what they are): forward and backward,
// sums over steps and likeliest paths, of all members at once. Starts, closed-form steps and tables
// stay on the host.
//
// A step is a row with a key: what happened at it and before it, which decides how likely it is.
// With the tables p and f of a member,
//
//   alpha_t(n,k) = p(key_t,k) sum_j alpha_{t-1}(n,j) I_jk + f(key_t,k) sum_j alpha_{t-1}(n-1,j)
//   X_jk
//
// and f(key,k) alone at the first row of a sequence. n counts segments, where the number is told.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_DEVICE_SYMBOLS_H
#define SLT_ENGINE_DEVICE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "slottar/status.h"

// Laws at most, and in steps of how many: a member's K laws are padded with laws that have no
// chance.
enum { SLT_SYMBOL_LAWS = 16, SLT_SYMBOL_LAW_STEP = 4 };

static inline int slt_symbol_padded(int K) {
    return (K + SLT_SYMBOL_LAW_STEP - 1) / SLT_SYMBOL_LAW_STEP * SLT_SYMBOL_LAW_STEP;
}

// What members read: sequences of rows. `order` has the rows by their keys, in parts of a bounded
// number of rows with one key each.
typedef struct {
    int rows, sequences, keys, parts;
    const int32_t *key;       // [rows]; ~key at the first row of a sequence
    const int32_t *sequence;  // [sequences+1] first rows, and the end
    const int32_t *order;     // [rows]
    const int32_t *part;      // [parts+1] places in `order`
    const int32_t *key_parts; // [keys+1] first parts of the keys
} slt_symbol_list;

typedef struct {
    int count, lists;
    const slt_symbol_list *list;
    int laws;            // most of a member, padded
    int counts;          // most segments that are told; 0: not told
    const double *prior; // [counts] chances of 1 ... segments, or for paths their logs
    bool paths;          // for likeliest paths; else for sums
} slt_symbol_task;

// Moves, or for paths their logs; of a member that is idle nothing is computed.
typedef struct {
    int32_t idle, list, laws; // laws: padded
    int32_t phases;           // a row's law counts, not whether it was entered
    int32_t changes, crosses; // the law may change inside a segment; segments may end
    uint8_t group[SLT_SYMBOL_LAWS];
    double same[SLT_SYMBOL_LAWS];                     // the diagonal of `inside`
    double inside[SLT_SYMBOL_LAWS * SLT_SYMBOL_LAWS]; // [laws][laws], packed
    double across[SLT_SYMBOL_LAWS * SLT_SYMBOL_LAWS];
} slt_symbol_law;

// of a key: stay [laws], enter [laws] (phases: the law at the row), ends and ends before a segment
// of a single step (not told)
static inline size_t slt_symbol_columns(int laws) { return 2 * (size_t)laws + 2; }

// over all rows; moves [laws][laws] are not yet weighted with their chances
typedef struct {
    double nats, moves[SLT_SYMBOL_LAWS * SLT_SYMBOL_LAWS];
} slt_symbol_totals;

typedef struct slt_symbol_pass slt_symbol_pass;

// All arrays belong to the caller and hold all members; keys and rows: the most of a list.
typedef struct {
    slt_status (*open)(void *device, const slt_symbol_task *task, slt_symbol_pass **out);
    void (*close)(slt_symbol_pass *pass);
    // tables: [count][keys][2][task's laws]: p and f, or for paths their logs
    slt_status (*load)(slt_symbol_pass *pass, const slt_symbol_law *law, const double *tables);
    // forward and backward; sums: [count][keys][columns of the task's laws]
    slt_status (*expect)(slt_symbol_pass *pass, slt_symbol_totals *totals, double *sums);
    // boundaries and laws (that stand for their groups) [count][rows]
    slt_status (*paths)(slt_symbol_pass *pass, uint8_t *cut, uint8_t *law);
} slt_symbol_device;

#endif
