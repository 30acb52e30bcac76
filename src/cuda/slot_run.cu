// The slots' part of a training step or an answer in one launch, forward or backward: a block walks
// a trajectory through a list of steps (slot_run.h). Between steps rows are in memory, where the
// weight gradients find them; a step's own are in shared memory, and so are the trajectory's keys
// and values. Products are in float32 whatever the precision: five rows leave tensor cores idle.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/slot_run.h"

#include "cuda/few_rows.cuh"
#include "cuda/large_block.cuh"
#include "cuda/norm_row.cuh"
#include "cuda/slot_attention.cuh"
#include "cuda/tensor_core.cuh"

static_assert(sizeof(slt_slot_run) <= 4096, "a kernel takes so many bytes of arguments");

#ifdef SLT_EMULATED
enum { THREADS = 4 * SLT_WARP };
#else
enum { THREADS = 16 * SLT_WARP };
#endif
enum { WARPS = THREADS / SLT_WARP, PARTS = SLT_NORM_PARTS };

// what a block has at hand; memory is shared
typedef struct {
    int b, K, computed, truth, token; // the trajectory: rows and first row of its tokens
    bool there;
    slt_slot_step *steps;
    float *rows, *parts;                   // of a product: (R, widest), sums
    float *weights, *dz, *sums, *own, *kv; // of attention; (computed, K) twice, numbers per slot
    const float *staged;                   // whose rows are in kv
} bench;

// numbers of each, rounded so that fours stay aligned
typedef struct {
    int steps, rows, parts, weights, own, kv;
} layout;

SLT_DEVICE_INLINE __host__ int fours_of(int numbers) { return (numbers + 3) / 4 * 4; }

template <int R> SLT_DEVICE_INLINE __host__ layout layout_of(const slt_slot_run &run) {
    layout l;
    l.steps = fours_of(run.steps * (int)(sizeof(slt_slot_step) / sizeof(float)));
    l.rows = R * run.widest;
    l.parts = WARPS * R * SLT_FEW_COLUMNS;
    l.weights = fours_of(run.batch.length * run.batch.slots);
    l.own = 2 * R * WARPS;
    l.kv = run.batch.length * run.token_width;
    return l;
}

template <int R> SLT_DEVICE_INLINE bench bench_of(const slt_slot_run &run, float *memory) {
    layout l = layout_of<R>(run);
    bench at = {};
    at.b = (int)blockIdx.x;
    at.K = run.batch.slots;
    at.steps = (slt_slot_step *)memory;
    at.rows = memory + l.steps;
    at.parts = at.rows + l.rows;
    at.weights = at.parts + l.parts;
    at.dz = at.weights + l.weights;
    at.kv = at.dz + l.weights;
    at.sums = at.kv + l.kv;
    at.own = at.sums + 2 * R;
    return at;
}

// the list, while the kernel in front still works
SLT_DEVICE_INLINE void copy_steps(const slt_slot_run &run, bench &at) {
    const int32_t *from = (const int32_t *)run.step;
    int32_t *to = (int32_t *)at.steps;
    int words = run.steps * (int)(sizeof(slt_slot_step) / sizeof(int32_t));
    for (int i = (int)threadIdx.x; i < words; i += THREADS) to[i] = from[i];
}

// its tokens; keys and values are on their way into shared memory from here on
SLT_DEVICE_INLINE void find_tokens(const slt_slot_run &run, bench &at) {
    const slt_cuda_args &a = run.batch;
    at.there = at.b < slt_head(a)->count;
    if (!at.there) return;
    const int32_t *offset = slt_offset(a);
    at.token = offset[at.b];
    at.computed = offset[at.b + 1] - at.token;
    at.truth = slt_least(slt_length(a)[at.b], at.computed);
    for (int s = 0; s < run.steps && run.token_width; s++)
        if (at.steps[s].kind == SLT_SLOT_ATTEND) at.staged = at.steps[s].attend.kv;
    if (!at.staged) return;
    const float *from = at.staged + (int64_t)at.token * run.token_width;
    for (int i = 4 * (int)threadIdx.x; i < at.computed * run.token_width; i += 4 * THREADS)
        slt_copy_fours(at.kv + i, from + i);
    slt_copy_group();
}

// ---- where the trajectory's slots begin

