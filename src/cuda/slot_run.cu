// The slots' part of a training step or an answer in one launch, forward or backward: a block walks
// a trajectory through a list of steps (slot_run.h). Rows that a step writes stay in shared memory
// for those behind it, and go to memory, where the weight gradients find them; the trajectory's
// keys and values are in shared memory as well. A product's first weights are on their way from the
// end of the product before it. Products are in float32 whatever the precision: five rows leave
// tensor cores idle.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/slot_run.h"

#include "cuda/large_block.cuh"
#include "cuda/slot_attention.cuh"
#include "cuda/slot_bring.cuh"

static_assert(sizeof(slt_slot_run) <= 4096, "a kernel takes so many bytes of arguments");

// ---- forward, step by step

template <int R> SLT_DEVICE_INLINE void begin_forward(const bench &at, const slt_slot_step &s) {
    const slt_slot_begin &p = s.begin;
    int64_t first = row_of(at, s.in);
    rows_out to = rows_to<R>(at, s, 0, p.slots, s.in);
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < at.K * s.in; i += THREADS)
        put(to, i, false, at.there ? p.mu[i] + expf(p.rho[i]) * p.noise[first + i] : 0);
}

template <int R> SLT_DEVICE_INLINE void norm_forward(const bench &at, const slt_slot_step &s) {
    const slt_slot_norm &p = s.norm;
    int width = whole(s.in), c = 4 * (int)(threadIdx.x % SLT_WARP);
    float4 one = {1, 1, 1, 1}, none = {0, 0, 0, 0};
    const float *rows = rows_in<R>(at, s, 0, p.x, width);
    const float *residual = rows_in<R>(at, s, 1, p.residual, width);
    rows_out to = rows_to<R>(at, s, 2, p.y, width);
#pragma unroll 1
    for (int k = slt_block_warp(); k < at.K; k += WARPS) {
        int64_t row = (int64_t)at.b * at.K + k, first = row * width;
        float4 x = at.there ? slt_load4(rows + k * width, c, width) : none;
        if (at.there && residual) x = slt_plus4(x, slt_load4(residual + k * width, c, width));
        float factor;
        float4 y = slt_normed(x, width, p.epsilon, &factor);
        if (s.keep) slt_store4(p.hat + first, c, width, false, y);
        if (s.keep && c == 0) p.factor[row] = factor;
        y = slt_times4(p.gamma ? slt_load4(p.gamma, c, width) : one, y);
        if (p.beta) y = slt_plus4(y, slt_load4(p.beta, c, width));
        put4(to, k, c, width, false, at.there ? y : none);
    }
}

template <int R>
SLT_DEVICE_INLINE void product_forward(const bench &at, const slt_slot_step &s, float4 *ahead) {
    const slt_slot_product &p = s.product;
    const float *x = rows_here<R>(at, s, 0, p.x, s.in, at.rows);
    slt_few_product<R>(share_of(at, s), x, p.w, p.c, s.in, s.out, ahead, at.parts);
    ask<false>(at, s.next, ahead);
    __syncthreads();
    rows_out to = rows_to<R>(at, s, 1, p.y, s.out);
    int used = share_of(at, s).used;
#pragma unroll 1
    for (spot i = spot_of(at, 4, s.out); i.row < at.K; next_spot(at, i, 4, s.out)) {
        int r = i.row, c = i.column;
        float4 sum = *(const float4 *)(at.parts + r * s.out + c);
#pragma unroll 4
        for (int part = 1; part < used; part++)
            sum = slt_plus4(sum, *(const float4 *)(at.parts + (part * R + r) * s.out + c));
        if (p.relu)
            sum = slt_four(fmaxf(sum.x, 0), fmaxf(sum.y, 0), fmaxf(sum.z, 0), fmaxf(sum.w, 0));
        put4(to, r, c, s.out, false, sum);
    }
}

