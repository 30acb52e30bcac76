// One channel of an action vector, the same on the host and on a device: a number has a Gaussian
// around the network's output y, with a learned standard deviation that is bounded from below; a
// bit is Bernoulli with logit y. Actions are standardised, t is the one that was taken.
//     number: nats = (y-t)²/(2σ²) + ½ log(2πσ²),  σ² = exp(2ρ) + 0.05²
//             dy = (y-t)/σ²,  dρ = exp(2ρ)/σ²·(1 - (y-t)²/σ²)
//     bit:    nats = log(1+exp(y)) - t·y,  dy = sigmoid(y) - t
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_CHANNEL_H
#define SLT_OPS_CHANNEL_H

#include <math.h>
#include <stdbool.h>
#include "core/host_device.h"
#include "engine/real.h"

// kinds of channels, as a constant row of the tape holds them: a bit is above one half
enum { SLT_CHANNEL_NUMBER, SLT_CHANNEL_BIT };

#ifdef SLT_DOUBLE
SLT_HOST_DEVICE slt_real slt_channel_exp(slt_real x) { return exp(x); }
SLT_HOST_DEVICE slt_real slt_channel_log(slt_real x) { return log(x); }
#else
SLT_HOST_DEVICE slt_real slt_channel_exp(slt_real x) { return expf(x); }
SLT_HOST_DEVICE slt_real slt_channel_log(slt_real x) { return logf(x); }
#endif

// what a channel needs at every step of a trajectory
typedef struct {
    slt_real bit;    // above one half: a bit
    slt_real weight; // 1/σ²
    slt_real base;   // ½ log(2πσ²)
    slt_real slope;  // exp(2ρ)/σ²
} slt_channel_law;

// σ² in standardised units
SLT_HOST_DEVICE slt_real slt_channel_variance(slt_real rho) {
    return slt_channel_exp(2 * rho) + (slt_real)(0.05 * 0.05);
}

SLT_HOST_DEVICE slt_channel_law slt_channel_law_of(slt_real kind, slt_real rho) {
    slt_real variance = slt_channel_variance(rho);
    slt_channel_law law;
    law.bit = kind;
    law.weight = 1 / variance;
    law.base = (slt_real)0.5 * slt_channel_log((slt_real)6.283185307179586 * variance);
    law.slope = slt_channel_exp(2 * rho) / variance;
    return law;
}

SLT_HOST_DEVICE bool slt_channel_is_bit(slt_real kind) { return kind > (slt_real)0.5; }

SLT_HOST_DEVICE slt_real slt_channel_nats(slt_channel_law law, slt_real y, slt_real t) {
    slt_real e = y - t;
    if (!slt_channel_is_bit(law.bit)) return (slt_real)0.5 * e * e * law.weight + law.base;
    slt_real high = y > 0 ? y : 0, low = y > 0 ? -y : y;
    return high + slt_channel_log(1 + slt_channel_exp(low)) - t * y;
}

SLT_HOST_DEVICE slt_real slt_channel_dy(slt_channel_law law, slt_real y, slt_real t) {
    if (!slt_channel_is_bit(law.bit)) return (y - t) * law.weight;
    return 1 / (1 + slt_channel_exp(-y)) - t;
}

SLT_HOST_DEVICE slt_real slt_channel_drho(slt_channel_law law, slt_real y, slt_real t) {
    if (slt_channel_is_bit(law.bit)) return 0;
    return law.slope * (1 - (y - t) * (y - t) * law.weight);
}

#endif
