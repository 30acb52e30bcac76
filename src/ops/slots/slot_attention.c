// One round of slot attention (Locatello et al. 2020): slots compete for positions.
//     z_lk = key_l·q_k/√S,  P = softmax over k,  U = P + 1e-8,  u_k = Σ_l U_lk·val_l / Σ_l U_lk
// Padded positions are left out (U = 0), or, as the reference code does it by an accident of
// float32, feed every slot with weight 1/K and still pass gradient through the softmax at that
// point. Backward: with n_k = Σ_l U_lk and f_lk = du_k·val_l:
//     dval_l = Σ_k U_lk/n_k·du_k,  dU_lk = (f_lk - du_k·u_k)/n_k,  dz_lk = P_lk(dU_lk - Σ_j
//     P_lj·dU_lj)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_inputs.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { Q, KV };

static const slt_real FLOOR = (slt_real)1e-8;

static void shape(slt_shape_check *rule) {
    int width = rule->in[Q].width;
    slt_shape_want(rule, Q, SLT_SLOTS, 0, width);
    slt_shape_want(rule, KV, SLT_TOKENS, 0, 2 * width);
    rule->outputs = 2;
    rule->out[0] = (slt_shape){SLT_SLOTS, 0, width};
    rule->out[1] = (slt_shape){SLT_TOKENS, 0, rule->limits.slots};
}

// what one trajectory works on
typedef struct {
    int K, S, first, computed, truth;
    bool uniform;
    slt_real scale;
    const slt_real *q, *kv, *u;
    slt_real *attention, *sum; // U (computed, K), n (K)
} round_view;

static round_view view_of(const slt_args *args, int b) {
    const slt_batch *batch = args->batch;
    round_view v = {.K = args->limits.slots, .S = args->in_width[Q]};
    v.first = batch->offset[b];
    v.computed = slt_batch_computed(batch, b);
    v.truth = slt_min(batch->length[b], v.computed);
    v.uniform = args->node->attributes.n[0];
    v.scale = 1 / slt_sqrt((slt_real)v.S);
    size_t slot = (size_t)b * (size_t)v.K, token = (size_t)v.first;
    v.q = (const slt_real *)args->in[Q] + slot * (size_t)v.S;
    v.kv = (const slt_real *)args->in[KV] + token * 2 * (size_t)v.S;
    v.u = args->out[0] + slot * (size_t)v.S;
    v.attention = args->out[1] + token * (size_t)v.K;
    v.sum = args->aux + slot;
    return v;
}

static const slt_real *key_of(const round_view *v, int l) {
    return v->kv + (size_t)l * 2 * (size_t)v->S;
}
static const slt_real *value_of(const round_view *v, int l) { return key_of(v, l) + v->S; }

// what is left of a logit after the addition of -1e9 in float32
static slt_real rounded(slt_real z) { return 64 * (slt_real)rint((double)z / 64); }

// U of one position
static void compete(const round_view *v, int l, slt_real *u) {
    slt_real most = 0, sum = 0;
    bool padding = l >= v->truth;
    if (padding && !v->uniform) {
        memset(u, 0, (size_t)v->K * sizeof *u);
        return;
    }
    for (int k = 0; k < v->K; k++) {
        u[k] = slt_dot(key_of(v, l), v->q + (size_t)k * (size_t)v->S, v->S) * v->scale;
        if (padding) u[k] = rounded(u[k]);
        if (k == 0 || u[k] > most) most = u[k];
    }
    for (int k = 0; k < v->K; k++) sum += u[k] = slt_exp(u[k] - most);
    for (int k = 0; k < v->K; k++) u[k] = u[k] / sum + FLOOR;
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    round_view v = view_of(args, b);
    slt_real *update = args->out[0] + (size_t)b * (size_t)v.K * (size_t)v.S;
    memset(update, 0, (size_t)v.K * (size_t)v.S * sizeof *update);
    memset(v.sum, 0, (size_t)v.K * sizeof *v.sum);
    for (int l = 0; l < v.computed; l++) {
        slt_real *u = v.attention + (size_t)l * (size_t)v.K;
        compete(&v, l, u);
        const slt_real *restrict value = value_of(&v, l);
        for (int k = 0; k < v.K; k++) {
            slt_real *restrict to = update + (size_t)k * (size_t)v.S;
            v.sum[k] += u[k];
            for (int c = 0; c < v.S; c++) to[c] += u[k] * value[c];
        }
    }
    for (int k = 0; k < v.K; k++)
        for (int c = 0; c < v.S; c++) update[(size_t)k * (size_t)v.S + (size_t)c] /= v.sum[k];
}
SLT_WIDE_TASK(forward_trajectory);

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(forward_trajectory));
}

// ---- backward

// dz of one position, from du·val and du·u
static void position_gradient(const round_view *v, int l, const slt_real *du, const slt_real *along,
                              slt_real *dz) {
    const slt_real *u = v->attention + (size_t)l * (size_t)v->K;
    slt_real mean = 0;
    for (int k = 0; k < v->K; k++) {
        slt_real f = slt_dot(du + (size_t)k * (size_t)v->S, value_of(v, l), v->S);
        dz[k] = (f - along[k]) / v->sum[k];
        mean += (u[k] - FLOOR) * dz[k];
    }
    for (int k = 0; k < v->K; k++) dz[k] = (u[k] - FLOOR) * (dz[k] - mean);
}

