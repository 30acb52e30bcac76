// The Transformer layer of encoder and decoder, post-norm:
//     y = LN(x + O(attention(Q x, K x, V x))),  out = LN(y + W2 relu(W1 y))
// and the sinusoid of positions. (Vaswani et al. 2017)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "nn/nn.h"

#include <math.h>

// weights and bias of query, key and value as one product. The bias of the keys shifts all scores
// of a row alike: its gradient is zero but for rounding
typedef struct {
    slt_var w, c;
} projection;

static projection project(slt_tape *tape, const char *name, int d) {
    static const char *const parts[] = {"q", "k", "v"};
    char kernels[3][SLT_NAME], biases[3][SLT_NAME], part[SLT_NAME];
    slt_part w[3], c[3];
    for (int i = 0; i < 3; i++) {
        slt_name(part, name, parts[i]);
        slt_name(kernels[i], part, "kernel");
        slt_name(biases[i], part, "bias");
        w[i] = (slt_part){kernels[i], d, slt_glorot(d, d), 0};
        c[i] = (slt_part){biases[i], d, slt_constant(0), i == 1 ? d : 0};
    }
    slt_var weights = slt_weights_joined(tape, d, w, 3);
    return (projection){weights, slt_weights_joined(tape, 1, c, 3)};
}

slt_var slt_nn_attention(slt_tape *tape, const char *name, slt_var x, int heads) {
    if (slt_tape_failed(tape)) return 0;
    projection p = project(tape, name, slt_tape_shape(tape, x).width);
    return slt_attention(tape, slt_dense(tape, x, p.w, p.c, SLT_LINEAR), heads);
}

slt_var slt_nn_attention_of_sums(slt_tape *tape, const char *name, slt_var slots, slt_var positions,
                                 int heads) {
    if (slt_tape_failed(tape)) return 0;
    projection p = project(tape, name, slt_tape_shape(tape, slots).width);
    slt_var qkv = slt_spread_slots(tape, slt_dense(tape, slots, p.w, 0, SLT_LINEAR),
                                   slt_dense(tape, positions, p.w, p.c, SLT_LINEAR));
    return slt_attention(tape, qkv, heads);
}

slt_var slt_nn_dropout(slt_tape *tape, slt_var x, int place) {
    return place ? slt_dropout(tape, x, place) : x;
}

slt_var slt_nn_after_attention(slt_tape *tape, const char *name, slt_var x, slt_var mixed,
                               double epsilon, int dropout) {
    if (slt_tape_failed(tape)) return 0;
    char text[SLT_NAME];
    int d = slt_tape_shape(tape, x).width;
    slt_var out = slt_nn_dense(tape, slt_name(text, name, "o"), mixed, d, SLT_LINEAR);
    slt_var kept = slt_nn_dropout(tape, out, dropout);
    slt_var y = slt_nn_norm(tape, slt_name(text, name, "ln1"), x, kept, 0, epsilon);
    slt_var wide = slt_nn_mlp(tape, name, "ff1", "ff2", y, 4 * d, d);
    wide = slt_nn_dropout(tape, wide, dropout ? dropout + 1 : 0);
    y = slt_nn_norm(tape, slt_name(text, name, "ln2"), y, wide, 0, epsilon);
    slt_tape_fuse(tape, SLT_FUSE_LAYER, out, y);
    return y;
}

slt_var slt_nn_transformer(slt_tape *tape, const char *name, slt_var x, int heads, double epsilon) {
    return slt_nn_after_attention(tape, name, x, slt_nn_attention(tape, name, x, heads), epsilon,
                                  0);
}

slt_var slt_nn_sinusoid(slt_tape *tape, int width, double scale) {
    slt_var table;
    int length = slt_tape_limits(tape).length;
    slt_real *at = slt_tape_constant(tape, length, width, "positions", &table);
    for (int l = 0; at && l < length; l++)
        for (int i = 0; i < width; i++) {
            double angle = l / pow(10000, 2.0 * (i / 2) / width);
            // rounded before the scale, as the reference does it
            at[(size_t)l * (size_t)width + (size_t)i] =
                (slt_real)(i % 2 ? cos(angle) : sin(angle)) * (slt_real)scale;
        }
    return table;
}
