// Weights of a Transformer layer as its launch wants them (fused_layer.h): rounded to tf32, in
// pieces of 64 x 128 numbers in the order in which a group of warps asks for them, each laid out as
// it will be in shared memory.
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

enum { SLT_PACK_FOURS = 1024, SLT_PACK_PARTS = SLT_LAYER_PIECE / 4 / SLT_PACK_FOURS }; // of a block

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

// channel k of column n is at from[k·down + n·along]
typedef struct {
    const float *from;
    int down, along, columns;
} slt_pack_source;

SLT_DEVICE_INLINE slt_pack_source slt_pack_transposed(slt_pack_source p) {
    slt_pack_source other = {p.from, p.along, p.down, SLT_LAYER_PIECE / p.columns};
    return other;
}

// as forward wants them
SLT_DEVICE_INLINE slt_pack_source slt_pack_layer(const slt_layer_weights &p, int group, int piece) {
    int middle = ((piece - 1) / 2 * SLT_LAYER_GROUPS + group) * 64, width = SLT_LAYER_WIDTH;
    slt_pack_source o = {slt_at(p.o) + group * 64 * width, width, 1, width};
    slt_pack_source w1 = {slt_at(p.w1) + middle, p.wide, 1, 64};
    slt_pack_source w2 = {slt_at(p.w2) + middle * width, width, 1, width};
    return piece == 0 ? o : piece % 2 ? w1 : w2;
}
SLT_DEVICE_INLINE slt_pack_source slt_pack_end(const slt_layer_weights &p, int group, int piece) {
    int width = SLT_LAYER_WIDTH;
    slt_pack_source w1 = {slt_at(p.end_w1) + group * 64, width, 1, 64};
    slt_pack_source w2 = {slt_at(p.end_w2) + group * 64 * width, width, 1, width};
    slt_pack_source kv = {slt_at(p.end_kv) + group * width + piece % 2 * 64, 2 * width, 1, 64};
    return piece == 0 ? w1 : piece == 1 ? w2 : kv;
}

// forward B, then columns of queries, of keys, of values; backward what a group sums over, then B
SLT_DEVICE_INLINE slt_pack_source slt_pack_encoder_input(const slt_layer_weights &p, bool back,
                                                         int group, int piece) {
    int width = SLT_LAYER_WIDTH, last = SLT_ENCODER_INPUT_PIECES - 1;
    int column = back ? (group * last + piece) * 64 : (piece - 1) * width + group * 64;
    slt_pack_source b = {slt_at(p.front_b) + group * 64 * width, width, 1, width};
    slt_pack_source w = {slt_at(p.front_w) + column, last * width, 1, 64};
    slt_pack_source own = piece == (back ? last : 0) ? b : w;
    return back ? slt_pack_transposed(own) : own;
}

SLT_DEVICE_INLINE slt_pack_source slt_pack_piece(const slt_layer_weights &p, bool back, int group,
                                                 int piece) {
    if (p.front_w.at) return slt_pack_encoder_input(p, back, group, piece);
    int all = slt_pack_pieces(&p), layer = slt_layer_pieces(p.wide, false);
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
    float4 x = slt_four(from[0], from[4 * own.down], from[8 * own.down], from[12 * own.down]);
    int place = slt_layer_place(slt_group_number(k), slt_layer_column(n), own.columns);
    *(float4 *)(to + place) = slt_four(slt_tf32(x.x), slt_tf32(x.y), slt_tf32(x.z), slt_tf32(x.w));
}

// block of slt_pack_blocks; neighbours read what is next to each other
SLT_DEVICE_INLINE void slt_pack_block(const slt_layer_weights &p, int block) {
    int pieces = slt_pack_pieces(&p), number = block / SLT_PACK_PARTS;
    int first = block % SLT_PACK_PARTS * SLT_PACK_FOURS;
    bool back = number >= pieces * SLT_LAYER_GROUPS;
    slt_pack_source own =
        slt_pack_piece(p, back, number / pieces % SLT_LAYER_GROUPS, number % pieces);
    float *to = slt_at(p.packed) + (int64_t)number * SLT_LAYER_PIECE;
    int channels = SLT_LAYER_PIECE / own.columns / 4;
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < SLT_PACK_FOURS; i += (int)blockDim.x) {
        int at = first + i, k = back ? at % channels : at / own.columns;
        slt_pack_four(own, to, k / 4, k % 4, back ? at / channels : at % own.columns);
    }
}

static inline int slt_pack_blocks(const slt_layer_weights *p) {
    return p->passes * SLT_LAYER_GROUPS * slt_pack_pieces(p) * SLT_PACK_PARTS;
}

#endif