SLT_DEVICE_INLINE int64_t row_of(const bench &at, int width) {
    return (int64_t)at.b * at.K * width;
}
SLT_DEVICE_INLINE const float *mine(const bench &at, const float *x, int width) {
    return x ? x + row_of(at, width) : NULL;
}
SLT_DEVICE_INLINE float *mine(const bench &at, float *x, int width) {
    return x ? x + row_of(at, width) : NULL;
}
SLT_DEVICE_INLINE bool adds(const slt_slot_step &s, int i) { return s.add >> i & 1; }

// ---- forward, step by step

SLT_DEVICE_INLINE void begin_forward(const bench &at, const slt_slot_step &s) {
    const slt_slot_begin &p = s.begin;
    int64_t first = row_of(at, s.in);
    for (int i = (int)threadIdx.x; i < at.K * s.in; i += THREADS)
        p.slots[first + i] = at.there ? p.mu[i] + expf(p.rho[i]) * p.noise[first + i] : 0;
}

SLT_DEVICE_INLINE void norm_forward(const bench &at, const slt_slot_step &s) {
    const slt_slot_norm &p = s.norm;
    int c = 4 * (int)(threadIdx.x % SLT_WARP);
    float4 one = {1, 1, 1, 1}, none = {0, 0, 0, 0};
    for (int k = slt_block_warp(); k < at.K; k += WARPS) {
        int64_t row = (int64_t)at.b * at.K + k, first = row * s.in;
        float4 x = at.there ? slt_load4(p.x + first, c, s.in) : none;
        if (at.there && p.residual) x = slt_plus4(x, slt_load4(p.residual + first, c, s.in));
        float factor;
        float4 y = slt_normed(x, s.in, p.epsilon, &factor);
        if (s.keep) slt_store4(p.hat + first, c, s.in, false, y);
        if (s.keep && c == 0) p.factor[row] = factor;
        y = slt_times4(p.gamma ? slt_load4(p.gamma, c, s.in) : one, y);
        if (p.beta) y = slt_plus4(y, slt_load4(p.beta, c, s.in));
        slt_store4(p.y + first, c, s.in, false, at.there ? y : none);
    }
}

template <int R> SLT_DEVICE_INLINE void product_forward(const bench &at, const slt_slot_step &s) {
    const slt_slot_product &p = s.product;
    slt_few_share share =
        slt_few_product<R>(mine(at, p.x, s.in), at.K, p.w, s.in, s.out, at.rows, at.parts);
    float *y = mine(at, p.y, s.out);
    int fours = s.out / 4;
    for (int i = (int)threadIdx.x; i < at.K * fours; i += THREADS) {
        int r = i / fours, c = i % fours * 4;
        float4 sum = *(const float4 *)(at.parts + r * s.out + c);
#pragma unroll 4
        for (int part = 1; part < share.used; part++)
            sum = slt_plus4(sum, *(const float4 *)(at.parts + (part * R + r) * s.out + c));
        if (p.c) sum = slt_plus4(sum, slt_load4(p.c, c, s.out));
        if (p.relu)
            sum = slt_four(fmaxf(sum.x, 0), fmaxf(sum.y, 0), fmaxf(sum.z, 0), fmaxf(sum.w, 0));
        slt_store4(y, 4 * i, at.K * s.out, false, sum);
    }
}

SLT_DEVICE_INLINE slt_round round_of(const bench &at, const slt_slot_step &s) {
    const slt_slot_attend &p = s.attend;
    slt_round v;
    v.K = at.K;
    v.S = s.in;
    v.computed = at.computed;
    v.truth = at.truth;
    v.uniform = p.uniform;
    v.scale = 1 / sqrtf((float)v.S);
    v.slot = (int64_t)at.b * v.K;
    v.token = at.token;
    v.q = at.rows;
    v.kv = p.kv == at.staged ? at.kv : p.kv + v.token * 2 * v.S;
    v.attention = at.weights;
    v.sum = at.sums;
    return v;
}

