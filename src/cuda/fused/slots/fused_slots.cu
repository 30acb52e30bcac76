// The slots' part of a training step or an answer in one launch, forward or backward: a block walks
// a trajectory through a list of steps (fused_slots.h). Rows that a step writes stay in shared
// memory for those after it, and go to memory, where the weight gradients find them; the
// trajectory's keys and values are in shared memory as well. The weights of all products come in
// one stream (slot_stream.cuh).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/slots/fused_slots.h"

#include "cuda/kernels/large_block.cuh"
#include "cuda/fused/slots/slot_prefetch.cuh"
#include "cuda/fused/slots/slot_round.cuh"

enum { FEW = 5, SOME = 8, MANY = SLT_SLOT_ROWS }; // slots that kernels have room for

static_assert(sizeof(slt_fused_slots) <= 4096, "a kernel takes so many bytes of arguments");

// ---- forward, step by step

template <int R> SLT_DEVICE_INLINE void begin_forward(const workspace &at, const slt_slot_step &s) {
    const slt_slot_begin &p = s.begin;
    int first = row_of(at, s.in);
    rows_out to = rows_to<R>(at, s, 0, p.slots, s.in);
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < at.K * s.in; i += THREADS)
        put(to, i, false, at.there ? p.mu[i] + expf(p.rho[i]) * p.noise[first + i] : 0);
}

