// Matrix products by cuBLAS. Ours are stored by rows, those of cuBLAS by columns: cᵀ =
// op(b)ᵀ·op(a)ᵀ needs no transposition of anything.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "cuda/device/cuda_device.h"

// numbers of a factor or a result: float32, or bf16
typedef struct {
    cudaDataType_t factors, result;
    cublasComputeType_t compute;
} number_types;

// numbers in a float's place
static int64_t halves(cudaDataType_t type) { return type == CUDA_R_16BF ? 2 : 1; }

static void multiply(const slt_cuda_args *args, number_types types, bool transpose_a,
                     bool transpose_b, int m, int n, int k, slt_cuda_view a, int lda,
                     slt_cuda_view b, int ldb, bool add, slt_cuda_view c, int ldc) {
    slt_cuda *cuda = args->cuda;
    const float one = 1, beta = add ? 1 : 0;
    cublasOperation_t op_a = transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasOperation_t op_b = transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasHandle_t blas = slt_cuda_place(args).blas;
    cudaDataType_t of = types.factors, to = types.result;
    // a weight gradient of one member leaves room for the chain next to it
    bool beside = transpose_a && of == CUDA_R_16BF && args->members == 1;
    cublasSetSmCountTarget(blas, beside ? SLT_CUDA_HALF : 0);
    cublasStatus_t status =
        args->members == 1
            ? cublasGemmEx(blas, op_b, op_a, n, m, k, &one, b.at, of, ldb, a.at, of, lda, &beta,
                           c.at, to, ldc, types.compute, CUBLAS_GEMM_DEFAULT)
            : cublasGemmStridedBatchedEx(
                  blas, op_b, op_a, n, m, k, &one, b.at, of, ldb, halves(of) * b.stride, a.at, of,
                  lda, halves(of) * a.stride, &beta, c.at, to, ldc, halves(to) * c.stride,
                  args->members, types.compute, CUBLAS_GEMM_DEFAULT);
    if (status == CUBLAS_STATUS_SUCCESS || cuda->status != SLT_OK) return;
    cuda->status = SLT_DEVICE;
    snprintf(cuda->message, sizeof cuda->message,
             "CUDA device %d: product of %d x %d and %d x %d failed: %s", cuda->number, m, k, k, n,
             cublasGetStatusString(status));
}

void slt_cuda_gemm(const slt_cuda_args *args, bool transpose_a, bool transpose_b, int m, int n,
                   int k, slt_cuda_view a, int lda, slt_cuda_view b, int ldb, bool add,
                   slt_cuda_view c, int ldc) {
    number_types types = {CUDA_R_32F, CUDA_R_32F, slt_cuda_compute(args->cuda)};
    multiply(args, types, transpose_a, transpose_b, m, n, k, a, lda, b, ldb, add, c, ldc);
}

void slt_cuda_gemm_pairs(const slt_cuda_args *args, bool transpose_a, bool transpose_b, int m,
                         int n, int k, slt_cuda_view a, int lda, slt_cuda_view b, int ldb, bool add,
                         slt_cuda_view c, int ldc, bool pairs) {
    number_types types = {CUDA_R_16BF, pairs ? CUDA_R_16BF : CUDA_R_32F, CUBLAS_COMPUTE_32F};
    multiply(args, types, transpose_a, transpose_b, m, n, k, a, lda, b, ldb, add, c, ldc);
}

bool slt_cuda_is_tf32(const slt_cuda *cuda) { return cuda->context->precision == SLT_TF32; }
bool slt_cuda_is_fp32(const slt_cuda *cuda) { return cuda->context->precision == SLT_FP32; }
bool slt_cuda_is_bf16(const slt_cuda *cuda) { return cuda->context->precision == SLT_BF16; }