SLT_DEVICE_INLINE slt_round round_of(const slt_slot_run &run, const bench &at,
                                     const slt_slot_step &s, const float *q) {
    const slt_slot_attend &p = s.attend;
    slt_round v;
    v.K = at.K;
    v.S = whole(s.in);
    v.computed = at.computed;
    v.truth = at.truth;
    v.uniform = p.uniform;
    v.scale = 1 / sqrtf((float)v.S);
    v.slot = (int64_t)at.b * v.K;
    v.token = at.token;
    v.q = q;
    v.kv = p.kv == staged(run, at) ? at.kv : p.kv + v.token * 2 * v.S;
    v.attention = at.weights;
    v.sum = at.sums;
    return v;
}

template <int R>
SLT_DEVICE_INLINE void attend_forward(const slt_slot_run &run, const bench &at,
                                      const slt_slot_step &s) {
    const slt_slot_attend &p = s.attend;
    slt_round v = round_of(run, at, s, rows_here<R>(at, s, 0, p.q, s.in, at.rows));
    rows_out update = rows_to<R>(at, s, 1, p.update, v.S);
    slt_clear_tail(p.attention, slt_count(run.batch, SLT_TOKENS, 0), p.rows, v.K);
    if (!at.there) {
#pragma unroll 1
        for (int i = (int)threadIdx.x; i < v.K * v.S; i += THREADS) put(update, i, false, 0);
        return;
    }
    slt_copy_wait<0>();
    __syncthreads();
#pragma unroll 1
    for (int l = slt_block_warp(); l < v.computed; l += WARPS) slt_compete_few<R>(v, l);
    __syncthreads();
    slt_sum_weights(v);
    __syncthreads();
    slt_sum_positions(
        v, v.attention, v.kv + v.S, 2 * v.S, (float4 *)at.parts, [&](int k, int c, float4 sum) {
            float n = v.sum[k];
            put4(update, k, c, v.S, false, slt_four(sum.x / n, sum.y / n, sum.z / n, sum.w / n));
        });
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < v.computed * v.K; i += THREADS)
        p.attention[v.token * v.K + i] = v.attention[i];
#pragma unroll 1
    for (int k = (int)threadIdx.x; k < v.K; k += THREADS) p.sum[v.slot + k] = v.sum[k];
}

template <int R> SLT_DEVICE_INLINE void cell_forward(const bench &at, const slt_slot_step &s) {
    const slt_slot_cell &p = s.cell;
    int S = s.in;
    const float *x = rows_in<R>(at, s, 0, p.gx, 3 * S), *h = rows_in<R>(at, s, 1, p.gh, 3 * S);
    const float *state = rows_in<R>(at, s, 2, p.state, S);
    rows_out to = rows_to<R>(at, s, 3, p.y, S);
    float *gates = mine(at, p.kept, 3 * S);
#pragma unroll 1
    for (spot j = spot_of(at, 1, S); j.row < at.K; next_spot(at, j, 1, S)) {
        int i = j.row * S + j.column, gate = j.row * 3 * S + j.column;
        const float *gx = x + gate, *gh = h + gate;
        float z = slt_sigmoid(gx[0] + gh[0]), r = slt_sigmoid(gx[S] + gh[S]);
        float c = tanhf(gx[2 * S] + r * gh[2 * S]);
        put(to, i, false, z * state[i] + (1 - z) * c);
        gates[gate] = z;
        gates[gate + S] = r;
        gates[gate + 2 * S] = c;
    }
}

template <int R> SLT_DEVICE_INLINE void sum_forward(const bench &at, const slt_slot_step &s) {
    const float *x = rows_in<R>(at, s, 0, s.sum.x, s.in), *z = rows_in<R>(at, s, 1, s.sum.z, s.in);
    rows_out to = rows_to<R>(at, s, 2, s.sum.y, s.in);
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < at.K * s.in; i += THREADS) put(to, i, false, x[i] + z[i]);
}

