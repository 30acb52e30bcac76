// Work on the side: a node's weight gradients run concurrently with the nodes after it,
// SLT_CUDA_LAG of them. Of one member, in tf32, they wait for others first, so that one launch
// makes all of them (weight_group.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_tape.h"

_Static_assert((int)SLT_WEIGHT_ROOM <= (int)SLT_CUDA_WORKSPACE, "partial sums have room");

bool slt_cuda_weights_wait(const slt_cuda_args *args, const slt_weight_product *product) {
    slt_weight_group *group = &args->cuda->weights;
    if (!SLT_CUDA_LAG || !slt_cuda_is_tf32(args->cuda) || args->members > 1 ||
        group->count == SLT_WEIGHT_GROUP || !slt_cuda_weights_fit(product))
        return false;
    group->product[group->count++] = *product;
    return true;
}

// after what node n has on the side already
static slt_status begin_on_side(const slt_tape *tape, int n, cudaStream_t side) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    if (!t->has_done[n]) return SLT_OK;
    t->has_done[n] = false;
    return slt_cuda_check(t->cuda, cudaStreamWaitEvent(side, t->done[n], 0), "joining the side");
}
// node n has work on the side up to here
static slt_status end_on_side(const slt_tape *tape, int n, cudaStream_t side) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    SLT_TRY(begin_on_side(tape, n, side));
    t->has_done[n] = true;
    return slt_cuda_check(t->cuda, cudaEventRecord(t->done[n], side), "joining the side");
}

// the parts of a group that was multiplied; it is empty then
static void add_parts(slt_weight_group *group, cudaStream_t stream) {
    group->stream = stream;
    slt_cuda_weights_add(group);
    group->count = 0;
}

slt_status slt_cuda_stream_weights(const slt_tape *tape, slt_weight_time time) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_weight_group *group = &t->cuda->weights;
    bool last = time == SLT_BESIDE_NOTHING; // its parts are left to slt_cuda_stream_add
    if (!group->count) return SLT_OK;
    slt_cuda_args args = slt_cuda_args_of(tape, -1, true),
                  side = slt_cuda_on_group_stream(&args, last);
    t->cuda->side_stream = -1;
    group->stream = side.stream;
    group->room = slt_cuda_place(&side).workspace;
    group->time = time;
    for (int n = 0; n < tape->node_count; n++)
        if (t->waits[n]) SLT_TRY(begin_on_side(tape, n, side.stream));
    slt_cuda_weights_multiply(group);
    if (!last) add_parts(group, side.stream);
    t->waiting = 0;
    for (int n = 0; n < tape->node_count; n++) {
        if (t->waits[n]) SLT_TRY(end_on_side(tape, n, side.stream));
        t->waits[n] = false;
    }
    return slt_cuda_check(t->cuda, cudaPeekAtLastError(), "gradients of weights");
}

slt_status slt_cuda_stream_add(slt_tape *tape) {
    slt_cuda *cuda = slt_cuda_of(tape->store);
    if (cuda->weights.count) add_parts(&cuda->weights, cuda->stream);
    cuda->writers = 0;
    return slt_cuda_check(cuda, cudaPeekAtLastError(), "gradients of weights");
}

slt_status slt_cuda_stream_wait(slt_tape *tape, int n) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    if (n >= tape->node_count) return SLT_OK;
    if (t->waits[n]) SLT_TRY(slt_cuda_stream_weights(tape, SLT_BESIDE_SMALL));
    if (!t->has_done[n]) return SLT_OK;
    t->has_done[n] = false;
    t->cuda->held_count = 0; // whoever waits for it cannot hold it
    return slt_cuda_check(t->cuda, cudaStreamWaitEvent(t->cuda->stream, t->done[n], 0),
                          "joining the side");
}

// does node n add to the gradient of a parameter that node m writes?
static bool adds_to(const slt_tape *tape, int n, int m) {
    const slt_node_info *adder = &tape->nodes[n], *writer = &tape->nodes[m];
    for (int i = 0; i < adder->node.inputs; i++)
        for (int k = 0; k < writer->node.inputs && adder->add >> i & 1; k++)
            if (adder->node.in[i] == writer->node.in[k] &&
                tape->vars[adder->node.in[i]].origin == SLT_FROM_STORE)
                return true;
    return false;
}

slt_status slt_cuda_stream_after(slt_tape *tape, int n) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_cuda *cuda = t->cuda;
    for (int m = n + 1; m < tape->node_count; m++) {
        if (!adds_to(tape, n, m)) continue;
        if (t->waits[m]) SLT_TRY(slt_cuda_stream_weights(tape, SLT_BESIDE_SMALL));
        if (!t->has_done[m]) continue; // on the chain, or joined
        if (cuda->writers == SLT_CUDA_WRITERS)
            SLT_TRY(slt_cuda_stream_wait(tape, m));
        else
            cuda->writer[cuda->writers++] = t->done[m];
    }
    return SLT_OK;
}

void slt_cuda_stream_forget(slt_tape *tape) {
    slt_cuda *cuda = slt_cuda_of(tape->store);
    if (!cuda->weights.count) cuda->writers = 0;
}

slt_status slt_cuda_stream_mark(slt_tape *tape, int n) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    int side = t->cuda->side_stream, waiting = t->cuda->weights.count;
    if (waiting > t->waiting) {
        t->waits[n] = true;
        SLT_CUDA_TRY(t->cuda, cudaEventRecord(t->cuda->ready, t->cuda->stream), "a gradient");
    }
    t->waiting = waiting;
    if (side < 0) return SLT_OK;
    t->cuda->side_stream = -1;
    return end_on_side(tape, n, t->cuda->side[side].stream);
}