// adds weight·from to `to`
static void axpy(slt_real *restrict to, slt_real weight, const slt_real *restrict from, int count) {
    for (int c = 0; c < count; c++) to[c] += weight * from[c];
}

static void token_gradient(const slt_args *args, const round_view *v, int l, const slt_real *du,
                           const slt_real *dz) {
    if (!args->in_grad[KV]) return;
    slt_real *dkey = args->in_grad[KV] + (size_t)(v->first + l) * 2 * (size_t)v->S;
    const slt_real *u = v->attention + (size_t)l * (size_t)v->K;
    if (!args->add[KV]) memset(dkey, 0, 2 * (size_t)v->S * sizeof *dkey);
    for (int k = 0; k < v->K; k++) {
        axpy(dkey, dz[k] * v->scale, v->q + (size_t)k * (size_t)v->S, v->S);
        axpy(dkey + v->S, u[k] / v->sum[k], du + (size_t)k * (size_t)v->S, v->S);
    }
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    round_view v = view_of(args, b);
    size_t size = (size_t)v.K * (size_t)v.S, slot = (size_t)b * size;
    const slt_real *du = args->out_grad[0] + slot;
    slt_real *dq = scratch, *dz = scratch + size, *along = dz + v.K;
    memset(dq, 0, size * sizeof *dq);
    for (int k = 0; k < v.K; k++)
        along[k] = slt_dot(du + (size_t)k * (size_t)v.S, v.u + (size_t)k * (size_t)v.S, v.S);
    for (int l = 0; l < v.computed; l++) {
        bool out = l >= v.truth && !v.uniform;
        if (out)
            memset(dz, 0, (size_t)v.K * sizeof *dz);
        else
            position_gradient(&v, l, du, along, dz);
        token_gradient(args, &v, l, du, dz);
        for (int k = 0; k < v.K; k++)
            axpy(dq + (size_t)k * (size_t)v.S, dz[k] * v.scale, key_of(&v, l), v.S);
    }
    slt_real *to = args->in_grad[Q] ? args->in_grad[Q] + slot : NULL;
    for (size_t i = 0; to && i < size; i++) slt_put(&to[i], args->add[Q], dq[i]);
}
SLT_WIDE_TASK(backward_trajectory);

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(backward_trajectory));
}

static size_t aux(const slt_sizes *sizes) { return (size_t)sizes->in[Q].rows; }
static size_t scratch(const slt_sizes *sizes) {
    return (size_t)sizes->limits.slots * ((size_t)sizes->in[Q].width + 2);
}
static double flops(const slt_sizes *sizes) {
    return 4.0 * sizes->in[KV].rows * sizes->limits.slots * sizes->in[Q].width;
}

static slt_var make_case(slt_probe *probe, int width, bool uniform) {
    slt_var q = slt_probe_numbers(probe, SLT_SLOTS, 0, width, -1, 1);
    slt_var kv = slt_probe_numbers(probe, SLT_TOKENS, 0, 2 * width, -1, 1);
    return slt_slot_attention(slt_probe_tape(probe), q, kv, uniform);
}
static slt_var case_exclude(slt_probe *p) { return make_case(p, 4, false); }
static slt_var bench(slt_probe *p) { return make_case(p, 128, false); }

// dz of every token and slot, du·u of every slot; the sums of chunks, where there are some
static size_t kernel_shared(const slt_sizes *sizes) {
    int slots = sizes->limits.slots, length = sizes->limits.length, width = sizes->in[Q].width;
    size_t each = (size_t)slt_blocks(length, slt_slot_chunk(width));
    size_t chunks = (size_t)sizes->limits.trajectories * each;
    size_t part = (size_t)slt_slot_part(slots, width);
    size_t rows = (size_t)sizes->in[KV].rows * (size_t)slots + (size_t)sizes->in[Q].rows;
    return rows + (slt_slot_shared(length, width) ? chunks * part + 4 : 0);
}
// two numbers per slot and warp in shared memory
static const char *kernel_limit(const slt_sizes *sizes) {
    return sizes->limits.slots > 128 ? "it takes at most 128 slots" : NULL;
}

const slt_op slt_op_slot_attention = {.name = "slot_attention",
                                      .sentence =
                                          "slots compete for positions; weighted mean of values",
                                      .least = 2,
                                      .most = 2,
                                      .shape = shape,
                                      .no_gradient_out = 1u << 1,
                                      .saves_in = 1u << Q | 1u << KV,
                                      .saves_out = 3,
                                      .aux = aux,
                                      .scratch = scratch,
                                      .flops = flops,
                                      .kernel_shared = kernel_shared,
                                      .kernel_limit = kernel_limit,
                                      .forward = forward,
                                      .backward = backward,
                                      .cases = {case_exclude},
                                      .bench = bench};

slt_var slt_slot_attention(slt_tape *tape, slt_var q, slt_var kv, bool uniform) {
    slt_var inputs[] = {q, kv};
    slt_attributes attributes = {.n = {uniform}};
    return slt_tape_apply(tape, &slt_op_slot_attention, inputs, 2, &attributes);
}