// by the first warp: lane k has slot k
template <int R> SLT_DEVICE_INLINE void halt_forward(const bench &at, const slt_slot_step &s) {
    const slt_slot_halt &p = s.halt;
    int lane = (int)threadIdx.x;
    const float *rows = rows_in<R>(at, s, 0, p.slots, s.in);
    if (lane >= SLT_WARP) return;
    int64_t slot = (int64_t)at.b * at.K + lane;
    bool own = lane < at.K;
    float lambda = own && at.there ? slt_sigmoid(rows[(lane + 1) * s.in - 1]) : 0;
    float alive = 1, sum = 0, mine = 0;
#pragma unroll 1
    for (int k = 0; k < at.K; k++) {
        float l = slt_warp_lane(lambda, k), share = l * alive;
        if (lane == k) mine = share;
        sum += share;
        alive *= 1 - l;
    }
    if (own) p.h[slot] = at.there ? mine / sum : 0;
    if (own) p.lambda[slot] = lambda;
    if (lane == 0) p.sum[at.b] = sum;
}

template <int R>
SLT_DEVICE_INLINE void step_forward(const slt_slot_run &run, const bench &at,
                                    const slt_slot_step &s, float4 *ahead) {
    switch (s.kind) {
    case SLT_SLOT_BEGIN:
        begin_forward<R>(at, s);
        break;
    case SLT_SLOT_NORM:
        norm_forward<R>(at, s);
        break;
    case SLT_SLOT_PRODUCT:
        product_forward<R>(at, s, ahead);
        break;
    case SLT_SLOT_ATTEND:
        attend_forward<R>(run, at, s);
        break;
    case SLT_SLOT_CELL:
        cell_forward<R>(at, s);
        break;
    case SLT_SLOT_SUM:
        sum_forward<R>(at, s);
        break;
    case SLT_SLOT_HALT:
        halt_forward<R>(at, s);
        break;
    }
}

template <int R>
SLT_KERNEL __launch_bounds__(THREADS) forward(const __grid_constant__ slt_slot_run run) {
    SLT_DYNAMIC_SHARED(memory);
    bench at = bench_of<R>(run, memory);
    float4 ahead[SLT_FEW_DEPTH];
    copy_steps(run, at);
    __syncthreads();
    cut_products(run, at);
    ask<false>(at, run.product, ahead);
    if (run.brought) place_pieces<false>(run, at);
    if (run.brought) bring(run, at, false);
    if (!run.early) slt_begin();
    find_tokens(run, at);
    if (run.brought) bring(run, at, true);
    slt_copy_group();
    slt_copy_wait<0>();
    __syncthreads();
#pragma unroll 1
    for (int n = 0; n < run.steps; n++, __syncthreads()) {
        if (n == run.early) {
            if (n) slt_begin();
            fetch_tokens(run, at);
            slt_copy_group();
        }
        step_forward<R>(run, at, at.steps[n], ahead);
    }
}

// ---- backward

// rows as forward; the trajectory's sums for γ and β go to parts
template <int R> SLT_DEVICE_INLINE void norm_backward(const bench &at, const slt_slot_step &s) {
    const slt_slot_norm &p = s.norm;
    int width = whole(s.in), c = 4 * (int)(threadIdx.x % SLT_WARP);
    float4 gamma = {1, 1, 1, 1}, none = {0, 0, 0, 0};
    const float *rows = rows_in<R>(at, s, 0, p.dy, width);
    rows_out dx = rows_to<R>(at, s, 1, p.dx, width);
    rows_out dresidual = rows_to<R>(at, s, 2, p.dresidual, width);
    if (p.gamma) gamma = slt_load4(p.gamma, c, width);
#pragma unroll 1
    for (int k = slt_block_warp(); k < at.K; k += WARPS) {
        int64_t row = (int64_t)at.b * at.K + k, first = row * width;
        float4 dy = slt_load4(rows + k * width, c, width), hat = slt_load4(p.hat + first, c, width);
        float inverse = at.there ? p.factor[row] : 0;
        float4 ds = slt_norm_gradient(slt_times4(dy, gamma), hat, inverse, width);
        put4(dx, k, c, width, adds(s, 0), ds);
        put4(dresidual, k, c, width, adds(s, 1), ds);
        float *sums = at.parts + k * PARTS + c;
        *(float4 *)sums = at.there ? slt_times4(dy, hat) : none;
        *(float4 *)(sums + SLT_SHORT_ROW) = at.there ? dy : none;
    }
    __syncthreads();
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < PARTS; i += THREADS) {
        float sum = 0;
#pragma unroll 1
        for (int k = 0; k < at.K; k++) sum += at.parts[k * PARTS + i];
        p.parts[(int64_t)at.b * PARTS + i] = sum;
    }
}

