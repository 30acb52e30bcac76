// Device rows: rows that batches are made of, kept on a device. They are sent once; a step then
// says which of them it takes (slt_row_slice), and the device puts them into their places. What a
// row means is the caller's.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_DEVICE_ROWS_H
#define SLT_ENGINE_DEVICE_ROWS_H

#include "engine/tape.h"

enum { SLT_COLUMNS = 4 };

// what a row has of one kind
typedef struct {
    slt_type type;
    int width;    // as the variable that it is for
    int64_t ones; // of bits: those of all rows, at most
} slt_row_column;

struct slt_device_rows {
    slt_context *context;
    slt_device *device;
    slt_row_column column[SLT_COLUMNS];
    int columns;
    int64_t room, rows; // that may come, that are there
    void *on_device;
};

// room for so many rows on the context's device; NOMEM, with what is wanted, where it has none.
// *out is NULL on the CPU, which reads batches where they are
slt_status slt_device_rows_create(slt_context *context, const slt_row_column *columns, int count,
                                  int64_t rows, slt_device_rows **out);
void slt_device_rows_destroy(slt_device_rows *rows_of_device);

// more rows, after those that are there: of every column what slt_tape_feed takes
slt_status slt_device_rows_add(slt_device_rows *rows_of_device, const void *const *data, int rows);

#endif
