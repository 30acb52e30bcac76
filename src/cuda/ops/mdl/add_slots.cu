// y = x + s_k at every live row of slot k. Backward: a block per trajectory and slot sums over its
// rows, which lie together; where all trajectories share s, a second launch adds their sums.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/live.cuh"

enum { X, S, LIST, RANGE };
enum { COLUMNS = 32, LANES = 8 };

static __host__ __device__ bool is_shared(const slt_cuda_args &a) { return a.n[0] == SLT_FIXED; }

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const float *x = slt_at(a.in[X]), *s = slt_at(a.in[S]), *list = slt_at(a.in[LIST]);
    const int32_t *place = slt_frame_array(a, a.frames.place);
    float *y = slt_at(a.out[0]);
    unsigned width = (unsigned)a.out_width[0], count = (unsigned)slt_header(a)->live;
    for (unsigned i = slt_thread(); i < count * width; i += slt_stride()) {
        const float *row = list + 2 * (int64_t)(i / width);
        int slot = (int)row[1] + (is_shared(a) ? 0 : place[(int)row[0]] * a.slots);
        y[i] = x[i] + s[(int64_t)slot * width + i % width];
    }
    slt_clear_tail(y, (int)count, a.out_rows[0], (int)width);
}

SLT_KERNEL backward_rows(const slt_cuda_args a) {
    slt_begin();
    const float *dy = slt_at(a.out_grad[0]);
    float *dx = slt_at(a.in_grad[X]);
    unsigned count = (unsigned)(a.out_rows[0] * a.out_width[0]);
    for (unsigned i = slt_thread(); i < count; i += slt_stride()) slt_put(&dx[i], a.add[X], dy[i]);
}

SLT_KERNEL backward_slots(const slt_cuda_args a) {
    slt_begin();
    __shared__ float lanes[LANES][COLUMNS];
    int b = (int)blockIdx.x / a.slots, k = (int)blockIdx.x % a.slots, width = a.out_width[0];
    float *to =
        (is_shared(a) ? slt_at(a.shared) : slt_at(a.in_grad[S])) + (int64_t)blockIdx.x * width;
    const float *dy = slt_at(a.out_grad[0]);
    int first = 0, end = 0;
    if (b < slt_header(a)->count) {
        slt_live_span live = slt_live_of(a.in[LIST], a.in[RANGE], b);
        first = live.first + slt_live_from(live, k, 0);
        end = live.first + slt_live_from(live, k + 1, 0);
    }
    for (int c = (int)threadIdx.x; c - (int)threadIdx.x < width; c += COLUMNS) {
        float sum = 0;
        for (int r = first + (int)threadIdx.y; c < width && r < end; r += LANES)
            sum += dy[(int64_t)r * width + c];
        lanes[threadIdx.y][threadIdx.x] = sum;
        __syncthreads();
        for (int i = 1; i < LANES && threadIdx.y == 0; i++) sum += lanes[i][threadIdx.x];
        if (threadIdx.y == 0 && c < width) slt_put(&to[c], a.add[S] && !is_shared(a), sum);
        __syncthreads();
    }
}

// the sums of all trajectories, in order
SLT_KERNEL backward_shared(const slt_cuda_args a) {
    slt_begin();
    int width = a.slots * a.out_width[0], c = (int)slt_thread();
    const float *partial = slt_at(a.shared) + c;
    float sum = 0;
    if (c >= width) return;
#pragma unroll 8
    for (int b = 0; b < slt_header(a)->count; b++) sum += partial[(int64_t)b * width];
    slt_put(&slt_at(a.in_grad[S])[c], a.add[S], sum);
}

static dim3 grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->out_rows[0] * args->out_width[0], SLT_THREADS);
}

void slt_cuda_add_slots_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, grid(args), SLT_THREADS, 0);
}
void slt_cuda_add_slots_backward(const slt_cuda_args *args) {
    if (args->in_grad[X].at) SLT_LAUNCH(args, backward_rows, grid(args), SLT_THREADS, 0);
    if (!args->in_grad[S].at) return;
    SLT_LAUNCH(args, backward_slots, slt_grid(args, (int64_t)args->trajectories * args->slots, 1),
               dim3(COLUMNS, LANES, 1), 0);
    if (is_shared(*args))
        SLT_LAUNCH(args, backward_shared, slt_grid(args, args->slots * args->out_width[0], 64), 64,
                   0);
}
