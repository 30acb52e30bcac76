// Expected code length of the actions under the counting masks: a block per trajectory, threads
// take live rows, then tokens. Equations are those of ops/mdl/count_xent.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/live.cuh"
#include "cuda/kernels/losses.cuh"

enum { LOGITS, MASKS, ENDS, TARGETS, LIST, RANGE };
enum { PAID };
enum { THREADS = 128 };

// one trajectory
typedef struct {
    slt_device_span run;
    slt_live_span live;
    int truth, K, A;
    const float *logits, *masks, *ends; // of the first live row, of token 0
    const int32_t *targets;
} view;

SLT_DEVICE_INLINE view view_of(const slt_cuda_args &a, int b) {
    view v;
    v.run = slt_span_of(a, SLT_TOKENS, b);
    v.live = slt_live_of(a.in[LIST], a.in[RANGE], b);
    v.truth = slt_least(slt_length(a)[b], v.run.computed);
    v.K = a.slots;
    v.A = a.in_width[LOGITS] / 2;
    v.logits = slt_at(a.in[LOGITS]) + (int64_t)v.live.first * 2 * v.A;
    v.masks = slt_at(a.in[MASKS]);
    v.ends = slt_at(a.in[ENDS]);
    v.targets = slt_ints(a.in[TARGETS]);
    return v;
}

// log of the sum of exponentials of `count` numbers
SLT_DEVICE_INLINE float log_sum(const float *x, int count) {
    float most = x[0], sum = 0;
    for (int i = 1; i < count; i++) most = fmaxf(most, x[i]);
    for (int i = 0; i < count; i++) sum += expf(x[i] - most);
    return most + logf(sum);
}

// of both halves of row i: logs of the sums, and code lengths of the action
typedef struct {
    float sum[2], nats[2];
} row_code;

SLT_DEVICE_INLINE row_code code_of(const slt_cuda_args &a, const view &v, int i, int target) {
    const float *x = v.logits + (int64_t)i * 2 * v.A;
    row_code code;
    code.sum[0] = log_sum(x, a.n[PAID] ? 2 * v.A : v.A);
    code.sum[1] = a.n[PAID] ? code.sum[0] : log_sum(x + v.A, v.A);
    code.nats[0] = code.sum[0] - x[target];
    code.nats[1] = code.sum[1] - x[v.A + target];
    return code;
}

// what no live row covers of a token
SLT_DEVICE_INLINE float over_at(const view &v, int token) {
    float over = 1;
    for (int k = 0; k < v.K; k++)
        if (slt_live_find(v.live, k, token) >= 0) over -= v.masks[(int64_t)token * v.K + k];
    return over;
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x;
    float sum = 0;
    if (b < slt_header(a)->count) {
        view v = view_of(a, b);
        for (int i = (int)threadIdx.x; i < v.live.count; i += THREADS) {
            int t = slt_live_token(v.live, i), k = slt_live_slot(v.live, i);
            row_code code = code_of(a, v, i, v.targets[t]);
            float end = v.ends[t], nats = end * code.nats[1] + (1 - end) * code.nats[0];
            sum += v.masks[(int64_t)t * v.K + k] * nats;
        }
        for (int l = (int)threadIdx.x; l < v.truth; l += THREADS) {
            float over = over_at(v, v.run.first + l);
            if (over > 0) sum += over * logf((float)v.A);
        }
    }
    sum = slt_block_sum(sum) / (float)slt_header(a)->true_tokens;
    slt_sum_many_shares(a, slt_at(a.shared), sum, slt_header(a)->count, slt_at(a.out[0]));
}

// ---- backward

// d logits of live row i; its two code lengths go to the scratch
SLT_DEVICE_INLINE void row_gradient(const slt_cuda_args &a, const view &v, int i, float scale) {
    int t = slt_live_token(v.live, i), k = slt_live_slot(v.live, i);
    int64_t row = v.live.first + i;
    row_code code = code_of(a, v, i, v.targets[t]);
    float end = v.ends[t], weight = scale * v.masks[(int64_t)t * v.K + k];
    float *dx = slt_at(a.in_grad[LOGITS]), *nats = slt_at(a.shared) + 2 * row;
    const float *x = v.logits + (int64_t)i * 2 * v.A;
    nats[0] = code.nats[0];
    nats[1] = code.nats[1];
    for (int c = 0; dx && c < 2 * v.A; c++) {
        int half = c / v.A;
        float w = half ? end : 1 - end, share = a.n[PAID] ? 1 : w;
        float hit = c - half * v.A == v.targets[t] ? w : 0;
        slt_put(&dx[row * 2 * v.A + c], a.add[LOGITS],
                weight * (share * expf(x[c] - code.sum[half]) - hit));
    }
}

// gradients of a token's masks and of its end, from the code lengths of its live rows
SLT_DEVICE_INLINE void token_gradient(const slt_cuda_args &a, const view &v, int token,
                                      float scale) {
    float *dm = slt_at(a.in_grad[MASKS]), *db = slt_at(a.in_grad[ENDS]), end = v.ends[token];
    float beyond = over_at(v, token) > 0 ? logf((float)v.A) : 0, sum = 0;
    for (int k = 0; k < v.K; k++) {
        int64_t at = (int64_t)token * v.K + k;
        int i = slt_live_find(v.live, k, token);
        const float *nats = slt_at(a.shared) + 2 * (int64_t)(v.live.first + i);
        if (i >= 0) sum += v.masks[at] * (nats[1] - nats[0]);
        if (dm)
            slt_put(&dm[at], a.add[MASKS],
                    i >= 0 ? scale * (end * nats[1] + (1 - end) * nats[0] - beyond) : 0);
    }
    if (db) slt_put(&db[token], a.add[ENDS], scale * sum);
}

SLT_DEVICE_INLINE void clear_tails(const slt_cuda_args &a) {
    int tokens = slt_count(a, SLT_TOKENS, 0), live = slt_count(a, SLT_LIVE, 0);
    const int counts[] = {live, tokens, tokens};
#pragma unroll
    for (int i = LOGITS; i <= ENDS; i++)
        if (a.in_grad[i].at && !a.add[i])
            slt_clear_tail(slt_at(a.in_grad[i]), counts[i], a.in_rows[i], a.in_width[i]);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x;
    clear_tails(a);
    if (b >= slt_header(a)->count) return;
    view v = view_of(a, b);
    float scale = *slt_at(a.out_grad[0]) / (float)slt_header(a)->true_tokens;
    for (int i = (int)threadIdx.x; i < v.live.count; i += THREADS) row_gradient(a, v, i, scale);
    __syncthreads();
    for (int l = (int)threadIdx.x; l < v.run.computed; l += THREADS)
        token_gradient(a, v, v.run.first + l, scale);
}

void slt_cuda_count_xent_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_count_xent_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
