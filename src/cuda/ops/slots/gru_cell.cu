// z = σ(gx_z + gh_z), r = σ(gx_r + gh_r), c = tanh(gx_h + r∘gh_h), s' = z∘s + (1-z)∘c: a thread per
// number; z, r and c are kept.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { GX, GH, STATE };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int S = a.in_width[STATE];
    for (unsigned i = slt_thread(); i < (unsigned)(a.in_rows[STATE] * S); i += slt_stride()) {
        int64_t at = (int64_t)(i / (unsigned)S) * 3 * S + i % (unsigned)S;
        const float *gx = slt_at(a.in[GX]) + at, *gh = slt_at(a.in[GH]) + at;
        float *kept = slt_at(a.aux) + at;
        float z = slt_sigmoid(gx[0] + gh[0]), r = slt_sigmoid(gx[S] + gh[S]);
        float c = tanhf(gx[2 * S] + r * gh[2 * S]);
        kept[0] = z;
        kept[S] = r;
        kept[2 * S] = c;
        slt_at(a.out[0])[i] = z * slt_at(a.in[STATE])[i] + (1 - z) * c;
    }
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int S = a.in_width[STATE];
    for (unsigned i = slt_thread(); i < (unsigned)(a.in_rows[STATE] * S); i += slt_stride()) {
        int64_t at = (int64_t)(i / (unsigned)S) * 3 * S + i % (unsigned)S;
        const float *kept = slt_at(a.aux) + at;
        float z = kept[0], r = kept[S], c = kept[2 * S], gh = slt_at(a.in[GH])[at + 2 * S];
        float dn = slt_at(a.out_grad[0])[i], s = slt_at(a.in[STATE])[i];
        float dc = dn * (1 - z) * (1 - c * c);
        float dz = dn * (s - c) * z * (1 - z), dr = dc * gh * r * (1 - r);
        if (a.in_grad[GX].at) {
            float *dx = slt_at(a.in_grad[GX]) + at;
            slt_put(&dx[0], a.add[GX], dz);
            slt_put(&dx[S], a.add[GX], dr);
            slt_put(&dx[2 * S], a.add[GX], dc);
        }
        if (a.in_grad[GH].at) {
            float *dh = slt_at(a.in_grad[GH]) + at;
            slt_put(&dh[0], a.add[GH], dz);
            slt_put(&dh[S], a.add[GH], dr);
            slt_put(&dh[2 * S], a.add[GH], dc * r);
        }
        if (a.in_grad[STATE].at) slt_put(&slt_at(a.in_grad[STATE])[i], a.add[STATE], dn * z);
    }
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->in_rows[STATE] * args->in_width[STATE], SLT_THREADS);
}

void slt_cuda_gru_cell_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), SLT_THREADS, 0);
}
void slt_cuda_gru_cell_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, grid(args), SLT_THREADS, 0);
}
