// first + the step's weight·second; a weight of 0 leaves the second term out.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    float weight = slt_header(a)->weight[a.n[0]], first = *slt_at(a.in[0]);
    *slt_at(a.out[0]) = weight != 0 ? first + weight * *slt_at(a.in[1]) : first;
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    float weight = slt_header(a)->weight[a.n[0]], d = *slt_at(a.out_grad[0]);
    if (a.in_grad[0].at) slt_put(slt_at(a.in_grad[0]), a.add[0], d);
    if (a.in_grad[1].at) slt_put(slt_at(a.in_grad[1]), a.add[1], d * weight);
}

void slt_cuda_add_loss_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, 1, 1), 1, 0);
}
void slt_cuda_add_loss_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, 1, 1), 1, 0);
}
