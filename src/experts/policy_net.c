// The network of a policy, on a tape and plain.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/policy_net.h"

#include <math.h>
#include <string.h>
#include "nn/nn.h"

enum { SEE, SEE_BIAS, THINK, THINK_BIAS, ACT, ACT_BIAS, VALUE, VALUE_BIAS };

slt_policy_matrix slt_policy_part(slt_policy_shape shape, int part) {
    int in = shape.inputs, hidden = shape.hidden, actions = shape.actions;
    const slt_policy_matrix parts[SLT_POLICY_PARTS] = {
        [SEE] = {"see.kernel", in, hidden},         [SEE_BIAS] = {"see.bias", 1, hidden},
        [THINK] = {"think.kernel", hidden, hidden}, [THINK_BIAS] = {"think.bias", 1, hidden},
        [ACT] = {"act.kernel", hidden, actions},    [ACT_BIAS] = {"act.bias", 1, actions},
        [VALUE] = {"value.kernel", hidden, 1},      [VALUE_BIAS] = {"value.bias", 1, 1},
    };
    return parts[part];
}

// ---- plain

slt_status slt_policy_init(slt_policy *policy, slt_arena *arena, slt_policy_shape shape) {
    *policy = (slt_policy){.shape = shape};
    for (int i = 0; i < SLT_POLICY_PARTS; i++) {
        slt_policy_matrix m = slt_policy_part(shape, i);
        SLT_TRY(SLT_NEW(arena, &policy->part[i], (size_t)m.rows * (size_t)m.columns));
    }
    return SLT_OK;
}

static void add_row(float *restrict y, const float *restrict row, float weight, int width) {
    for (int k = 0; k < width; k++) y[k] += weight * row[k];
}

static void relu(float *y, int width) {
    for (int k = 0; k < width; k++) y[k] = y[k] > 0 ? y[k] : 0;
}

void slt_policy_think(const slt_policy *policy, const uint16_t *ones, int count, float *logits) {
    int hidden = policy->shape.hidden, actions = policy->shape.actions;
    float h[SLT_POLICY_HIDDEN], g[SLT_POLICY_HIDDEN];
    memcpy(h, policy->part[SEE_BIAS], (size_t)hidden * sizeof *h);
    for (int i = 0; i < count; i++)
        add_row(h, policy->part[SEE] + (size_t)ones[i] * (size_t)hidden, 1, hidden);
    relu(h, hidden);
    memcpy(g, policy->part[THINK_BIAS], (size_t)hidden * sizeof *g);
    for (int i = 0; i < hidden; i++)
        add_row(g, policy->part[THINK] + (size_t)i * (size_t)hidden, h[i], hidden);
    relu(g, hidden);
    memcpy(logits, policy->part[ACT_BIAS], (size_t)actions * sizeof *logits);
    for (int i = 0; i < hidden; i++)
        add_row(logits, policy->part[ACT] + (size_t)i * (size_t)actions, g[i], actions);
}

int slt_policy_draw(const float *logits, int actions, float number, float *chance) {
    float most = logits[0], sum = 0, passed = 0;
    for (int a = 1; a < actions; a++) most = fmaxf(most, logits[a]);
    for (int a = 0; a < actions; a++) sum += expf(logits[a] - most);
    int action = 0;
    for (; action < actions - 1; action++) {
        passed += expf(logits[action] - most);
        if (number * sum < passed) break;
    }
    *chance = logits[action] - most - logf(sum);
    return action;
}

// ---- on a tape

// the actor starts almost even-handed
static slt_var actor(slt_tape *tape, slt_var x, slt_policy_shape shape) {
    slt_init small = {SLT_INIT_UNIFORM, 0.01};
    slt_var w = slt_weights(tape, "act.kernel", shape.hidden, shape.actions, small);
    slt_var c = slt_weights(tape, "act.bias", 1, shape.actions, slt_constant(0));
    return slt_dense(tape, x, w, c, SLT_LINEAR);
}

// few of the ones are there at a time: the scale is that of those, not of the whole width
static slt_var see(slt_tape *tape, slt_var ones, slt_policy_shape shape) {
    slt_init init = {SLT_INIT_UNIFORM, 0.2};
    slt_var w = slt_weights(tape, "see.kernel", shape.inputs, shape.hidden, init);
    slt_var c = slt_weights(tape, "see.bias", 1, shape.hidden, slt_constant(0));
    return slt_activate(tape, slt_dense_bits(tape, ones, w, c), SLT_RELU);
}

void slt_policy_build(slt_tape *tape, slt_policy_shape shape, slt_policy_vars *out) {
    slt_shape input = {SLT_TOKENS, 0, shape.inputs};
    out->ones = slt_tape_input(tape, SLT_BITS, input, "ones");
    slt_var h = see(tape, out->ones, shape);
    slt_var g = slt_nn_dense(tape, "think", h, shape.hidden, SLT_RELU);
    out->logits = actor(tape, g, shape);
    out->value = slt_nn_dense(tape, "value", g, 1, SLT_LINEAR);
}

static slt_real *place(const slt_store *store, slt_real *block, slt_policy_matrix part,
                       size_t *count) {
    *count = (size_t)part.rows * (size_t)part.columns;
    return slt_store_at(store, block, slt_store_find(store, part.name), 0);
}

void slt_policy_take(slt_policy *policy, const slt_store *store, slt_real *block) {
    for (int i = 0; i < SLT_POLICY_PARTS; i++) {
        size_t count;
        const slt_real *from = place(store, block, slt_policy_part(policy->shape, i), &count);
        for (size_t k = 0; k < count; k++) policy->part[i][k] = (float)from[k];
    }
}

void slt_policy_give(const slt_policy *policy, const slt_store *store, slt_real *block) {
    for (int i = 0; i < SLT_POLICY_PARTS; i++) {
        size_t count;
        slt_real *to = place(store, block, slt_policy_part(policy->shape, i), &count);
        for (size_t k = 0; k < count; k++) to[k] = (slt_real)policy->part[i][k];
    }
}
