// Matrix products by cuBLAS. Ours are stored by rows, those of cuBLAS by columns: cᵀ =
// op(b)ᵀ·op(a)ᵀ needs no transposition of anything.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "cuda/device/cuda_device.h"
#include "ops/common/activation_kind.h"

cublasComputeType_t slt_cuda_compute(const slt_cuda *cuda) {
    static const cublasComputeType_t of[] = {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32,
                                             CUBLAS_COMPUTE_32F_FAST_16BF};
    return of[cuda->context->precision];
}

void slt_cuda_gemm(const slt_cuda_args *args, bool transpose_a, bool transpose_b, int m, int n,
                   int k, slt_cuda_view a, int lda, slt_cuda_view b, int ldb, bool add,
                   slt_cuda_view c, int ldc) {
    slt_cuda *cuda = args->cuda;
    const float one = 1, beta = add ? 1 : 0;
    cublasOperation_t op_a = transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasOperation_t op_b = transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasComputeType_t compute = slt_cuda_compute(cuda);
    cublasHandle_t blas = slt_cuda_place(args).blas;
    cublasStatus_t status =
        args->members == 1
            ? cublasGemmEx(blas, op_b, op_a, n, m, k, &one, b.at, CUDA_R_32F, ldb, a.at, CUDA_R_32F,
                           lda, &beta, c.at, CUDA_R_32F, ldc, compute, CUBLAS_GEMM_DEFAULT)
            : cublasGemmStridedBatchedEx(blas, op_b, op_a, n, m, k, &one, b.at, CUDA_R_32F, ldb,
                                         b.stride, a.at, CUDA_R_32F, lda, a.stride, &beta, c.at,
                                         CUDA_R_32F, ldc, c.stride, args->members, compute,
                                         CUBLAS_GEMM_DEFAULT);
    if (status == CUBLAS_STATUS_SUCCESS || cuda->status != SLT_OK) return;
    cuda->status = SLT_DEVICE;
    snprintf(cuda->message, sizeof cuda->message,
             "CUDA device %d: product of %d x %d and %d x %d failed: %s", cuda->number, m, k, k, n,
             cublasGetStatusString(status));
}

bool slt_cuda_is_tf32(const slt_cuda *cuda) { return cuda->context->precision == SLT_TF32; }

void slt_cuda_input_gradient(const slt_cuda_args *args, int rows, int in, int out, slt_cuda_view dy,
                             slt_cuda_view w, bool add, slt_cuda_view dx) {
    if (dx.at) slt_cuda_gemm(args, false, true, rows, in, out, dy, out, w, out, add, dx, in);
}

void slt_cuda_dense_product(const slt_cuda_args *args, int rows, int out, int in, slt_cuda_view x,
                            slt_cuda_view w, slt_cuda_view c, int activation, slt_cuda_view y) {
    bool relu = activation == SLT_RELU, plain = relu || activation == SLT_LINEAR;
    if (c.at && plain && slt_cuda_fused_bias(args, rows, out, in, x, w, c, relu, y)) return;
    slt_cuda_gemm(args, false, false, rows, out, in, x, in, w, out, false, y, out);
    slt_cuda_bias_activate(args, y, rows, out, c, activation);
}

static slt_cuda_args fork_behind(const slt_cuda_args *args, int number, bool held,
                                 cudaEvent_t event) {
    slt_cuda *cuda = args->cuda;
    slt_cuda_args side = *args;
    if (cuda->forked < 0) cuda->forked = number;
    cudaStream_t stream = cuda->side[cuda->forked].stream;
    slt_cuda_check(cuda, cudaStreamWaitEvent(stream, event, 0), "starting the side"); // sticks
    if (held) slt_cuda_hold(cuda, stream);
    int64_t before = (int64_t)cuda->forked * args->members;
    side.stream = stream;
    side.partials = args->side_partials;
    side.partials.at += before * side.partials.stride;
    side.counters = args->side_counters + before * args->counter_stride;
    return side;
}

static slt_cuda_args fork_to(const slt_cuda_args *args, int number, bool held) {
    slt_cuda *cuda = args->cuda;
    if (!SLT_CUDA_LAG) return *args;
    slt_cuda_check(cuda, cudaEventRecord(cuda->fork, cuda->stream), "starting the side");
    return fork_behind(args, number, held, cuda->fork);
}

static int next_side(slt_cuda *cuda) {
    int number = cuda->side_next;
    if (cuda->forked < 0) cuda->side_next = (number + 1) % SLT_CUDA_TURN_SIDES;
    return number;
}

slt_cuda_args slt_cuda_fork(const slt_cuda_args *args) {
    // a population fills the device whatever is held
    bool held = args->in_space[0] == SLT_SLOT_TOKENS && args->members == 1;
    return fork_to(args, next_side(args->cuda), held);
}

slt_cuda_args slt_cuda_fork_group(const slt_cuda_args *args, bool last) {
    int number = last ? SLT_CUDA_BULK : next_side(args->cuda);
    return fork_behind(args, number, false, args->cuda->ready);
}

slt_cuda_args slt_cuda_fork_sums(const slt_cuda_args *args) {
    return fork_to(args, SLT_CUDA_SUMS, false);
}

slt_cuda_args slt_cuda_fork_bulk(const slt_cuda_args *args) {
    return fork_to(args, SLT_CUDA_BULK, false);
}

slt_cuda_args slt_cuda_fork_rest(const slt_cuda_args *args) {
    return fork_to(args, SLT_CUDA_REST, false);
}

// rows of all members: above that the library's sum over rows, a launch of its own behind the
// product, takes three times as long as the memory needs
enum { MANY_ROWS = 32768 };

void slt_cuda_weight_gradient(const slt_cuda_args *args, int in, int out, int rows, slt_cuda_view x,
                              slt_cuda_view dy, slt_cuda_view dw, bool add_w, slt_cuda_view dc,
                              bool add_c) {
    bool many = (int64_t)rows * args->members > MANY_ROWS;
    bool both = dw.at && dc.at && !add_c && !many;
    if (!dw.at && !dc.at) return;
    slt_weight_product product = {.x = x.at,
                                  .dy = dy.at,
                                  .dw = dw.at,
                                  .dc = dc.at,
                                  .rows = rows,
                                  .in = in,
                                  .out = out,
                                  .add_w = add_w,
                                  .add_c = add_c};
    if (slt_cuda_weights_wait(args, &product)) return;
    slt_cuda_args side = slt_cuda_fork(args);
    if (both && slt_cuda_fused_gradient(&side, in, out, rows, x, dy, add_w, dw, dc)) return;
    if (dw.at) slt_cuda_gemm(&side, true, false, in, out, rows, x, in, dy, out, add_w, dw, out);
    slt_cuda_bias_gradient(&side, dy, rows, out, dc, add_c);
}
