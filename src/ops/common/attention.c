// Multi-head self-attention inside each sequence (Vaswani et al. 2017):
//     o = softmax_keys(q·kᵀ/√(d/H))·v,  head h owns channels h·d/H … (h+1)·d/H-1
// Keys: the true positions of the trajectory, or of the companion whose observations the sequence
// decodes. Kept for backward: the maximum and the sum of each row and head; probabilities are
// computed again. The arithmetic is in attention_tiles.h, for one head of one sequence.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/attention_head.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { HEADS, SPACE };

static void shape(slt_shape_check *rule) {
    slt_shape qkv = rule->in[0];
    int heads = rule->node->attributes.n[HEADS];
    slt_shape_type(rule, 0, SLT_NUMBERS);
    if (qkv.space != SLT_TOKENS && qkv.space != SLT_SLOT_TOKENS)
        slt_shape_reject(rule, 0, "rows that form sequences");
    if (heads < 1 || qkv.width % 3 || qkv.width / 3 % heads)
        slt_tape_fail(rule->tape, SLT_SHAPE,
                      "attention: width %d is not 3 times a multiple of %d heads", qkv.width,
                      heads);
    rule->out[0] = (slt_shape){qkv.space, 0, qkv.width / 3};
}

static int key_count(const slt_args *args, slt_row_span sequence) {
    const slt_batch *batch = args->batch;
    int truth = batch->length[sequence.b];
    if (args->node->attributes.n[SPACE] == SLT_SLOT_TOKENS) {
        int companion = batch->companion[sequence.b * args->limits.slots + sequence.k];
        if (companion >= 0) truth = slt_batch_shared(batch).length[companion];
    }
    return slt_min(truth, sequence.computed);
}

static size_t scratch(const slt_sizes *sizes) {
    return slt_head_scratch(sizes->limits.length,
                            sizes->out[0].width / sizes->node->attributes.n[HEADS]);
}

// a head of a sequence; what is kept lies head by head
static slt_head head_at(const slt_args *args, slt_row_span sequence, int number, slt_real *memory) {
    int heads = args->node->attributes.n[HEADS], width = args->out_width[0], size = width / heads;
    size_t first = (size_t)sequence.first, channel = (size_t)(number * size), d = (size_t)width;
    const slt_real *q = (const slt_real *)args->in[0] + first * 3 * d + channel;
    slt_real *kept = args->aux + 2 * (first * (size_t)heads + (size_t)(number * sequence.computed));
    return (slt_head){.queries = sequence.computed,
                      .keys = key_count(args, sequence),
                      .size = size,
                      .stride = 3 * d,
                      .out_stride = d,
                      .scale = 1 / slt_sqrt((slt_real)size),
                      .q = q,
                      .k = q + d,
                      .v = q + 2 * d,
                      .most = kept,
                      .inverse = kept + sequence.computed,
                      .out = args->out[0] + first * d + channel,
                      .scratch = memory};
}

static slt_row_span sequence_of(const slt_args *args, int task) {
    return slt_span_at(args, (slt_space)args->node->attributes.n[SPACE], task);
}

static int sequences(const slt_args *args) {
    return slt_span_count(args, (slt_space)args->node->attributes.n[SPACE]);
}

// asks for the rows of a sequence, in order: heads jump from row to row
static void fetch_rows(const slt_real *rows, slt_row_span sequence, size_t width) {
    const slt_real *from = rows + (size_t)sequence.first * width;
    size_t count = (size_t)sequence.computed * width;
    for (size_t i = 0; i < count; i += 64 / sizeof *from) __builtin_prefetch(from + i);
}

static void forward_sequence(const slt_args *args, int task, slt_real *memory) {
    fetch_rows(args->in[0], sequence_of(args, task), 3 * (size_t)args->out_width[0]);
    for (int i = 0; i < args->node->attributes.n[HEADS]; i++) {
        slt_head head = head_at(args, sequence_of(args, task), i, memory);
        slt_head_chosen(head.size)->forward(&head);
    }
}

static void forward(const slt_args *args) { slt_args_run(args, sequences(args), forward_sequence); }

// ---- backward

// keys and values after the truth have no part in the result
static void clear_rows(const slt_args *args, const slt_head *head) {
    size_t bytes = (size_t)head->size * sizeof(slt_real);
    for (int l = head->keys; l < head->queries && !args->add[0]; l++) {
        memset(head->dk + (size_t)l * head->stride, 0, bytes);
        memset(head->dv + (size_t)l * head->stride, 0, bytes);
    }
}

static void backward_sequence(const slt_args *args, int task, slt_real *memory) {
    slt_row_span sequence = sequence_of(args, task);
    fetch_rows(args->in[0], sequence, 3 * (size_t)args->out_width[0]);
    fetch_rows(args->out_grad[0], sequence, (size_t)args->out_width[0]);
    for (int i = 0; i < args->node->attributes.n[HEADS]; i++) {
        slt_head head = head_at(args, sequence, i, memory);
        head.dout = args->out_grad[0] + (head.out - args->out[0]);
        head.dq = args->in_grad[0] + (head.q - (const slt_real *)args->in[0]);
        head.dk = head.dq + args->out_width[0];
        head.dv = head.dk + args->out_width[0];
        head.add = args->add[0];
        slt_head_chosen(head.size)->backward(&head);
        clear_rows(args, &head);
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
static slt_var case_wide(slt_probe *p) { return make_case(p, SLT_TOKENS, 16, 2); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_SLOT_TOKENS, 128, 8); }

static const char *kernel_limit(const slt_sizes *sizes) {
    int size = sizes->out[0].width / sizes->node->attributes.n[HEADS];
    return size > 64 ? "it takes heads of at most 64 channels" : NULL;
}

// heads of the sizes that tiles on tensor cores take
static unsigned bf16_rows(const slt_sizes *sizes) {
    int size = sizes->out[0].width / sizes->node->attributes.n[HEADS];
    return size % (size <= 16 ? 4 : 8) == 0 && size <= 64 ? 1u | 1u << SLT_BF16_OUT : 0;
}

const slt_op slt_op_attention = {.name = "attention",
                                 .sentence = "o = softmax(q·kᵀ/√(d/H))·v per head and sequence",
                                 .least = 1,
                                 .most = 1,
                                 .shape = shape,
                                 .saves_in = 1,
                                 .saves_out = 1, // read by devices
                                 .aux = aux,
                                 .scratch = scratch,
                                 .flops = flops,
                                 .backward_flops = 2.5,
                                 .kernel_limit = kernel_limit,
                                 .bf16_rows = bf16_rows,
                                 .bf16_alike = true,
                                 .forward = forward,
                                 .backward = backward,
                                 .cases = {case_tokens, case_slots, case_wide},
                                 .bench = bench};

slt_var slt_attention(slt_tape *tape, slt_var qkv, int heads) {
    if (slt_tape_failed(tape)) return 0;
    slt_attributes attributes = {.n = {heads, slt_tape_shape(tape, qkv).space}};
    return slt_tape_apply(tape, &slt_op_attention, &qkv, 1, &attributes);
}
