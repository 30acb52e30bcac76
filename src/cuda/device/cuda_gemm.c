// Matrix products by cuBLAS. Ours are stored by rows, those of cuBLAS by columns: cᵀ =
// op(b)ᵀ·op(a)ᵀ needs no transposition of anything.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "cuda/device/cuda_device.h"

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
bool slt_cuda_is_fp32(const slt_cuda *cuda) { return cuda->context->precision == SLT_FP32; }
