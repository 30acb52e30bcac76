// What the steps of slot_run.cu read besides each other's rows, brought into shared memory at the
// start of the launch, before the kernel in front has ended: biases and scales, what forward left
// to backward. A step that asked for them itself would wait behind the weights that are on their
// way. The block's list of steps then has their new addresses.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SLOT_BRING_CUH
#define SLT_CUDA_SLOT_BRING_CUH

#include "cuda/slot_bench.cuh"

static_assert(SLT_SLOT_STEPS * PIECES <= THREADS, "a thread has one of them");

template <class T>
SLT_DEVICE_INLINE __host__ piece a_piece(T *const &field, int numbers, bool own) {
    piece p = {(const float **)&field, field, NULL, field ? numbers : 0, own, false};
    return p;
}
template <class T> SLT_DEVICE_INLINE __host__ piece fresh_piece(T *const &field, int numbers) {
    piece p = a_piece(field, numbers, true);
    p.fresh = true;
    return p;
}

// number f of a step's things
SLT_DEVICE_INLINE __host__ piece piece_forward(const slt_slot_step &s, int K, int f) {
    piece none = {};
    if (s.kind == SLT_SLOT_BEGIN && f < 3)
        return f == 0   ? a_piece(s.begin.mu, K * s.in, false)
               : f == 1 ? a_piece(s.begin.rho, K * s.in, false)
                        : fresh_piece(s.begin.noise, K * s.in);
    if (s.kind == SLT_SLOT_NORM && f < 2)
        return f == 0 ? a_piece(s.norm.gamma, s.in, false) : a_piece(s.norm.beta, s.in, false);
    if (s.kind == SLT_SLOT_PRODUCT && f < 1) return a_piece(s.product.c, s.out, false);
    return none;
}

SLT_DEVICE_INLINE __host__ piece piece_backward(const slt_slot_step &s, int K, int f) {
    piece none = {};
    if (s.kind == SLT_SLOT_NORM && f < 3)
        return f == 0   ? a_piece(s.norm.gamma, s.in, false)
               : f == 1 ? a_piece(s.norm.hat, K * s.in, true)
                        : a_piece(s.norm.factor, K, true);
    if (s.kind == SLT_SLOT_PRODUCT && f < 1) return a_piece(s.product.gate, K * s.in, true);
    if (s.kind == SLT_SLOT_ATTEND && f < 3)
        return f == 0   ? a_piece(s.attend.q, K * s.in, true)
               : f == 1 ? a_piece(s.attend.update, K * s.in, true)
                        : a_piece(s.attend.sum, K, true);
    if (s.kind == SLT_SLOT_CELL && f < 3)
        return f == 0   ? a_piece(s.cell.kept, 3 * K * s.in, true)
               : f == 1 ? a_piece(s.cell.gh, 3 * K * s.in, true)
                        : a_piece(s.cell.state, K * s.in, true);
    if (s.kind == SLT_SLOT_HALT)
        return f == 0   ? a_piece(s.halt.h, K, true)
               : f == 1 ? a_piece(s.halt.lambda, K, true)
               : f == 2 ? fresh_piece(s.halt.dh, K)
                        : a_piece(s.halt.sum, 1, true);
    return none;
}

template <bool BACKWARD>
SLT_DEVICE_INLINE __host__ piece piece_of(const slt_slot_step &s, int K, int f) {
    return BACKWARD ? piece_backward(s, K, f) : piece_forward(s, K, f);
}

// numbers of all of them, each from a four on
template <bool BACKWARD> static int numbers_to_bring(const slt_slot_run *run) {
    int numbers = 0;
    for (int i = 0; i < run->steps * PIECES; i++)
        numbers += fours_of(
            piece_of<BACKWARD>(run->step[i / PIECES], run->batch.slots, i % PIECES).numbers);
    return numbers;
}

// an address that is valid when `numbers` are added again: in whole numbers of 64 bits, for those
// of shared memory have 32, and would not come back
SLT_DEVICE_INLINE const float *moved_back(const float *at, size_t numbers) {
    return (const float *)((uintptr_t)at - numbers * sizeof(float));
}

// numbers of the pieces in front of the thread's: its own warp's, and all of the warps before. As
// floats they are exact
SLT_DEVICE_INLINE float numbers_before(const bench &at, int count) {
    int own = (int)threadIdx.x, lane = own % SLT_WARP;
    float mine = own < count ? (float)fours_of(at.pieces[own].numbers) : 0;
    float before = slt_warp_scan(mine) - mine;
#pragma unroll 1
    for (int i = lane; i - lane < slt_least(own - lane, count); i += SLT_WARP)
        before += slt_warp_sum(i < count ? (float)fours_of(at.pieces[i].numbers) : 0);
    return before;
}

// where each of them will be: a thread has one. Their fields are moved back by what a step adds to
// find the rows of its trajectory
template <bool BACKWARD> SLT_DEVICE_INLINE void place_pieces(const slt_slot_run &run, bench &at) {
    int own = (int)threadIdx.x;
    bool has = own < run.steps * PIECES;
    if (has) at.pieces[own] = piece_of<BACKWARD>(at.steps[own / PIECES], at.K, own % PIECES);
    __syncthreads();
    int place = (int)numbers_before(at, run.steps * PIECES);
    if (has && at.pieces[own].numbers) {
        piece &p = at.pieces[own];
        p.to = at.brought + place;
        *p.field = moved_back(p.to, p.own ? (size_t)at.b * (size_t)p.numbers : 0);
    }
    __syncthreads();
}

// those that are fresh, or all others: a warp has one at a time
SLT_DEVICE_INLINE void bring(const slt_slot_run &run, const bench &at, bool fresh) {
#pragma unroll 1
    for (int i = slt_block_warp(); i < run.steps * PIECES; i += WARPS) {
        piece p = at.pieces[i];
        if (p.fresh != fresh) continue;
        const float *from = p.from + (p.own ? (int64_t)at.b * p.numbers : 0);
        int lane = (int)(threadIdx.x % SLT_WARP);
        if (p.numbers % 4) {
#pragma unroll 1
            for (int n = lane; n < p.numbers; n += SLT_WARP) copy_one(p.to + n, from + n);
            continue;
        }
#pragma unroll 2
        for (int n = 4 * lane; n < p.numbers; n += 4 * SLT_WARP) slt_copy_fours(p.to + n, from + n);
    }
}

#endif
