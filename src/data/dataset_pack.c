// Observations of zeros and ones, stored as numbers, as the sorted places of the ones: what models
// of bits read.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "data/dataset_impl.h"

// rows of numbers of an array, and the places of their ones
typedef struct {
    const slt_array *from;
    int64_t rows, width;
    int64_t count;
    uint16_t *ones;
    int64_t *offsets;
} packing;

// 0 or 1; -1: neither
static int bit_at(const slt_array *from, int64_t at) {
    float x = from->dtype == SLT_DTYPE_U8 ? ((const uint8_t *)from->data)[at]
                                          : ((const float *)from->data)[at];
    return x == 0 ? 0 : x == 1 ? 1 : -1;
}

static slt_status count_ones(packing *p, const char *path) {
    for (int64_t i = 0; i < p->rows * p->width; i++) {
        int bit = bit_at(p->from, i);
        if (bit < 0)
            SLT_FAIL(SLT_SHAPE,
                     "%s: observations of %lld numbers, the model takes %lld bits, and number %lld "
                     "of step %lld is neither 0 nor 1",
                     path, (long long)p->width, (long long)p->width, (long long)(i % p->width),
                     (long long)(i / p->width));
        p->count += bit;
    }
    return SLT_OK;
}

static slt_status pack(slt_arena *arena, packing *p, const char *path) {
    int64_t at = 0;
    SLT_TRY(count_ones(p, path));
    SLT_TRY(SLT_NEW(arena, &p->ones, (size_t)p->count + 1));
    SLT_TRY(SLT_NEW(arena, &p->offsets, (size_t)p->rows + 1));
    for (int64_t row = 0; row < p->rows; row++) {
        for (int64_t i = 0; i < p->width; i++)
            if (bit_at(p->from, row * p->width + i) == 1) p->ones[at++] = (uint16_t)i;
        p->offsets[row + 1] = at;
    }
    return SLT_OK;
}

static slt_status pack_array(slt_dataset *data, const slt_array *from, int64_t rows,
                             const slt_array **bits, const slt_array **offsets) {
    packing p = {.from = from, .rows = rows, .width = data->info.observation_size};
    slt_array *arrays;
    SLT_TRY(pack(&data->arena, &p, data->path));
    SLT_TRY(SLT_NEW(&data->arena, &arrays, 2));
    arrays[0] = (slt_array){.dtype = SLT_DTYPE_U16, .rank = 1, .shape = {p.count}, .data = p.ones};
    arrays[1] =
        (slt_array){.dtype = SLT_DTYPE_I64, .rank = 1, .shape = {rows + 1}, .data = p.offsets};
    for (int i = 0; i < 2; i++)
        if (!slt_array_measure(&arrays[i])) SLT_FAIL(SLT_RANGE, "%s: too many ones", data->path);
    *bits = &arrays[0];
    *offsets = &arrays[1];
    return SLT_OK;
}

static slt_status fill(slt_dataset *data) {
    slt_dataset_info *info = &data->info;
    if (info->observation_size > SLT_DATA_MOST_BITS)
        SLT_FAIL(SLT_RANGE, "%s: %lld bits are more than %d", data->path,
                 (long long)info->observation_size, SLT_DATA_MOST_BITS);
    SLT_TRY(pack_array(data, data->observations, info->steps, &data->bits, &data->bits_offsets));
    if (data->finals)
        SLT_TRY(pack_array(data, data->finals, info->episodes, &data->final_bits,
                           &data->final_bits_offsets));
    info->observation_kind = SLT_OBSERVATIONS_BITS;
    data->observations = data->finals = NULL;
    SLT_TRY(SLT_NEW(&data->arena, &data->checked, (size_t)info->episodes));
    return slt_dataset_list_splits(data);
}

slt_status slt_dataset_pack(slt_context *context, const slt_dataset *from, slt_dataset **out) {
    slt_dataset *data;
    SLT_TRY(SLT_ALLOC(&context->allocator, &data, 1));
    *data = *from;
    data->context = context;
    data->file = NULL; // `from` keeps it open
    slt_arena_init(&data->arena, &context->allocator, 0);
    slt_status status = fill(data);
    if (status == SLT_OK)
        *out = data;
    else
        slt_dataset_close(data);
    return status;
}
