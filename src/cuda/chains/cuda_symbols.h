// What the kernels of symbol chains see. Arrays of cells hold `room` rows per member, with `states`
// counts of segments (1: not told) per row and `laws` numbers per count.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SYMBOLS_H
#define SLT_CUDA_SYMBOLS_H

#include "engine/device_symbols.h"

enum { SLT_SYMBOL_CHUNK = 256 }; // rows whose moves one block sums

typedef struct {
    void *stream;
    int count, laws, states, chunks;
    bool told;
    int64_t room, sequence_room, key_room, part_room; // most of a list
    const int32_t *key, *sequence, *order, *part, *key_parts;
    int32_t *size; // [lists][4] rows, sequences, keys, parts
    double *prior;
    slt_symbol_law *law;
    double *tables;
    double *alpha, *scale;       // [cells], [rows] forward
    double *stay, *enter, *next; // [cells]; next: beta times f, at the count before
    float *chance;               // [rows] of a boundary before the row; not told
    double *nats;                // [sequences]
    double *part_sums;           // of parts and columns; of chunks and moves
    double *chunk_moves;
    double *sums; // [count][keys][columns]
    slt_symbol_totals *totals;
    uint8_t *back, *cut, *path; // [cells], [rows], [rows]
} slt_symbol_args;

#ifdef __cplusplus
extern "C" {
#endif
void slt_cuda_symbol_smooth(const slt_symbol_args *args);
void slt_cuda_symbol_sums(const slt_symbol_args *args);
void slt_cuda_symbol_paths(const slt_symbol_args *args);
#ifdef __cplusplus
}
#endif

#endif
