// Residuals a - clip(prediction) of every law, and log densities of every step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/chains/chain_view.cuh"

SLT_DEVICE_INLINE float clipped(float x, float low, float high) {
    return x > high ? high + .05f * (x - high) : x < low ? low + .05f * (x - low) : x;
}

// a thread per row and number of a law
SLT_KERNEL residuals(const slt_chain_args a) {
    slt_begin();
    int m = (int)blockIdx.z, A = a.A, D = a.D;
    const slt_chain_law *law = a.law + m;
    int KA = law->K * A;
    int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, row = at / KA;
    if (law->idle || row >= law->rows) return;
    int c = (int)(at - row * KA), i = c % A;
    bool first;
    int64_t step = slt_chain_step(a, m, row, &first);
    const float *features = a.features + step * D, *action = a.actions + step * A;
    const float *before = first ? action : action - A;
    const float *W = a.W + (int64_t)m * (D + A) * SLT_CHAIN_LAWS * A + c;
    const double *numbers = slt_chain_numbers_of(a, m) + (2 * SLT_CHAIN_LAWS + 1) * A;
    float low = (float)numbers[i], high = (float)numbers[A + i], stay = 0, fresh = 0;
    for (int d = 0; d < D; d++) stay += features[d] * W[(int64_t)d * KA];
    if (law->family != SLT_CHAIN_SMOOTH)
        for (int d = 0; d < A; d++) stay += before[d] * W[(int64_t)(D + d) * KA];
    int64_t out = slt_chain_row(a, m, row, law->K) * A + c;
    a.r_stay[out] = action[i] - clipped(stay, low, high);
    if (law->family != SLT_CHAIN_BOTH) return;
    const float *V = a.V + (int64_t)m * D * SLT_CHAIN_LAWS * A + c;
    for (int d = 0; d < D; d++) fresh += features[d] * V[(int64_t)d * KA];
    a.r_fresh[out] = action[i] - clipped(fresh, low, high);
}

// log density of residuals r, less rho times those before where there are any
SLT_DEVICE_INLINE double log_density(const float *r, const float *before, const double *rho,
                                     const double *half, double constant, int A) {
    double sum = constant;
    for (int i = 0; i < A; i++) {
        double x = before ? r[i] - rho[i] * before[i] : (double)r[i];
        sum -= x * x * half[i];
    }
    return sum;
}

// a thread per row. Logs, or densities over the greatest of the row with its log in `offset`
SLT_KERNEL densities(const slt_chain_args a, bool logs) {
    slt_begin();
    int m = (int)blockIdx.z, A = a.A;
    const slt_chain_law *law = a.law + m;
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (law->idle || row >= law->rows) return;
    int K = law->K;
    bool first;
    slt_chain_step(a, m, row, &first);
    const double *half_v = slt_chain_numbers_of(a, m), *half_u = half_v + SLT_CHAIN_LAWS * A;
    const double *rho = half_u + SLT_CHAIN_LAWS * A;
    int64_t at = slt_chain_row(a, m, row, K);
    double *p = a.p_stay + at, *f = a.p_fresh + at, most = -1e308;
    for (int k = 0; k < K; k++) {
        const float *r = a.r_stay + (at + k) * A, *before = first ? NULL : r - K * A;
        bool smooth = law->family == SLT_CHAIN_SMOOTH;
        p[k] = log_density(r, smooth ? before : NULL, rho, half_v + k * A, law->constant_v[k], A);
        f[k] = law->family == SLT_CHAIN_INERTIA
                   ? p[k]
                   : log_density(smooth ? r : a.r_fresh + (at + k) * A, NULL, rho, half_u + k * A,
                                 law->constant_u[k], A);
        most = fmax(most, fmax(p[k], f[k]));
    }
    if (logs) return;
    a.offset[(int64_t)m * a.room + row] = most;
    for (int k = 0; k < K; k++) {
        p[k] = exp(p[k] - most);
        f[k] = exp(f[k] - most);
    }
}

extern "C" void slt_cuda_chain_residuals(const slt_chain_args *args) {
    int64_t threads = args->room * args->most * args->A;
    dim3 grid((unsigned)slt_pieces(threads, SLT_THREADS), 1, (unsigned)args->count);
    SLT_LAUNCH(args, residuals, grid, SLT_THREADS, 0);
}
extern "C" void slt_cuda_chain_densities(const slt_chain_args *args, bool logs) {
    dim3 grid((unsigned)slt_pieces(args->room, 128), 1, (unsigned)args->count);
    SLT_LAUNCH(args, densities, grid, 128, 0, logs);
}
