// Products of a block's few rows on tensor cores, and the stream of their weights: y = x·W, or
// dx = dy·Wᵀ, as Wᵀ·xᵀ with rows as columns, in eights. A warp has 32 columns of y at a time and a
// quarter of what is summed over. Its lanes copy what they need of W into shared memory themselves,
// two pieces ahead, whatever steps are in between: from the first product to the last the stream
// never ends.
//
// A piece is 16 rows of W, 32 numbers of each: forward 16 numbers of the sum for 32 columns,
// backward 32 numbers for 16 columns. Eight lanes copy a row, so that no two banks are in each
// other's way, and the lane (g, t) of a tensor core's factor takes four fours: forward columns
// 4g .. 4g+3 of numbers 4t .. 4t+3, backward columns g and g+8 of numbers 4t .. 4t+3 and 16 more.
// Any order will do, if x has the same (tensor_core.cuh).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SLOT_STREAM_CUH
#define SLT_CUDA_SLOT_STREAM_CUH

#include "cuda/fused/slots/slot_workspace.cuh"

enum { COLUMNS = 32, HIGH = 16, LONG = 32 }; // of a warp at a time; of a piece

// ---- what a product is to its warps

template <bool BACK> SLT_DEVICE_INLINE int wide_of(const slt_slot_step &s) {
    return BACK ? s.in : s.out;
}
template <bool BACK> SLT_DEVICE_INLINE int deep_of(const slt_slot_step &s) {
    return BACK ? s.out : s.in;
}
// numbers of the sum that a piece has
template <bool BACK> SLT_DEVICE_INLINE int depth_of(void) { return BACK ? LONG : HIGH; }
// so many of a warp cover its share
template <bool BACK> SLT_DEVICE_INLINE int depths_of(int deep) {
    return (deep + SHARES * depth_of<BACK>() - 1) / (SHARES * depth_of<BACK>());
}
// pieces of a warp, for 32 columns
template <bool BACK> SLT_DEVICE_INLINE int pieces_of(int deep) {
    return depths_of<BACK>(deep) * COLUMNS / (BACK ? HIGH : LONG);
}
SLT_DEVICE_INLINE int own_share(void) { return slt_block_warp() % SHARES; }
SLT_DEVICE_INLINE int first_column(void) { return slt_block_warp() / SHARES * COLUMNS; }
enum { NEXT_COLUMN = WARPS / SHARES * COLUMNS };

SLT_DEVICE_INLINE int own_lane(void) { return (int)(threadIdx.x % SLT_WARP); }
// the first number of a warp's step into the depth
template <bool BACK> SLT_DEVICE_INLINE int number_of(int deep, int step) {
    return (own_share() * depths_of<BACK>(deep) + step) * depth_of<BACK>();
}

// ---- the stream

// what is asked for next: pieces that are left of the product's columns, where the lane's part of
// the first one is, and how much of the matrix is left from there on; slot: of the ring
typedef struct {
    int product, column, left, slot;
    const float *from;
    int out, rows, columns;
} stream;

SLT_DEVICE_INLINE float *slot_of(const workspace &at, int slot) {
    return at.ring + (slt_block_warp() * AHEAD + slot) * PIECE;
}
// where four i of a row is: rows that are read at once have their fours in different banks
template <bool BACK> SLT_DEVICE_INLINE int place_of(int row, int i) {
    return row * LONG + (i ^ (BACK ? row % 2 * 4 : row / 4 * 2)) * 4;
}
// the lane copies a four of four rows, so far from one another
template <bool BACK> SLT_DEVICE_INLINE int own_row(void) { return own_lane() / 8 * (BACK ? 1 : 4); }
template <bool BACK> SLT_DEVICE_INLINE int rows_apart(void) { return BACK ? 4 : 1; }

template <bool BACK> SLT_DEVICE_INLINE void aim(const workspace &at, stream &w) {
    const slt_slot_step &s = at.steps[w.product];
    int deep = deep_of<BACK>(s), number = number_of<BACK>(deep, 0);
    int row = (BACK ? w.column : number) + own_row<BACK>();
    int column = (BACK ? number : w.column) + own_lane() % 8 * 4;
    w.left = pieces_of<BACK>(deep);
    w.out = s.out;
    w.rows = s.in - row;
    w.columns = s.out - column;
    w.from = s.product.w + row * s.out + column;
}

// the first product from n on that the warp has columns of
template <bool BACK> SLT_DEVICE_INLINE void find_product(const workspace &at, stream &w, int n) {
    while (n >= 0 && first_column() >= wide_of<BACK>(at.steps[n])) n = at.steps[n].next;
    w.product = n;
    w.column = first_column();
    if (n >= 0) aim<BACK>(at, w);
}

