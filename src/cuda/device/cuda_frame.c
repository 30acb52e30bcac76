// Frames: what a step brings (batch, options, fed data) on its way to the device. The host fills
// page-locked memory, which is copied in one piece while the previous step runs. What comes from a
// device rows is then put next to it, and all is spread out to its places; the host continues to
// the next of a ring.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <limits.h>
#include <string.h>
#include "cuda/device/cuda_tape.h"
#include "engine/adam.h"

_Static_assert(sizeof(slt_real) == sizeof(float), "the device computes in float");
_Static_assert((int)SLT_CUDA_WEIGHTS == (int)SLT_WEIGHTS, "weights of a step");

// ---- layout, at capacity

static size_t room_of(const slt_tape *tape, slt_var var) {
    slt_shape shape = tape->vars[var].shape;
    return (size_t)slt_shape_rows(tape, shape, NULL);
}

static bool is_fed(const slt_var_info *info) {
    return info->origin == SLT_FROM_FEED && !info->constant;
}

static size_t place_arrays(slt_tape *tape, slt_cuda_frames *frames) {
    size_t B = (size_t)tape->limits.trajectories, K = (size_t)tape->limits.slots;
    size_t at = slt_cuda_aligned(sizeof(slt_cuda_frame_header));
    int32_t *const places[] = {&frames->offset, &frames->length, &frames->index, &frames->companion,
                               &frames->place};
    const size_t counts[] = {B + 1, B, B, B * K, (size_t)tape->limits.tokens};
    for (int i = 0; i < 5; i++) {
        *places[i] = (int32_t)at;
        at += slt_cuda_aligned(counts[i] * sizeof(int32_t));
    }
    return at;
}

// after the arrays, what is fed: numbers, integers, or offsets and places of ones
static size_t place_feeds(slt_tape *tape, slt_cuda_tape *t, size_t at) {
    for (slt_var v = 1; v < tape->var_count; v++) {
        const slt_var_info *info = &tape->vars[v];
        t->feed[v] = t->feed_ones[v] = -1;
        if (!is_fed(info)) continue;
        size_t rows = room_of(tape, v), width = (size_t)info->shape.width;
        bool bits = info->type == SLT_BITS;
        t->feed[v] = (int64_t)at;
        at += slt_cuda_aligned((bits ? rows + 1 : rows * width) * sizeof(float));
        if (!bits) continue;
        t->feed_ones[v] = (int64_t)at;
        at += slt_cuda_aligned(rows * width * sizeof(uint16_t));
    }
    return at;
}

slt_status slt_cuda_frames_open(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    void *memory;
    SLT_TRY(SLT_NEW(&tape->arena, &t->feed, (size_t)tape->var_count));
    SLT_TRY(SLT_NEW(&tape->arena, &t->feed_ones, (size_t)tape->var_count));
    SLT_TRY(SLT_NEW(&tape->arena, &t->fed, (size_t)tape->var_count));
    SLT_TRY(SLT_NEW(&tape->arena, &t->count, 2 * (size_t)tape->store->members));
    t->frame_bytes = place_feeds(tape, t, place_arrays(tape, &t->frames));
    size_t bytes = SLT_CUDA_FRAMES * t->frame_bytes * (size_t)tape->store->members;
    SLT_TRY(slt_cuda_alloc(t->cuda, bytes, &memory));
    t->frames.at = t->both = memory;
    t->frames.stride = (int64_t)t->frame_bytes;
    for (slt_var v = 1; v < tape->var_count; v++)
        if (t->feed[v] >= 0) t->fed[t->feeds++] = v;
    return slt_cuda_stages_open(t);
}

void slt_cuda_frames_close(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_cuda_stages_close(t);
    slt_cuda_free(t->cuda, t->both);
}

// ---- what goes into a stage

static void fill_head(const slt_tape *tape, int member, slt_cuda_frame_header *head) {
    const slt_batch *batch = &tape->frames[member].batch;
    const slt_step *step = &tape->frames[member].step;
    *head = (slt_cuda_frame_header){.seed = step->seed,
                                    .stats = tape->steps,
                                    .count = batch->count,
                                    .tokens = batch->offset[batch->count],
                                    .true_tokens = batch->true_tokens,
                                    .total = slt_batch_total(batch),
                                    .active = step->active,
                                    .step = step->step,
                                    .noise = step->noise,
                                    .dropout = step->dropout,
                                    .rate = slt_adam_rate(step),
                                    .epsilon = step->adam_epsilon,
                                    .max_norm = step->max_norm};
    memcpy(head->weight, step->weight, sizeof head->weight);
}

