// Shelves on the device: columns of rows, sent once. A shelf takes a quarter of the memory that is
// free at most: models come first.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_device.h"

enum { SHARE = 4 };

static size_t row_bytes(const slt_column *column) {
    return column->type == SLT_BITS ? sizeof(int64_t) : (size_t)column->width * sizeof(float);
}

// offsets have one more
static bool column_bytes(const slt_shelf *shelf, int i, size_t *rows, size_t *ones) {
    const slt_column *column = &shelf->column[i];
    return slt_size_mul((size_t)shelf->room + 1, row_bytes(column), rows) &&
           slt_size_mul((size_t)column->ones, sizeof(uint16_t), ones);
}

static slt_status check_room(const slt_cuda *cuda, const slt_shelf *shelf) {
    size_t free_bytes = 0, total = 0;
    double wanted = 0;
    for (int i = 0; i < shelf->columns; i++) {
        size_t rows, ones;
        if (!column_bytes(shelf, i, &rows, &ones)) SLT_FAIL(SLT_NOMEM, "rows without end");
        wanted += (double)rows + (double)ones;
    }
    cudaMemGetInfo(&free_bytes, &total);
    if (SHARE * wanted <= (double)free_bytes) return SLT_OK;
    SLT_FAIL(SLT_NOMEM,
             "CUDA device %d: a data set of %.1f MB does not fit into %.0f MB of free memory",
             cuda->number, 1e-6 * wanted, 1e-6 * (double)free_bytes);
}

slt_status slt_cuda_shelf_open(slt_shelf *shelf) {
    slt_cuda *cuda = (slt_cuda *)shelf->device;
    slt_cuda_shelf *there;
    SLT_TRY(check_room(cuda, shelf));
    SLT_TRY(SLT_ALLOC(&shelf->context->allocator, &there, 1));
    shelf->on_device = there;
    for (int i = 0; i < shelf->columns; i++) {
        size_t rows, ones;
        column_bytes(shelf, i, &rows, &ones);
        SLT_TRY(slt_cuda_alloc(cuda, rows, (void **)&there->rows[i]));
        if (shelf->column[i].type == SLT_BITS)
            SLT_TRY(slt_cuda_alloc(cuda, ones, (void **)&there->ones[i]));
    }
    return SLT_OK;
}

void slt_cuda_shelf_close(slt_shelf *shelf) {
    slt_cuda *cuda = (slt_cuda *)shelf->device;
    slt_cuda_shelf *there = shelf->on_device;
    for (int i = 0; there && i < shelf->columns; i++) {
        slt_cuda_free(cuda, there->rows[i]);
        slt_cuda_free(cuda, there->ones[i]);
    }
    slt_free(&shelf->context->allocator, there);
}

// ---- more rows

static slt_status send(slt_cuda *cuda, void *to, const void *from, size_t bytes) {
    if (bytes)
        SLT_CUDA_TRY(cuda, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cuda->stream),
                     "sending a data set");
    return slt_cuda_rest(cuda); // whoever sent it may write there again
}

// offsets count from the first row of all
static slt_status add_bits(slt_shelf *shelf, int i, const slt_bits *bits, int rows) {
    slt_cuda *cuda = (slt_cuda *)shelf->device;
    slt_cuda_shelf *there = shelf->on_device;
    int64_t ones = bits->offset[rows] - bits->offset[0], before = there->count[i], *offset;
    if (ones > shelf->column[i].ones - before)
        SLT_FAIL(SLT_RANGE, "%lld ones for a shelf with %lld of %lld", (long long)ones,
                 (long long)before, (long long)shelf->column[i].ones);
    SLT_TRY(SLT_ALLOC(&shelf->context->allocator, &offset, (size_t)rows + 1));
    for (int r = 0; r <= rows; r++) offset[r] = before + bits->offset[r] - bits->offset[0];
    slt_status status = send(cuda, (int64_t *)(void *)there->rows[i] + shelf->rows, offset,
                             ((size_t)rows + 1) * sizeof *offset);
    slt_free(&shelf->context->allocator, offset);
    SLT_TRY(status);
    there->count[i] += ones;
    return send(cuda, there->ones[i] + before, bits->index + bits->offset[0],
                (size_t)ones * sizeof *bits->index);
}

slt_status slt_cuda_shelf_add(slt_shelf *shelf, const void *const *data, int rows) {
    slt_cuda *cuda = (slt_cuda *)shelf->device;
    const slt_cuda_shelf *there = shelf->on_device;
    for (int i = 0; i < shelf->columns; i++) {
        size_t each = row_bytes(&shelf->column[i]);
        SLT_TRY(shelf->column[i].type == SLT_BITS
                    ? add_bits(shelf, i, data[i], rows)
                    : send(cuda, there->rows[i] + (size_t)shelf->rows * each, data[i],
                           (size_t)rows * each));
    }
    return SLT_OK;
}