template <int R> SLT_DEVICE_INLINE void norm_forward(const workspace &at, const slt_slot_step &s) {
    const slt_slot_norm &p = s.norm;
    int width = whole(s.in), c = 4 * (int)(threadIdx.x % SLT_WARP);
    float4 one = {1, 1, 1, 1}, none = {0, 0, 0, 0};
    const float *rows = rows_in<R>(at, s, 0, p.x, width);
    const float *residual = rows_in<R>(at, s, 1, p.residual, width);
    rows_out to = rows_to<R>(at, s, 2, p.y, width);
#pragma unroll 1
    for (int k = slt_block_warp(); k < at.K; k += WARPS) {
        int row = at.b * at.K + k, first = row * width;
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

template <int R, bool EXACT>
SLT_DEVICE_INLINE void product_forward(const workspace &at, const slt_slot_step &s, stream &w) {
    const slt_slot_product &p = s.product;
    stream_product<false, R, EXACT>(at, s, rows_in<R>(at, s, 0, p.x, s.in), w);
    __syncthreads();
    rows_out to = rows_to<R>(at, s, 1, p.y, s.out);
    const float *plus = rows_in<R>(at, s, 2, p.plus, s.out);
#pragma unroll 1
    for (spot i = spot_of(at, 4, s.out); i.row < at.K; next_spot(at, i, 4, s.out)) {
        float4 sum = sum_of_shares<R>(at, i.row, i.column, s.out);
        if (p.c) sum = slt_plus4(sum, *(const float4 *)(p.c + i.column));
        if (p.relu)
            sum = slt_four(fmaxf(sum.x, 0), fmaxf(sum.y, 0), fmaxf(sum.z, 0), fmaxf(sum.w, 0));
        if (plus) sum = slt_plus4(sum, *(const float4 *)(plus + i.row * s.out + i.column));
        put4(to, i.row, i.column, s.out, false, sum);
    }
}

SLT_DEVICE_INLINE float4 four_at(const float *x, int i) { return *(const float4 *)(x + i); }
SLT_DEVICE_INLINE float4 sigmoid4(float4 x) {
    return slt_four(slt_sigmoid(x.x), slt_sigmoid(x.y), slt_sigmoid(x.z), slt_sigmoid(x.w));
}
SLT_DEVICE_INLINE float4 tanh4(float4 x) {
    return slt_four(tanhf(x.x), tanhf(x.y), tanhf(x.z), tanhf(x.w));
}
SLT_DEVICE_INLINE float4 rest4(float4 x) { return slt_four(1 - x.x, 1 - x.y, 1 - x.z, 1 - x.w); }

template <int R> SLT_DEVICE_INLINE void cell_forward(const workspace &at, const slt_slot_step &s) {
    const slt_slot_cell &p = s.cell;
    int S = s.in;
    const float *x = rows_in<R>(at, s, 0, p.gx, 3 * S), *h = rows_in<R>(at, s, 1, p.gh, 3 * S);
    const float *state = rows_in<R>(at, s, 2, p.state, S);
    rows_out to = rows_to<R>(at, s, 3, p.y, S);
    float *gates = mine(at, p.kept, 3 * S);
#pragma unroll 1
    for (spot j = spot_of(at, 4, S); j.row < at.K; next_spot(at, j, 4, S)) {
        int gate = j.row * 3 * S + j.column;
        float4 z = sigmoid4(slt_plus4(four_at(x, gate), four_at(h, gate)));
        float4 r = sigmoid4(slt_plus4(four_at(x, gate + S), four_at(h, gate + S)));
        float4 c =
            tanh4(slt_plus4(four_at(x, gate + 2 * S), slt_times4(r, four_at(h, gate + 2 * S))));
        float4 old = four_at(state, j.row * S + j.column);
        put4(to, j.row, j.column, S, false, slt_plus4(slt_times4(z, old), slt_times4(rest4(z), c)));
        *(float4 *)(gates + gate) = z;
        *(float4 *)(gates + gate + S) = r;
        *(float4 *)(gates + gate + 2 * S) = c;
    }
}

template <int R> SLT_DEVICE_INLINE void sum_forward(const workspace &at, const slt_slot_step &s) {
    const float *x = rows_in<R>(at, s, 0, s.sum.x, s.in), *z = rows_in<R>(at, s, 1, s.sum.z, s.in);
    rows_out to = rows_to<R>(at, s, 2, s.sum.y, s.in);
    int all = at.K * s.in;
#pragma unroll 1
    for (int i = 4 * (int)threadIdx.x; i < all; i += 4 * THREADS)
        put4(to, 0, i, all, false, slt_plus4(*(const float4 *)(x + i), *(const float4 *)(z + i)));
}

// by the last warp, which has the least to do in the step that this one runs concurrently with:
// lane k has slot k
template <int R> SLT_DEVICE_INLINE void halt_forward(const workspace &at, const slt_slot_step &s) {
    const slt_slot_halting &p = s.halt;
    int lane = (int)threadIdx.x - (THREADS - SLT_WARP);
    const float *rows = rows_in<R>(at, s, 0, p.slots, s.in);
    if (lane < 0) return;
    int slot = at.b * at.K + lane;
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

template <int R, bool EXACT>
SLT_DEVICE_INLINE void step_forward(const slt_fused_slots &run, const workspace &at,
                                    const slt_slot_step &s, stream &w) {
    switch (s.kind) {
    case SLT_SLOT_BEGIN:
        begin_forward<R>(at, s);
        break;
    case SLT_SLOT_NORM:
        norm_forward<R>(at, s);
        break;
    case SLT_SLOT_PRODUCT:
        product_forward<R, EXACT>(at, s, w);
        break;
    case SLT_SLOT_ATTEND:
        attend_forward<R, EXACT>(run, at, s);
        break;
    case SLT_SLOT_CELL:
        cell_forward<R>(at, s);
        break;
    case SLT_SLOT_SUM:
        sum_forward<R>(at, s);
        break;
    case SLT_SLOT_HALTING:
        halt_forward<R>(at, s);
        break;
    }
}

template <int R, bool EXACT>
SLT_KERNEL __launch_bounds__(THREADS, 1) forward(const __grid_constant__ slt_fused_slots run) {
    SLT_DYNAMIC_SHARED(memory);
    workspace at = workspace_of(run, memory);
    copy_steps(run, at);
    __syncthreads();
    place_pieces(run, at);
    prefetch(run, at, false);
    stream w = open_stream<false>(run, at);
    if (!run.early) slt_begin();
    find_tokens(run, at);
    prefetch(run, at, true);
    slt_copy_group();
    slt_copy_wait<0>();
    __syncthreads();
#pragma unroll 1
    for (int n = 0; n < run.steps; n++) {
        if (n && !at.steps[n].concurrent) __syncthreads();
        if (n == run.early) {
            if (n) slt_begin();
            fetch_tokens(run, at);
            slt_copy_group();
        }
        step_forward<R, EXACT>(run, at, at.steps[n], w);
    }
}

// ---- backward

// rows as forward; the trajectory's sums for γ and β go to parts
template <int R> SLT_DEVICE_INLINE void norm_backward(const workspace &at, const slt_slot_step &s) {
    const slt_slot_norm &p = s.norm;
    int width = whole(s.in), c = 4 * (int)(threadIdx.x % SLT_WARP);
    float4 gamma = {1, 1, 1, 1}, none = {0, 0, 0, 0};
    const float *rows = rows_in<R>(at, s, 0, p.dy, width);
    rows_out dx = rows_to<R>(at, s, 1, p.dx, width);
    rows_out dresidual = rows_to<R>(at, s, 2, p.dresidual, width);
    if (p.gamma) gamma = slt_load4(p.gamma, c, width);
#pragma unroll 1
    for (int k = slt_block_warp(); k < at.K; k += WARPS) {
        int row = at.b * at.K + k, first = row * width;
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
#pragma unroll
        for (int k = 0; k < R; k++)
            if (k < at.K) sum += at.parts[k * PARTS + i];
        p.parts[at.b * PARTS + i] = sum;
    }
}

// x where y is positive
SLT_DEVICE_INLINE float4 gated4(float4 x, float4 y) {
    return slt_four(y.x > 0 ? x.x : 0, y.y > 0 ? x.y : 0, y.z > 0 ? x.z : 0, y.w > 0 ? x.w : 0);
}

template <int R, bool EXACT>
SLT_DEVICE_INLINE void product_backward(const workspace &at, const slt_slot_step &s, stream &w) {
    const slt_slot_product &p = s.product;
    const float *gate = mine(at, p.gate, s.in);
    stream_product<true, R, EXACT>(at, s, rows_in<R>(at, s, 0, p.dy, s.out), w);
    __syncthreads();
    rows_out dx = rows_to<R>(at, s, 1, p.dx, s.in);
#pragma unroll 1
    for (spot i = spot_of(at, 4, s.in); i.row < at.K; next_spot(at, i, 4, s.in)) {
        float4 sum = sum_of_shares<R>(at, i.row, i.column, s.in);
        if (gate) sum = gated4(sum, *(const float4 *)(gate + i.row * s.in + i.column));
        put4(dx, i.row, i.column, s.in, adds(s, 0), sum);
    }
}

SLT_DEVICE_INLINE void put_gates(const rows_out &to, int row, int column, bool add, int S, float4 z,
                                 float4 r, float4 c) {
    put4(to, row, column, 3 * S, add, z);
    put4(to, row, column + S, 3 * S, add, r);
    put4(to, row, column + 2 * S, 3 * S, add, c);
}

template <int R> SLT_DEVICE_INLINE void cell_backward(const workspace &at, const slt_slot_step &s) {
    const slt_slot_cell &p = s.cell;
    int S = s.in;
    const float *dy = rows_in<R>(at, s, 0, p.dy, S), *gates = mine(at, p.kept, 3 * S);
    const float *gh = mine(at, p.gh, 3 * S), *state = mine(at, p.state, S);
    rows_out dgx = rows_to<R>(at, s, 1, p.dgx, 3 * S), dgh = rows_to<R>(at, s, 2, p.dgh, 3 * S);
    rows_out dstate = rows_to<R>(at, s, 3, p.dstate, S);
    float4 one = {1, 1, 1, 1};
#pragma unroll 1
    for (spot j = spot_of(at, 4, S); j.row < at.K; next_spot(at, j, 4, S)) {
        int i = j.row * S + j.column, gate = j.row * 3 * S + j.column;
        float4 z = four_at(gates, gate), r = four_at(gates, gate + S);
        float4 c = four_at(gates, gate + 2 * S), d = four_at(dy, i);
        float4 dc = slt_times4(slt_times4(d, rest4(z)), slt_along4(slt_times4(c, c), -1, one));
        float4 dz = slt_times4(slt_times4(slt_times4(d, slt_along4(c, -1, four_at(state, i))), z),
                               rest4(z));
        float4 dr = slt_times4(slt_times4(slt_times4(dc, four_at(gh, gate + 2 * S)), r), rest4(r));
        put_gates(dgx, j.row, j.column, adds(s, 0), S, dz, dr, dc);
        put_gates(dgh, j.row, j.column, adds(s, 1), S, dz, dr, slt_times4(dc, r));
        put4(dstate, j.row, j.column, S, adds(s, 2), slt_times4(d, z));
    }
}

// both inputs may be the same: in order
template <int R> SLT_DEVICE_INLINE void sum_backward(const workspace &at, const slt_slot_step &s) {
    const float *dy = rows_in<R>(at, s, 0, s.sum.dy, s.in);
    rows_out dx = rows_to<R>(at, s, 1, s.sum.dx, s.in), dz = rows_to<R>(at, s, 2, s.sum.dz, s.in);
    int all = at.K * s.in;
#pragma unroll 1
    for (int i = 4 * (int)threadIdx.x; i < all; i += 4 * THREADS) {
        float4 d = *(const float4 *)(dy + i);
        put4(dx, 0, i, all, adds(s, 0), d);
        put4(dz, 0, i, all, adds(s, 1), d);
    }
}

// the gradient of slot k's last number in lane k of a warp (halting.cu: lambda_gradient)
SLT_DEVICE_INLINE float halt_gradient(const workspace &at, const slt_slot_halting &p) {
    int lane = (int)(threadIdx.x % SLT_WARP), K = at.K;
    bool own = lane < K && at.there;
    int slot = at.b * K + lane;
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

template <int R> SLT_DEVICE_INLINE void halt_backward(const workspace &at, const slt_slot_step &s) {
    const slt_slot_halting &p = s.halt;
    rows_out dslots = rows_to<R>(at, s, 0, p.dslots, s.in);
    if (adds(s, 0) && slt_block_warp()) return;
    float d = halt_gradient(at, p);
    if (adds(s, 0)) { // the last column alone
        if ((int)threadIdx.x < at.K) put(dslots, ((int)threadIdx.x + 1) * s.in - 1, true, d);
        return;
    }
    if ((int)threadIdx.x < at.K) at.sums[threadIdx.x] = d;
    __syncthreads();
#pragma unroll 1
    for (spot i = spot_of(at, 1, s.in); i.row < at.K; next_spot(at, i, 1, s.in))
        put(dslots, i.row * s.in + i.column, adds(s, 0), i.column == s.in - 1 ? at.sums[i.row] : 0);
}

// the slots' beginning has gradients of parameters only, which are no work of a trajectory
template <int R, bool EXACT>
SLT_DEVICE_INLINE void step_backward(const slt_fused_slots &run, const workspace &at,
                                     const slt_slot_step &s, stream &w) {
    switch (s.kind) {
    case SLT_SLOT_NORM:
        norm_backward<R>(at, s);
        break;
    case SLT_SLOT_PRODUCT:
        product_backward<R, EXACT>(at, s, w);
        break;
    case SLT_SLOT_ATTEND:
        attend_backward<R, EXACT>(run, at, s);
        break;
    case SLT_SLOT_CELL:
        cell_backward<R>(at, s);
        break;
    case SLT_SLOT_SUM:
        sum_backward<R>(at, s);
        break;
    case SLT_SLOT_HALTING:
        halt_backward<R>(at, s);
        break;
    default:
        break;
    }
}

template <int R, bool EXACT>
SLT_KERNEL __launch_bounds__(THREADS, 1) backward(const __grid_constant__ slt_fused_slots run) {
    SLT_DYNAMIC_SHARED(memory);
    workspace at = workspace_of(run, memory);
    copy_steps(run, at);
    __syncthreads();
    place_pieces(run, at);
    find_tokens(run, at);
    prefetch(run, at, false);
    slt_copy_group();
    fetch_tokens(run, at);
    fetch_weights(run, at);
    stream w = open_stream<true>(run, at);
    slt_wait_for_last();
    prefetch(run, at, true);
    slt_copy_group();
    slt_copy_wait<0>();
    __syncthreads();
    for (int n = 0; n < run.steps; n++, __syncthreads()) {
        const slt_slot_step &s = at.steps[n];
        if (n == run.let_next) slt_let_next();
        step_backward<R, EXACT>(run, at, s, w);
    }
}

// ---- launches

static int least(int a, int b) { return a < b ? a : b; }

// numbers of shared memory that are left
template <int R> static int room_of(const slt_fused_slots *run) {
    return (int)(slt_shared_room() / sizeof(float)) - layout_of<R>(run).end;
}

// what there is room for: what is to be brought, rows that are kept, keys and values
template <int R> static void launch(slt_fused_slots *run, void (*kernel)(const slt_fused_slots)) {
    int kept = run->kept;
    run->kept = run->tokens = 0;
    if (room_of<R>(run) < 0) run->pieces = run->prefetched = 0;
    run->kept = least(kept, room_of<R>(run) / R / 4 * 4);
    if (run->token_width) run->tokens = least(run->length, room_of<R>(run) / run->token_width);
    run->at = layout_of<R>(run);
    dim3 grid((unsigned)run->trajectories, 1, 1);
    SLT_LAUNCH_LARGE(run, kernel, grid, THREADS, (size_t)run->at.end * sizeof(float));
}

bool slt_cuda_slots_fit(int slots, int length, int widest) {
    slt_fused_slots run = {};
    run.steps = SLT_SLOT_STEPS;
    run.widest = widest;
    run.slots = slots;
    run.length = length;
    if (slots > MANY) return false;
    return (slots <= FEW    ? room_of<FEW>(&run)
            : slots <= SOME ? room_of<SOME>(&run)
                            : room_of<MANY>(&run)) >= 0;
}

template <bool EXACT> static void forward_any(slt_fused_slots *run) {
    if (run->slots <= FEW)
        launch<FEW>(run, forward<FEW, EXACT>);
    else if (run->slots <= SOME)
        launch<SOME>(run, forward<SOME, EXACT>);
    else
        launch<MANY>(run, forward<MANY, EXACT>);
}
template <bool EXACT> static void backward_any(slt_fused_slots *run) {
    if (run->slots <= FEW)
        launch<FEW>(run, backward<FEW, EXACT>);
    else if (run->slots <= SOME)
        launch<SOME>(run, backward<SOME, EXACT>);
    else
        launch<MANY>(run, backward<MANY, EXACT>);
}

void slt_cuda_slots_forward(slt_fused_slots *run) {
    (run->exact ? forward_any<true> : forward_any<false>)(run);
}
void slt_cuda_slots_backward(slt_fused_slots *run) {
    (run->exact ? backward_any<true> : backward_any<false>)(run);
}