// head and arrays of a member, as they lie on the device; where they are in the stage
static int64_t put_batch(const slt_tape *tape, int member) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    const slt_batch *batch = &tape->frames[member].batch;
    size_t count = (size_t)batch->count, K = (size_t)tape->limits.slots, each = sizeof(int32_t);
    int64_t place = slt_cuda_take_piece(&t->filled->sent, (size_t)t->frames.place);
    char *to = t->filled->at + place;
    fill_head(tape, member, (slt_cuda_frame_header *)(void *)to);
    memcpy(to + t->frames.offset, batch->offset, (count + 1) * each);
    memcpy(to + t->frames.length, batch->length, count * each);
    memcpy(to + t->frames.index, batch->index, count * each);
    if (batch->companion)
        memcpy(to + t->frames.companion, batch->companion, count * K * each);
    else
        memset(to + t->frames.companion, 0xff, count * K * each); // -1: nobody
    slt_cuda_stage_move(t, member, 0, place, (size_t)t->frames.companion + count * K * each);
    return place;
}

// rows of the launch: zeros after those that are there
int slt_cuda_rows(const slt_tape *tape, slt_shape shape) {
    int tokens = slt_cuda_tape_of(tape)->tokens;
    if (shape.space == SLT_TOKENS) return tokens;
    if (shape.space == SLT_SLOT_TOKENS || shape.space == SLT_LIVE)
        return tokens * tape->limits.slots;
    return slt_shape_rows(tape, shape, NULL);
}

// offsets of rows, or numbers
static size_t row_bytes(const slt_tape *tape, slt_var var) {
    const slt_var_info *info = &tape->vars[var];
    size_t rows = (size_t)slt_cuda_rows(tape, info->shape);
    return info->type == SLT_BITS ? (rows + 1) * sizeof(int32_t)
                                  : rows * (size_t)info->shape.width * sizeof(float);
}

static int64_t count_ones(const slt_tape *tape, int member, slt_var var) {
    const slt_frame *frame = &tape->frames[member];
    if (tape->vars[var].type != SLT_BITS) return 0;
    if (frame->slice[var]) return frame->slice[var]->ones[frame->batch.count];
    const slt_bits *bits = frame->feed[var];
    return bits->offset[slt_shape_rows(tape, tape->vars[var].shape, &frame->batch)] -
           bits->offset[0];
}

static void put_numbers(slt_tape *tape, int member, slt_var var) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_shape shape = tape->vars[var].shape;
    int there = slt_min(slt_cuda_rows(tape, shape),
                        slt_shape_rows(tape, shape, &tape->frames[member].batch));
    size_t used = (size_t)there * (size_t)shape.width * sizeof(float), all = row_bytes(tape, var);
    int64_t place = slt_cuda_take_piece(&t->filled->sent, all);
    char *to = t->filled->at + place;
    memcpy(to, tape->frames[member].feed[var], used);
    memset(to + used, 0, all - used);
    slt_cuda_stage_move(t, member, t->feed[var], place, all);
}

static void put_bits(slt_tape *tape, int member, slt_var var) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_shape shape = tape->vars[var].shape;
    const slt_bits *bits = tape->frames[member].feed[var];
    int there = slt_shape_rows(tape, shape, &tape->frames[member].batch);
    int rows = slt_cuda_rows(tape, shape);
    size_t bytes = (size_t)count_ones(tape, member, var) * sizeof *bits->index;
    int64_t place = slt_cuda_take_piece(&t->filled->sent, row_bytes(tape, var));
    int64_t ones = slt_cuda_take_piece(&t->filled->sent, bytes);
    int32_t *offset = (int32_t *)(void *)(t->filled->at + place);
    for (int r = 0; r <= rows; r++)
        offset[r] = (int32_t)(bits->offset[r < there ? r : there] - bits->offset[0]);
    slt_cuda_stage_move(t, member, t->feed[var], place, row_bytes(tape, var));
    if (!bytes) return;
    memcpy(t->filled->at + ones, bits->index + bits->offset[0], bytes);
    slt_cuda_stage_move(t, member, t->feed_ones[var], ones, bytes);
}

// ---- what is made there

// trajectory of every token
static void make_place(slt_tape *tape, int member, int64_t batch) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    const slt_batch *own = &tape->frames[member].batch;
    size_t bytes = (size_t)own->offset[own->count] * sizeof(int32_t);
    int64_t to = slt_cuda_take_piece(&t->filled->made, bytes);
    t->filled->gather[t->filled->gathers++] = (slt_cuda_gather){.batch = batch, .to = to};
    if (own->count >= t->filled->blocks) t->filled->blocks = own->count + 1;
    slt_cuda_stage_move(t, member, t->frames.place, to, bytes);
}

// a copy of what the gather reads
static int64_t put_list(slt_cuda_stage *stage, const void *list, size_t bytes) {
    int64_t place = slt_cuda_take_piece(&stage->sent, bytes);
    memcpy(stage->at + place, list, bytes);
    return place;
}

