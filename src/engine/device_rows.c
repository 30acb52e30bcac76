// Shelves.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/device_rows.h"

#include <string.h>
#include "engine/device.h"

slt_status slt_device_rows_create(slt_context *context, const slt_row_column *columns, int count,
                                  int64_t rows, slt_device_rows **out) {
    slt_device *device;
    slt_device_rows *rows_of_device;
    *out = NULL;
    SLT_TRY(slt_device_open(context, &device));
    if (!device) return SLT_OK;
    SLT_TRY(SLT_ALLOC(&context->allocator, &rows_of_device, 1));
    *rows_of_device =
        (slt_device_rows){.context = context, .device = device, .columns = count, .room = rows};
    memcpy(rows_of_device->column, columns, (size_t)count * sizeof *columns);
    slt_status status = device->kind->device_rows_open(rows_of_device);
    if (status != SLT_OK) {
        slt_device_rows_destroy(rows_of_device);
        return status;
    }
    *out = rows_of_device;
    return SLT_OK;
}

void slt_device_rows_destroy(slt_device_rows *rows_of_device) {
    if (!rows_of_device) return;
    rows_of_device->device->kind->device_rows_close(rows_of_device);
    slt_free(&rows_of_device->context->allocator, rows_of_device);
}

slt_status slt_device_rows_add(slt_device_rows *rows_of_device, const void *const *data, int rows) {
    if (rows > rows_of_device->room - rows_of_device->rows)
        SLT_FAIL(SLT_RANGE, "%d more device rows where %lld of %lld rows are used", rows,
                 (long long)rows_of_device->rows, (long long)rows_of_device->room);
    SLT_TRY(rows_of_device->device->kind->device_rows_add(rows_of_device, data, rows));
    rows_of_device->rows += rows;
    return SLT_OK;
}
