// Activations and their derivatives, as functions of the output.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_ACTIVATION_H
#define SLT_OPS_ACTIVATION_H

#include <stddef.h>
#include "engine/real.h"
#include "ops/common/ops.h"

#define SLT_LEAKY_SLOPE ((slt_real)0.3)

// y[r][·] = act(y[r][·] + c); c may be NULL
void slt_bias_activate(slt_real *y, int rows, int width, const slt_real *c,
                       slt_activation activation);
// y = act(x)
void slt_activate_numbers(slt_real *y, const slt_real *x, size_t count, slt_activation activation);
// dx = dy·act'(y)
void slt_activation_gradient(slt_real *dx, const slt_real *dy, const slt_real *y, size_t count,
                             slt_activation activation);

#endif
