// Where the numbers of a chain's row are.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_CHAIN_VIEW_CUH
#define SLT_CUDA_CHAIN_VIEW_CUH

#include "cuda/chains/cuda_chains.h"
#include "cuda/kernels/kernel.cuh"

#define SLT_CHAIN_LEAST 1e-4f // posteriors below are left out of sums (linear_impl.h)

SLT_DEVICE_INLINE int64_t slt_chain_row(const slt_chain_args &a, int m, int64_t row, int K) {
    return (int64_t)m * a.room * a.most + row * K;
}
SLT_DEVICE_INLINE int64_t slt_chain_step(const slt_chain_args &a, int m, int64_t row, bool *first) {
    int32_t step = a.rows[m * a.row_step + row];
    *first = step < 0;
    return step < 0 ? ~step : step;
}
// Tables in shared memory are read again from here on: kept in registers over the steps of a walk
// they would not fit, and be spilled.
SLT_DEVICE_INLINE void slt_chain_read_again(void) { asm volatile("" ::: "memory"); }
// half precisions v, u; rho, low, high
SLT_DEVICE_INLINE const double *slt_chain_numbers_of(const slt_chain_args &a, int m) {
    return a.numbers + (int64_t)m * (2 * SLT_CHAIN_LAWS + 3) * a.A;
}

#endif
