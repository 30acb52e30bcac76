// The activation functions by name.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_ACTIVATION_KIND_H
#define SLT_OPS_ACTIVATION_KIND_H

typedef enum { SLT_LINEAR, SLT_RELU, SLT_TANH, SLT_SIGMOID, SLT_LEAKY } slt_activation;

#endif