SLT_DEVICE_INLINE void attend_forward(const slt_slot_run &run, const bench &at,
                                      const slt_slot_step &s) {
    const slt_slot_attend &p = s.attend;
    slt_round v = round_of(at, s);
    float *update = mine(at, p.update, v.S), *own = at.own + slt_block_warp() * v.K;
    slt_clear_tail(p.attention, slt_count(run.batch, SLT_TOKENS, 0), p.rows, v.K);
    if (!at.there) {
        for (int i = (int)threadIdx.x; i < v.K * v.S; i += THREADS) update[i] = 0;
        return;
    }
    slt_stage(at.rows, mine(at, p.q, v.S), v.K * v.S, v.K * v.S);
    slt_copy_wait<0>();
    __syncthreads();
    for (int l = slt_block_warp(); l < v.computed; l += WARPS) slt_compete(v, l, own);
    __syncthreads();
    slt_sum_weights(v);
    __syncthreads();
    slt_sum_positions(v, v.attention, v.kv + v.S, 2 * v.S, (float4 *)at.parts,
                      [&](int k, int c, float4 sum) {
                          float n = v.sum[k];
                          slt_store4(update + k * v.S, c, v.S, false,
                                     slt_four(sum.x / n, sum.y / n, sum.z / n, sum.w / n));
                      });
    for (int i = (int)threadIdx.x; i < v.computed * v.K; i += THREADS)
        p.attention[v.token * v.K + i] = v.attention[i];
    for (int k = (int)threadIdx.x; k < v.K; k += THREADS) p.sum[v.slot + k] = v.sum[k];
}

SLT_DEVICE_INLINE void cell_forward(const bench &at, const slt_slot_step &s) {
    const slt_slot_cell &p = s.cell;
    int S = s.in;
    for (int i = (int)threadIdx.x; i < at.K * S; i += THREADS) {
        int64_t state = row_of(at, S) + i, gate = row_of(at, 3 * S) + i / S * 3 * S + i % S;
        const float *gx = p.gx + gate, *gh = p.gh + gate;
        float z = slt_sigmoid(gx[0] + gh[0]), r = slt_sigmoid(gx[S] + gh[S]);
        float c = tanhf(gx[2 * S] + r * gh[2 * S]);
        p.y[state] = z * p.state[state] + (1 - z) * c;
        p.kept[gate] = z;
        p.kept[gate + S] = r;
        p.kept[gate + 2 * S] = c;
    }
}

SLT_DEVICE_INLINE void sum_forward(const bench &at, const slt_slot_step &s) {
    int64_t first = row_of(at, s.in);
    for (int i = (int)threadIdx.x; i < at.K * s.in; i += THREADS)
        s.sum.y[first + i] = s.sum.x[first + i] + s.sum.z[first + i];
}

template <int R>
SLT_KERNEL __launch_bounds__(THREADS) forward(const __grid_constant__ slt_slot_run run) {
    SLT_DYNAMIC_SHARED(memory);
    bench at = bench_of<R>(run, memory);
    copy_steps(run, at);
    __syncthreads();
    slt_begin();
    find_tokens(run, at);
    for (int n = 0; n < run.steps; n++, __syncthreads()) {
        const slt_slot_step &s = at.steps[n];
        switch (s.kind) {
        case SLT_SLOT_BEGIN:
            begin_forward(at, s);
            break;
        case SLT_SLOT_NORM:
            norm_forward(at, s);
            break;
        case SLT_SLOT_PRODUCT:
            product_forward<R>(at, s);
            break;
        case SLT_SLOT_ATTEND:
            attend_forward(run, at, s);
            break;
        case SLT_SLOT_CELL:
            cell_forward(at, s);
            break;
        case SLT_SLOT_SUM:
            sum_forward(at, s);
            break;
        }
    }
}

// ---- backward

// rows as forward; the trajectory's sums for γ and β go to parts
SLT_DEVICE_INLINE void norm_backward(const bench &at, const slt_slot_step &s) {
    const slt_slot_norm &p = s.norm;
    int c = 4 * (int)(threadIdx.x % SLT_WARP);
    float4 gamma = {1, 1, 1, 1}, none = {0, 0, 0, 0};
    if (p.gamma) gamma = slt_load4(p.gamma, c, s.in);
    for (int k = slt_block_warp(); k < at.K; k += WARPS) {
        int64_t row = (int64_t)at.b * at.K + k, first = row * s.in;
        float4 dy = slt_load4(p.dy + first, c, s.in), hat = slt_load4(p.hat + first, c, s.in);
        float inverse = at.there ? p.factor[row] : 0;
        float4 ds = slt_norm_gradient(slt_times4(dy, gamma), hat, inverse, s.in);
        if (p.dx) slt_store4(p.dx + first, c, s.in, adds(s, 0), ds);
        if (p.dresidual) slt_store4(p.dresidual + first, c, s.in, adds(s, 1), ds);
        float *sums = at.parts + k * PARTS + c;
        *(float4 *)sums = at.there ? slt_times4(dy, hat) : none;
        *(float4 *)(sums + SLT_SHORT_ROW) = at.there ? dy : none;
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < PARTS; i += THREADS) {
        float sum = 0;
        for (int k = 0; k < at.K; k++) sum += at.parts[k * PARTS + i];
        p.parts[(int64_t)at.b * PARTS + i] = sum;
    }
}

