// Shelves.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/shelf.h"

#include <string.h>
#include "engine/device.h"

slt_status slt_shelf_create(slt_context *context, const slt_column *columns, int count,
                            int64_t rows, slt_shelf **out) {
    slt_device *device;
    slt_shelf *shelf;
    *out = NULL;
    SLT_TRY(slt_device_open(context, &device));
    if (!device) return SLT_OK;
    SLT_TRY(SLT_ALLOC(&context->allocator, &shelf, 1));
    *shelf = (slt_shelf){.context = context, .device = device, .columns = count, .room = rows};
    memcpy(shelf->column, columns, (size_t)count * sizeof *columns);
    slt_status status = device->kind->shelf_open(shelf);
    if (status != SLT_OK) {
        slt_shelf_destroy(shelf);
        return status;
    }
    *out = shelf;
    return SLT_OK;
}

void slt_shelf_destroy(slt_shelf *shelf) {
    if (!shelf) return;
    shelf->device->kind->shelf_close(shelf);
    slt_free(&shelf->context->allocator, shelf);
}

slt_status slt_shelf_add(slt_shelf *shelf, const void *const *data, int rows) {
    if (rows > shelf->room - shelf->rows)
        SLT_FAIL(SLT_RANGE, "%d rows for a shelf with %lld of %lld rows", rows,
                 (long long)shelf->rows, (long long)shelf->room);
    SLT_TRY(shelf->device->kind->shelf_add(shelf, data, rows));
    shelf->rows += rows;
    return SLT_OK;
}