template <int R>
SLT_DEVICE_INLINE void product_backward(const bench &at, const slt_slot_step &s, float4 *ahead) {
    const slt_slot_product &p = s.product;
    const float *gate = mine(at, p.gate, s.in), *dy = rows_here<R>(at, s, 0, p.dy, s.out, at.rows);
    rows_out dx = rows_to<R>(at, s, 1, p.dx, s.in);
    bool add = adds(s, 0);
    auto store = [&](int r, int i, float value) {
        if (gate && !(gate[r * s.in + i] > 0)) value = 0;
        put(dx, r * s.in + i, add, value);
    };
    slt_few_back<R>(dy, at.K, p.w, s.in, s.out, ahead, store,
                    [&]() { ask<true>(at, s.next, ahead); });
}

SLT_DEVICE_INLINE void clear_or_leave(const bench &at, const rows_out &dq, int S, bool add) {
#pragma unroll 1
    for (int i = (int)threadIdx.x; !add && i < at.K * S; i += THREADS) put(dq, i, false, 0);
}

// what forward left: weights, their sums, and the slots' own rows
SLT_DEVICE_INLINE void fetch_round(const slt_slot_run &run, const bench &at, const slt_slot_step &s,
                                   const slt_round &v) {
    const slt_slot_attend &p = s.attend;
#pragma unroll 1
    for (int i = (int)threadIdx.x; &s != at.steps + run.attend && i < v.computed * v.K;
         i += THREADS)
        v.attention[i] = p.attention[v.token * v.K + i];
#pragma unroll 1
    for (int k = (int)threadIdx.x; k < v.K; k += THREADS) v.sum[k] = p.sum[v.slot + k];
    slt_stage(at.rows, mine(at, p.q, v.S), v.K * v.S, v.K * v.S);
    slt_copy_wait<0>();
}

template <int R>
SLT_DEVICE_INLINE void attend_backward(const slt_slot_run &run, const bench &at,
                                       const slt_slot_step &s) {
    const slt_slot_attend &p = s.attend;
    slt_round v = round_of(run, at, s, at.rows);
    rows_out dq = rows_to<R>(at, s, 1, p.dq, v.S);
    const float *du = rows_here<R>(at, s, 0, p.du, v.S, at.rows + R * v.S);
    float *along = at.sums + R;
    float *own = at.own + slt_block_warp() * 2 * R;
    if (p.dkv && !adds(s, 1))
        slt_clear_tail(p.dkv, slt_count(run.batch, SLT_TOKENS, 0), p.rows, 2 * v.S);
    if (!at.there) {
        clear_or_leave(at, dq, v.S, adds(s, 0));
        return;
    }
    fetch_round(run, at, s, v);
    __syncthreads();
#pragma unroll 1
    for (int k = slt_block_warp(); k < v.K; k += WARPS) {
        float sum[SLT_SLOTS_AT_ONCE];
        slt_warp_dots(du + k * v.S, mine(at, p.update, v.S) + k * v.S, v.S, 1, sum);
        if (threadIdx.x % SLT_WARP == 0) along[k] = sum[0];
    }
    __syncthreads();
#pragma unroll 1
    for (int l = slt_block_warp(); l < v.computed; l += WARPS) {
        slt_position_gradient_few<R>(v, l, du, along, own, own + R);
        for (int k = (int)(threadIdx.x % SLT_WARP); k < v.K; k += SLT_WARP)
            at.dz[l * v.K + k] = own[k];
        if (p.dkv)
            slt_token_gradient(v, l, du, own, own + R, adds(s, 1), p.dkv + v.token * 2 * v.S);
        __syncwarp();
    }
    __syncthreads();
    if (!dq.memory) return;
    slt_sum_positions(v, at.dz, v.kv, 2 * v.S, (float4 *)at.parts,
                      [&](int k, int c, float4 sum) { put4(dq, k, c, v.S, adds(s, 0), sum); });
}