template <int R> SLT_DEVICE_INLINE void product_backward(const bench &at, const slt_slot_step &s) {
    const slt_slot_product &p = s.product;
    const float *gate = mine(at, p.gate, s.in);
    float *dx = mine(at, p.dx, s.in);
    bool add = adds(s, 0);
    if (!dx) return;
    slt_few_back<R>(mine(at, p.dy, s.out), at.K, p.w, s.in, s.out, at.rows,
                    [&](int r, int i, float value) {
                        if (gate && !(gate[r * s.in + i] > 0)) value = 0;
                        slt_put(&dx[r * s.in + i], add, value);
                    });
}

SLT_DEVICE_INLINE void clear_or_leave(const bench &at, float *dq, int S, bool add) {
    for (int i = (int)threadIdx.x; dq && !add && i < at.K * S; i += THREADS) dq[i] = 0;
}

// what forward left: weights, their sums, and the slots' own rows
SLT_DEVICE_INLINE void fetch_round(const bench &at, const slt_slot_step &s, const slt_round &v,
                                   float *du) {
    const slt_slot_attend &p = s.attend;
    for (int i = (int)threadIdx.x; i < v.computed * v.K; i += THREADS)
        v.attention[i] = p.attention[v.token * v.K + i];
    for (int k = (int)threadIdx.x; k < v.K; k += THREADS) v.sum[k] = p.sum[v.slot + k];
    slt_stage(at.rows, mine(at, p.q, v.S), v.K * v.S, v.K * v.S);
    slt_stage(du, mine(at, p.du, v.S), v.K * v.S, v.K * v.S);
    slt_copy_wait<0>();
}

template <int R>
SLT_DEVICE_INLINE void attend_backward(const slt_slot_run &run, const bench &at,
                                       const slt_slot_step &s) {
    const slt_slot_attend &p = s.attend;
    slt_round v = round_of(at, s);
    float *dq = mine(at, p.dq, v.S), *du = at.rows + R * v.S, *along = at.sums + R;
    float *own = at.own + slt_block_warp() * 2 * R;
    if (p.dkv && !adds(s, 1))
        slt_clear_tail(p.dkv, slt_count(run.batch, SLT_TOKENS, 0), p.rows, 2 * v.S);
    if (!at.there) {
        clear_or_leave(at, dq, v.S, adds(s, 0));
        return;
    }
    fetch_round(at, s, v, du);
    __syncthreads();
    for (int k = slt_block_warp(); k < v.K; k += WARPS) {
        float sum[SLT_SLOTS_AT_ONCE];
        slt_warp_dots(du + k * v.S, mine(at, p.update, v.S) + k * v.S, v.S, 1, sum);
        if (threadIdx.x % SLT_WARP == 0) along[k] = sum[0];
    }
    __syncthreads();
    for (int l = slt_block_warp(); l < v.computed; l += WARPS) {
        slt_position_gradient(v, l, du, along, own, own + R);
        for (int k = (int)(threadIdx.x % SLT_WARP); k < v.K; k += SLT_WARP)
            at.dz[l * v.K + k] = own[k];
        if (p.dkv)
            slt_token_gradient(v, l, du, own, own + R, adds(s, 1), p.dkv + v.token * 2 * v.S);
        __syncwarp();
    }
    __syncthreads();
    if (!dq) return;
    slt_sum_positions(v, at.dz, v.kv, 2 * v.S, (float4 *)at.parts, [&](int k, int c, float4 sum) {
        slt_store4(dq + k * v.S, c, v.S, adds(s, 0), sum);
    });
}

SLT_DEVICE_INLINE void put_gates(float *to, bool add, int S, float z, float r, float c) {
    if (!to) return;
    slt_put(&to[0], add, z);
    slt_put(&to[S], add, r);
    slt_put(&to[2 * S], add, c);
}

