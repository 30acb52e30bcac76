// The first nodes of a tape in one launch: none of them reads what another writes, so each has
// blocks of its own.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/encoder_input/fused_leaves.h"

#include "core/host_device.h"
#include "cuda/kernels/dense_bits.cuh"
#include "cuda/kernels/few_rows.cuh"
#include "cuda/fused/layer/pack_weights.cuh"
#include "cuda/kernels/noise.cuh"
#include "ops/common/op_inputs.h"

static_assert(sizeof(slt_fused_leaves) <= 4096, "a kernel takes so many bytes of arguments");

enum { WARPS = SLT_BITS_WARPS, THREADS = WARPS * SLT_WARP, ROWS = 4 };

// numbers between two rows in shared memory, where rows are read in fours
SLT_HOST_DEVICE int stride_of(const slt_cuda_args &a) {
    return (a.in_width[SLT_DENSE_X] + 3) / 4 * 4;
}

// rows of x, which may be of any width; zeros after the last of them, and after their last number
SLT_DEVICE_INLINE void stage_rows(const slt_cuda_args &a, int first, int rows, float *to) {
    int in = a.in_width[SLT_DENSE_X], stride = stride_of(a);
    const float *from = slt_at(a.in[SLT_DENSE_X]) + (int64_t)first * in;
    if (in == stride) {
        slt_stage(to, from, rows * in, ROWS * in);
        return;
    }
    for (int i = (int)threadIdx.x; i < ROWS * stride; i += THREADS) {
        int r = i / stride, k = i - r * stride;
        to[i] = r < rows && k < in ? from[r * in + k] : 0;
    }
}

// ROWS rows of y = x·W + c; shared memory: (ROWS, stride), then parts
SLT_DEVICE_INLINE void table_block(const slt_cuda_args &a, int block, float *memory) {
    int in = a.in_width[SLT_DENSE_X], out = a.out_width[0], first = block * ROWS, fours = out / 4;
    int rows = slt_least(ROWS, a.in_rows[SLT_DENSE_X] - first), stride = stride_of(a);
    float *parts = memory + ROWS * stride, *y = slt_at(a.out[0]) + (int64_t)first * out;
    const float *c = slt_at(a.in[SLT_DENSE_C]);
    float4 ahead[SLT_FEW_DEPTH];
    slt_few_share share = slt_few_share_of(in, out);
    slt_few_ask(share, slt_at(a.in[SLT_DENSE_W]), out, ahead);
    stage_rows(a, first, rows, memory);
    __syncthreads();
    slt_few_product<ROWS>(share, memory, stride, slt_at(a.in[SLT_DENSE_W]), out, ahead, parts);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < rows * fours; i += THREADS) {
        int r = i / fours, column = i % fours * 4;
        float sum[4] = {0};
        for (int part = 0; part < share.used; part++)
            slt_add4(sum, 1, *(const float4 *)(parts + (part * ROWS + r) * out + column));
        if (c) slt_add4(sum, 1, slt_load4(c, column, out));
        slt_store4(y + r * out, column, out, false, slt_four(sum[0], sum[1], sum[2], sum[3]));
    }
}

// weights of a layer; block: after those of all nodes
SLT_DEVICE_INLINE void lay_block(const slt_fused_leaves &run, int block) {
    int n = 0;
    while (block >= run.packed[n]) n++;
    slt_pack_block(run.layer[n], block - (n ? run.packed[n - 1] : 0));
}

// the longest first: nodes from the last to the first
SLT_KERNEL __launch_bounds__(THREADS, 5) forward(const __grid_constant__ slt_fused_leaves run) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    int block = (int)blockIdx.x, n = run.nodes - 1;
    if (block >= run.end[0]) {
        lay_block(run, block - run.end[0]);
        return;
    }
    while (block >= run.end[n]) n--;
    const slt_cuda_args &a = run.node[n];
    if (n + 1 < run.nodes) block -= run.end[n + 1];
    int64_t pair = (int64_t)block * THREADS + threadIdx.x;
    if (run.kind[n] == SLT_INPUT_TABLE) table_block(a, block, memory);
    if (run.kind[n] == SLT_INPUT_BITS) slt_bits_block(a, block);
    if (run.kind[n] == SLT_INPUT_NOISE && pair < slt_noise_pairs(a)) slt_noise_pair(a, pair);
}

static int blocks_of(const slt_fused_leaves *run, int n) {
    const slt_cuda_args *a = &run->node[n];
    if (run->kind[n] == SLT_INPUT_TABLE) return slt_pieces(a->in_rows[SLT_DENSE_X], ROWS);
    return run->kind[n] == SLT_INPUT_BITS ? slt_bits_blocks(a)
                                          : slt_pieces(slt_noise_pairs(*a), THREADS);
}

static size_t bytes_of(const slt_fused_leaves *run, int n) {
    const slt_cuda_args *a = &run->node[n];
    if (run->kind[n] != SLT_INPUT_TABLE) return 0;
    return (size_t)(ROWS * (stride_of(*a) + WARPS * SLT_FEW_COLUMNS)) * sizeof(float);
}

void slt_cuda_leaves_forward(slt_fused_leaves *run) {
    size_t bytes = 0;
    for (int n = run->nodes - 1, end = 0; n >= 0; n--) {
        run->end[n] = end += blocks_of(run, n);
        if (bytes_of(run, n) > bytes) bytes = bytes_of(run, n);
    }
    int more = 0;
    for (int i = 0; i < run->layers; i++) run->packed[i] = more += slt_pack_blocks(&run->layer[i]);
    dim3 grid((unsigned)(run->end[0] + more), 1, (unsigned)run->node[0].members);
    SLT_LAUNCH(run, forward, grid, THREADS, bytes);
}
