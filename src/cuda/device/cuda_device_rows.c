// Shelves on the device: columns of rows, sent once. Device rows takes a quarter of the memory that
// is free at most: models come first.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_device.h"

enum { SHARE = 4 };

static size_t row_bytes(const slt_row_column *column) {
    return column->type == SLT_BITS ? sizeof(int64_t) : (size_t)column->width * sizeof(float);
}

// offsets have one more
static bool column_bytes(const slt_device_rows *rows_of_device, int i, size_t *rows, size_t *ones) {
    const slt_row_column *column = &rows_of_device->column[i];
    return slt_size_mul((size_t)rows_of_device->room + 1, row_bytes(column), rows) &&
           slt_size_mul((size_t)column->ones, sizeof(uint16_t), ones);
}

static slt_status check_room(const slt_cuda *cuda, const slt_device_rows *rows_of_device) {
    size_t free_bytes = 0, total = 0;
    double wanted = 0;
    for (int i = 0; i < rows_of_device->columns; i++) {
        size_t rows, ones;
        if (!column_bytes(rows_of_device, i, &rows, &ones)) SLT_FAIL(SLT_NOMEM, "rows without end");
        wanted += (double)rows + (double)ones;
    }
    cudaMemGetInfo(&free_bytes, &total);
    if (SHARE * wanted <= (double)free_bytes) return SLT_OK;
    SLT_FAIL(SLT_NOMEM,
             "CUDA device %d: a data set of %.1f MB does not fit into %.0f MB of free memory",
             cuda->number, 1e-6 * wanted, 1e-6 * (double)free_bytes);
}

slt_status slt_cuda_device_rows_open(slt_device_rows *rows_of_device) {
    slt_cuda *cuda = (slt_cuda *)rows_of_device->device;
    slt_cuda_device_rows *there;
    SLT_TRY(check_room(cuda, rows_of_device));
    SLT_TRY(SLT_ALLOC(&rows_of_device->context->allocator, &there, 1));
    rows_of_device->on_device = there;
    for (int i = 0; i < rows_of_device->columns; i++) {
        size_t rows, ones;
        column_bytes(rows_of_device, i, &rows, &ones);
        SLT_TRY(slt_cuda_alloc(cuda, rows, (void **)&there->rows[i]));
        if (rows_of_device->column[i].type == SLT_BITS)
            SLT_TRY(slt_cuda_alloc(cuda, ones, (void **)&there->ones[i]));
    }
    return SLT_OK;
}

void slt_cuda_device_rows_close(slt_device_rows *rows_of_device) {
    slt_cuda *cuda = (slt_cuda *)rows_of_device->device;
    slt_cuda_device_rows *there = rows_of_device->on_device;
    for (int i = 0; there && i < rows_of_device->columns; i++) {
        slt_cuda_free(cuda, there->rows[i]);
        slt_cuda_free(cuda, there->ones[i]);
    }
    slt_free(&rows_of_device->context->allocator, there);
}

// ---- more rows

static slt_status send(slt_cuda *cuda, void *to, const void *from, size_t bytes) {
    if (bytes)
        SLT_CUDA_TRY(cuda, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cuda->stream),
                     "sending a data set");
    return slt_cuda_rest(cuda); // whoever sent it may write there again
}

// offsets count from the first row of all
static slt_status add_bits(slt_device_rows *rows_of_device, int i, const slt_bits *bits, int rows) {
    slt_cuda *cuda = (slt_cuda *)rows_of_device->device;
    slt_cuda_device_rows *there = rows_of_device->on_device;
    int64_t ones = bits->offset[rows] - bits->offset[0], before = there->count[i], *offset;
    if (ones > rows_of_device->column[i].ones - before)
        SLT_FAIL(SLT_RANGE, "%lld ones for device rows with %lld of %lld", (long long)ones,
                 (long long)before, (long long)rows_of_device->column[i].ones);
    SLT_TRY(SLT_ALLOC(&rows_of_device->context->allocator, &offset, (size_t)rows + 1));
    for (int r = 0; r <= rows; r++) offset[r] = before + bits->offset[r] - bits->offset[0];
    slt_status status = send(cuda, (int64_t *)(void *)there->rows[i] + rows_of_device->rows, offset,
                             ((size_t)rows + 1) * sizeof *offset);
    slt_free(&rows_of_device->context->allocator, offset);
    SLT_TRY(status);
    there->count[i] += ones;
    return send(cuda, there->ones[i] + before, bits->index + bits->offset[0],
                (size_t)ones * sizeof *bits->index);
}

slt_status slt_cuda_device_rows_add(slt_device_rows *rows_of_device, const void *const *data,
                                    int rows) {
    slt_cuda *cuda = (slt_cuda *)rows_of_device->device;
    const slt_cuda_device_rows *there = rows_of_device->on_device;
    for (int i = 0; i < rows_of_device->columns; i++) {
        size_t each = row_bytes(&rows_of_device->column[i]);
        SLT_TRY(rows_of_device->column[i].type == SLT_BITS
                    ? add_bits(rows_of_device, i, data[i], rows)
                    : send(cuda, there->rows[i] + (size_t)rows_of_device->rows * each, data[i],
                           (size_t)rows * each));
    }
    return SLT_OK;
}
