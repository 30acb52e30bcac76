// slottar: finds the sub-routines in recorded behaviour.
//
// This header brings all others. Start with context.h, then the noun you need.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_SLOTTAR_H
#define SLOTTAR_SLOTTAR_H

#include "slottar/status.h"
#include "slottar/context.h"
#include "slottar/metrics.h"
#include "slottar/env.h"
#include "slottar/draw.h"
#include "slottar/bench.h"
#include "slottar/dataset.h"
#include "slottar/expert.h"
#include "slottar/inspect.h"
#include "slottar/option.h"
#include "slottar/model.h"
#include "slottar/sweep.h"
#include "slottar/report.h"
#include "slottar/run.h"
#include "slottar/train.h"
#include "slottar/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

// The library's version, "major.minor.patch".
SLT_API const char *slt_version(void);

#ifdef __cplusplus
}
#endif
#endif
