// Many observations at once.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/skill_rows.h"

#include <string.h>
#include "engine/gemm.h"
#include "engine/wide.h"

enum { SEE, SEE_BIAS, THINK, THINK_BIAS, CHOOSE, CHOOSE_BIAS };

static slt_status copy(slt_arena *arena, const slt_skill_net *net, int part, slt_real **out) {
    slt_skill_matrix m = slt_skill_part(net->shape, part);
    size_t count = (size_t)m.rows * (size_t)m.columns;
    SLT_TRY(SLT_NEW(arena, out, count));
    for (size_t i = 0; i < count; i++) (*out)[i] = (slt_real)net->part[part][i];
    return SLT_OK;
}

static slt_status pack(slt_arena *arena, const slt_skill_net *net, int part, slt_real **out) {
    slt_skill_matrix m = slt_skill_part(net->shape, part);
    slt_real *plain;
    SLT_TRY(SLT_NEW(arena, out, slt_gemm_packed_size(m.columns, m.rows)));
    slt_arena_mark mark = slt_arena_now(arena);
    SLT_TRY(copy(arena, net, part, &plain));
    slt_gemm_pack(false, m.columns, m.rows, plain, m.columns, *out);
    slt_arena_reset(arena, mark);
    return SLT_OK;
}

slt_status slt_skill_pack(slt_skill_packed *packed, slt_arena *arena, const slt_skill_net *net) {
    *packed = (slt_skill_packed){.shape = net->shape};
    SLT_TRY(copy(arena, net, SEE, &packed->see));
    SLT_TRY(copy(arena, net, SEE_BIAS, &packed->see_bias));
    SLT_TRY(copy(arena, net, THINK_BIAS, &packed->think_bias));
    SLT_TRY(copy(arena, net, CHOOSE_BIAS, &packed->choose_bias));
    SLT_TRY(pack(arena, net, THINK, &packed->think));
    return pack(arena, net, CHOOSE, &packed->choose);
}

static void relu(slt_real *y, int width) {
    for (int k = 0; k < width; k++) y[k] = y[k] > 0 ? y[k] : 0;
}

// a few columns at a time: their sums stay in registers while the ones go by
#ifdef __x86_64__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
enum { VECTORS = 8, CHUNK = LANES * VECTORS };
typedef slt_real lanes
    __attribute__((vector_size(LANES * sizeof(slt_real)), aligned(sizeof(slt_real)), may_alias));

static inline void sum_chunk(const slt_real *bias, const slt_real *weights, size_t stride,
                             const uint16_t *ones, int64_t count, slt_real *h) {
    lanes sum[VECTORS];
    for (int v = 0; v < VECTORS; v++) sum[v] = ((const lanes *)bias)[v];
    for (int64_t i = 0; i < count; i++) {
        const lanes *row = (const lanes *)(weights + ones[i] * stride);
        for (int v = 0; v < VECTORS; v++) sum[v] += row[v];
    }
    for (int v = 0; v < VECTORS; v++) ((lanes *)h)[v] = sum[v];
}

static void sum_ones(const slt_skill_packed *packed, const uint16_t *ones, int64_t count,
                     slt_real *h) {
    size_t hidden = (size_t)packed->shape.hidden, k = 0;
    for (; k + CHUNK <= hidden; k += CHUNK)
        sum_chunk(packed->see_bias + k, packed->see + k, hidden, ones, count, h + k);
    for (; k < hidden; k++) {
        h[k] = packed->see_bias[k];
        for (int64_t i = 0; i < count; i++) h[k] += packed->see[ones[i] * hidden + k];
    }
    relu(h, (int)hidden);
}
SLT_WIDE(sum_ones,
         (const slt_skill_packed *packed, const uint16_t *ones, int64_t count, slt_real *h),
         (packed, ones, count, h));

void slt_skill_see(const slt_skill_packed *packed, const uint16_t *ones, int64_t count,
                   slt_real *h) {
    SLT_WIDEST(sum_ones)(packed, ones, count, h);
}

void slt_skill_decide(const slt_skill_packed *packed, int rows, const slt_real *h, slt_real *g,
                      slt_real *logits) {
    int hidden = packed->shape.hidden, outputs = packed->shape.outputs;
    for (int r = 0; r < rows; r++)
        memcpy(g + (size_t)r * (size_t)hidden, packed->think_bias, (size_t)hidden * sizeof *g);
    slt_gemm_packed(rows, hidden, hidden, h, hidden, packed->think, true, g, hidden);
    relu(g, rows * hidden);
    for (int r = 0; r < rows; r++)
        memcpy(logits + (size_t)r * (size_t)outputs, packed->choose_bias,
               (size_t)outputs * sizeof *logits);
    slt_gemm_packed(rows, outputs, hidden, g, hidden, packed->choose, true, logits, outputs);
}
