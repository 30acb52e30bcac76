// What a tile of 64 scores of attention becomes, backward: factors of the products that end it
// (wide_attention.cu, brief_attention.cu).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_TILE_SHARES_CUH
#define SLT_CUDA_TILE_SHARES_CUH

#include "cuda/kernels/attention_steps.cuh"
#include "cuda/kernels/head_tile.cuh"

enum { TILE = SLT_TILE_ROWS, EIGHTS = TILE / 8, SIXTEENS = TILE / 16 };

// probabilities and ds of 64 keys as factors, and what the latter add up to. LAST: some
// keys may not be there
template <bool LAST>
SLT_DEVICE_INLINE void key_shares(const place &p, float (*z)[4], float (*ds)[4], int key,
                                  const float *log, const float *along, float *rest,
                                  uint32_t (*factor)[4], uint32_t (*factor_ds)[4]) {
#pragma unroll
    for (int i = 0; i < 4 * EIGHTS; i++) {
        int j = i / 4, e = i % 4;
        z[j][e] = slt_power(z[j][e] * p.factor - log[e / 2]);
        if (LAST && key + 8 * j + 2 * p.t + e % 2 >= p.v.keys) z[j][e] = 0;
        ds[j][e] = z[j][e] * (ds[j][e] - along[e / 2]);
        rest[e / 2] += ds[j][e];
    }
    slt_tile_factor(factor, z);
    slt_tile_factor(factor_ds, ds);
}

// probabilities and ds of 64 queries as factors; those that are not there have zeros in their rows.
// SOME: not all of the warp's rows are keys
template <bool SOME>
SLT_DEVICE_INLINE void query_shares(const place &p, float (*z)[4], float (*ds)[4],
                                    const float2 *kept, uint32_t (*factor)[4],
                                    uint32_t (*factor_ds)[4]) {
#pragma unroll
    for (int i = 0; i < 4 * EIGHTS; i++) {
        int j = i / 4, e = i % 4;
        float2 of = kept[8 * j + 2 * p.t + e % 2];
        z[j][e] = slt_power(z[j][e] * p.factor - of.x);
        if (SOME && p.first + e / 2 * 8 + p.g >= p.v.keys) z[j][e] = 0;
        ds[j][e] = z[j][e] * (ds[j][e] - of.y);
    }
    slt_tile_factor(factor, z);
    slt_tile_factor(factor_ds, ds);
}

#endif
