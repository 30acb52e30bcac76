// Multi-head self-attention inside each sequence (Vaswani et al. 2017):
//     o = softmax_keys(q·kᵀ/√(d/H))·v,  head h owns channels h·d/H … (h+1)·d/H-1
// Keys: the true positions of the trajectory, or of the companion whose observations the sequence
// decodes. Kept for backward: the maximum and the sum of each row and head; probabilities are
// computed again.
// Queries go in chunks, so nothing of size L×L is ever stored.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/op_table.h"
#include "ops/op_tools.h"
#include "ops/small_gemm.h"

enum { HEADS, SPACE };
enum { CHUNK = 64 }; // queries at a time

static void shape(slt_rule *rule) {
    slt_shape qkv = rule->in[0];
    int heads = rule->node->attributes.n[HEADS];
    slt_rule_type(rule, 0, SLT_NUMBERS);
    if (qkv.space != SLT_TOKENS && qkv.space != SLT_SLOT_TOKENS)
        slt_rule_reject(rule, 0, "rows that form sequences");
    if (heads < 1 || qkv.width % 3 || qkv.width / 3 % heads)
        slt_tape_fail(rule->tape, SLT_SHAPE,
                      "attention: width %d is not 3 times a multiple of %d heads", qkv.width,
                      heads);
    rule->out[0] = (slt_shape){qkv.space, 0, qkv.width / 3};
}

// one head of one sequence
typedef struct {
    const slt_args *args;
    slt_sequence sequence;
    int head, size, padded; // size: channels of the head; padded: to whole tiles
    int width;              // d
    int keys, keys_padded;
    slt_real scale;
    slt_real *kt, *vt;          // (size, keys_padded): transposed
    slt_real *k, *v, *q, *dout; // (·, padded): rows of the head
    slt_real *s, *ds;           // (CHUNK, keys_padded)
    slt_real *dk, *dv, *part;   // (keys, padded), (keys, padded), (CHUNK, padded)
} head;

static int key_count(const slt_args *args, slt_sequence sequence) {
    const slt_batch *batch = args->batch;
    int truth = batch->length[sequence.b];
    if (args->node->attributes.n[SPACE] == SLT_SLOT_TOKENS) {
        int companion = batch->companion[sequence.b * args->limits.slots + sequence.k];
        if (companion >= 0) truth = batch->length[companion];
    }
    return slt_min(truth, sequence.computed);
}

// scratch of one head for sequences of length L
static size_t scratch(const slt_sizes *sizes) {
    size_t padded = (size_t)slt_tiled(sizes->out[0].width / sizes->node->attributes.n[HEADS]);
    size_t keys = (size_t)slt_tiled(sizes->limits.length);
    return padded * keys * 6 + padded * CHUNK * 2 + 2 * CHUNK * keys;
}

static head head_at(const slt_args *args, int task, int number, slt_real *memory) {
    slt_sequence sequence = slt_sequence_at(args, (slt_space)args->node->attributes.n[SPACE], task);
    int size = args->out_width[0] / args->node->attributes.n[HEADS];
    head h = {.args = args, .sequence = sequence, .head = number, .size = size};
    h.padded = slt_tiled(size);
    h.width = args->out_width[0];
    h.keys = key_count(args, sequence);
    h.keys_padded = slt_tiled(h.keys);
    h.scale = 1 / slt_sqrt((slt_real)size);
    size_t block = (size_t)h.padded * (size_t)slt_tiled(args->limits.length);
    slt_real **parts[] = {&h.kt, &h.vt, &h.k, &h.v, &h.dk, &h.dv};
    for (int i = 0; i < 6; i++, memory += block) *parts[i] = memory;
    h.q = memory;
    h.dout = h.q + (size_t)h.padded * CHUNK;
    h.s = h.dout + (size_t)h.padded * CHUNK;
    h.ds = h.s + (size_t)CHUNK * (size_t)h.keys_padded;
    h.part = h.dout; // forward and backward never need both at once
    return h;
}

// part 0, 1, 2: query, key, value of row l
static const slt_real *row_of(const head *h, int part, int l) {
    return (const slt_real *)h->args->in[0] +
           (size_t)(h->sequence.first + l) * 3 * (size_t)h->width + part * h->width +
           h->head * h->size;
}

static void transpose(const head *h, int part, slt_real *to) {
    size_t n = (size_t)h->keys_padded;
    memset(to, 0, (size_t)h->size * n * sizeof *to);
    for (int l = 0; l < h->keys; l++) {
        const slt_real *row = row_of(h, part, l);
        for (int c = 0; c < h->size; c++) to[(size_t)c * n + (size_t)l] = row[c];
    }
}

