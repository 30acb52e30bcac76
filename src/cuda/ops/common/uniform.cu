// Numbers drawn evenly from [0,1): the same words as on the CPU. A thread per four of them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/philox.h"
#include "cuda/kernels/kernel.cuh"

enum { SPACE, WIDTH, PURPOSE };
enum { THREADS = 128, WORDS = 4 };

// numbers of a slot: places of a trajectory, or the width
static __host__ __device__ int per_slot(const slt_cuda_args &a) {
    return a.n[SPACE] == SLT_SLOT_TOKENS ? a.length : a.n[WIDTH];
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const slt_cuda_frame_header *head = slt_header(a);
    bool tokens = a.n[SPACE] == SLT_SLOT_TOKENS;
    int per = per_slot(a), calls = (a.slots * per + WORDS - 1) / WORDS, i = (int)slt_thread();
    float *out = slt_at(a.out[0]);
    slt_clear_tail(out, slt_count(a, a.out_space[0], 0), a.out_rows[0], a.n[WIDTH]);
    int b = i / calls, call = i % calls;
    if (b >= head->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    int count = tokens ? run.computed : per;
    float *to = out + (int64_t)a.slots * (tokens ? run.first : b * per);
    uint64_t place = (uint64_t)slt_frame_array(a, a.frames.index)[b] * (uint64_t)calls;
    slt_words words = slt_random_words(head->seed, (slt_random_purpose)a.n[PURPOSE],
                                       place + (uint64_t)call, head->step);
    for (int w = 0; w < WORDS; w++) {
        int j = WORDS * call + w, k = j / per, c = j % per;
        if (k < a.slots && c < count) to[(int64_t)k * count + c] = slt_random_unit(words.word[w]);
    }
}

void slt_cuda_uniform_forward(const slt_cuda_args *args) {
    int64_t calls = ((int64_t)args->slots * per_slot(*args) + WORDS - 1) / WORDS;
    SLT_LAUNCH(args, forward, slt_grid(args, calls * args->trajectories, THREADS), THREADS, 0);
}
void slt_cuda_uniform_backward(const slt_cuda_args *args) { (void)args; }
