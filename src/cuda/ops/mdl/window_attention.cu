// Attention that forgets at a cut (equations: ops/mdl/window_attention.c). Forward: a thread per
// live row and head. Backward: a block per trajectory. First a thread per live row and head finds
// the gradients of its scores and adds them up by symbol, in a row of its own; then threads own
// numbers of the table, the lags and the queries and walk the rows; a last launch adds up the
// trajectories.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/live.cuh"
#include "ops/mdl/window_layout.h"

enum { THREADS = 256 };

static __host__ __device__ dims dims_of(const slt_cuda_args &a) {
    int H = a.n[HEADS], d = a.out_width[0];
    dims n = {a.slots, a.in_rows[TABLE], H, a.in_width[LAGS] - 1, d, d / H};
    return n;
}

// one live row and one of its heads
typedef struct {
    dims n;
    int h, l, token;
    const float *q, *keys, *ends, *lags; // keys of symbol 0, of this head
    const int32_t *ids;
    float *P; // [W+1], kept (aux)
} row_head;

SLT_DEVICE_INLINE row_head row_head_of(const slt_cuda_args &a, int row, int h) {
    const float *list = slt_at(a.in[LIST]) + 2 * (int64_t)row;
    row_head v;
    v.n = dims_of(a);
    v.h = h;
    v.token = (int)list[0];
    int b = slt_frame_array(a, a.frames.place)[v.token];
    int64_t slot = (int)list[1] + (a.n[SPACE] == SLT_SLOTS ? b * v.n.K : 0);
    v.l = v.token - slt_offset(a)[b];
    v.q = slt_at(a.in[Q]) + slot * v.n.d + h * v.n.e;
    v.keys = slt_at(a.in[TABLE]) + h * v.n.e;
    v.ends = slt_at(a.in[ENDS]);
    v.lags = slt_at(a.in[LAGS]) + h * (v.n.W + 1);
    v.ids = slt_ints(a.in[IDS]);
    v.P = slt_at(a.aux) + ((int64_t)row * v.n.H + h) * (v.n.W + 1);
    return v;
}

// the symbol at lag j+1; the start before the first step, and at W
SLT_DEVICE_INLINE int symbol_at(const row_head &v, int j) {
    return j < v.n.W && j < v.l ? v.ids[v.token - j - 1] : v.n.A - 1;
}
// g_{j+1} from g_j
SLT_DEVICE_INLINE float next_gate(const row_head &v, float gate, int j) {
    return j < v.l ? gate * (1 - v.ends[v.token - j - 1]) : 0;
}
SLT_DEVICE_INLINE const float *key_of(const row_head &v, int symbol) {
    return v.keys + (int64_t)symbol * 2 * v.n.d;
}
SLT_DEVICE_INLINE const float *value_of(const row_head &v, int symbol) {
    return key_of(v, symbol) + v.n.d;
}
SLT_DEVICE_INLINE float dot(const float *x, const float *y, int count) {
    float sum = 0;
    for (int c = 0; c < count; c++) sum += x[c] * y[c];
    return sum;
}

// ---- forward

SLT_DEVICE_INLINE void attend(const row_head &v) {
    float scale = 1 / sqrtf((float)v.n.e), slope = ldexpf(1, 1 - v.h), most = -INFINITY, sum = 0;
    int W = v.n.W;
    for (int j = 0; j <= W; j++) {
        float recency = slope * (j == W ? (float)W / 2 : (float)j);
        float score = dot(v.q, key_of(v, symbol_at(v, j)), v.n.e) * scale + (v.lags[j] - recency);
        v.P[j] = score;
        most = fmaxf(most, score);
    }
    for (int j = 0; j <= W; j++) sum += v.P[j] = expf(v.P[j] - most);
    for (int j = 0; j <= W; j++) v.P[j] /= sum;
}

SLT_DEVICE_INLINE void mix(const row_head &v, float *out) {
    const float *start = value_of(v, v.n.A - 1);
    for (int c = 0; c < v.n.e; c++) {
        float gate = 1, rest = 1, sum = 0;
        for (int j = 0; j < v.n.W; j++) {
            gate = next_gate(v, gate, j);
            float weight = v.P[j] * gate;
            sum += weight * value_of(v, symbol_at(v, j))[c];
            rest -= weight;
        }
        out[c] = sum + rest * start[c];
    }
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int H = a.n[HEADS], live = slt_header(a)->live, d = a.out_width[0];
    int row = (int)slt_thread() / H, h = (int)slt_thread() % H;
    float *out = slt_at(a.out[0]);
    slt_clear_tail(out, live, a.out_rows[0], d);
    if (row >= live) return;
    row_head v = row_head_of(a, row, h);
    attend(v);
    mix(v, out + (int64_t)row * d + h * v.n.e);
}

