// The list of rules: a row here and a `const slt_rule slt_baseline_NAME` make one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_BASELINE_TABLE_H
#define SLT_METRICS_BASELINE_TABLE_H

#include "metrics/baseline_impl.h"

#define SLT_BASELINES(X)                                                                           \
    X(uniform)                                                                                     \
    X(random)                                                                                      \
    X(comb)                                                                                        \
    X(rarest)                                                                                      \
    X(surprise)                                                                                    \
    X(delimiter)                                                                                   \
    X(jump)                                                                                        \
    X(jump_threshold)

#define SLT_DECLARE_RULE(name) extern const slt_baseline slt_baseline_##name;
SLT_BASELINES(SLT_DECLARE_RULE)
#undef SLT_DECLARE_RULE

#endif
