// Frames: what a step brings (batch, options, fed data) on its way to the device. The host fills
// page-locked memory, which is copied in one piece while the step before runs, and spread out to
// its places behind it; the host goes on to the next of a ring.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <limits.h>
#include <string.h>
#include "cuda/cuda_device.h"
#include "engine/adam.h"

_Static_assert(sizeof(slt_real) == sizeof(float), "the device computes in float");
_Static_assert((int)SLT_CUDA_WEIGHTS == (int)SLT_WEIGHTS, "weights of a step");

static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

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
    size_t at = aligned(sizeof(slt_cuda_head));
    int32_t *const places[] = {&frames->offset, &frames->length, &frames->index, &frames->companion,
                               &frames->place};
    const size_t counts[] = {B + 1, B, B, B * K, (size_t)tape->limits.tokens};
    for (int i = 0; i < 5; i++) {
        *places[i] = (int32_t)at;
        at += aligned(counts[i] * sizeof(int32_t));
    }
    return at;
}

// behind the arrays, what is fed: numbers, integers, or offsets and places of ones
static size_t place_feeds(slt_tape *tape, slt_cuda_tape *t, size_t at) {
    for (slt_var v = 1; v < tape->var_count; v++) {
        const slt_var_info *info = &tape->vars[v];
        t->feed[v] = t->feed_ones[v] = -1;
        if (!is_fed(info)) continue;
        size_t rows = room_of(tape, v), width = (size_t)info->shape.width;
        bool bits = info->type == SLT_BITS;
        t->feed[v] = (int64_t)at;
        at += aligned((bits ? rows + 1 : rows * width) * sizeof(float));
        if (!bits) continue;
        t->feed_ones[v] = (int64_t)at;
        at += aligned(rows * width * sizeof(uint16_t));
    }
    return at;
}

slt_status slt_cuda_frames_open(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    void *memory;
    SLT_TRY(SLT_NEW(&tape->arena, &t->feed, (size_t)tape->var_count));
    SLT_TRY(SLT_NEW(&tape->arena, &t->feed_ones, (size_t)tape->var_count));
    SLT_TRY(SLT_NEW(&tape->arena, &t->count, 2 * (size_t)tape->store->members));
    t->frame_bytes = place_feeds(tape, t, place_arrays(tape, &t->frames));
    SLT_TRY(slt_cuda_alloc(t->cuda, t->frame_bytes * (size_t)tape->store->members, &memory));
    t->frames.at = memory;
    t->frames.stride = (int64_t)t->frame_bytes;
    for (slt_var v = 1; v < tape->var_count; v++) t->feeds += t->feed[v] >= 0;
    for (int i = 0; i < 2 * SLT_CUDA_STAGES; i++) {
        slt_cuda_stage *stage = &t->stage[i / 2];
        SLT_CUDA_TRY(t->cuda,
                     cudaEventCreateWithFlags(i % 2 ? &stage->arrived : &stage->spread,
                                              slt_cuda_waiting(t->cuda)),
                     "making an event");
    }
    return SLT_OK;
}

void slt_cuda_frames_close(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    for (int i = 0; i < SLT_CUDA_STAGES; i++) {
        slt_cuda_stage *stage = &t->stage[i];
        if (stage->arrived) cudaEventDestroy(stage->arrived);
        if (stage->spread) cudaEventDestroy(stage->spread);
        if (stage->at) slt_cuda_unpin(t->cuda, stage->at);
        slt_cuda_free(t->cuda, stage->there);
    }
    slt_cuda_free(t->cuda, (void *)t->frames.at);
}

// ---- staging

static slt_status make_room(slt_cuda *cuda, slt_cuda_stage *stage, size_t bytes) {
    void *memory = NULL;
    size_t room = 0;
    if (stage->at) slt_cuda_unpin(cuda, stage->at);
    slt_cuda_free(cuda, stage->there);
    stage->at = stage->there = NULL;
    stage->room = 0;
    SLT_TRY(slt_cuda_pin(cuda, bytes, &memory, &room));
    stage->at = memory;
    SLT_TRY(slt_cuda_alloc(cuda, room, &memory));
    stage->there = memory;
    stage->room = room;
    return slt_cuda_rest(cuda); // it is there before another stream copies into it
}

// the next stage of the ring, free to write, with room for `bytes`
static slt_status take_stage(slt_cuda_tape *t, size_t bytes) {
    slt_cuda_stage *stage = t->filled = &t->stage[t->stage_next];
    t->stage_next = (t->stage_next + 1) % SLT_CUDA_STAGES;
    if (stage->used) SLT_CUDA_TRY(t->cuda, cudaEventSynchronize(stage->spread), "a step");
    stage->used = false;
    stage->moves = 0;
    return stage->room < bytes ? make_room(t->cuda, stage, bytes) : SLT_OK;
}

