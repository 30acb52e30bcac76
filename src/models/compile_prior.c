// The prior over the position of the first boundary, as logarithms over v = 1..L:
//     Poisson: log-softmax of v·ln(rate) - rate - lnΓ(v+1)
//     reference: log-softmax of ln|Γ(v·ln(rate) - rate - (v+1))|, a misplaced parenthesis
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "models/compile_model.h"

// lgamma without its global sign
static double log_gamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

static double power(slt_rate_rule rule, double rate, double v) {
    double x = v * log(rate) - rate;
    return rule == SLT_RATE_REFERENCE ? log_gamma(x - (v + 1)) : x - log_gamma(v + 1);
}

void slt_compile_log_prior(slt_rate_rule rule, double rate, int length, slt_real *out) {
    double most = -INFINITY, sum = 0;
    for (int v = 1; v <= length; v++) most = fmax(most, power(rule, rate, v));
    for (int v = 1; v <= length; v++) sum += exp(power(rule, rate, v) - most);
    for (int v = 1; v <= length; v++)
        out[v - 1] = (slt_real)(power(rule, rate, v) - most - log(sum));
}
