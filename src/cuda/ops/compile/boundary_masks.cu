// share = (1 - c)∘M, next = (c + 1e-17)∘M, c the cumulative sum of b: a warp per trajectory, 32
// positions at a time. Equations are those of ops/compile/boundary_masks.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/relaxed.cuh"

enum { BOUNDARY, MASK };
enum { SHARE, NEXT };

SLT_DEVICE_INLINE float number_at(slt_cuda_view view, int row, float absent) {
    return view.at ? slt_at(view)[row] : absent;
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, count = slt_count(a, SLT_TOKENS, 0);
    float *share = slt_at(a.out[SHARE]), *next = slt_at(a.out[NEXT]), before = 0;
    slt_clear_tail(share, count, a.out_rows[SHARE], 1);
    slt_clear_tail(next, count, a.out_rows[NEXT], 1);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    for (int first = 0; first < run.computed; first += SLT_WARP) {
        int l = first + (int)threadIdx.x, row = run.first + l;
        bool there = l < run.computed;
        float c = before + slt_warp_scan(there ? slt_at(a.in[BOUNDARY])[row] : 0);
        before = slt_warp_lane(c, SLT_WARP - 1);
        if (!there) continue;
        float mask = number_at(a.in[MASK], row, 1);
        share[row] = (1 - c) * mask;
        next[row] = (c + SLT_TINY) * mask;
    }
}

// dM needs c, which runs upward
SLT_DEVICE_INLINE void mask_gradient(const slt_cuda_args &a, const slt_device_span &run) {
    float before = 0;
    for (int first = 0; first < run.computed; first += SLT_WARP) {
        int l = first + (int)threadIdx.x, row = run.first + l;
        bool there = l < run.computed;
        float c = before + slt_warp_scan(there ? slt_at(a.in[BOUNDARY])[row] : 0);
        before = slt_warp_lane(c, SLT_WARP - 1);
        if (!there) continue;
        float dshare = number_at(a.out_grad[SHARE], row, 0);
        float dnext = number_at(a.out_grad[NEXT], row, 0);
        slt_put(&slt_at(a.in_grad[MASK])[row], a.add[MASK],
                dshare * (1 - c) + dnext * (c + SLT_TINY));
    }
}

// db is a sum from the end
SLT_DEVICE_INLINE void boundary_gradient(const slt_cuda_args &a, const slt_device_span &run) {
    float following = 0;
    for (int first = (run.computed - 1) / SLT_WARP * SLT_WARP; first >= 0; first -= SLT_WARP) {
        int l = first + (int)threadIdx.x, row = run.first + l;
        bool there = l < run.computed;
        float d = 0;
        if (there)
            d = (number_at(a.out_grad[NEXT], row, 0) - number_at(a.out_grad[SHARE], row, 0)) *
                number_at(a.in[MASK], row, 1);
        float sum = following + slt_warp_scan_down(d);
        following = slt_warp_lane(sum, 0);
        if (there) slt_put(&slt_at(a.in_grad[BOUNDARY])[row], a.add[BOUNDARY], sum);
    }
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, count = slt_count(a, SLT_TOKENS, 0);
    bool masks = a.in[MASK].at && a.in_grad[MASK].at, boundaries = a.in_grad[BOUNDARY].at;
    if (masks && !a.add[MASK]) slt_clear_tail(slt_at(a.in_grad[MASK]), count, a.in_rows[MASK], 1);
    if (boundaries && !a.add[BOUNDARY])
        slt_clear_tail(slt_at(a.in_grad[BOUNDARY]), count, a.in_rows[BOUNDARY], 1);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    if (masks) mask_gradient(a, run);
    if (boundaries) boundary_gradient(a, run);
}

void slt_cuda_boundary_masks_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), SLT_WARP, 0);
}
void slt_cuda_boundary_masks_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), SLT_WARP, 0);
}
