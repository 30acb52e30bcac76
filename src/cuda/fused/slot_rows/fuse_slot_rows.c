// The decoder's way to qkv on a tape, where its rows are sums of one of a slot and one of a
// position (slot_rows.h): join_slots, layer_norm, dense, and attention in bf16 of at most
// SLT_SUMMED_LENGTH steps. What is of slots and positions is kept in the memory of the rows that
// are not made.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/slot_rows/slot_rows.h"

#include "cuda/fused/decoder_input/decoder_rows.h"

enum {
    JOIN = SLT_DECODER_JOIN,
    NORM = SLT_DECODER_NORM,
    DENSE = SLT_DECODER_DENSE,
    ATTENTION,
    NODES
};
enum { WANTED = 528, MOST = 32 }; // blocks that sum rows; groups of sequences for them

// ---- memory

typedef struct {
    int sequences, positions, width, chunks;
} sizes;

static sizes sizes_of(const slt_tape *tape, int n) {
    const slt_limits *limits = &tape->limits;
    return (sizes){.sequences = limits->trajectories * limits->slots,
                   .positions = limits->length,
                   .width = slt_width_of(tape, slt_node_at(tape, n)->out[0]),
                   .chunks = slt_blocks(limits->length, SLT_SLOT_ROWS_CHUNK)};
}

// of `width` numbers each, in the memory of so many rows in bf16: forward, and backward but for
// sums of groups
static int forward_rows(const sizes *s) { return 5 * s->sequences + 4 * s->positions; }
static int backward_rows(const sizes *s) {
    return 5 * s->sequences + 3 * s->positions + 4 * s->chunks * s->sequences;
}
static int room_of(const slt_tape *tape, int n) {
    return slt_shape_rows(tape, tape->vars[slt_node_at(tape, n)->out[0]].shape, NULL) / 2;
}
// groups that fill the device: of attention's blocks, or of those that sum rows (attention: NULL)
static int wanted_groups(const sizes *s, const slt_cuda_args *attention) {
    if (attention) return slt_summed_attention_groups(attention);
    int full = s->positions / SLT_SLOT_ROWS_CHUNK; // the last chunk of a sequence is brief
    int columns = slt_blocks(3 * s->width, SLT_SLOT_ROWS_COLUMNS);
    int wanted = slt_blocks(WANTED, columns * (full ? full : 1));
    return wanted < MOST ? wanted : MOST;
}
static int groups_of(const sizes *s, int room, int wanted) {
    int there = (room - backward_rows(s)) / (3 * s->positions);
    wanted = wanted < s->sequences ? wanted : s->sequences;
    return there < wanted ? there : wanted;
}

// the next so many rows of a place
static slt_cuda_view take(slt_cuda_view *place, int64_t rows, int width) {
    slt_cuda_view view = *place;
    if (place->at) place->at += rows * width;
    return view;
}

// ---- what may be in a run

// rows from which it pays in tf32, where the gradient of W would wait for others and be one launch
// with them
#ifdef SLT_EMULATED
enum { MANY = 0 };
#else
enum { MANY = 32768 };
#endif

static bool attends(const slt_tape *tape, int n, int end) {
    const slt_node *attention = slt_node_at(tape, n + ATTENTION);
    if (n + ATTENTION > end || attention->op != &slt_op_attention) return false;
    int size = slt_width_of(tape, attention->out[0]) / attention->attributes.n[0];
    return tape->vars[attention->in[0]].bf16 && slt_backward_alike(tape, n, NODES) &&
           slt_summed_attention_fits(size, tape->limits.length);
}

static int last_of(const slt_tape *tape, int n, int end, const char **why) {
    if (slt_cuda_is_fp32(slt_cuda_of(tape->store)))
        return slt_no_launch(n, "products are in fp32", why);
    if (!slt_are_decoder_rows(tape, n, end) || !slt_backward_alike(tape, n, ATTENTION))
        return slt_no_launch(n, "no join_slots of slots alone, norm and dense", why);
    sizes s = sizes_of(tape, n);
    int room = room_of(tape, n);
    if (slt_cuda_is_tf32(slt_cuda_of(tape->store)) && 2 * room < MANY)
        return slt_no_launch(n, "fewer rows than pay in tf32", why);
    if (s.width % 4 || forward_rows(&s) > room || groups_of(&s, room, 1) <= 0)
        return slt_no_launch(n, "too few rows to keep sums in", why);
    return attends(tape, n, end) ? n + ATTENTION : n + DENSE;
}

// ---- launches

