// Streams concurrently with the chain: a node's arguments for work there.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_device.h"

static slt_cuda_args record_fork(const slt_cuda_args *args, int number, bool held,
                                 cudaEvent_t event) {
    slt_cuda *cuda = args->cuda;
    slt_cuda_args side = *args;
    if (cuda->side_stream < 0) cuda->side_stream = number;
    cudaStream_t stream = cuda->side[cuda->side_stream].stream;
    slt_cuda_check(cuda, cudaStreamWaitEvent(stream, event, 0), "starting the side"); // sticks
    for (int i = 0; i < cuda->writers; i++)
        slt_cuda_check(cuda, cudaStreamWaitEvent(stream, cuda->writer[i], 0), "starting the side");
    if (held) slt_cuda_hold(cuda, stream);
    int64_t before = (int64_t)cuda->side_stream * args->members;
    side.stream = stream;
    side.partials = args->side_partials;
    side.partials.at += before * side.partials.stride;
    side.counters = args->side_counters + before * args->counter_stride;
    return side;
}

static slt_cuda_args fork_to(const slt_cuda_args *args, int number, bool held) {
    slt_cuda *cuda = args->cuda;
    if (!SLT_CUDA_LAG) return *args;
    slt_cuda_check(cuda, cudaEventRecord(cuda->fork, cuda->stream), "starting the side");
    return record_fork(args, number, held, cuda->fork);
}

static int next_side(slt_cuda *cuda) {
    int number = cuda->side_next;
    if (cuda->side_stream < 0) cuda->side_next = (number + 1) % SLT_CUDA_WEIGHT_STREAMS;
    return number;
}

slt_cuda_args slt_cuda_on_weight_stream(const slt_cuda_args *args) {
    // a population fills the device whatever is held
    bool held = args->in_space[0] == SLT_SLOT_TOKENS && args->members == 1;
    return fork_to(args, next_side(args->cuda), held);
}

slt_cuda_args slt_cuda_on_group_stream(const slt_cuda_args *args, bool last) {
    int number = last ? SLT_CUDA_FINAL_STREAM : next_side(args->cuda);
    return record_fork(args, number, false, args->cuda->ready);
}

slt_cuda_args slt_cuda_on_sum_stream(const slt_cuda_args *args) {
    return fork_to(args, SLT_CUDA_SUM_STREAM, false);
}

slt_cuda_args slt_cuda_on_final_stream(const slt_cuda_args *args) {
    return fork_to(args, SLT_CUDA_FINAL_STREAM, false);
}

slt_cuda_args slt_cuda_on_slot_stream(const slt_cuda_args *args) {
    return fork_to(args, SLT_CUDA_SLOT_STREAM, false);
}