SLT_DEVICE_INLINE void cell_backward(const bench &at, const slt_slot_step &s) {
    const slt_slot_cell &p = s.cell;
    int S = s.in;
    for (int i = (int)threadIdx.x; i < at.K * S; i += THREADS) {
        int64_t state = row_of(at, S) + i, gate = row_of(at, 3 * S) + i / S * 3 * S + i % S;
        float z = p.kept[gate], r = p.kept[gate + S], c = p.kept[gate + 2 * S];
        float gh = p.gh[gate + 2 * S], dn = p.dy[state];
        float dc = dn * (1 - z) * (1 - c * c);
        float dz = dn * (p.state[state] - c) * z * (1 - z), dr = dc * gh * r * (1 - r);
        put_gates(p.dgx ? p.dgx + gate : NULL, adds(s, 0), S, dz, dr, dc);
        put_gates(p.dgh ? p.dgh + gate : NULL, adds(s, 1), S, dz, dr, dc * r);
        if (p.dstate) slt_put(&p.dstate[state], adds(s, 2), dn * z);
    }
}

// both inputs may be the same: in order
SLT_DEVICE_INLINE void sum_backward(const bench &at, const slt_slot_step &s) {
    int64_t first = row_of(at, s.in);
    for (int i = (int)threadIdx.x; i < at.K * s.in; i += THREADS) {
        float d = s.sum.dy[first + i];
        if (s.sum.dx) slt_put(&s.sum.dx[first + i], adds(s, 0), d);
        if (s.sum.dz) slt_put(&s.sum.dz[first + i], adds(s, 1), d);
    }
}

// the slots' beginning has gradients of parameters only, which are no work of a trajectory
template <int R>
SLT_KERNEL __launch_bounds__(THREADS) backward(const __grid_constant__ slt_slot_run run) {
    SLT_DYNAMIC_SHARED(memory);
    bench at = bench_of<R>(run, memory);
    copy_steps(run, at);
    __syncthreads();
    slt_begin();
    find_tokens(run, at);
    for (int n = 0; n < run.steps; n++, __syncthreads()) {
        const slt_slot_step &s = at.steps[n];
        switch (s.kind) {
        case SLT_SLOT_NORM:
            norm_backward(at, s);
            break;
        case SLT_SLOT_PRODUCT:
            product_backward<R>(at, s);
            break;
        case SLT_SLOT_ATTEND:
            attend_backward<R>(run, at, s);
            break;
        case SLT_SLOT_CELL:
            cell_backward(at, s);
            break;
        case SLT_SLOT_SUM:
            sum_backward(at, s);
            break;
        default:
            break;
        }
    }
}

// ---- launches

enum { FEW = 5 }; // slots of the smaller kernels

template <int R> static size_t bytes_of(const slt_slot_run *run) {
    layout l = layout_of<R>(*run);
    int numbers = l.steps + l.rows + l.parts + 2 * l.weights + 2 * R + l.own + l.kv;
    return sizeof(float) * (size_t)numbers;
}

// keys and values stay where they are when there is no room for them
template <int R> static void launch(const slt_slot_run *asked, void (*kernel)(const slt_slot_run)) {
    slt_slot_run run = *asked;
    if (bytes_of<R>(&run) > slt_shared_room()) run.token_width = 0;
    dim3 grid((unsigned)run.batch.trajectories, 1, 1);
    SLT_LAUNCH_LARGE(&run, kernel, grid, THREADS, bytes_of<R>(&run));
}

bool slt_cuda_slots_fit(int slots, int length, int widest) {
    slt_slot_run run = {};
    run.steps = SLT_SLOT_STEPS;
    run.widest = widest;
    run.batch.slots = slots;
    run.batch.length = length;
    return slots <= SLT_SLOT_ROWS && widest <= WARPS * SLT_FEW_COLUMNS &&
           bytes_of<SLT_SLOT_ROWS>(&run) <= slt_shared_room();
}

void slt_cuda_slots_forward(const slt_slot_run *run) {
    if (run->batch.slots <= FEW)
        launch<FEW>(run, forward<FEW>);
    else
        launch<SLT_SLOT_ROWS>(run, forward<SLT_SLOT_ROWS>);
}
void slt_cuda_slots_backward(const slt_slot_run *run) {
    if (run->batch.slots <= FEW)
        launch<FEW>(run, backward<FEW>);
    else
        launch<SLT_SLOT_ROWS>(run, backward<SLT_SLOT_ROWS>);
}
