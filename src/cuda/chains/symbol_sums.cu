// Sums over the rows of every member. Of a key: a block sums a part of its rows, parts are added in
// order. Moves between laws: a block sums those of a chunk of rows, chunks are added in order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/chains/symbol_view.cuh"

enum { THREADS = SLT_THREADS, LAWS = SLT_SYMBOL_LAWS };

// column c of a row, over its counts
SLT_DEVICE_INLINE double row_number(const slt_symbol_args &a, int m, const slt_symbol_law *law,
                                    int64_t row, int c) {
    int P = law->laws;
    int64_t place = m * a.room + row, at = place * a.states * a.laws;
    double sum = 0;
    if (c < 2 * P) {
        const double *from = c < P ? a.stay + at + c : a.enter + at + c - P;
        for (int n = 0; n < a.states; n++) sum += from[(int64_t)n * a.laws];
        return sum;
    }
    // a boundary before this row, and that the next row begins a segment, too
    const int32_t *key = a.key + law->list * a.room;
    if (a.told || key[row] < 0) return 0;
    bool last = row + 1 >= a.size[4 * law->list] || key[row + 1] < 0;
    double cut = a.chance[place];
    return c == 2 * P ? cut : cut * (last ? 1 : a.chance[place + 1]);
}

// a thread per column, as many rows at once as there are threads
SLT_KERNEL part_sums(const slt_symbol_args a) {
    slt_begin();
    __shared__ double some[THREADS];
    int m = (int)blockIdx.z, part = (int)blockIdx.x, t = (int)threadIdx.x;
    const slt_symbol_law *law = a.law + m;
    if (law->idle || part >= a.size[4 * law->list + 3]) return;
    int columns = 2 * law->laws + 2, at_once = THREADS / columns, c = t % columns, r = t / columns;
    const int32_t *place = a.part + law->list * (a.part_room + 1) + part;
    const int32_t *order = a.order + law->list * a.room;
    double sum = 0;
    for (int i = place[0] + r; i < place[1] && r < at_once; i += at_once)
        sum += row_number(a, m, law, order[i], c);
    some[t] = sum;
    __syncthreads();
    if (r) return;
    for (int i = 1; i < at_once; i++) sum += some[i * columns + c];
    a.part_sums[(m * a.part_room + part) * (2 * a.laws + 2) + c] = sum;
}

// a thread per key and column
SLT_KERNEL key_sums(const slt_symbol_args a) {
    slt_begin();
    int m = (int)blockIdx.z, width = 2 * a.laws + 2;
    const slt_symbol_law *law = a.law + m;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, key = i / width;
    int c = (int)(i % width);
    if (law->idle || key >= a.size[4 * law->list + 2] || c >= 2 * law->laws + 2) return;
    const int32_t *parts = a.key_parts + law->list * (a.key_room + 1) + key;
    double sum = 0;
    for (int p = parts[0]; p < parts[1]; p++) sum += a.part_sums[(m * a.part_room + p) * width + c];
    a.sums[(m * a.key_room + key) * width + c] = sum;
}

// ---- moves: a thread per pair of laws

SLT_KERNEL chunk_moves(const slt_symbol_args a) {
    slt_begin();
    int m = (int)blockIdx.z, i = (int)threadIdx.x;
    const slt_symbol_law *law = a.law + m;
    int P = law->laws, rows = a.size[4 * law->list], N = a.states;
    int64_t row = (int64_t)blockIdx.x * SLT_SYMBOL_CHUNK, end = row + SLT_SYMBOL_CHUNK;
    if (law->idle || i >= P * P || row >= rows) return;
    int j = i / P, k = i % P;
    double sum = 0;
    if (end > rows) end = rows;
    const int32_t *key = a.key + law->list * a.room;
    for (; row < end; row++) {
        if (key[row] < 0) continue;
        int64_t at = (m * a.room + row) * N * a.laws, before = at - (int64_t)N * a.laws;
        for (int n = 0; n < N; n++)
            sum += a.alpha[before + n * a.laws + j] * a.next[at + n * a.laws + k];
    }
    a.chunk_moves[((int64_t)m * a.chunks + blockIdx.x) * LAWS * LAWS + i] = sum;
}

// and the nats of all sequences
SLT_KERNEL all_moves(const slt_symbol_args a) {
    slt_begin();
    __shared__ double some[THREADS];
    int m = (int)blockIdx.z, i = (int)threadIdx.x;
    const slt_symbol_law *law = a.law + m;
    if (law->idle) return;
    int P = law->laws, rows = a.size[4 * law->list], sequences = a.size[4 * law->list + 1];
    int chunks = (rows + SLT_SYMBOL_CHUNK - 1) / SLT_SYMBOL_CHUNK;
    double sum = 0, nats = 0;
    for (int c = 0; c < chunks && i < P * P; c++)
        sum += a.chunk_moves[((int64_t)m * a.chunks + c) * LAWS * LAWS + i];
    a.totals[m].moves[i] = sum;
    for (int s = i; s < sequences; s += THREADS) nats += a.nats[m * a.sequence_room + s];
    some[i] = nats;
    __syncthreads();
    if (i) return;
    for (int t = 1; t < THREADS; t++) nats += some[t];
    a.totals[m].nats = nats;
}

extern "C" void slt_cuda_symbol_sums(const slt_symbol_args *args) {
    unsigned members = (unsigned)args->count;
    int64_t columns = (int64_t)slt_symbol_columns(args->laws), keys = args->key_room * columns;
    SLT_LAUNCH(args, part_sums, dim3((unsigned)args->part_room, 1, members), THREADS, 0);
    SLT_LAUNCH(args, key_sums, dim3((unsigned)slt_pieces(keys, THREADS), 1, members), THREADS, 0);
    SLT_LAUNCH(args, chunk_moves, dim3((unsigned)args->chunks, 1, members), LAWS * LAWS, 0);
    SLT_LAUNCH(args, all_moves, dim3(1, 1, members), THREADS, 0);
}