// a few numbers: not worth a call of memcpy
static void copy_row(slt_real *restrict to, const slt_real *restrict from, int count) {
    int c = 0;
    for (; c + 4 <= count; c += 4) slt_four_put(to + c, slt_four_at(from + c), false);
    for (; c < count; c++) to[c] = from[c];
}

// rows [first, first+count) of a strided matrix, padded with zeros to whole tiles
static void copy_rows(const head *h, const slt_real *from, size_t stride, int count, slt_real *to) {
    for (int l = 0; l < count; l++, from += stride, to += h->padded) {
        copy_row(to, from, h->size);
        for (int c = h->size; c < h->padded; c++) to[c] = 0;
    }
}

// the scaled maximum and 1/sum of row l
static slt_real *kept(const head *h, int l) {
    size_t heads = (size_t)h->args->node->attributes.n[HEADS];
    return h->args->aux + 2 * ((size_t)(h->sequence.first + l) * heads + (size_t)h->head);
}

// scores of queries first .. first+count-1
static void scores(const head *h, int first, int count) {
    slt_small_gemm(h->s, h->keys_padded, row_of(h, 0, first), 3 * h->width, 1, h->kt,
                   h->keys_padded, count, h->keys_padded, h->size, false);
}

// probabilities of one row in place
static void softmax_row(const head *h, slt_real *restrict s, slt_real *keep) {
    for (int j = h->keys; j < h->keys_padded; j++) s[j] = s[0];
    slt_real most = slt_most(s, h->keys_padded) * h->scale;
    for (int j = 0; j < h->keys_padded; j++) s[j] = slt_exp_below(s[j] * h->scale - most);
    for (int j = h->keys; j < h->keys_padded; j++) s[j] = 0;
    slt_real inverse = 1 / slt_sum(s, h->keys_padded);
    for (int j = 0; j < h->keys_padded; j++) s[j] *= inverse;
    keep[0] = most;
    keep[1] = inverse;
}

static void forward_head(const head *h) {
    transpose(h, 1, h->kt);
    copy_rows(h, row_of(h, 2, 0), 3 * (size_t)h->width, h->keys, h->v);
    for (int first = 0; first < h->sequence.computed; first += CHUNK) {
        int count = slt_min(CHUNK, h->sequence.computed - first);
        scores(h, first, count);
        for (int i = 0; i < count; i++)
            softmax_row(h, h->s + (size_t)i * (size_t)h->keys_padded, kept(h, first + i));
        slt_small_gemm(h->part, h->padded, h->s, h->keys_padded, 1, h->v, h->padded, count,
                       h->padded, h->keys, false);
        for (int i = 0; i < count; i++)
            copy_row(h->args->out[0] + (size_t)(h->sequence.first + first + i) * (size_t)h->width +
                         h->head * h->size,
                     h->part + (size_t)i * (size_t)h->padded, h->size);
    }
}

static void forward_sequence(const slt_args *args, int task, slt_real *memory) {
    for (int i = 0; i < args->node->attributes.n[HEADS]; i++) {
        head h = head_at(args, task, i, memory);
        forward_head(&h);
    }
}

static int sequences(const slt_args *args) {
    return slt_sequence_count(args, (slt_space)args->node->attributes.n[SPACE]);
}

static void forward(const slt_args *args) { slt_args_run(args, sequences(args), forward_sequence); }

// ---- backward

// P again in s, and ds = P∘(dP - o·do)·scale; q and dout of the chunk are copied to whole tiles
static void chunk_gradients(const head *h, int first, int count) {
    size_t at =
        (size_t)(h->sequence.first + first) * (size_t)h->width + (size_t)(h->head * h->size);
    const slt_real *out = h->args->out[0] + at, *dout = h->args->out_grad[0] + at;
    copy_rows(h, row_of(h, 0, first), 3 * (size_t)h->width, count, h->q);
    copy_rows(h, dout, (size_t)h->width, count, h->dout);
    scores(h, first, count);
    slt_small_gemm(h->ds, h->keys_padded, h->dout, h->padded, 1, h->vt, h->keys_padded, count,
                   h->keys_padded, h->size, false);
    for (int i = 0; i < count; i++) {
        slt_real *restrict s = h->s + (size_t)i * (size_t)h->keys_padded;
        slt_real *restrict ds = h->ds + (size_t)i * (size_t)h->keys_padded;
        slt_real most = kept(h, first + i)[0], inverse = kept(h, first + i)[1], dot = 0;
        for (int c = 0; c < h->size; c++)
            dot += out[(size_t)i * (size_t)h->width + (size_t)c] *
                   dout[(size_t)i * (size_t)h->width + (size_t)c];
        for (int j = 0; j < h->keys_padded; j++)
            s[j] = slt_exp_below(s[j] * h->scale - most) * inverse;
        for (int j = h->keys; j < h->keys_padded; j++) s[j] = 0;
        for (int j = 0; j < h->keys_padded; j++) ds[j] = s[j] * (ds[j] - dot) * h->scale;
    }
}