// forward down the rows; backward 16 rows down, then back and 32 columns on
template <bool BACK> SLT_DEVICE_INLINE void next_piece(const workspace &at, stream &w) {
    bool on = BACK && w.left % 2;
    w.from += on ? LONG - HIGH * w.out : HIGH * w.out;
    w.rows += on ? HIGH : -HIGH;
    w.columns -= on ? LONG : 0;
    if (--w.left) return;
    w.column += NEXT_COLUMN;
    if (w.column < wide_of<BACK>(at.steps[w.product]))
        aim<BACK>(at, w);
    else
        find_product<BACK>(at, w, at.steps[w.product].next);
}

// widths are multiples of four
template <bool BACK> SLT_DEVICE_INLINE void ask_piece(const workspace &at, stream &w) {
    if (w.product >= 0) {
        float *to = slot_of(at, w.slot) + place_of<BACK>(own_row<BACK>(), own_lane() % 8);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int apart = i * rows_apart<BACK>();
            slt_copy_fours_if(to + apart * LONG, w.from + apart * w.out,
                              (BACK ? apart : 0) < w.rows && w.columns > 0);
        }
        next_piece<BACK>(at, w);
    }
    slt_copy_group();
    w.slot = w.slot + 1 == AHEAD ? 0 : w.slot + 1;
}

template <bool BACK>
SLT_DEVICE_INLINE stream open_stream(const slt_fused_slots &run, const workspace &at) {
    stream w = {};
    find_product<BACK>(at, w, run.product);
#pragma unroll 1
    for (int i = 0; i < AHEAD; i++) ask_piece<BACK>(at, w);
    return w;
}

// f[i]: the lane's four i of the oldest piece; another one is on its way to its place
template <bool BACK>
SLT_DEVICE_INLINE void take_piece(const workspace &at, stream &w, float (*f)[4]) {
    int g = own_lane() / 4, t = own_lane() % 4;
    const float *from = slot_of(at, w.slot);
    slt_copy_wait<AHEAD - 1>();
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int place =
            BACK ? place_of<BACK>(g + i % 2 * 8, t + i / 2 * 4) : place_of<BACK>(4 * t + i, g);
        float4 four = *(const float4 *)(from + place);
        f[i][0] = four.x, f[i][1] = four.y, f[i][2] = four.z, f[i][3] = four.w;
    }
    __syncwarp();
    ask_piece<BACK>(at, w);
}

// ---- products

// c += a·b in all bits of a and b but the last few: what tf32 leaves of each goes with the other
SLT_DEVICE_INLINE void multiply_exact(float *c, const float *a, const float *b) {
    float high_a[4], low_a[4], high_b[2], low_b[2];
#pragma unroll
    for (int i = 0; i < 4; i++) high_a[i] = slt_tf32(a[i]), low_a[i] = a[i] - high_a[i];
#pragma unroll
    for (int i = 0; i < 2; i++) high_b[i] = slt_tf32(b[i]), low_b[i] = b[i] - high_b[i];
    slt_mma(c, low_a, high_b);
    slt_mma(c, high_a, low_b);
    slt_mma(c, high_a, high_b);
}

// sum += a·b, factors of the lane
template <bool EXACT>
SLT_DEVICE_INLINE void multiply_one(float *sum, const float *a, const float *b) {
    if (EXACT) return multiply_exact(sum, a, b);
    float rounded[4], other[2] = {slt_rounded(b[0]), slt_rounded(b[1])};
#pragma unroll
    for (int i = 0; i < 4; i++) rounded[i] = slt_rounded(a[i]);
    slt_mma(sum, rounded, other);
}

// forward, sums (2,4) of the lane += a piece · four numbers of x: columns 4g + 2q and 4g + 2q+1
template <bool EXACT>
SLT_DEVICE_INLINE void multiply_forward(const float (*f)[4], const float *x, float (*sum)[4]) {
#pragma unroll
    for (int half = 0; half < 4; half += 2)
#pragma unroll
        for (int q = 0; q < 4; q += 2) {
            float a[4] = {f[half][q], f[half][q + 1], f[half + 1][q], f[half + 1][q + 1]};
            multiply_one<EXACT>(sum[q / 2], a, x + half);
        }
}
// backward, sums (4) += a piece · two fours of x
template <bool EXACT>
SLT_DEVICE_INLINE void multiply_backward(const float (*f)[4], const float (*x)[4], float *sum) {
#pragma unroll
    for (int i = 0; i < 4; i += 2)
#pragma unroll
        for (int half = 0; half < 4; half += 2) {
            float a[4] = {f[i][half], f[i + 1][half], f[i][half + 1], f[i + 1][half + 1]};
            multiply_one<EXACT>(sum, a, x[i / 2] + half);
        }
}

