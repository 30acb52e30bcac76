// Layers: functions over the tape that declare their parameters by name. A name is "scope.layer";
// the layer adds ".kernel" and ".bias", or ".gamma" and ".beta".
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_NN_H
#define SLT_NN_H

#include "ops/common/ops.h"

enum { SLT_NAME = 96 };

// "%s.%s" into a buffer of SLT_NAME characters; gives the buffer
const char *slt_name(char *text, const char *scope, const char *part);

// ---- initial values

slt_init slt_glorot(int in, int out); // uniform in ±sqrt(6/(in+out))
slt_init slt_he(int fan_in);          // uniform in ±sqrt(6/fan_in)
slt_init slt_constant(double value);

// ---- parameters alone

slt_var slt_weights(slt_tape *tape, const char *name, int rows, int columns, slt_init init);
// matrices side by side, multiplied in one product
slt_var slt_weights_joined(slt_tape *tape, int rows, const slt_part *parts, int count);

// ---- layers

// dense with bias: kernel [in,out], Glorot
slt_var slt_nn_dense(slt_tape *tape, const char *name, slt_var x, int out, slt_activation act);
// dense without bias
slt_var slt_nn_linear(slt_tape *tape, const char *name, slt_var x, int out);
// dense over observations, numbers or bits
slt_var slt_nn_observe(slt_tape *tape, const char *name, slt_var observations, slt_type type,
                       int out);
// layer norm of x + residual (0: none), plus positions (0: none)
slt_var slt_nn_norm(slt_tape *tape, const char *name, slt_var x, slt_var residual,
                    slt_var positions, double epsilon);
// two dense layers with ReLU between them: names first and second below the scope
slt_var slt_nn_mlp(slt_tape *tape, const char *scope, const char *first, const char *second,
                   slt_var x, int middle, int out);
// post-norm Transformer layer
slt_var slt_nn_transformer(slt_tape *tape, const char *name, slt_var x, int heads, double epsilon);
// its two halves: attention, and the layer after it, with dropout at the places `dropout` and
// `dropout` + 1 before its residual sums (0: none)
slt_var slt_nn_attention(slt_tape *tape, const char *name, slt_var x, int heads);
// attention of rows that are sums of a slot's and a position's (slt_spread_slots)
slt_var slt_nn_attention_of_sums(slt_tape *tape, const char *name, slt_var slots, slt_var positions,
                                 int heads);
slt_var slt_nn_after_attention(slt_tape *tape, const char *name, slt_var x, slt_var mixed,
                               double epsilon, int dropout);
// dropout at a place of the model; 0: none
slt_var slt_nn_dropout(slt_tape *tape, slt_var x, int place);

// sin for even channels, cos for odd ones, angle l/10000^(2⌊i/2⌋/d), times scale: a constant [L,d]
slt_var slt_nn_sinusoid(slt_tape *tape, int width, double scale);

#endif
