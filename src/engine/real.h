// The number type of the engine: float, or double in the checking build (finite differences).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_REAL_H
#define SLT_ENGINE_REAL_H

#ifdef SLT_DOUBLE
typedef double slt_real;
#else
typedef float slt_real;
#endif

#endif
