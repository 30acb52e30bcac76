// Parts of models that are one launch on the device: a Transformer layer after attention, and what
// is before attention.
#ifndef SLT_TESTS_FUSED_CASES_H
#define SLT_TESTS_FUSED_CASES_H

#include "nn/nn.h"
#include "ops/common/probe.h"

enum { LAYER_X = 1, LAYER_W1 = 6, END_C1 = 17 }; // leaves
static int layer_width = 128;

static inline slt_var layer_norm_of(slt_probe *p, slt_var x, slt_var residual) {
    int width = slt_tape_shape(slt_probe_tape(p), x).width;
    slt_var gamma = slt_probe_parameter(p, 1, width, 0.5, 2);
    slt_var beta = slt_probe_parameter(p, 1, width, -1, 1);
    return slt_layer_norm(slt_probe_tape(p), x, residual, gamma, beta, 0, 1e-3);
}
static inline slt_var layer_of(slt_probe *p, slt_space space, int wide) {
    slt_tape *tape = slt_probe_tape(p);
    slt_var mixed = slt_probe_numbers(p, space, 0, layer_width, -1, 1);
    slt_var x = slt_probe_numbers(p, space, 0, layer_width, -1, 1);
    slt_var o = slt_probe_parameter(p, layer_width, layer_width, -0.1, 0.1);
    slt_var c = slt_probe_parameter(p, 1, layer_width, -1, 1);
    slt_var first = slt_dense(tape, mixed, o, c, SLT_LINEAR), y = layer_norm_of(p, x, first);
    slt_var w1 = slt_probe_parameter(p, layer_width, wide, -0.05, 0.05);
    slt_var c1 = slt_probe_parameter(p, 1, wide, -0.5, 0.5);
    slt_var w2 = slt_probe_parameter(p, wide, layer_width, -0.1, 0.1);
    slt_var c2 = slt_probe_parameter(p, 1, layer_width, -1, 1);
    y = layer_norm_of(p, y, slt_mlp(tape, y, w1, c1, w2, c2));
    slt_tape_fuse(tape, SLT_FUSE_LAYER, first, y);
    return y;
}
static inline slt_var layer_wide(slt_probe *p) {
    return layer_of(p, SLT_SLOT_TOKENS, 4 * layer_width);
}
static inline slt_var layer_even(slt_probe *p) { return layer_of(p, SLT_TOKENS, layer_width); }
static inline slt_var layer_640(slt_probe *p) { return layer_of(p, SLT_TOKENS, 640); } // too wide
static inline slt_var layer_with_head(slt_probe *p) {
    slt_var y = layer_of(p, SLT_SLOT_TOKENS, 256),
            w = slt_probe_parameter(p, layer_width, 7, -1, 1);
    slt_var c = slt_probe_parameter(p, 1, 7, -1, 1);
    slt_var z = slt_dense(slt_probe_tape(p), y, w, c, SLT_LINEAR);
    slt_tape_fuse(slt_probe_tape(p), SLT_FUSE_LAYER, y, z);
    return z;
}
static inline slt_var layer_to(slt_probe *p, int S) {
    slt_tape *tape = slt_probe_tape(p);
    slt_var x = layer_of(p, SLT_TOKENS, 256);
    slt_var w = slt_probe_parameter(p, 1, layer_width, -1, 1);
    slt_var y = slt_add_position(tape, x, w, slt_probe_parameter(p, 1, layer_width, -1, 1));
    y = layer_norm_of(p, y, 0);
    slt_var w1 = slt_probe_parameter(p, layer_width, S, -0.05, 0.05);
    slt_var c1 = slt_probe_parameter(p, 1, S, -1, 1);
    slt_var w2 = slt_probe_parameter(p, S, S, -0.1, 0.1);
    slt_var c2 = slt_probe_parameter(p, 1, S, -1, 1);
    y = layer_norm_of(p, slt_mlp(tape, y, w1, c1, w2, c2), 0);
    slt_var kv = slt_probe_parameter(p, S, 2 * S, -0.1, 0.1);
    y = slt_dense(tape, y, kv, 0, SLT_LINEAR);
    slt_tape_fuse(tape, SLT_FUSE_LAYER, x, y);
    return y;
}
static inline slt_var layer_with_end(slt_probe *p) { return layer_to(p, layer_width); }
static inline slt_var layer_with_less(slt_probe *p) { return layer_to(p, 64); }

