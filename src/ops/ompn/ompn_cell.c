// The two cells of OMPN, which differ in the number k of their inputs only: Com has a child and a
// memory, Decom a parent.
//     h = relu((in ⊕ x)·W₁ + c₁),  (s, cell) = h·W₂ + c₂,  g = σ(γ·norm(s) + β),  k+1 gates
//     out = norm(Σ_j g_j∘in_j + g_{k+1}∘cell)
// The share of x in the first layer does not depend on time: one product for all rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/ompn/ompn_impl.h"

// ---- x's share, over all rows; where the child is x as well, the two kernels are added first

static const slt_real *x_kernel(const slt_ompn *o, const slt_ompn_part *part) {
    size_t d = (size_t)o->d;
    return part->leaf ? o->leaf_kernel : o->w + part->at.w1 + (size_t)part->at.inputs * d * 4 * d;
}

static void fill_rows(slt_real *to, const slt_real *row, int rows, size_t width) {
    for (int r = 0; r < rows; r++) memcpy(to + (size_t)r * width, row, width * sizeof *to);
}

void slt_ompn_cell_observe(const slt_ompn *o, const slt_ompn_part *part, int row, int rows) {
    size_t d = (size_t)o->d, wide = slt_ompn_state_width(o);
    const slt_real *x = o->state + (size_t)row * wide;
    slt_real *hidden = part->hidden + (size_t)row * 4 * d;
    fill_rows(hidden, o->w + part->at.c1, rows, 4 * d);
    slt_gemm(false, false, rows, 4 * o->d, o->d, x, (int)wide, x_kernel(o, part), 4 * o->d, true,
             hidden, 4 * o->d);
}

void slt_ompn_cell_unobserve(const slt_ompn *o, const slt_ompn_part *part, int row, int rows) {
    size_t d = (size_t)o->d;
    slt_gemm(false, true, rows, o->d, 4 * o->d, part->dhidden + (size_t)row * 4 * d, 4 * o->d,
             x_kernel(o, part), 4 * o->d, true, o->dx + (size_t)row * d, o->d);
}

// ---- one row

// x becomes (x - mean)/τ; gives 1/τ
static slt_real normalise(slt_real *restrict x, int width, slt_real epsilon) {
    slt_real mean = slt_sum(x, width) / (slt_real)width;
    for (int c = 0; c < width; c++) x[c] -= mean;
    slt_real inverse = 1 / slt_sqrt(slt_dot(x, x, width) / (slt_real)width + epsilon);
    for (int c = 0; c < width; c++) x[c] *= inverse;
    return inverse;
}

// dx from dy in its place
static void unnormalise(slt_real *restrict dy, const slt_real *restrict hat, slt_real inverse,
                        int width) {
    slt_real mean = slt_sum(dy, width) / (slt_real)width;
    slt_real along = slt_dot(dy, hat, width) / (slt_real)width;
    for (int c = 0; c < width; c++) dy[c] = (dy[c] - mean - hat[c] * along) * inverse;
}

// the record of a row holds the second layer's output after the place of the normalised gates
static void mix(const slt_ompn *o, const slt_ompn_part *part, slt_real *record, slt_real *inverse,
                const slt_real *in, slt_real *restrict out) {
    int d = o->d, k = part->at.inputs, wide = (k + 1) * d;
    const slt_real *restrict gamma = o->w + part->at.gamma, *restrict beta = o->w + part->at.beta;
    slt_real *restrict hat = record, *restrict gate = record + wide;
    memcpy(hat, gate, (size_t)wide * sizeof *hat);
    inverse[0] = normalise(hat, wide, o->epsilon);
    for (int c = 0; c < wide; c++) gate[c] = slt_sigmoid(gamma[c] * hat[c] + beta[c]);
    const slt_real *last = gate + k * d, *cell = gate + wide;
    for (int c = 0; c < d; c++) out[c] = last[c] * cell[c];
    for (int j = 0; j < k; j++)
        for (int c = 0; c < d; c++) out[c] += gate[j * d + c] * in[j * d + c];
    inverse[1] = normalise(out, d, o->epsilon);
}