static slt_slot_rows run_of(const slt_tape *tape, int n, const slt_cuda_args *a,
                            const slt_cuda_args *attention) {
    sizes s = sizes_of(tape, n);
    slt_cuda_view kept = a[JOIN].out[0], sums = a[JOIN].out_grad[0];
    int all = s.sequences + s.positions, width = s.width, out = 3 * width;
    slt_slot_rows run = {.stream = slt_cuda_of(tape->store)->stream,
                         .norm = a[NORM],
                         .rows = a[NORM].in_rows[SLT_NORM_X],
                         .sequences = s.sequences,
                         .positions = s.positions,
                         .slot = a[JOIN].in[SLT_JOIN_SLOT],
                         .dslot = a[JOIN].in_grad[SLT_JOIN_SLOT],
                         .table = a[NORM].in[SLT_NORM_POSITIONS],
                         .add_slot = a[JOIN].add[SLT_JOIN_SLOT],
                         .chunks = s.chunks,
                         .attends = attention != NULL,
                         .groups = groups_of(&s, room_of(tape, n), wanted_groups(&s, attention))};
    run.y = take(&kept, s.sequences, width);
    run.normed = take(&kept, all, width);
    run.qkv = run.dqkv = (slt_summed_rows){.width = out, .bf16 = slt_out_bf16(&a[DENSE], 0)};
    run.x = run.dx = (slt_summed_rows){.width = width, .bf16 = slt_out_bf16(&a[NORM], 0)};
    run.qkv.rows = a[DENSE].out[0];
    run.qkv.slots = take(&kept, s.sequences, out);
    run.qkv.positions = take(&kept, s.positions, out);
    run.qkv.bias = a[DENSE].in[SLT_DENSE_C];
    run.x.rows = a[NORM].out[0];
    run.x.slots = run.normed;
    run.x.positions = run.table;
    run.dqkv.rows = a[DENSE].out_grad[0];
    run.dqkv.slots = take(&sums, s.sequences, out);
    run.dqkv.positions = take(&sums, s.positions, out);
    if (a[DENSE].add[0]) run.dx.rows = a[DENSE].from.at ? a[DENSE].from : a[NORM].out_grad[0];
    run.dx.slots = take(&sums, s.sequences, width);
    run.dy = take(&sums, s.sequences, width);
    run.parts[0] = take(&sums, (int64_t)s.chunks * s.sequences, out);
    run.parts[1] = take(&sums, (int64_t)s.chunks * s.sequences, width);
    run.groups_parts = sums;
    // of slots alone, in float32
    slt_cuda_args *norm = &run.norm;
    norm->bf16 = 0;
    norm->in_space[SLT_NORM_X] = SLT_SLOTS;
    norm->in_rows[SLT_NORM_X] = norm->out_rows[0] = s.sequences;
    norm->in[SLT_NORM_X] = run.y;
    norm->in[SLT_NORM_POSITIONS] = (slt_cuda_view){NULL, 0};
    norm->out[0] = run.normed;
    norm->out_grad[0] = run.dx.slots;
    norm->in_grad[SLT_NORM_X] = run.dy;
    norm->add[SLT_NORM_X] = false;
    return run;
}

static void forward(const slt_cuda_args *a, const slt_slot_rows *run) {
    int width = run->x.width, out = run->qkv.width;
    slt_slot_rows_begin(run);
    slt_cuda_layer_norm_forward(&run->norm);
    slt_cuda_gemm(&a[DENSE], false, false, run->sequences + run->positions, out, width, run->normed,
                  width, a[DENSE].in[SLT_DENSE_W], out, false, run->qkv.slots, out);
    slt_slot_rows_spread(run);
    if (run->attends) slt_summed_attention(&a[ATTENTION], run, false);
}

static void backward(const slt_cuda_args *a, const slt_slot_rows *run) {
    int width = run->x.width, out = run->qkv.width;
    slt_cuda_args norm = run->norm; // its weights come later
    norm.in_grad[SLT_NORM_GAMMA] = norm.in_grad[SLT_NORM_BETA] = (slt_cuda_view){NULL, 0};
    if (run->attends) slt_summed_attention(&a[ATTENTION], run, true);
    slt_slot_rows_sum(run);
    slt_cuda_gemm(&a[DENSE], false, true, run->sequences, width, out, run->dqkv.slots, out,
                  a[DENSE].in[SLT_DENSE_W], out, run->dx.rows.at, run->dx.slots, width);
    slt_cuda_layer_norm_backward(&norm);
    if (run->dslot.at) slt_slot_rows_end(run);
}

static void launch(const slt_tape *tape, int first, int last, bool back) {
    slt_cuda_args a[NODES];
    for (int i = 0; i <= last - first; i++) a[i] = slt_cuda_args_of(tape, first + i, back);
    slt_slot_rows run = run_of(tape, first, a, last < first + ATTENTION ? NULL : &a[ATTENTION]);
    if (!back)
        forward(a, &run);
    else if (tape->nodes[first].runs_backward)
        backward(a, &run);
}

// nodes come one after the other, the last first
static void weights(const slt_tape *tape, int first, int n) {
    slt_cuda_args a[ATTENTION];
    for (int i = 0; i < ATTENTION; i++) a[i] = slt_cuda_args_of(tape, first + i, true);
    slt_slot_rows run = run_of(tape, first, a, NULL);
    const slt_cuda_args *dense = &a[DENSE];
    slt_cuda_view none = {NULL, 0};
    if (n == first + NORM) slt_cuda_norm_weights(&run.norm, 0);
    if (n != first + DENSE) return;
    slt_cuda_weight_gradient(dense, run.x.width, run.qkv.width, run.sequences + run.positions,
                             run.normed, run.dqkv.slots, dense->in_grad[SLT_DENSE_W],
                             dense->add[SLT_DENSE_W], none, false);
    slt_cuda_args side = slt_cuda_on_sum_stream(dense);
    slt_cuda_bias_gradient(&side, run.dqkv.slots, run.sequences, run.qkv.width,
                           dense->in_grad[SLT_DENSE_C], false);
}

const slt_fusion_pattern slt_fuse_slot_rows = {
    SLT_FUSE_DECODER_INPUT, last_of, launch, weights, NULL, false};
