// What the machine can do at best, measured: the yardstick of the benchmarks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_PEAK_H
#define SLT_ENGINE_PEAK_H

// runs `rounds` times a row of independent multiply-adds in registers; gives the floating-point
// operations done. `sink` takes a result, so that nothing can be left out
double slt_peak_flops(long rounds, volatile float *sink);

// 0: the peak is not known
static inline double slt_peak_share(double value, double peak) {
    return peak > 0 ? value / peak : 0;
}

#endif