// ---- backward: scratch

// trajectories, then rows, then W numbers per token
SLT_DEVICE_INLINE float *trajectory_scratch(const slt_cuda_args &a, dims n, int b) {
    return slt_at(a.shared) + b * trajectory_size(n);
}
SLT_DEVICE_INLINE float *row_scratch(const slt_cuda_args &a, dims n, int row, int h) {
    return trajectory_scratch(a, n, a.trajectories) + ((int64_t)row * n.H + h) * row_size(n);
}
SLT_DEVICE_INLINE float *gate_scratch(const slt_cuda_args &a, dims n, int token) {
    return row_scratch(a, n, a.out_rows[0], 0) + (int64_t)token * n.W;
}

// ---- backward: a row

SLT_DEVICE_INLINE void row_gradient(const slt_cuda_args &a, int row, int h) {
    row_head v = row_head_of(a, row, h);
    int W = v.n.W, A = v.n.A;
    float *ds = row_scratch(a, v.n, row, h), *along = ds + W + 1, *scores = along + W;
    float *weights = scores + A, gate = 1, rest = 1, sum = 0;
    const float *dout = slt_at(a.out_grad[0]) + (int64_t)row * v.n.d + h * v.n.e;
    float level = dot(dout, value_of(v, A - 1), v.n.e);
    for (int s = 0; s < 2 * A; s++) scores[s] = 0;
    for (int j = 0; j < W; j++) {
        int symbol = symbol_at(v, j);
        gate = next_gate(v, gate, j);
        float weight = v.P[j] * gate;
        along[j] = weight * (dot(dout, value_of(v, symbol), v.n.e) - level);
        weights[symbol] += weight;
        rest -= weight;
        sum += along[j];
    }
    weights[A - 1] += rest;
    for (int j = 0; j <= W; j++) {
        ds[j] = (j < W ? along[j] : 0) - v.P[j] * sum;
        scores[symbol_at(v, j)] += ds[j];
    }
}

// ---- backward: sums over the rows of a trajectory

// value[s] of table column c
SLT_DEVICE_INLINE float value_gradient(const slt_cuda_args &a, dims n, const slt_live_span &live,
                                       int s, int c) {
    float sum = 0;
    for (int i = 0; i < live.count; i++) {
        const float *weights = row_scratch(a, n, live.first + i, c / n.e) + 2 * n.W + 1 + n.A;
        sum += weights[s] * slt_at(a.out_grad[0])[(int64_t)(live.first + i) * n.d + c];
    }
    return sum;
}

// number `at` of a row's scratch, over rows first to end-1
SLT_DEVICE_INLINE float row_sum(const slt_cuda_args &a, dims n, const slt_live_span &live,
                                int first, int end, int h, int at) {
    float sum = 0;
#pragma unroll 4
    for (int i = first; i < end; i++) sum += row_scratch(a, n, live.first + i, h)[at];
    return sum;
}

SLT_DEVICE_INLINE void sum_rows(const slt_cuda_args &a, dims n, const slt_live_span &live,
                                float *partial) {
    float *lags = partial + table_size(n), *scores = partial + partial_size(n);
    for (int i = (int)threadIdx.x; i < n.A * n.d; i += THREADS)
        partial[(i / n.d) * 2 * n.d + n.d + i % n.d] = value_gradient(a, n, live, i / n.d, i % n.d);
    for (int i = (int)threadIdx.x; i < lags_size(n); i += THREADS)
        lags[i] = row_sum(a, n, live, 0, live.count, i / (n.W + 1), i % (n.W + 1));
    for (int i = (int)threadIdx.x; i < n.K * n.H * n.A; i += THREADS) {
        int k = i / (n.H * n.A), h = i / n.A % n.H;
        scores[i] = row_sum(a, n, live, slt_live_from(live, k, 0), slt_live_from(live, k + 1, 0), h,
                            2 * n.W + 1 + i % n.A);
    }
}

// d log g_j(l) of all j, from the last lag on: it belongs to all b from l-j to l-1
SLT_DEVICE_INLINE void gate_gradient(const slt_cuda_args &a, dims n, const slt_live_span &live,
                                     int token) {
    float *gates = gate_scratch(a, n, token), sum = 0;
    for (int j = 0; j < n.W; j++) gates[j] = 0;
    for (int k = 0; k < n.K; k++) {
        int i = slt_live_find(live, k, token);
        for (int h = 0; h < n.H && i >= 0; h++) {
            const float *along = row_scratch(a, n, live.first + i, h) + n.W + 1;
            for (int j = 0; j < n.W; j++) gates[j] += along[j];
        }
    }
    for (int j = n.W - 1; j >= 0; j--) gates[j] = sum += gates[j];
}