SLT_DEVICE_INLINE void put_gates(const rows_out &to, int i, bool add, int S, float z, float r,
                                 float c) {
    put(to, i, add, z);
    put(to, i + S, add, r);
    put(to, i + 2 * S, add, c);
}

template <int R> SLT_DEVICE_INLINE void cell_backward(const bench &at, const slt_slot_step &s) {
    const slt_slot_cell &p = s.cell;
    int S = s.in;
    const float *dy = rows_in<R>(at, s, 0, p.dy, S);
    rows_out dgx = rows_to<R>(at, s, 1, p.dgx, 3 * S), dgh = rows_to<R>(at, s, 2, p.dgh, 3 * S);
    rows_out dstate = rows_to<R>(at, s, 3, p.dstate, S);
#pragma unroll 1
    for (spot j = spot_of(at, 1, S); j.row < at.K; next_spot(at, j, 1, S)) {
        int i = j.row * S + j.column, own = j.row * 3 * S + j.column;
        int64_t state = row_of(at, S) + i, gate = row_of(at, 3 * S) + own;
        float z = p.kept[gate], r = p.kept[gate + S], c = p.kept[gate + 2 * S];
        float gh = p.gh[gate + 2 * S], dn = dy[i];
        float dc = dn * (1 - z) * (1 - c * c);
        float dz = dn * (p.state[state] - c) * z * (1 - z), dr = dc * gh * r * (1 - r);
        put_gates(dgx, own, adds(s, 0), S, dz, dr, dc);
        put_gates(dgh, own, adds(s, 1), S, dz, dr, dc * r);
        put(dstate, i, adds(s, 2), dn * z);
    }
}

// both inputs may be the same: in order
template <int R> SLT_DEVICE_INLINE void sum_backward(const bench &at, const slt_slot_step &s) {
    const float *dy = rows_in<R>(at, s, 0, s.sum.dy, s.in);
    rows_out dx = rows_to<R>(at, s, 1, s.sum.dx, s.in), dz = rows_to<R>(at, s, 2, s.sum.dz, s.in);
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < at.K * s.in; i += THREADS) {
        put(dx, i, adds(s, 0), dy[i]);
        put(dz, i, adds(s, 1), dy[i]);
    }
}

// the gradient of slot k's last number in lane k of a warp (halting.cu: lambda_gradient)
SLT_DEVICE_INLINE float halt_gradient(const bench &at, const slt_slot_halt &p) {
    int lane = (int)(threadIdx.x % SLT_WARP), K = at.K;
    bool own = lane < K && at.there;
    int64_t slot = (int64_t)at.b * K + lane;
    float h = own ? p.h[slot] : 0, lambda = own ? p.lambda[slot] : 0, dh = own ? p.dh[slot] : 0;
    float sum = p.sum[at.b], mean = 0, alive = 1, after = 0, mine = 0;
#pragma unroll 1
    for (int k = 0; k < K; k++) mean += slt_warp_lane(h, k) * slt_warp_lane(dh, k);
#pragma unroll 1
    for (int k = 0; k < K; k++) {
        if (lane == k) mine = alive;
        alive *= 1 - slt_warp_lane(lambda, k);
    }
#pragma unroll 1
    for (int k = K - 1; k >= 0; k--) {
        float dp = (slt_warp_lane(dh, k) - mean) / sum, l = slt_warp_lane(lambda, k);
        if (lane == k) mine *= dp - after;
        after = l * dp + (1 - l) * after;
    }
    return own ? mine * lambda * (1 - lambda) : 0;
}

