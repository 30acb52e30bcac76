// OMPN's recurrence on the device (equations: ops/ompn/ompn_forward.c, ops/ompn/ompn_cell.c): the
// parts that both directions use. Where its numbers are: ops/ompn/ompn_kernel_layout.h.
//
// A block walks a group of N trajectories through all steps. What the group remembers is in shared
// memory; kernels are read from the caches, once for the whole group. Products are made by all
// threads: a thread has a column and a slice of the rows, and leaves its sums in `parts`. All else
// of a row is done by the warp of its trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_OMPN_CUH
#define SLT_CUDA_OMPN_CUH

#include "cuda/kernels/trajectory_group.cuh"
#include "ops/ompn/ompn_chance.h"
#include "ops/ompn/ompn_kernel_layout.h"

enum { SLT_OMPN_X, SLT_OMPN_W };
enum { SLT_OMPN_LEAF, SLT_OMPN_P_HAT, SLT_OMPN_MEMORY };
enum { SLT_OMPN_GROUP = 8 }; // trajectories of a block, at most: each has a warp
#ifdef SLT_EMULATED
enum { SLT_OMPN_THREADS = SLT_OMPN_GROUP * SLT_WARP };
#else
enum { SLT_OMPN_THREADS = 512 };
#endif

SLT_HOST_DEVICE slt_ompn_dims slt_ompn_dims_of(const slt_cuda_args &a) {
    slt_ompn_dims o = {a.n[0],        a.in_width[SLT_OMPN_X], a.in_rows[SLT_OMPN_X],
                       (float)a.x[0], (float)a.x[1],          a.n[1] != 0,
                       a.n[2]};
    return o;
}

// ---- products

// A thread has four columns where widths allow it, else one, and a slice of the rows; its sums go
// to parts[(slice·N + j)·columns + column]
SLT_HOST_DEVICE int slt_ompn_slices(int columns, bool fours) {
    int slices = SLT_OMPN_THREADS / (fours ? columns / 4 : columns);
    return slices < 1 ? 1 : slices;
}
SLT_HOST_DEVICE int slt_ompn_parts(const slt_ompn_dims &o) { // of one trajectory, at most
    return 4 * (o.d > SLT_OMPN_THREADS ? o.d : SLT_OMPN_THREADS);
}

// sum_j += in_j[first .. end-1]·four columns of a kernel, `wide` numbers to a row
template <int N>
SLT_DEVICE_INLINE void slt_ompn_add(const float *from, int wide, int first, int end,
                                    const float *in, int stride, float (*sum)[4]) {
#pragma unroll 2
    for (int r = first; r < end; r += 4, from += 4 * wide) {
        float4 w[4];
#pragma unroll
        for (int i = 0; i < 4; i++) w[i] = *(const float4 *)(from + i * wide);
#pragma unroll
        for (int j = 0; j < N; j++) {
            float4 x = *(const float4 *)(in + j * stride + r);
            slt_add4(sum[j], x.x, w[0]);
            slt_add4(sum[j], x.y, w[1]);
            slt_add4(sum[j], x.z, w[2]);
            slt_add4(sum[j], x.w, w[3]);
        }
    }
}

// parts of in (N, rows)·kernel (rows, columns), by fours
template <int N>
SLT_DEVICE_INLINE void slt_ompn_product4(const float *kernel, int wide, int rows, int columns,
                                         const float *in, int stride, float *parts) {
    int groups = columns / 4, slices = slt_ompn_slices(columns, true);
    int each = ((rows + slices - 1) / slices + 3) / 4 * 4;
    for (int i = (int)threadIdx.x; i < slices * groups; i += SLT_OMPN_THREADS) {
        int slice = i / groups, c = 4 * (i % groups), first = slice * each;
        float sum[N][4] = {{0}};
        slt_ompn_add<N>(kernel + (int64_t)first * wide + c, wide, first,
                        slt_least(first + each, rows), in, stride, sum);
#pragma unroll
        for (int j = 0; j < N; j++)
            *(float4 *)(parts + (slice * N + j) * columns + c) =
                slt_four(sum[j][0], sum[j][1], sum[j][2], sum[j][3]);
    }
}