// the first channel decides the signs of the middle, one way or the other: none is nearly zero
static inline void push(slt_probe *p, int leaf, size_t step, size_t end, slt_real size) {
    size_t count;
    slt_real *value = slt_probe_values(p, leaf, &count);
    for (size_t i = 0; i < (end ? end : count); i += step) value[i] = value[i] < 0 ? -size : size;
}
static inline void keep_from_zero(slt_probe *p) {
    int wide = slt_tape_shape(p->tape, p->leaf[LAYER_W1].var).width;
    push(p, LAYER_X, (size_t)layer_width, 0, 5);
    push(p, LAYER_W1, 1, (size_t)wide, 0.6f);
    if (p->leaves > END_C1) push(p, END_C1, 1, 0, 4);
}

// ---- before attention

enum { FRONT_TABLE = 2 }; // leaf

// the table decides the signs
static inline void keep_table_from_zero(slt_probe *p) {
    if (p->leaves > 7) push(p, FRONT_TABLE, 1, 0, 4);
}

static inline slt_var normed(slt_probe *p, slt_var x) {
    slt_tape *tape = slt_probe_tape(p);
    slt_var gamma = slt_probe_parameter(p, 1, layer_width, 0.5, 2);
    slt_var beta = slt_probe_parameter(p, 1, layer_width, -1, 1);
    slt_var positions = slt_nn_sinusoid(tape, layer_width, 1);
    slt_var y = slt_layer_norm(tape, x, 0, gamma, beta, positions, 1e-3);
    slt_tape_fuse(tape, SLT_FUSE_NORM, x, y);
    return y;
}
// with the rows themselves, as in a layer, or alone
static inline slt_var attended(slt_probe *p, slt_fusion fusion, slt_var first, slt_var x, int heads,
                               bool alone) {
    slt_tape *tape = slt_probe_tape(p);
    slt_var w = slt_probe_parameter(p, layer_width, 3 * layer_width, -0.1, 0.1);
    slt_var c = slt_probe_parameter(p, 1, 3 * layer_width, -1, 1);
    slt_var mixed = slt_attention(tape, slt_dense(tape, x, w, c, SLT_LINEAR), heads);
    slt_tape_fuse(tape, fusion, first, mixed);
    slt_var o = slt_probe_parameter(p, layer_width, layer_width, -0.1, 0.1);
    return alone ? mixed : slt_add(tape, x, slt_dense(tape, mixed, o, 0, SLT_LINEAR));
}
static inline slt_var broadcast_of(slt_probe *p, int heads, bool alone) {
    slt_var slots = slt_probe_numbers(p, SLT_SLOTS, 0, layer_width, -1, 1);
    slt_var joined = slt_join_slots(slt_probe_tape(p), slots, 0);
    return attended(p, SLT_FUSE_DECODER_INPUT, joined, normed(p, joined), heads, alone);
}
static inline slt_var broadcast_16(slt_probe *p) { return broadcast_of(p, 16, false); }
static inline slt_var broadcast_8(slt_probe *p) { return broadcast_of(p, 8, false); }
static inline slt_var broadcast_4(slt_probe *p) { return broadcast_of(p, 4, false); }
static inline slt_var broadcast_alone(slt_probe *p) { return broadcast_of(p, 8, true); }
static inline slt_var front_of(slt_probe *p, bool alone) {
    slt_tape *tape = slt_probe_tape(p);
    slt_var x = slt_probe_numbers(p, SLT_TOKENS, 0, layer_width, -1, 1);
    slt_var b = slt_probe_parameter(p, layer_width, layer_width, -0.05, 0.05);
    slt_var table = slt_probe_parameter(p, 4, layer_width, -1, 1);
    slt_var first = slt_dense(tape, x, b, 0, SLT_LINEAR);
    slt_var joined = slt_join_tokens(tape, first, slt_probe_integers(p, SLT_TOKENS, 4), table);
    return attended(p, SLT_FUSE_ENCODER_INPUT, first, normed(p, joined), 8, alone);
}
static inline slt_var front_8(slt_probe *p) { return front_of(p, false); }
static inline slt_var front_alone(slt_probe *p) { return front_of(p, true); }

#endif