static void make_rows(slt_tape *tape, int member, slt_var var, int64_t batch) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_cuda_stage *stage = t->filled;
    const slt_row_slice *from = tape->frames[member].slice[var];
    const slt_cuda_device_rows *rows_of_device = from->rows_of_device->on_device;
    size_t count = (size_t)tape->frames[member].batch.count, bytes = row_bytes(tape, var);
    slt_cuda_gather gather = {.rows_of_device = rows_of_device->rows[from->column],
                              .ones = rows_of_device->ones[from->column],
                              .batch = batch,
                              .first = put_list(stage, from->first, count * sizeof *from->first),
                              .to = slt_cuda_take_piece(&stage->made, bytes),
                              .width = tape->vars[var].shape.width,
                              .rows = slt_cuda_rows(tape, tape->vars[var].shape)};
    slt_cuda_stage_move(t, member, t->feed[var], gather.to, bytes);
    if (gather.ones) {
        bytes = (size_t)from->ones[count] * sizeof *gather.ones;
        gather.before = put_list(stage, from->ones, (count + 1) * sizeof *from->ones);
        gather.to_ones = slt_cuda_take_piece(&stage->made, bytes);
        if (bytes) slt_cuda_stage_move(t, member, t->feed_ones[var], gather.to_ones, bytes);
    }
    stage->gather[stage->gathers++] = gather;
}

static void put_member(slt_tape *tape, int member) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    int64_t batch = put_batch(tape, member);
    make_place(tape, member, batch);
    for (int i = 0; i < t->feeds; i++) {
        slt_var v = t->fed[i];
        if (tape->frames[member].slice[v])
            make_rows(tape, member, v, batch);
        else
            (tape->vars[v].type == SLT_BITS ? put_bits : put_numbers)(tape, member, v);
    }
}

// ---- the class of a run: a function of the batches alone

static int class_of(const slt_tape *tape) {
    int most = 1, room = tape->limits.tokens, step = (room / 128 + 63) / 64 * 64;
    for (int m = 0; m < tape->store->members; m++) {
        const slt_batch *batch = &tape->frames[m].batch;
        if (batch->offset[batch->count] > most) most = batch->offset[batch->count];
    }
    if (step < 64) step = 64;
    int rounded = (most + step - 1) / step * step;
    return rounded < room ? rounded : room;
}

// what a member sends, and what is made there for it
static slt_status add_bytes(const slt_tape *tape, int member, size_t *sent, size_t *made) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    size_t count = (size_t)tape->frames[member].batch.count;
    *sent += (size_t)t->frames.place;
    *made += slt_cuda_aligned((size_t)tape->limits.tokens * sizeof(int32_t));
    for (int i = 0; i < t->feeds; i++) {
        slt_var v = t->fed[i];
        int64_t ones = count_ones(tape, member, v);
        if (ones > (int64_t)room_of(tape, v) * tape->vars[v].shape.width || ones > INT32_MAX)
            SLT_FAIL(SLT_RANGE, "input '%s' has %lld ones in %d rows of %d", tape->vars[v].name,
                     (long long)ones, (int)room_of(tape, v), tape->vars[v].shape.width);
        bool there = tape->frames[member].slice[v];
        *(there ? made : sent) += slt_cuda_aligned(row_bytes(tape, v)) +
                                  slt_cuda_aligned((size_t)ones * sizeof(uint16_t));
        if (there)
            *sent += slt_cuda_aligned(count * sizeof(int64_t)) +
                     slt_cuda_aligned((count + 1) * sizeof(int32_t));
    }
    return SLT_OK;
}

slt_status slt_cuda_headers_put(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    size_t each = slt_cuda_aligned(sizeof(slt_cuda_frame_header));
    SLT_TRY(slt_cuda_stage_take(tape, each * (size_t)tape->store->members, 0));
    for (int m = 0; m < tape->store->members; m++) {
        int64_t place = slt_cuda_take_piece(&t->filled->sent, each);
        fill_head(tape, m, (slt_cuda_frame_header *)(void *)(t->filled->at + place));
        slt_cuda_stage_move(t, m, 0, place, sizeof(slt_cuda_frame_header));
    }
    return SLT_OK;
}

// all that was launched reads the frame at hand; the other one is next
static slt_status take_turns(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    SLT_CUDA_TRY(t->cuda, cudaEventRecord(t->left[t->frame], t->cuda->stream), "sending a batch");
    t->frame = (t->frame + 1) % SLT_CUDA_FRAMES;
    t->frames.at = t->both + (size_t)t->frame * t->frame_bytes * (size_t)tape->store->members;
    return SLT_OK;
}

slt_status slt_cuda_frames_put(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    size_t sent = 0, made = 0;
    t->tokens = class_of(tape);
    for (int m = 0; m < tape->store->members; m++) SLT_TRY(add_bytes(tape, m, &sent, &made));
    SLT_TRY(slt_cuda_stage_take(tape, sent, made));
    for (int m = 0; m < tape->store->members; m++) {
        const slt_batch *batch = &tape->frames[m].batch;
        put_member(tape, m);
        t->count[2 * m] = batch->count;
        t->count[2 * m + 1] = batch->offset[batch->count];
        tape->frames[m].live = batch->offset[batch->count] * tape->limits.slots; // launched for
    }
    return take_turns(tape);
}
