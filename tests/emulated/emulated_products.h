// Products in memory, as cuBLAS has them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EMULATED_PRODUCTS_H
#define SLT_EMULATED_PRODUCTS_H

// a matrix of floats, or of numbers in bf16: (i,j) is number first + i·across + j·along
struct slt_emulated_matrix {
    void *at;
    bool floats;
    long long first;
    long across, along;
};

// c (m,n) = scale·a (m,k)·b (n,k)ᵀ + beta·c, sums in double
void slt_emulated_product(int m, int n, int k, float scale, slt_emulated_matrix a,
                          slt_emulated_matrix b, float beta, slt_emulated_matrix c);

#endif
