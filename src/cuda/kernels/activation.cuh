// Activations and their slopes, as functions of the output.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_ACTIVATION_CUH
#define SLT_CUDA_ACTIVATION_CUH

#include "cuda/kernels/kernel.cuh"

#define SLT_LEAKY_SLOPE 0.3f

SLT_DEVICE_INLINE float slt_activated(float x, int activation) {
    switch (activation) {
    case SLT_RELU:
        return x > 0 ? x : 0;
    case SLT_TANH:
        return tanhf(x);
    case SLT_SIGMOID:
        return slt_sigmoid(x);
    case SLT_LEAKY:
        return x > 0 ? x : SLT_LEAKY_SLOPE * x;
    default:
        return x;
    }
}

SLT_DEVICE_INLINE float slt_activation_slope(float dy, float y, int activation) {
    switch (activation) {
    case SLT_RELU:
        return y > 0 ? dy : 0;
    case SLT_TANH:
        return dy * (1 - y * y);
    case SLT_SIGMOID:
        return dy * y * (1 - y);
    case SLT_LEAKY:
        return dy * (y > 0 ? 1 : SLT_LEAKY_SLOPE);
    default:
        return dy;
    }
}

#endif