// the same, number by number
template <int N>
SLT_DEVICE_INLINE void slt_ompn_product(const float *kernel, int wide, int rows, int columns,
                                        const float *in, int stride, bool fours, float *parts) {
    if (fours) return slt_ompn_product4<N>(kernel, wide, rows, columns, in, stride, parts);
    int slices = slt_ompn_slices(columns, false), each = (rows + slices - 1) / slices;
    for (int i = (int)threadIdx.x; i < slices * columns; i += SLT_OMPN_THREADS) {
        int slice = i / columns, c = i % columns, first = slice * each;
        float sum[N] = {0};
        slt_add_rows<N>(kernel + (int64_t)first * wide + c, wide, first,
                        slt_least(first + each, rows), false, in, stride, sum);
#pragma unroll
        for (int j = 0; j < N; j++) parts[(slice * N + j) * columns + c] = sum[j];
    }
}
template <int N>
SLT_DEVICE_INLINE float slt_ompn_total(const float *parts, int columns, bool fours, int j, int c) {
    float sum = 0;
    for (int s = 0; s < slt_ompn_slices(columns, fours); s++)
        sum += parts[(s * N + j) * columns + c];
    return sum;
}

// ---- by one warp

SLT_DEVICE_INLINE int slt_lane(void) { return (int)(threadIdx.x % SLT_WARP); }

SLT_DEVICE_INLINE float slt_warp_dot(const float *x, const float *y, int count) {
    float sum = 0;
    for (int c = slt_lane(); c < count; c += SLT_WARP) sum += x[c] * y[c];
    return slt_warp_sum(sum);
}

// x becomes (x - mean)/τ; gives 1/τ. A lane reads what it wrote itself
SLT_DEVICE_INLINE float slt_warp_normalise(float *x, int width, float epsilon) {
    float mean = 0, square = 0;
    for (int c = slt_lane(); c < width; c += SLT_WARP) mean += x[c];
    mean = slt_warp_sum(mean) / (float)width;
    for (int c = slt_lane(); c < width; c += SLT_WARP) square += (x[c] - mean) * (x[c] - mean);
    float inverse = 1 / sqrtf(slt_warp_sum(square) / (float)width + epsilon);
    for (int c = slt_lane(); c < width; c += SLT_WARP) x[c] = (x[c] - mean) * inverse;
    return inverse;
}

// dx from dy in its place
SLT_DEVICE_INLINE void slt_warp_unnormalise(float *dy, const float *hat, float inverse, int width) {
    float mean = 0, along = 0;
    for (int c = slt_lane(); c < width; c += SLT_WARP) {
        mean += dy[c];
        along += dy[c] * hat[c];
    }
    mean = slt_warp_sum(mean) / (float)width;
    along = slt_warp_sum(along) / (float)width;
    for (int c = slt_lane(); c < width; c += SLT_WARP)
        dy[c] = (dy[c] - mean - hat[c] * along) * inverse;
}

// ---- launches

// gradients of all weights, on the side (ompn_weights.cu)
void slt_cuda_ompn_weights(const slt_cuda_args *args);

// trajectories of a block: kernels are read once for all of them, so there are several; twice as
// many where there are more blocks than are served well by the second cache. 0: not even one fits
static inline int slt_ompn_group_size(const slt_cuda_args *args, size_t numbers_each) {
    int group = args->trajectories * args->members > 2 * slt_enough_blocks() ? SLT_OMPN_GROUP : 4;
    while (group > 1 && (size_t)group * numbers_each * sizeof(float) > slt_shared_room())
        group = group > 4 ? 4 : 1;
    return group;
}

#endif
