// Throughput of a variant on craft-full: a file speed/VARIANT.json.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPRODUCE_SPEED_H
#define SLT_REPRODUCE_SPEED_H

#include "reproduce/repro_impl.h"

// tokens a second, padding counted, and without it
typedef struct {
    double train, test, train_true, test_true;
    char device[SLT_REPRO_WORD], commit[SLT_REPRO_WORD];
    int threads;
} slt_repro_speed;

// *there: it has been measured
slt_status slt_repro_speed_read(const slt_repro *r, const slt_repro_variant *variant,
                                slt_repro_speed *out, bool *there);

#endif
