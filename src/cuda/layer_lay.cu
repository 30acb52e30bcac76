// Weights of a Transformer layer as its launch wants them (layer_run.h): rounded to tf32, in pieces
// of 64 x 128 numbers in the order in which a group of warps asks for them, each laid out as it
// will be in shared memory.
//
//     O, W1, W2, W1, W2, ..., and of an encoder's end W1, W2, KV, KV
//
// Backward they are turned, and come the other way round.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/layer_group.cuh"

enum { WIDTH = SLT_LAYER_WIDTH, PIECE = SLT_LAYER_PIECE, EACH = 4, BLOCK = EACH * SLT_THREADS };

// number k of column n is at from[k·down + n·along]
typedef struct {
    const float *from;
    int down, along, columns;
} piece_source;

SLT_DEVICE_INLINE piece_source turned(piece_source p) {
    piece_source other = {p.from, p.along, p.down, PIECE / p.columns};
    return other;
}

// pieces as forward wants them
SLT_DEVICE_INLINE piece_source layer_piece(const slt_layer_weights &p, int group, int piece) {
    int middle = ((piece - 1) / 2 * SLT_LAYER_GROUPS + group) * 64;
    piece_source o = {slt_at(p.o) + group * 64 * WIDTH, WIDTH, 1, WIDTH};
    piece_source w1 = {slt_at(p.w1) + middle, p.wide, 1, 64};
    piece_source w2 = {slt_at(p.w2) + middle * WIDTH, WIDTH, 1, WIDTH};
    return piece == 0 ? o : piece % 2 ? w1 : w2;
}
SLT_DEVICE_INLINE piece_source end_piece(const slt_layer_weights &p, int group, int piece) {
    piece_source w1 = {slt_at(p.end_w1) + group * 64, WIDTH, 1, 64};
    piece_source w2 = {slt_at(p.end_w2) + group * 64 * WIDTH, WIDTH, 1, WIDTH};
    piece_source kv = {slt_at(p.end_kv) + group * WIDTH + piece % 2 * 64, 2 * WIDTH, 1, 64};
    return piece == 0 ? w1 : piece == 1 ? w2 : kv;
}

SLT_DEVICE_INLINE piece_source source_of(const slt_layer_weights &p, bool back, int group,
                                         int piece) {
    int all = slt_layer_pieces(p.wide, p.end_kv.at), layer = slt_layer_pieces(p.wide, false);
    int place = back ? all - 1 - piece : piece;
    piece_source own =
        place < layer ? layer_piece(p, group, place) : end_piece(p, group, place - layer);
    return back ? turned(own) : own;
}

// neighbours read what is next to each other
SLT_KERNEL lay(const __grid_constant__ slt_layer_weights p) {
    slt_begin();
    int group = (int)blockIdx.y % SLT_LAYER_GROUPS, back = (int)blockIdx.y / SLT_LAYER_GROUPS;
    int piece = (int)blockIdx.x / (PIECE / BLOCK),
        first = (int)blockIdx.x % (PIECE / BLOCK) * BLOCK;
    piece_source own = source_of(p, back, group, piece);
    int pieces = slt_layer_pieces(p.wide, p.end_kv.at), numbers = PIECE / own.columns;
    float *to = slt_at(p.laid) + (int64_t)((int)blockIdx.y * pieces + piece) * PIECE;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int at = first + i * SLT_THREADS + (int)threadIdx.x;
        int k = back ? at % numbers : at / own.columns, n = back ? at / numbers : at % own.columns;
        to[slt_layer_place(slt_group_number(k), slt_layer_column(n), own.columns)] =
            slt_tf32(own.from[k * own.down + n * own.along]);
    }
}

void slt_cuda_layer_lay(const slt_layer_weights *p) {
    dim3 grid((unsigned)(slt_layer_pieces(p->wide, p->end_kv.at) * (PIECE / BLOCK)),
              (unsigned)(p->passes * SLT_LAYER_GROUPS), (unsigned)p->members);
    SLT_LAUNCH(p, lay, grid, SLT_THREADS, 0);
}