static slt_status send_stage(slt_cuda_tape *t, size_t bytes) {
    slt_cuda *cuda = t->cuda;
    slt_cuda_stage *stage = t->filled;
    slt_cuda_spread spread = {cuda->stream, stage->there, (char *)t->frames.at, stage->moves};
    SLT_CUDA_TRY(
        cuda, cudaMemcpyAsync(stage->there, stage->at, bytes, cudaMemcpyHostToDevice, cuda->copies),
        "sending a batch");
    SLT_CUDA_TRY(cuda, cudaEventRecord(stage->arrived, cuda->copies), "sending a batch");
    SLT_CUDA_TRY(cuda, cudaStreamWaitEvent(cuda->stream, stage->arrived, 0), "sending a batch");
    slt_cuda_frames_spread(&spread);
    SLT_CUDA_TRY(cuda, cudaPeekAtLastError(), "sending a batch");
    SLT_CUDA_TRY(cuda, cudaEventRecord(stage->spread, cuda->stream), "sending a batch");
    stage->used = true;
    return SLT_OK;
}

// bytes of the stage have a place in a frame; what lies behind them, up to 16, comes along
static void move(slt_cuda_tape *t, int member, int64_t place, const char *from, size_t bytes) {
    slt_cuda_stage *stage = t->filled;
    slt_cuda_move *moves = (slt_cuda_move *)(void *)stage->at;
    moves[stage->moves++] =
        (slt_cuda_move){from - stage->at, (int64_t)member * (int64_t)t->frame_bytes + place,
                        (int64_t)((bytes + 15) / 16)};
}

// room for the moves of all members: batch, numbers or offsets and ones
static size_t moves_bytes(const slt_tape *tape) {
    size_t each = 1 + 2 * (size_t)slt_cuda_tape_of(tape)->feeds;
    return aligned(each * (size_t)tape->store->members * sizeof(slt_cuda_move));
}

// ---- what goes into a stage

static void fill_head(const slt_tape *tape, int member, slt_cuda_head *head) {
    const slt_batch *batch = &tape->frames[member].batch;
    const slt_step *step = &tape->frames[member].step;
    *head = (slt_cuda_head){.seed = step->seed,
                            .note = tape->steps,
                            .count = batch->count,
                            .tokens = batch->offset[batch->count],
                            .true_tokens = batch->true_tokens,
                            .total = slt_batch_total(batch),
                            .active = step->active,
                            .step = step->step,
                            .noise = step->noise,
                            .rate = slt_adam_rate(step),
                            .epsilon = step->adam_epsilon,
                            .max_norm = step->max_norm};
    memcpy(head->weight, step->weight, sizeof head->weight);
}

// head and arrays of a member, as they lie on the device
static size_t fill_batch(const slt_tape *tape, int member, char *to) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    const slt_batch *batch = &tape->frames[member].batch;
    size_t count = (size_t)batch->count, K = (size_t)tape->limits.slots, each = sizeof(int32_t);
    fill_head(tape, member, (slt_cuda_head *)(void *)to);
    memcpy(to + t->frames.offset, batch->offset, (count + 1) * each);
    memcpy(to + t->frames.length, batch->length, count * each);
    memcpy(to + t->frames.index, batch->index, count * each);
    if (batch->companion)
        memcpy(to + t->frames.companion, batch->companion, count * K * each);
    else
        memset(to + t->frames.companion, 0xff, count * K * each); // -1: nobody
    int32_t *place = (int32_t *)(void *)(to + t->frames.place);
    for (int b = 0; b < batch->count; b++)
        for (int i = batch->offset[b]; i < batch->offset[b + 1]; i++) place[i] = b;
    return (size_t)t->frames.place + (size_t)batch->offset[batch->count] * each;
}

// rows of the launch: zeros behind those that are there
int slt_cuda_rows(const slt_tape *tape, slt_shape shape) {
    int tokens = slt_cuda_tape_of(tape)->tokens;
    if (shape.space == SLT_TOKENS) return tokens;
    if (shape.space == SLT_SLOT_TOKENS || shape.space == SLT_LIVE)
        return tokens * tape->limits.slots;
    return slt_shape_rows(tape, shape, NULL);
}

static size_t feed_bytes(const slt_tape *tape, int member, slt_var var) {
    const slt_var_info *info = &tape->vars[var];
    size_t rows = (size_t)slt_cuda_rows(tape, info->shape);
    if (info->type != SLT_BITS) return aligned(rows * (size_t)info->shape.width * sizeof(float));
    const slt_bits *bits = tape->frames[member].feed[var];
    int there = slt_shape_rows(tape, info->shape, &tape->frames[member].batch);
    size_t ones = (size_t)(bits->offset[there] - bits->offset[0]);
    return aligned((rows + 1) * sizeof(int32_t)) + aligned(ones * sizeof(uint16_t));
}

