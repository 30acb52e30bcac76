// Weights of a Transformer layer as its launch wants them (fused_layer.h): rounded to tf32, in
// pieces of 64 x d numbers in the order in which a group of warps asks for them, each laid out as
// it will be in shared memory. Zeros are after the last channel or column.
//
//     O, W1, W2, W1, W2, ..., and of an encoder's end W1, W2, KV, KV
//
// Backward they are turned, and come the other way round. Of a front (fused_encoder_input.h): B, W,
// W, W.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_PACK_WEIGHTS_CUH
#define SLT_CUDA_PACK_WEIGHTS_CUH

#include "cuda/fused/layer/fused_layer.h"
#include "cuda/kernels/warp_group.cuh"

enum { SLT_PACK_FOURS = 1024 }; // of a block

// blocks of a piece
SLT_HOST_DEVICE int slt_pack_parts(int width) {
    return (slt_layer_piece(width) / 4 + SLT_PACK_FOURS - 1) / SLT_PACK_FOURS;
}

// ---- places

// the column of a product that becomes a channel: the second two of a lane's four are in the second
// eight of sixteen
SLT_DEVICE_INLINE int slt_layer_column(int channel) {
    return channel / 16 * 16 + channel / 2 % 2 * 8 + channel / 4 % 4 * 2 + channel % 2;
}
// where number k of column n of a piece with `columns` is
SLT_DEVICE_INLINE int slt_layer_place(int k, int n, int columns) {
    return k / 32 * 32 * columns + n * 32 + ((k / 4 % 8) ^ (n % 8)) * 4 + k % 4;
}

// ---- pieces

// channel k of column n is at from[k·down + n·along], of those that are there; the piece has
// `channels` x `columns` of them
typedef struct {
    const float *from;
    int down, along, channels, columns, channels_there, columns_there;
} slt_pack_source;

SLT_DEVICE_INLINE slt_pack_source slt_pack_transposed(slt_pack_source p) {
    slt_pack_source other = {p.from,     p.along,         p.down,          p.columns,
                             p.channels, p.columns_there, p.channels_there};
    return other;
}

// 64 rows of a matrix, which a group sums over, or 64 of its columns, from `first` on
SLT_DEVICE_INLINE slt_pack_source slt_pack_rows(slt_cuda_view from, int first, int rows,
                                                int columns, int d) {
    slt_pack_source p = {
        slt_at(from) + first * columns, columns, 1, SLT_LAYER_PART, d, rows - first, columns};
    return p;
}
SLT_DEVICE_INLINE slt_pack_source slt_pack_columns(slt_cuda_view from, int first, int rows,
                                                   int columns, int d) {
    slt_pack_source p = {slt_at(from) + first, columns, 1, d, SLT_LAYER_PART, rows,
                         columns - first};
    return p;
}

// as forward wants them
SLT_DEVICE_INLINE slt_pack_source slt_pack_layer(const slt_layer_weights &p, int group, int piece) {
    int middle = ((piece - 1) / 2 * SLT_LAYER_GROUPS + group) * SLT_LAYER_PART, d = p.width;
    if (piece == 0) return slt_pack_rows(p.o, group * SLT_LAYER_PART, d, d, d);
    return piece % 2 ? slt_pack_columns(p.w1, middle, d, p.wide, d)
                     : slt_pack_rows(p.w2, middle, p.wide, d, d);
}
SLT_DEVICE_INLINE slt_pack_source slt_pack_end(const slt_layer_weights &p, int group, int piece) {
    int d = p.width, S = p.end, own = group * SLT_LAYER_PART;
    int kv = (group * slt_layer_parts(2 * S) + piece - 2) * SLT_LAYER_PART;
    if (piece > 1) return slt_pack_columns(p.end_kv, kv, S, 2 * S, d);
    return piece ? slt_pack_rows(p.end_w2, own, S, S, d) : slt_pack_columns(p.end_w1, own, d, S, d);
}

// forward B, then columns of queries, of keys, of values; backward what a group sums over, then B
SLT_DEVICE_INLINE slt_pack_source slt_pack_encoder_input(const slt_layer_weights &p, bool back,
                                                         int group, int piece) {
    int d = p.width, last = SLT_ENCODER_INPUT_PIECES - 1, own = group * SLT_LAYER_PART;
    int column = back ? (group * last + piece) * SLT_LAYER_PART : (piece - 1) * d + own;
    slt_pack_source w = piece == (back ? last : 0)
                            ? slt_pack_rows(p.front_b, own, d, d, d)
                            : slt_pack_columns(p.front_w, column, d, last * d, d);
    return back ? slt_pack_transposed(w) : w;
}

SLT_DEVICE_INLINE slt_pack_source slt_pack_piece(const slt_layer_weights &p, bool back, int group,
                                                 int piece) {
    if (p.front_w.at) return slt_pack_encoder_input(p, back, group, piece);
    int all = slt_pack_pieces(&p), layer = slt_layer_pieces(p.wide, 0);
    int place = back ? all - 1 - piece : piece;
    slt_pack_source own =
        place < layer ? slt_pack_layer(p, group, place) : slt_pack_end(p, group, place - layer);
    return back ? slt_pack_transposed(own) : own;
}

// four numbers next to each other are channels four apart
SLT_DEVICE_INLINE void slt_pack_four(const slt_pack_source &own, float *to, int sixteen, int first,
                                     int n) {
    int k = 16 * sixteen + first;
    const float *from = own.from + k * own.down + n * own.along;
    float4 x = slt_four(0, 0, 0, 0);
    if (k < own.channels_there && n < own.columns_there)
        x = slt_four(from[0], from[4 * own.down], from[8 * own.down], from[12 * own.down]);
    int place = slt_layer_place(slt_group_number(k), slt_layer_column(n), own.columns);
    *(float4 *)(to + place) = slt_four(slt_tf32(x.x), slt_tf32(x.y), slt_tf32(x.z), slt_tf32(x.w));
}

// block of slt_pack_blocks; neighbours read what is next to each other
SLT_DEVICE_INLINE void slt_pack_block(const slt_layer_weights &p, int block) {
    int pieces = slt_pack_pieces(&p), parts = slt_pack_parts(p.width), number = block / parts;
    int first = block % parts * SLT_PACK_FOURS, size = slt_layer_piece(p.width);
    bool back = number >= pieces * SLT_LAYER_GROUPS;
    slt_pack_source own =
        slt_pack_piece(p, back, number / pieces % SLT_LAYER_GROUPS, number % pieces);
    float *to = slt_at(p.packed) + (int64_t)number * size;
    int channels = own.channels / 4;
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < SLT_PACK_FOURS; i += (int)blockDim.x) {
        int at = first + i, k = back ? at % channels : at / own.columns;
        if (at < size / 4)
            slt_pack_four(own, to, k / 4, k % 4, back ? at / channels : at % own.columns);
    }
}

static inline int slt_pack_blocks(const slt_layer_weights *p) {
    return p->passes * SLT_LAYER_GROUPS * slt_pack_pieces(p) * slt_pack_parts(p->width);
}

#endif
