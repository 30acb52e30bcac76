// Adam in the reference's form, with clipping by the global norm: one launch measures the gradient,
// one updates. Pieces of 2048 numbers; squares are sums of doubles in a fixed order. Without
// clipping the norm is needed, too: nothing is updated by a gradient that is not finite.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/step_stats.cuh"

enum { EACH = SLT_CUDA_PIECE / SLT_THREADS }; // numbers of a thread

// in a tree: threads t and t + 128, then t + 64, ...; the last 32 by one warp
SLT_DEVICE_INLINE double block_sum(double x) {
    __shared__ double part[SLT_THREADS];
    int t = (int)threadIdx.x;
    part[t] = x;
    __syncthreads();
    if (t < SLT_WARP) {
        part[t] = ((part[t] + part[t + 128]) + (part[t + 64] + part[t + 192])) +
                  ((part[t + 32] + part[t + 160]) + (part[t + 96] + part[t + 224]));
        __syncwarp();
        for (int half = SLT_WARP / 2; half > 0; half /= 2, __syncwarp())
            if (t < half) part[t] += part[t + half];
    }
    __syncthreads();
    return part[0];
}

// columns whose gradient is zero but for rounding are put to zero
SLT_DEVICE_INLINE bool is_zero_column(const slt_cuda_piece &piece, int i) {
    int column = (int)((piece.place + i) % piece.columns);
    for (int k = 0; k < piece.zeros; k++)
        if (column >= piece.zero_first[k] && column < piece.zero_end[k]) return true;
    return false;
}

SLT_DEVICE_INLINE const slt_cuda_piece &piece_of(const slt_cuda_update &u, int i) {
    return u.pieces[blockIdx.z * (unsigned)u.pieces_each + (unsigned)i];
}

// a thread's numbers of a piece
typedef struct {
    float x[EACH];
} numbers;

SLT_DEVICE_INLINE numbers load(const float *from, int count) {
    numbers n;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = (int)threadIdx.x + k * SLT_THREADS;
        n.x[k] = i < count ? from[i] : 0;
    }
    return n;
}

// blocks that measure, which every block of the update adds up: a large model's have some pieces
enum { MEASURES = 1024 };
static inline int measures_of(int pieces) { return pieces < MEASURES ? pieces : MEASURES; }

// the thread's numbers of a piece, squared
SLT_DEVICE_INLINE double squares_of(const slt_cuda_piece &piece, float *gradient) {
    numbers g = load(gradient, piece.count);
    double sum = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = (int)threadIdx.x + k * SLT_THREADS;
        if (piece.zeros && i < piece.count && is_zero_column(piece, i)) gradient[i] = g.x[k] = 0;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) sum += (double)g.x[k] * (double)g.x[k];
    return sum;
}

SLT_KERNEL measure(const slt_cuda_update u) {
    double sum = 0;
    slt_cuda_piece next = piece_of(u, (int)blockIdx.x);
    slt_begin();
    for (int i = (int)blockIdx.x; i < u.pieces_each; i += (int)gridDim.x) {
        const slt_cuda_piece piece = next; // the one after it is read beside its numbers
        next = piece_of(u, slt_least(i + (int)gridDim.x, u.pieces_each - 1));
        sum += squares_of(piece, u.gradient + piece.start);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) u.norms[blockIdx.z * gridDim.x + blockIdx.x] = sum;
}

// the norm of a member's gradient: every block of the update adds what was measured, so that nobody
// waits for one that comes last
SLT_DEVICE_INLINE double norm_of(const slt_cuda_update &u, int measures) {
    const double *norms = u.norms + blockIdx.z * (unsigned)measures;
    double total = 0;
    for (int i = (int)threadIdx.x; i < measures; i += SLT_THREADS) total += norms[i];
    return sqrt(block_sum(total));
}

// values and moments come while the gradient is measured: nobody but the last update wrote them
SLT_KERNEL update(const slt_cuda_update u, int measures) {
    const slt_cuda_piece piece = piece_of(u, (int)blockIdx.x);
    const slt_cuda_frame_header *head =
        (const slt_cuda_frame_header *)(u.frames.at + (int64_t)blockIdx.z * u.frames.stride);
    float *value = u.value + piece.start, *moment1 = u.moment1 + piece.start;
    float *moment2 = u.moment2 + piece.start, scale = 1;
    const numbers w = load(value, piece.count), m = load(moment1, piece.count);
    const numbers v = load(moment2, piece.count);
    bool active = head->active;
    float rate = head->rate, epsilon = head->epsilon;
    double most = head->max_norm;
    slt_begin();
    const numbers g = load(u.gradient + piece.start, piece.count);
    double norm = norm_of(u, measures);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        u.norm[blockIdx.z] = norm;
        if (u.stats.stats) slt_write_stats(u.stats, norm);
    }
    if (!active || !isfinite(norm)) return;
    if (most > 0 && norm > most) scale = (float)(most / norm);
    const float b1 = 0.9, b2 = 0.999, c1 = 1 - 0.9, c2 = 1 - 0.999; // rounded from double
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = (int)threadIdx.x + k * SLT_THREADS;
        if (i >= piece.count) continue;
        float gradient = scale * g.x[k];
        float first = b1 * m.x[k] + c1 * gradient, second = b2 * v.x[k] + c2 * gradient * gradient;
        moment1[i] = first;
        moment2[i] = second;
        value[i] = w.x[k] - rate * first / (sqrtf(second) + epsilon);
    }
}

void slt_cuda_adam(const slt_cuda_update *u) {
    int measures = measures_of(u->pieces_each);
    dim3 grid((unsigned)u->pieces_each, 1, (unsigned)u->members);
    dim3 few((unsigned)measures, 1, (unsigned)u->members);
    SLT_LAUNCH(u, measure, few, SLT_THREADS, 0);
    SLT_LAUNCH(u, update, grid, SLT_THREADS, 0, measures);
}