static slt_status put_numbers(slt_tape *tape, int member, slt_var var, char *stage) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_shape shape = tape->vars[var].shape;
    int rows = slt_cuda_rows(tape, shape);
    int there = slt_min(rows, slt_shape_rows(tape, shape, &tape->frames[member].batch));
    size_t used = (size_t)there * (size_t)shape.width * sizeof(float);
    size_t all = (size_t)rows * (size_t)shape.width * sizeof(float);
    memcpy(stage, tape->frames[member].feed[var], used);
    memset(stage + used, 0, all - used);
    move(t, member, t->feed[var], stage, all);
    return SLT_OK;
}

static slt_status put_bits(slt_tape *tape, int member, slt_var var, char *stage) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_shape shape = tape->vars[var].shape;
    const slt_bits *bits = tape->frames[member].feed[var];
    int there = slt_shape_rows(tape, shape, &tape->frames[member].batch);
    int rows = slt_cuda_rows(tape, shape);
    int64_t ones = bits->offset[there] - bits->offset[0];
    if (ones > (int64_t)room_of(tape, var) * shape.width || ones > INT32_MAX)
        SLT_FAIL(SLT_RANGE, "input '%s' has %lld ones in %d rows of %d", tape->vars[var].name,
                 (long long)ones, there, shape.width);
    int32_t *offset = (int32_t *)(void *)stage;
    for (int r = 0; r <= rows; r++)
        offset[r] = (int32_t)(bits->offset[r < there ? r : there] - bits->offset[0]);
    size_t bytes = ((size_t)rows + 1) * sizeof *offset;
    move(t, member, t->feed[var], stage, bytes);
    if (!ones) return SLT_OK;
    stage += aligned(bytes);
    memcpy(stage, bits->index + bits->offset[0], (size_t)ones * sizeof *bits->index);
    move(t, member, t->feed_ones[var], stage, (size_t)ones * sizeof *bits->index);
    return SLT_OK;
}

static slt_status put_member(slt_tape *tape, int member, char **stage) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    move(t, member, 0, *stage, fill_batch(tape, member, *stage));
    *stage += aligned((size_t)t->frames.place + (size_t)tape->limits.tokens * sizeof(int32_t));
    for (slt_var v = 1; v < tape->var_count; v++) {
        if (t->feed[v] < 0) continue;
        SLT_TRY((tape->vars[v].type == SLT_BITS ? put_bits : put_numbers)(tape, member, v, *stage));
        *stage += feed_bytes(tape, member, v);
    }
    return SLT_OK;
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

static size_t stage_bytes(const slt_tape *tape) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    size_t each = aligned((size_t)t->frames.place + (size_t)tape->limits.tokens * sizeof(int32_t));
    size_t bytes = each * (size_t)tape->store->members;
    for (int m = 0; m < tape->store->members; m++)
        for (slt_var v = 1; v < tape->var_count; v++)
            if (t->feed[v] >= 0) bytes += feed_bytes(tape, m, v);
    return bytes;
}

static slt_status put_heads(slt_tape *tape, char *stage) {
    for (int m = 0; m < tape->store->members; m++, stage += aligned(sizeof(slt_cuda_head))) {
        fill_head(tape, m, (slt_cuda_head *)(void *)stage);
        move(slt_cuda_tape_of(tape), m, 0, stage, sizeof(slt_cuda_head));
    }
    return SLT_OK;
}

static slt_status put_all(slt_tape *tape, char *stage) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    for (int m = 0; m < tape->store->members; m++) {
        const slt_batch *batch = &tape->frames[m].batch;
        SLT_TRY(put_member(tape, m, &stage));
        t->count[2 * m] = batch->count;
        t->count[2 * m + 1] = batch->offset[batch->count];
        tape->frames[m].live = batch->offset[batch->count] * tape->limits.slots; // launched for
    }
    return SLT_OK;
}

slt_status slt_cuda_frames_send(slt_tape *tape, bool heads_only) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    if (!heads_only) t->tokens = class_of(tape);
    size_t heads = aligned(sizeof(slt_cuda_head)) * (size_t)tape->store->members;
    size_t moves = moves_bytes(tape), bytes = moves + (heads_only ? heads : stage_bytes(tape));
    SLT_TRY(take_stage(t, bytes));
    SLT_TRY((heads_only ? put_heads : put_all)(tape, t->filled->at + moves));
    return send_stage(t, bytes);
}
