// y = bits·W + c by the ones: a warp per row, four columns per lane. Backward lays the ones out as
// a matrix of zeros and ones and multiplies: dW = bitsᵀ·dy.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernel.cuh"

enum { BITS, W, C };
enum { WARPS = 4, THREADS = WARPS * SLT_WARP };

// a lane reads one of 32 ones, all hear of it
SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int r = (int)(blockIdx.x * WARPS + threadIdx.x / SLT_WARP), width = a.out_width[0];
    if (r >= a.in_rows[BITS]) return;
    int lane = (int)(threadIdx.x % SLT_WARP);
    const int32_t *offset = slt_ints(a.in[BITS]);
    const uint16_t *ones = a.ones[BITS].at + (int64_t)blockIdx.z * a.ones[BITS].stride;
    const float *w = slt_at(a.in[W]), *c = slt_at(a.in[C]);
    bool there = r < slt_count(a, a.in_space[BITS], 0);
    int first = there ? offset[r] : 0, end = there ? offset[r + 1] : 0;
    for (int k = 4 * lane; k - 4 * lane < width; k += 4 * SLT_WARP) {
        float sum[4] = {0};
        if (there && c) slt_add4(sum, 1, slt_load4(c, k, width));
        for (int i = first; i < end; i += SLT_WARP) {
            float own = i + lane < end ? (float)ones[i + lane] : 0;
            int count = slt_least(SLT_WARP, end - i);
#pragma unroll 8
            for (int j = 0; j < count; j++)
                slt_add4(sum, 1, slt_load4(w + (int64_t)slt_warp_lane(own, j) * width, k, width));
        }
        slt_store4(slt_at(a.out[0]) + (int64_t)r * width, k, width, false,
                   slt_four(sum[0], sum[1], sum[2], sum[3]));
    }
}

// rows of zeros and ones into shared
SLT_KERNEL expand(const slt_cuda_args a) {
    slt_begin();
    int r = (int)blockIdx.x, width = a.in_width[BITS], count = slt_count(a, a.in_space[BITS], 0);
    const int32_t *offset = slt_ints(a.in[BITS]);
    const uint16_t *ones = a.ones[BITS].at + (int64_t)blockIdx.z * a.ones[BITS].stride;
    float *x = slt_at(a.shared) + (int64_t)r * width;
    for (int i = (int)threadIdx.x; i < width; i += (int)blockDim.x) x[i] = 0;
    __syncthreads();
    if (r >= count) return;
    for (int i = offset[r] + (int)threadIdx.x; i < offset[r + 1]; i += (int)blockDim.x)
        x[ones[i]] = 1;
}

void slt_cuda_dense_bits_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->in_rows[BITS], WARPS), THREADS, 0);
}

// there are gradients of parameters only
void slt_cuda_dense_bits_backward(const slt_cuda_args *args) {
    int rows = args->in_rows[BITS], in = args->in_width[BITS], out = args->out_width[0];
    slt_cuda_args side = slt_cuda_fork(args);
    if (args->in_grad[W].at) {
        SLT_LAUNCH(&side, expand, slt_grid(args, rows, 1), THREADS, 0);
        slt_cuda_gemm(&side, true, false, in, out, rows, args->shared, in, args->out_grad[0], out,
                      args->add[W], args->in_grad[W], out);
    }
    slt_cuda_bias_gradient(args, args->out_grad[0], rows, out, args->in_grad[C], args->add[C]);
}
