// The blocks of a store on the device: values, gradients, moments, at the same offsets as here.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_device.h"

#include <string.h>

// ---- pieces of the optimiser

static size_t parameter_size(const slt_parameter *p) {
    return (size_t)p->rows * (size_t)p->columns;
}

static int pieces_of(const slt_store *store) {
    size_t count = 0;
    for (int i = 0; i < store->count; i++)
        count += (parameter_size(&store->parameters[i]) + SLT_CUDA_PIECE - 1) / SLT_CUDA_PIECE;
    return (int)count;
}

static void mark_zeros(const slt_parameter *p, slt_cuda_piece *piece) {
    for (int k = 0, end = 0; k < p->parts; k++) {
        end += p->part[k].columns;
        if (!p->part[k].zero_columns) continue;
        piece->zero_first[piece->zeros] = end - p->part[k].zero_columns;
        piece->zero_end[piece->zeros++] = end;
    }
}

// in the order of members, then parameters
static void cut(const slt_store *store, slt_cuda_piece *piece) {
    for (int m = 0; m < store->members; m++)
        for (int i = 0; i < store->count; i++) {
            const slt_parameter *p = &store->parameters[i];
            size_t size = parameter_size(p), start = p->offset + size * (size_t)m;
            for (size_t at = 0; at < size; at += SLT_CUDA_PIECE, piece++) {
                size_t left = size - at;
                *piece = (slt_cuda_piece){
                    .start = (int64_t)(start + at),
                    .place = (int64_t)at,
                    .count = (int32_t)(left < SLT_CUDA_PIECE ? left : SLT_CUDA_PIECE),
                    .member = m,
                    .columns = p->columns};
                mark_zeros(p, piece);
            }
        }
}

static slt_status send_pieces(slt_cuda *cuda, slt_store *store, slt_cuda_blocks *blocks) {
    slt_arena_mark mark = slt_arena_now(&store->arena);
    slt_cuda_piece *pieces;
    blocks->pieces_each = pieces_of(store);
    size_t count = (size_t)blocks->pieces_each * (size_t)store->members;
    SLT_TRY(SLT_NEW(&store->arena, &pieces, count + 1));
    cut(store, pieces);
    SLT_TRY(slt_cuda_alloc(cuda, count * sizeof *pieces, (void **)&blocks->pieces));
    SLT_TRY(slt_cuda_alloc(cuda, count * sizeof(double), (void **)&blocks->norms));
    SLT_CUDA_TRY(cuda,
                 cudaMemcpyAsync(blocks->pieces, pieces, count * sizeof *pieces,
                                 cudaMemcpyHostToDevice, cuda->stream),
                 "sending pieces");
    SLT_CUDA_TRY(cuda, cudaStreamSynchronize(cuda->stream), "sending pieces");
    slt_arena_reset(&store->arena, mark);
    return SLT_OK;
}

// ---- blocks

slt_status slt_cuda_store_open(slt_store *store) {
    slt_cuda *cuda = slt_cuda_of(store);
    slt_cuda_blocks *blocks;
    SLT_TRY(SLT_NEW(&store->arena, &blocks, 1));
    store->on_device = blocks;
    float **block[] = {&blocks->value, &blocks->gradient, &blocks->moment1, &blocks->moment2};
    for (int i = 0; i < 4; i++)
        SLT_TRY(slt_cuda_alloc(cuda, store->size * sizeof(float), (void **)block[i]));
    if (slt_cuda_is_bf16(cuda))
        SLT_TRY(slt_cuda_alloc(cuda, store->size * sizeof(uint16_t), (void **)&blocks->rounded));
    SLT_TRY(slt_cuda_alloc(cuda, (size_t)store->members * sizeof(double), (void **)&blocks->norm));
    return send_pieces(cuda, store, blocks);
}

void slt_cuda_store_close(slt_store *store) {
    slt_cuda_blocks *b = store->on_device;
    void *memory[] = {b->value,  b->gradient, b->moment1, b->moment2,
                      b->pieces, b->norms,    b->norm,    b->rounded};
    cudaStreamSynchronize(slt_cuda_of(store)->stream);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        slt_cuda_free(slt_cuda_of(store), memory[i]);
    store->on_device = NULL;
}

slt_status slt_cuda_store_send(slt_store *store) {
    slt_cuda *cuda = slt_cuda_of(store);
    const slt_cuda_blocks *blocks = store->on_device;
    if (!store->host_newer) return SLT_OK;
    float *const to[] = {blocks->value, blocks->moment1, blocks->moment2};
    const slt_real *const from[] = {store->value, store->moment1, store->moment2};
    for (int i = 0; i < 3; i++)
        SLT_CUDA_TRY(cuda,
                     cudaMemcpyAsync(to[i], from[i], store->size * sizeof(float),
                                     cudaMemcpyHostToDevice, cuda->stream),
                     "sending parameters");
    SLT_CUDA_TRY(cuda, cudaStreamSynchronize(cuda->stream), "sending parameters");
    store->host_newer = false;
    return SLT_OK;
}

slt_status slt_cuda_store_fetch(slt_store *store) {
    slt_cuda *cuda = slt_cuda_of(store);
    const slt_cuda_blocks *blocks = store->on_device;
    const void *const from[] = {blocks->value, blocks->gradient, blocks->moment1, blocks->moment2,
                                blocks->norm};
    void *const to[] = {store->value, store->gradient, store->moment1, store->moment2, store->norm};
    for (int i = 0; i < 5; i++) {
        size_t bytes =
            i < 4 ? store->size * sizeof(float) : (size_t)store->members * sizeof(double);
        SLT_CUDA_TRY(cuda,
                     cudaMemcpyAsync(to[i], from[i], bytes, cudaMemcpyDeviceToHost, cuda->stream),
                     "fetching parameters");
    }
    SLT_CUDA_TRY(cuda, cudaStreamSynchronize(cuda->stream), "fetching parameters");
    store->device_newer = false;
    return SLT_OK;
}

// ---- what processes exchange

static slt_status move(slt_store *store, void *to, const void *from, size_t bytes, bool here) {
    slt_cuda *cuda = slt_cuda_of(store);
    SLT_CUDA_TRY(cuda,
                 cudaMemcpyAsync(to, from, bytes,
                                 here ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice,
                                 cuda->stream),
                 "moving gradients");
    return slt_cuda_check(cuda, cudaStreamSynchronize(cuda->stream), "moving gradients");
}

slt_status slt_cuda_gradients_fetch(slt_store *store) {
    const slt_cuda_blocks *blocks = store->on_device;
    return move(store, store->gradient, blocks->gradient, store->size * sizeof(float), true);
}

slt_status slt_cuda_gradients_send(slt_store *store) {
    const slt_cuda_blocks *blocks = store->on_device;
    return move(store, blocks->gradient, store->gradient, store->size * sizeof(float), false);
}

slt_status slt_cuda_norms_fetch(slt_store *store) {
    const slt_cuda_blocks *blocks = store->on_device;
    return move(store, store->norm, blocks->norm, (size_t)store->members * sizeof(double), true);
}