void slt_ompn_cell_forward(const slt_ompn *o, const slt_ompn_part *part, slt_ompn_moment at,
                           const slt_real *in, size_t stride, slt_real *out) {
    int d = o->d, k = part->at.inputs, skip = part->leaf ? d : 0;
    size_t row = (size_t)at.row, wide = (size_t)(k + 1) * (size_t)d, record_width = 2 * wide + d;
    slt_real *hidden = part->hidden + row * 4 * (size_t)d;
    slt_real *record = part->record + row * record_width;
    in += row * stride;
    out += row * stride;
    slt_gemm_packed(at.live, 4 * d, k * d - skip, in + skip, (int)stride, part->packed1, true,
                    hidden, 4 * d);
    for (size_t i = 0; i < (size_t)at.live * 4 * (size_t)d; i++)
        hidden[i] = slt_where(hidden[i] > 0, hidden[i]);
    for (int r = 0; r < at.live; r++)
        memcpy(record + (size_t)r * record_width + wide, o->w + part->at.c2,
               (wide + (size_t)d) * sizeof *record);
    slt_gemm_packed(at.live, (k + 2) * d, 4 * d, hidden, 4 * d, part->packed2, true, record + wide,
                    (int)record_width);
    for (int r = 0; r < at.live; r++)
        mix(o, part, record + (size_t)r * record_width, part->inverse + 2 * (row + (size_t)r),
            in + (size_t)r * stride, out + (size_t)r * stride);
}

// ---- backward

// from dout of a row (given up) to the gradient of the second layer's output; din, dγ, dβ grow
static void unmix(const slt_ompn *o, const slt_ompn_part *part, const slt_real *record,
                  const slt_real *inverse, const slt_real *in, const slt_real *out,
                  slt_real *restrict dout, slt_real *restrict din, slt_real *restrict dsecond,
                  slt_real *restrict dgamma) {
    int d = o->d, k = part->at.inputs, wide = (k + 1) * d;
    const slt_real *restrict gamma = o->w + part->at.gamma;
    const slt_real *restrict hat = record, *restrict gate = record + wide;
    slt_real *restrict dbeta = dgamma + wide;
    unnormalise(dout, out, inverse[1], d);
    for (int j = 0; j <= k; j++) {
        const slt_real *from = j < k ? in + j * d : gate + wide;
        for (int c = 0; c < d; c++) dsecond[j * d + c] = dout[c] * from[c];
    }
    for (int j = 0; j < k; j++)
        for (int c = 0; c < d; c++) din[j * d + c] += dout[c] * gate[j * d + c];
    for (int c = 0; c < d; c++) dsecond[wide + c] = dout[c] * gate[k * d + c];
    for (int c = 0; c < wide; c++) {
        slt_real ds = dsecond[c] * gate[c] * (1 - gate[c]);
        dgamma[c] += ds * hat[c];
        dbeta[c] += ds;
        dsecond[c] = ds * gamma[c];
    }
    unnormalise(dsecond, hat, inverse[0], wide);
}

void slt_ompn_cell_backward(const slt_ompn *o, const slt_ompn_part *part, slt_ompn_moment at,
                            const slt_real *in, size_t stride, const slt_real *out, slt_real *dout,
                            size_t dout_stride, slt_real *din, size_t din_stride,
                            slt_real *dgamma) {
    int d = o->d, k = part->at.inputs, skip = part->leaf ? d : 0;
    size_t row = (size_t)at.row, wide = (size_t)(k + 1) * (size_t)d, record_width = 2 * wide + d;
    slt_real *dsecond = part->dsecond + row * (wide + (size_t)d);
    slt_real *dhidden = part->dhidden + row * 4 * (size_t)d;
    const slt_real *hidden = part->hidden + row * 4 * (size_t)d;
    for (size_t r = 0; r < (size_t)at.live; r++)
        unmix(o, part, part->record + (row + r) * record_width, part->inverse + 2 * (row + r),
              in + (row + r) * stride, out + (row + r) * stride, dout + r * dout_stride,
              din + r * din_stride, dsecond + r * (wide + (size_t)d), dgamma);
    slt_gemm_packed(at.live, 4 * d, (k + 2) * d, dsecond, (k + 2) * d, part->packed2, false,
                    dhidden, 4 * d);
    for (size_t i = 0; i < (size_t)at.live * 4 * (size_t)d; i++)
        dhidden[i] = slt_where(hidden[i] > 0, dhidden[i]);
    slt_gemm_packed(at.live, k * d - skip, 4 * d, dhidden, 4 * d, part->packed1, true, din + skip,
                    (int)din_stride);
}