// writes or adds rows of the head into part 0, 1 or 2 of the input's gradient
static void store_rows(const head *h, int part, int first, int count, const slt_real *from) {
    const slt_args *args = h->args;
    for (int l = 0; l < count; l++, from += h->padded) {
        slt_real *to = args->in_grad[0] +
                       (size_t)(h->sequence.first + first + l) * 3 * (size_t)h->width +
                       part * h->width + h->head * h->size;
        for (int c = 0; c < h->size; c++) slt_put(&to[c], args->add[0], from[c]);
    }
}

static void clear_rows(const head *h, int part, int first) {
    for (int l = first; l < h->sequence.computed && !h->args->add[0]; l++)
        memset(h->args->in_grad[0] + (size_t)(h->sequence.first + l) * 3 * (size_t)h->width +
                   part * h->width + h->head * h->size,
               0, (size_t)h->size * sizeof(slt_real));
}

static void backward_head(const head *h) {
    transpose(h, 1, h->kt);
    transpose(h, 2, h->vt);
    copy_rows(h, row_of(h, 1, 0), 3 * (size_t)h->width, h->keys, h->k);
    for (int first = 0; first < h->sequence.computed; first += CHUNK) {
        int count = slt_min(CHUNK, h->sequence.computed - first), n = h->keys_padded;
        chunk_gradients(h, first, count);
        slt_small_gemm(h->dk, h->padded, h->ds, 1, n, h->q, h->padded, h->keys, h->padded, count,
                       first > 0);
        slt_small_gemm(h->dv, h->padded, h->s, 1, n, h->dout, h->padded, h->keys, h->padded, count,
                       first > 0);
        // dq takes the place of q
        slt_small_gemm(h->q, h->padded, h->ds, n, 1, h->k, h->padded, count, h->padded, h->keys,
                       false);
        store_rows(h, 0, first, count, h->q);
    }
    store_rows(h, 1, 0, h->keys, h->dk);
    store_rows(h, 2, 0, h->keys, h->dv);
    clear_rows(h, 1, h->keys);
    clear_rows(h, 2, h->keys);
}

static void backward_sequence(const slt_args *args, int task, slt_real *memory) {
    for (int i = 0; i < args->node->attributes.n[HEADS]; i++) {
        head h = head_at(args, task, i, memory);
        backward_head(&h);
    }
}

static void backward(const slt_args *args) {
    slt_args_run(args, sequences(args), backward_sequence);
}

static size_t aux(const slt_sizes *sizes) {
    return 2 * (size_t)sizes->in[0].rows * (size_t)sizes->node->attributes.n[HEADS];
}

static double flops(const slt_sizes *sizes) {
    if (!sizes->batch) return 4.0 * sizes->out[0].rows * sizes->limits.length * sizes->out[0].width;
    double sum = 0;
    const slt_batch *batch = sizes->batch;
    int slots = sizes->out[0].space == SLT_SLOT_TOKENS ? sizes->limits.slots : 1;
    for (int b = 0; b < batch->count; b++)
        sum += 4.0 * slots * slt_batch_computed(batch, b) * batch->length[b] * sizes->out[0].width;
    return sum;
}

static slt_var make_case(slt_probe *probe, slt_space space, int width, int heads) {
    slt_var qkv = slt_probe_numbers(probe, space, 0, 3 * width, -1, 1);
    return slt_attention(slt_probe_tape(probe), qkv, heads);
}
static slt_var case_tokens(slt_probe *p) { return make_case(p, SLT_TOKENS, 6, 2); }
static slt_var case_slots(slt_probe *p) { return make_case(p, SLT_SLOT_TOKENS, 4, 1); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_SLOT_TOKENS, 128, 8); }

const slt_op slt_op_attention = {.name = "attention",
                                 .sentence = "o = softmax(q·kᵀ/√(d/H))·v per head and sequence",
                                 .least = 1,
                                 .most = 1,
                                 .shape = shape,
                                 .saves_in = 1,
                                 .saves_out = 1,
                                 .aux = aux,
                                 .scratch = scratch,
                                 .flops = flops,
                                 .backward_flops = 2.5,
                                 .forward = forward,
                                 .backward = backward,
                                 .cases = {case_tokens, case_slots},
                                 .bench = bench};

slt_var slt_attention(slt_tape *tape, slt_var qkv, int heads) {
    if (slt_tape_failed(tape)) return 0;
    slt_attributes attributes = {.n = {heads, slt_tape_shape(tape, qkv).space}};
    return slt_tape_apply(tape, &slt_op_attention, &qkv, 1, &attributes);
}
