// slots_{b,k} = μ_k + exp(ρ_k)∘noise_{b,k}; backward sums over the batch, a thread per number.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { MU, RHO, NOISE };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const float *mu = slt_at(a.in[MU]), *rho = slt_at(a.in[RHO]), *noise = slt_at(a.in[NOISE]);
    float *out = slt_at(a.out[0]);
    int width = a.out_width[0], per = a.slots * width, count = slt_count(a, SLT_SLOTS, 0);
    for (unsigned i = slt_thread(); i < (unsigned)(count * width); i += slt_stride())
        out[i] = mu[i % (unsigned)per] + expf(rho[i % (unsigned)per]) * noise[i];
    slt_clear_tail(out, count, a.out_rows[0], width);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const float *rho = slt_at(a.in[RHO]), *noise = slt_at(a.in[NOISE]);
    const float *ds = slt_at(a.out_grad[0]);
    int per = a.slots * a.out_width[0], i = (int)slt_thread(), count = slt_header(a)->count;
    if (i >= per) return;
    float dmu = 0, drho = 0, scale = expf(rho[i]);
#pragma unroll 8
    for (int b = 0; b < count; b++) {
        float d = ds[(int64_t)b * per + i];
        dmu += d;
        drho += d * scale * noise[(int64_t)b * per + i];
    }
    if (a.in_grad[MU].at) slt_put(&slt_at(a.in_grad[MU])[i], a.add[MU], dmu);
    if (a.in_grad[RHO].at) slt_put(&slt_at(a.in_grad[RHO])[i], a.add[RHO], drho);
}

void slt_cuda_slot_start_forward(const slt_cuda_args *args) {
    int64_t count = (int64_t)args->out_rows[0] * args->out_width[0];
    SLT_LAUNCH(args, forward, slt_grid(args, count, SLT_THREADS), SLT_THREADS, 0);
}
void slt_cuda_slot_start_backward(const slt_cuda_args *args) {
    int count = args->slots * args->out_width[0];
    slt_cuda_args side = slt_cuda_on_weight_stream(args);
    SLT_LAUNCH(&side, backward, slt_grid(args, count, SLT_WARP), SLT_WARP, 0);
}