// the lane's sums of rows 2t and 2t+1 of eight, four columns of each
template <bool BACK, int R>
SLT_DEVICE_INLINE void put_sums(const workspace &at, int eight, int column, int wide,
                                const float (*sum)[4]) {
    int g = own_lane() / 4, r = 8 * eight + own_lane() % 4 * 2, c = column + (BACK ? 1 : 4) * g;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float *to = at.parts + (own_share() * R + r + i) * wide + c;
        if (r + i >= at.K) continue;
        if (!BACK && c < wide)
            *(float4 *)to = slt_four(sum[0][i], sum[0][2 + i], sum[1][i], sum[1][2 + i]);
#pragma unroll
        for (int q = 0; q < 4; q++)
            if (BACK && c + q * 8 < wide) to[q * 8] = sum[q / 2][q % 2 * 2 + i];
    }
}

// four numbers of the lane's row of x, of eight
SLT_DEVICE_INLINE void take_four(const workspace &at, int eight, const float *x, int pitch, int k,
                                 int deep, float *out) {
    int row = 8 * eight + own_lane() / 4;
    float4 own = {0, 0, 0, 0};
    if (row < at.K && k < deep) own = *(const float4 *)(x + row * pitch + k);
    out[0] = own.x, out[1] = own.y, out[2] = own.z, out[3] = own.w;
}

// the sums of all shares, into parts (SHARES, R, wide); x: (K, pitch), of which the first `deep`
// are summed over; take(column, number, f) gets the warp's pieces one after the other
template <bool BACK, int R, bool EXACT, class Take>
SLT_DEVICE_INLINE void few_product(const workspace &at, int wide, int deep, const float *x,
                                   int pitch, Take take) {
    enum { EIGHTS = (R + 7) / 8 };
    int steps = depths_of<BACK>(deep), t = own_lane() % 4;
#pragma unroll 1
    for (int column = first_column(); column < wide; column += NEXT_COLUMN) {
        float sum[EIGHTS][2][4] = {};
#pragma unroll 1
        for (int step = 0; step < steps; step++) {
            int k = number_of<BACK>(deep, step);
            float own[EIGHTS][2][4], f[4][4];
#pragma unroll
            for (int e = 0; e < EIGHTS; e++) {
                take_four(at, e, x, pitch, k + 4 * t, deep, own[e][0]);
                if (BACK) take_four(at, e, x, pitch, k + 4 * t + 16, deep, own[e][1]);
            }
            take(column, k, f);
#pragma unroll
            for (int e = 0; e < EIGHTS; e++) {
                if (!BACK) multiply_forward<EXACT>(f, own[e][0], sum[e]);
                if (BACK) multiply_backward<EXACT>(f, own[e], sum[e][0]);
            }
            if (BACK) take(column + HIGH, k, f);
#pragma unroll
            for (int e = 0; BACK && e < EIGHTS; e++) multiply_backward<EXACT>(f, own[e], sum[e][1]);
        }
#pragma unroll
        for (int e = 0; e < EIGHTS; e++) put_sums<BACK, R>(at, e, column, wide, sum[e]);
    }
}

// with the step's weights
template <bool BACK, int R, bool EXACT>
SLT_DEVICE_INLINE void stream_product(const workspace &at, const slt_slot_step &s, const float *x,
                                      stream &w) {
    few_product<BACK, R, EXACT>(at, wide_of<BACK>(s), deep_of<BACK>(s), x, deep_of<BACK>(s),
                                [&](int, int, float(*f)[4]) { take_piece<BACK>(at, w, f); });
}

// with a matrix (rows, columns) that is at hand, whose rows are `apart`
typedef struct {
    const float *at;
    int rows, columns, apart;
} matrix;

template <bool BACK, int R, bool EXACT>
SLT_DEVICE_INLINE void matrix_product(const workspace &at, const matrix &m, const float *x,
                                      int pitch) {
    int rows = fours_of(m.rows), g = own_lane() / 4, t = own_lane() % 4;
    few_product<BACK, R, EXACT>(at, BACK ? rows : m.columns, BACK ? m.columns : rows, x, pitch,
                                [&](int c, int k, float(*f)[4]) {
#pragma unroll
                                    for (int i = 0; i < 4; i++) {
                                        int row = BACK ? c + g + i % 2 * 8 : k + 4 * t + i;
                                        int column = BACK ? k + 4 * t + i / 2 * 16 : c + 4 * g;
                                        float4 four = {0, 0, 0, 0};
                                        if (row < m.rows && column < m.columns)
                                            four = *(const float4 *)(m.at + row * m.apart + column);
                                        f[i][0] = four.x, f[i][1] = four.y, f[i][2] = four.z,
                                        f[i][3] = four.w;
                                    }
                                });
}

// columns c .. c+3 of row r, when all warps have put theirs
template <int R>
SLT_DEVICE_INLINE float4 sum_of_shares(const workspace &at, int r, int c, int wide) {
    float4 sum = *(const float4 *)(at.parts + r * wide + c);
#pragma unroll
    for (int i = 1; i < SHARES; i++)
        sum = slt_plus4(sum, *(const float4 *)(at.parts + (i * R + r) * wide + c));
    return sum;
}

#endif
