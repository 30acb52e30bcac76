// OMPN's recurrence on the device (equations: ops/ompn/ompn_forward.c, ops/ompn/ompn_cell.c): where
// its numbers lie, and the parts that both directions use.
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
#include "ops/ompn/ompn_layout.h"

enum { SLT_OMPN_X, SLT_OMPN_W };
enum { SLT_OMPN_LEAF, SLT_OMPN_P_HAT, SLT_OMPN_MEMORY };
enum { SLT_OMPN_CREW = 8 }; // trajectories of a block, at most: each has a warp
#ifdef SLT_EMULATED
enum { SLT_OMPN_THREADS = SLT_OMPN_CREW * SLT_WARP };
#else
enum { SLT_OMPN_THREADS = 512 };
#endif

// ---- sizes

typedef struct {
    int n, d, rows;
    float epsilon, slope;
    bool alias;
    int bptt;
} slt_ompn_dims;

SLT_HOST_DEVICE slt_ompn_dims slt_ompn_dims_of(const slt_cuda_args &a) {
    slt_ompn_dims o = {a.n[0],        a.in_width[SLT_OMPN_X], a.in_rows[SLT_OMPN_X],
                       (float)a.x[0], (float)a.x[1],          a.n[1] != 0,
                       a.n[2]};
    return o;
}

// cells: Com 0 ... Com n-1, then Decom 0 ... Decom n-2
SLT_HOST_DEVICE slt_ompn_cell slt_ompn_cell_number(const slt_ompn_dims &o, int cell) {
    return cell < o.n ? slt_ompn_com(o.d, cell) : slt_ompn_decom(o.n, o.d, cell - o.n);
}
SLT_HOST_DEVICE int slt_ompn_cells(const slt_ompn_dims &o) { return 2 * o.n - 1; }
// numbers before a cell's, where a Com has `com` widths and a Decom `decom`
SLT_HOST_DEVICE int64_t slt_ompn_before(const slt_ompn_dims &o, int cell, int com, int decom) {
    return (int64_t)o.d * (cell < o.n ? cell * com : o.n * com + (cell - o.n) * decom);
}

// ---- what is kept (aux). A row has, in this order: of every cell hidden (4d) and record
// (normalised gates, gates, cell); parent and child of every Decom; the state x, m_{n-1}, c_{n-1},
// ..., m_0, c_0; x's share of the gate; hidden of the gate at every level

SLT_HOST_DEVICE int64_t slt_ompn_hidden(const slt_ompn_dims &o, int cell) {
    return slt_ompn_before(o, cell, 11, 9);
}
SLT_HOST_DEVICE int64_t slt_ompn_record(const slt_ompn_dims &o, int cell) {
    return slt_ompn_hidden(o, cell) + 4 * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_family(const slt_ompn_dims &o, int level) {
    return slt_ompn_hidden(o, slt_ompn_cells(o)) + 2 * (int64_t)level * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_state(const slt_ompn_dims &o) {
    return slt_ompn_family(o, o.n - 1);
}
SLT_HOST_DEVICE int slt_ompn_state_width(const slt_ompn_dims &o) { return (2 * o.n + 1) * o.d; }
SLT_HOST_DEVICE int64_t slt_ompn_gate_x(const slt_ompn_dims &o) {
    return slt_ompn_state(o) + slt_ompn_state_width(o);
}
SLT_HOST_DEVICE int64_t slt_ompn_gate_hidden(const slt_ompn_dims &o, int level) {
    return slt_ompn_gate_x(o) + (int64_t)(1 + level) * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_kept_width(const slt_ompn_dims &o) {
    return slt_ompn_gate_hidden(o, o.n);
}
// after the rows the kernel of x in Com_{n-1}, as child and as x (d, 4d); then small rows: two
// inverse deviations of every cell, and the record of the chances
SLT_HOST_DEVICE int64_t slt_ompn_leaf_kernel(const slt_ompn_dims &o) {
    return o.rows * slt_ompn_kept_width(o);
}
SLT_HOST_DEVICE int slt_ompn_small_width(const slt_ompn_dims &o) { return 6 * o.n - 1; }
SLT_HOST_DEVICE int64_t slt_ompn_small(const slt_ompn_dims &o, int row) {
    return slt_ompn_leaf_kernel(o) + 4 * (int64_t)o.d * o.d +
           (int64_t)row * slt_ompn_small_width(o);
}
SLT_HOST_DEVICE int slt_ompn_chance_place(const slt_ompn_dims &o) { return 2 * slt_ompn_cells(o); }

// place of (child, memory) of a level in a state; its candidate follows
SLT_HOST_DEVICE int slt_ompn_pair(const slt_ompn_dims &o, int level) {
    return 2 * (o.n - 1 - level) * o.d;
}
// x is the child of Com_{n-1}: its share of the first layer is known before the walk
SLT_HOST_DEVICE int slt_ompn_skip(const slt_ompn_dims &o, int cell) {
    return cell == o.n - 1 ? o.d : 0;
}

// ---- what backward writes (shared), arrays of all rows: of every cell the gradients of hidden
// (4d), of the second layer (gates and cell), and of the gates before γ; then of the gate's share
// of x (d), of its hidden numbers (n·d) and of its logits (n)

// rows of an array: all arrays begin at multiples of 16 bytes
SLT_HOST_DEVICE int64_t slt_ompn_room(const slt_ompn_dims &o) { return (o.rows + 3) / 4 * 4; }
SLT_HOST_DEVICE int64_t slt_ompn_dhidden(const slt_ompn_dims &o, int cell) {
    return slt_ompn_room(o) * slt_ompn_before(o, cell, 11, 9);
}
SLT_HOST_DEVICE int64_t slt_ompn_dsecond(const slt_ompn_dims &o, int cell) {
    return slt_ompn_dhidden(o, cell) + slt_ompn_room(o) * 4 * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_dgates(const slt_ompn_dims &o, int cell) {
    return slt_ompn_dsecond(o, cell) + slt_ompn_room(o) * (cell < o.n ? 4 : 3) * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_dgate_x(const slt_ompn_dims &o) {
    return slt_ompn_dhidden(o, slt_ompn_cells(o));
}
SLT_HOST_DEVICE int64_t slt_ompn_dgate_hidden(const slt_ompn_dims &o) {
    return slt_ompn_dgate_x(o) + slt_ompn_room(o) * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_dlogit(const slt_ompn_dims &o) {
    return slt_ompn_dgate_hidden(o) + slt_ompn_room(o) * o.n * o.d;
}
// and kernels turned round: second (q·d, 4d) and first (4d, k·d) of every cell; the gate's (d, 2d)
SLT_HOST_DEVICE int64_t slt_ompn_turned2(const slt_ompn_dims &o, int cell) {
    return slt_ompn_dlogit(o) + slt_ompn_room(o) * o.n + o.d * slt_ompn_before(o, cell, 24, 16);
}
SLT_HOST_DEVICE int64_t slt_ompn_turned1(const slt_ompn_dims &o, int cell) {
    return slt_ompn_turned2(o, cell) + (int64_t)(cell < o.n ? 16 : 12) * o.d * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_turned_gate(const slt_ompn_dims &o) {
    return slt_ompn_turned2(o, slt_ompn_cells(o));
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
    int group = args->trajectories * args->members > 2 * slt_enough_blocks() ? SLT_OMPN_CREW : 4;
    while (group > 1 && (size_t)group * numbers_each * sizeof(float) > slt_shared_room())
        group = group > 4 ? 4 : 1;
    return group;
}

#endif
