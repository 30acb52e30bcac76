// Stages: a ring of memory that the device copies from while the host writes the next. A stage has
// moves and gathers at its head, then what is sent, then, on the device alone, what is made there.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_tape.h"

slt_status slt_cuda_stages_open(slt_cuda_tape *t) {
    for (int i = 0; i < 2 * SLT_CUDA_STAGES; i++) {
        slt_cuda_stage *stage = &t->stage[i / 2];
        SLT_CUDA_TRY(t->cuda,
                     cudaEventCreateWithFlags(i % 2 ? &stage->arrived : &stage->spread,
                                              slt_cuda_waiting(t->cuda)),
                     "making an event");
    }
    for (int i = 0; i < SLT_CUDA_FRAMES; i++)
        SLT_CUDA_TRY(t->cuda, cudaEventCreateWithFlags(&t->left[i], cudaEventDisableTiming),
                     "making an event");
    return SLT_OK;
}

void slt_cuda_stages_close(slt_cuda_tape *t) {
    for (int i = 0; i < SLT_CUDA_STAGES; i++) {
        slt_cuda_stage *stage = &t->stage[i];
        if (stage->arrived) cudaEventDestroy(stage->arrived);
        if (stage->spread) cudaEventDestroy(stage->spread);
        if (stage->at) slt_cuda_unpin(t->cuda, stage->at);
        slt_cuda_free(t->cuda, stage->there);
    }
    for (int i = 0; i < SLT_CUDA_FRAMES; i++)
        if (t->left[i]) cudaEventDestroy(t->left[i]);
}

// ---- taking one

static slt_status make_room(slt_cuda *cuda, slt_cuda_stage *stage, size_t sent, size_t all) {
    void *memory = NULL;
    size_t room = 0;
    if (stage->at) slt_cuda_unpin(cuda, stage->at);
    slt_cuda_free(cuda, stage->there);
    stage->at = stage->there = NULL;
    stage->room = stage->room_there = 0;
    SLT_TRY(slt_cuda_pin(cuda, sent, &memory, &room));
    stage->at = memory;
    all += all / 4;
    SLT_TRY(slt_cuda_alloc(cuda, all, &memory));
    stage->there = memory;
    stage->room = room;
    stage->room_there = all;
    return slt_cuda_rest(cuda); // it is there before another stream copies into it
}

// room for the moves and gathers of all members: batch and place, then numbers or offsets and ones
static size_t moves_bytes(const slt_tape *tape) {
    size_t each = 2 + 2 * (size_t)slt_cuda_tape_of(tape)->feeds;
    return slt_cuda_aligned(each * (size_t)tape->store->members * sizeof(slt_cuda_move));
}
static size_t gathers_bytes(const slt_tape *tape) {
    size_t each = 1 + (size_t)slt_cuda_tape_of(tape)->feeds;
    return slt_cuda_aligned(each * (size_t)tape->store->members * sizeof(slt_cuda_gather));
}

slt_status slt_cuda_stage_take(slt_tape *tape, size_t sent, size_t made) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_cuda_stage *stage = t->filled = &t->stage[t->stage_next];
    size_t moves = moves_bytes(tape), head = moves + gathers_bytes(tape);
    t->stage_next = (t->stage_next + 1) % SLT_CUDA_STAGES;
    if (stage->used) SLT_CUDA_TRY(t->cuda, cudaEventSynchronize(stage->spread), "a step");
    stage->used = false;
    if (stage->room < head + sent || stage->room_there < head + sent + made)
        SLT_TRY(make_room(t->cuda, stage, head + sent, head + sent + made));
    stage->move = (slt_cuda_move *)(void *)stage->at;
    stage->gather = (slt_cuda_gather *)(void *)(stage->at + moves);
    stage->moves = stage->gathers = stage->blocks = 0;
    stage->sent = head;
    stage->made = head + sent;
    return SLT_OK;
}

// ---- sending it

// the frame was read two steps ago
static slt_status spread_ahead(slt_cuda_tape *t, const slt_cuda_spread *spread) {
    SLT_CUDA_TRY(t->cuda, cudaStreamWaitEvent(t->cuda->copies, t->left[t->frame], 0),
                 "sending a batch");
    slt_cuda_frames_spread(spread);
    return SLT_OK;
}

slt_status slt_cuda_stage_send(slt_tape *tape, bool ahead) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_cuda *cuda = t->cuda;
    slt_cuda_stage *stage = t->filled;
    slt_cuda_fetch fetch = {.stream = cuda->copies,
                            .stage = stage->there,
                            .list = (int64_t)moves_bytes(tape),
                            .offset = t->frames.offset,
                            .blocks = stage->blocks,
                            .gathers = stage->gathers};
    cudaStream_t following = ahead ? cuda->copies : cuda->stream;
    slt_cuda_spread spread = {following, stage->there, (char *)t->frames.at, stage->moves};
    SLT_CUDA_TRY(
        cuda,
        cudaMemcpyAsync(stage->there, stage->at, stage->sent, cudaMemcpyHostToDevice, cuda->copies),
        "sending a batch");
    if (stage->gathers) slt_cuda_frames_gather(&fetch);
    if (ahead) SLT_TRY(spread_ahead(t, &spread));
    SLT_CUDA_TRY(cuda, cudaEventRecord(stage->arrived, cuda->copies), "sending a batch");
    SLT_CUDA_TRY(cuda, cudaStreamWaitEvent(cuda->stream, stage->arrived, 0), "sending a batch");
    if (!ahead) slt_cuda_frames_spread(&spread);
    SLT_CUDA_TRY(cuda, cudaPeekAtLastError(), "sending a batch");
    SLT_CUDA_TRY(cuda, cudaEventRecord(stage->spread, following), "sending a batch");
    stage->used = true;
    return SLT_OK;
}

void slt_cuda_stage_move(slt_cuda_tape *t, int member, int64_t place, int64_t from, size_t bytes) {
    slt_cuda_stage *stage = t->filled;
    stage->move[stage->moves++] = (slt_cuda_move){
        from, (int64_t)member * (int64_t)t->frame_bytes + place, (int64_t)((bytes + 15) / 16)};
}