// ---- backward: from ds by slot and symbol to keys and queries, from gates to ends

SLT_DEVICE_INLINE void spread_scores(const slt_cuda_args &a, dims n, int b, float *partial) {
    const float *table = slt_at(a.in[TABLE]), *scores = partial + partial_size(n);
    const float *q = slt_at(a.in[Q]) + (a.n[SPACE] == SLT_SLOTS ? (int64_t)b * n.K * n.d : 0);
    float *dq = partial + table_size(n) + lags_size(n), scale = 1 / sqrtf((float)n.e);
    for (int i = (int)threadIdx.x; i < n.A * n.d; i += THREADS) {
        int s = i / n.d, c = i % n.d, h = c / n.e;
        float sum = 0;
        for (int k = 0; k < n.K; k++) sum += scores[(k * n.H + h) * n.A + s] * q[k * n.d + c];
        partial[s * 2 * n.d + c] = scale * sum;
    }
    for (int i = (int)threadIdx.x; i < n.K * n.d; i += THREADS) {
        int k = i / n.d, c = i % n.d, h = c / n.e;
        float sum = 0;
        for (int s = 0; s < n.A; s++)
            sum += scores[(k * n.H + h) * n.A + s] * table[s * 2 * n.d + c];
        dq[i] = scale * sum;
    }
}

SLT_DEVICE_INLINE void end_gradient(const slt_cuda_args &a, dims n, const slt_device_span &run,
                                    int l) {
    int token = run.first + l;
    float sum = 0;
    for (int j = 0; j < n.W && l + j + 1 < run.computed; j++)
        sum += gate_scratch(a, n, token + j + 1)[j];
    slt_put(&slt_at(a.in_grad[ENDS])[token], a.add[ENDS], -sum / (1 - slt_at(a.in[ENDS])[token]));
}

SLT_KERNEL __launch_bounds__(THREADS) backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x;
    bool ends = a.in_grad[ENDS].at;
    dims n = dims_of(a);
    if (ends && !a.add[ENDS])
        slt_clear_tail(slt_at(a.in_grad[ENDS]), slt_count(a, SLT_TOKENS, 0), a.in_rows[ENDS], 1);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    slt_live_span live = slt_live_of(a.in[LIST], a.in[RANGE], b);
    float *partial = trajectory_scratch(a, n, b);
    for (int i = (int)threadIdx.x; i < live.count * n.H; i += THREADS)
        row_gradient(a, live.first + i / n.H, i % n.H);
    __syncthreads();
    sum_rows(a, n, live, partial);
    for (int l = (int)threadIdx.x; ends && l < run.computed; l += THREADS)
        gate_gradient(a, n, live, run.first + l);
    __syncthreads();
    spread_scores(a, n, b, partial);
    for (int l = (int)threadIdx.x; ends && l < run.computed; l += THREADS)
        end_gradient(a, n, run, l);
}

// number i of the partial sums, over the trajectories in order; queries may be their own
SLT_KERNEL add_up(const slt_cuda_args a) {
    slt_begin();
    dims n = dims_of(a);
    int64_t i = slt_thread(), lags = i - table_size(n), q = lags - lags_size(n);
    int count = slt_header(a)->count;
    if (i >= partial_size(n)) return;
    int input = lags < 0 ? TABLE : q < 0 ? LAGS : Q;
    float *to = lags < 0 ? slt_at(a.in_grad[TABLE]) : slt_at(a.in_grad[q < 0 ? LAGS : Q]), sum = 0;
    if (!to) return;
    bool own = input == Q && a.n[SPACE] == SLT_SLOTS;
    for (int b = 0; own && b < a.trajectories; b++)
        slt_put(&to[(int64_t)b * n.K * n.d + q], a.add[Q],
                b < count ? trajectory_scratch(a, n, b)[i] : 0);
    if (own) return;
#pragma unroll 8
    for (int b = 0; b < count; b++) sum += trajectory_scratch(a, n, b)[i];
    slt_put(&to[lags < 0 ? i : q < 0 ? lags : q], a.add[input], sum);
}

void slt_cuda_window_attention_forward(const slt_cuda_args *args) {
    int64_t count = (int64_t)args->out_rows[0] * args->n[HEADS];
    SLT_LAUNCH(args, forward, slt_grid(args, count, 128), 128, 0);
}
void slt_cuda_window_attention_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
    SLT_LAUNCH(args, add_up, slt_grid(args, partial_size(dims_of(*args)), 64), 64, 0);
}
