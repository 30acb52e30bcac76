// A shelf: rows that batches are made of, kept on a device. They are sent once; a step then says
// which of them it takes (slt_excerpt), and the device puts them into their places. What a row
// means is the caller's.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_SHELF_H
#define SLT_ENGINE_SHELF_H

#include "engine/tape.h"

enum { SLT_COLUMNS = 4 };

// what a row has of one kind
typedef struct {
    slt_type type;
    int width;    // as the variable that it is for
    int64_t ones; // of bits: those of all rows, at most
} slt_column;

struct slt_shelf {
    slt_context *context;
    slt_device *device;
    slt_column column[SLT_COLUMNS];
    int columns;
    int64_t room, rows; // that may come, that are there
    void *on_device;
};

// room for so many rows on the context's device; NOMEM, with what is wanted, where it has none.
// *out is NULL on the CPU, which reads batches where they are
slt_status slt_shelf_create(slt_context *context, const slt_column *columns, int count,
                            int64_t rows, slt_shelf **out);
void slt_shelf_destroy(slt_shelf *shelf);

// more rows, behind those that are there: of every column what slt_tape_feed takes
slt_status slt_shelf_add(slt_shelf *shelf, const void *const *data, int rows);

#endif