template <int R> SLT_DEVICE_INLINE void halt_backward(const bench &at, const slt_slot_step &s) {
    const slt_slot_halt &p = s.halt;
    rows_out dslots = rows_to<R>(at, s, 0, p.dslots, s.in);
    float d = halt_gradient(at, p);
    if ((int)threadIdx.x < at.K) at.sums[threadIdx.x] = d;
    __syncthreads();
#pragma unroll 1
    for (spot i = spot_of(at, 1, s.in); i.row < at.K; next_spot(at, i, 1, s.in))
        put(dslots, i.row * s.in + i.column, adds(s, 0), i.column == s.in - 1 ? at.sums[i.row] : 0);
}

// otherwise there is time until its end
SLT_DEVICE_INLINE bool reads_brought(const slt_slot_step &s) {
    return s.kind != SLT_SLOT_PRODUCT || s.product.gate;
}

// the slots' beginning has gradients of parameters only, which are no work of a trajectory
template <int R>
SLT_KERNEL __launch_bounds__(THREADS) backward(const __grid_constant__ slt_slot_run run) {
    SLT_DYNAMIC_SHARED(memory);
    bench at = bench_of<R>(run, memory);
    float4 ahead[SLT_FEW_DEPTH];
    copy_steps(run, at);
    __syncthreads();
    ask<true>(at, run.product, ahead);
    if (run.brought) place_pieces<true>(run, at);
    find_tokens(run, at);
    if (run.brought) bring(run, at, false);
    slt_copy_group();
    fetch_tokens(run, at);
    fetch_weights(run, at);
    slt_begin();
    if (run.brought) bring(run, at, true);
    slt_copy_group();
    if (reads_brought(at.steps[0])) {
        slt_copy_wait<0>();
        __syncthreads();
    }
    for (int n = 0; n < run.steps; n++, __syncthreads()) {
        const slt_slot_step &s = at.steps[n];
        switch (s.kind) {
        case SLT_SLOT_NORM:
            norm_backward<R>(at, s);
            break;
        case SLT_SLOT_PRODUCT:
            product_backward<R>(at, s, ahead);
            break;
        case SLT_SLOT_ATTEND:
            attend_backward<R>(run, at, s);
            break;
        case SLT_SLOT_CELL:
            cell_backward<R>(at, s);
            break;
        case SLT_SLOT_SUM:
            sum_backward<R>(at, s);
            break;
        case SLT_SLOT_HALT:
            halt_backward<R>(at, s);
            break;
        default:
            break;
        }
        slt_copy_wait<0>(); // all that was brought, when the first step ends
    }
}

// ---- launches

enum { FEW = 5 }; // slots of the smaller kernels

template <int R> static size_t bytes_of(const slt_slot_run *run) {
    layout l = layout_of<R>(*run);
    int numbers = l.steps + l.rows + l.parts + 2 * l.weights + 2 * R + l.own + l.kv + l.kept +
                  l.cuts + l.pieces + l.brought;
    return sizeof(float) * (size_t)numbers;
}

// keys and values stay where they are when there is no room for them; rows are kept while there is,
// and what else there is to bring comes with all of them
template <int R>
static void launch(const slt_slot_run *asked, int bring, void (*kernel)(const slt_slot_run)) {
    slt_slot_run run = *asked;
    size_t room = slt_shared_room();
    run.brought = bring;
    if (bytes_of<R>(&run) > room) run.brought = 0;
    run.kept = 0;
    if (bytes_of<R>(&run) > room) run.token_width = 0;
    int most = (int)((room - bytes_of<R>(&run)) / sizeof(float) / R) / 4 * 4;
    run.kept = asked->kept < most ? asked->kept : most;
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
        launch<FEW>(run, numbers_to_bring<false>(run), forward<FEW>);
    else
        launch<SLT_SLOT_ROWS>(run, numbers_to_bring<false>(run), forward<SLT_SLOT_ROWS>);
}
void slt_cuda_slots_backward(const slt_slot_run *run) {
    if (run->batch.slots <= FEW)
        launch<FEW>(run, numbers_to_bring<true>(run), backward<FEW>);
    else
        launch<SLT_SLOT_ROWS>(run, numbers_to_bring<true>(run), backward<SLT_SLOT_ROWS>);
}
