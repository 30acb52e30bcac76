// The list of golden kinds: a row here and a `const slt_verify_kind slt_verify_NAME` make one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_VERIFY_KINDS_H
#define SLT_VERIFY_KINDS_H

#include "verify/golden.h"

// clang-format off
#define SLT_VERIFY_KINDS(X) \
    X(slottar) \
    X(compile) \
    X(ompn) \
    X(model_metrics) \
    X(craft_metrics) \
    X(craft_episodes) \
    X(craft_outcomes) \
    X(craft_paths) \
    X(random_streams) \
    X(numpy_rng) \
    X(minigrid_layouts) \
    X(minigrid_traces)
// clang-format on

#define SLT_DECLARE(name) extern const slt_verify_kind slt_verify_##name;
SLT_VERIFY_KINDS(SLT_DECLARE)
#undef SLT_DECLARE

#endif
