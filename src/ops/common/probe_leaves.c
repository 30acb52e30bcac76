// The leaves of a case: what an operation under test reads.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/probe.h"

slt_tape *slt_probe_tape(slt_probe *probe) { return probe->tape; }

static slt_var add_leaf(slt_probe *probe, slt_probe_leaf leaf) {
    if (probe->leaves == SLT_PROBE_LEAVES)
        slt_tape_fail(probe->tape, SLT_INTERNAL, "too many leaves in a case");
    else
        probe->leaf[probe->leaves++] = leaf;
    return leaf.var;
}

slt_var slt_probe_numbers(slt_probe *probe, slt_space space, int rows, int width, double low,
                          double high) {
    slt_var var = slt_tape_input_with_gradient(probe->tape, (slt_shape){space, rows, width}, "x");
    return add_leaf(probe, (slt_probe_leaf){.var = var, .low = low, .high = high});
}

slt_var slt_probe_parameter(slt_probe *probe, int rows, int width, double low, double high) {
    return slt_probe_numbers(probe, SLT_FIXED, rows, width, low, high);
}

slt_var slt_probe_constant(slt_probe *probe, slt_space space, int rows, int width, double low,
                           double high) {
    slt_var var = slt_tape_input(probe->tape, SLT_NUMBERS, (slt_shape){space, rows, width}, "c");
    return add_leaf(probe, (slt_probe_leaf){.var = var, .low = low, .high = high});
}

slt_var slt_probe_integers(slt_probe *probe, slt_space space, int below) {
    slt_var var = slt_tape_input(probe->tape, SLT_INTEGERS, (slt_shape){space, 0, 1}, "i");
    return add_leaf(probe, (slt_probe_leaf){.var = var, .below = below});
}

slt_var slt_probe_bits(slt_probe *probe, int width, double share) {
    slt_var var = slt_tape_input(probe->tape, SLT_BITS, (slt_shape){SLT_TOKENS, 0, width}, "bits");
    return add_leaf(probe, (slt_probe_leaf){.var = var, .share = share});
}
