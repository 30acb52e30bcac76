// Forward and backward of linear chains: a thread walks a sequence, a block has sequences of one
// member, whose moves lie in shared memory (switching/linear_chain.c has the equations). Then sums
// of moves: of chunks first, these in order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/chains/chain_view.cuh"

enum { WALKERS = 64, LAWS = SLT_CHAIN_LAWS, PAIRS = LAWS * LAWS };

typedef struct {
    double stay[LAWS], change[PAIRS], fresh[PAIRS]; // [K][K], packed
} tables;

SLT_DEVICE_INLINE void load_tables(const slt_chain_law *law, tables *t) {
    int K = law->K;
    for (int i = (int)threadIdx.x; i < K * K; i += (int)blockDim.x) {
        t->change[i] = law->change[i / K][i % K];
        t->fresh[i] = law->fresh[i / K][i % K];
    }
    for (int i = (int)threadIdx.x; i < K; i += (int)blockDim.x) t->stay[i] = law->stay[i];
    __syncthreads();
}

// N laws; 0: as many as the member has
#define LAWS_OF(N, law) ((N) ? (N) : (law)->K)
#define ROOM_OF(N)      ((N) ? (N) : LAWS)

template <int N>
SLT_DEVICE_INLINE void enter(const double *from, const double *table, double *out, int K) {
    double sum[ROOM_OF(N)];
    for (int k = 0; k < K; k++) sum[k] = 0;
    for (int j = 0; j < K; j++)
        for (int k = 0; k < K; k++) sum[k] += from[j] * table[j * K + k];
    for (int k = 0; k < K; k++) out[k] = sum[k];
}

template <int N>
SLT_DEVICE_INLINE double forward(const slt_chain_args &a, const slt_chain_law *law, const tables *t,
                                 int m, int first, int end) {
    int K = LAWS_OF(N, law);
    double alpha[ROOM_OF(N)], change[ROOM_OF(N)], fresh[ROOM_OF(N)], sum = 0, product = 1;
    for (int row = first; row < end; row++) {
        slt_chain_read_again();
        int64_t at = slt_chain_row(a, m, row, K);
        const double *p = a.p_stay + at, *f = a.p_fresh + at;
        double total = 0;
        if (row > first) {
            enter<N>(alpha, t->change, change, K);
            enter<N>(alpha, t->fresh, fresh, K);
        }
        for (int k = 0; k < K; k++) {
            alpha[k] =
                1e-300 + (row > first ? (alpha[k] * t->stay[k] + change[k]) * p[k] + fresh[k] * f[k]
                                      : law->start[k] * f[k]);
            total += alpha[k];
        }
        double over = 1 / total;
        for (int k = 0; k < K; k++) a.alpha[at + k] = alpha[k] *= over;
        a.scale[(int64_t)m * a.room + row] = total;
        sum += a.offset[(int64_t)m * a.room + row];
        product *= total;
        if (product < 1e-150) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}

template <int N>
SLT_DEVICE_INLINE void backward(const slt_chain_args &a, const slt_chain_law *law, const tables *t,
                                int m, int first, int end) {
    int K = LAWS_OF(N, law);
    double beta[ROOM_OF(N)], bp[ROOM_OF(N)], bf[ROOM_OF(N)], before[ROOM_OF(N)];
    double change[ROOM_OF(N)], fresh[ROOM_OF(N)];
    for (int k = 0; k < K; k++) beta[k] = 1;
    for (int row = end - 1; row > first; row--) {
        slt_chain_read_again();
        int64_t at = slt_chain_row(a, m, row, K);
        double over = 1 / a.scale[(int64_t)m * a.room + row];
        for (int k = 0; k < K; k++) {
            a.back_p[at + k] = bp[k] = a.p_stay[at + k] * beta[k] * over;
            a.back_f[at + k] = bf[k] = a.p_fresh[at + k] * beta[k] * over;
            before[k] = a.alpha[at - K + k];
        }
        enter<N>(before, t->change, change, K);
        enter<N>(before, t->fresh, fresh, K);
        for (int k = 0; k < K; k++) {
            a.stay[at + k] = (float)((before[k] * t->stay[k] + change[k]) * bp[k]);
            a.fresh[at + k] = (float)(fresh[k] * bf[k]);
        }
        for (int j = 0; j < K; j++) {
            double sum = t->stay[j] * bp[j];
            for (int k = 0; k < K; k++)
                sum += t->change[j * K + k] * bp[k] + t->fresh[j * K + k] * bf[k];
            beta[j] = sum;
        }
    }
    int64_t at = slt_chain_row(a, m, first, K);
    double total = 0;
    for (int k = 0; k < K; k++) total += a.alpha[at + k] * beta[k];
    for (int k = 0; k < K; k++) {
        a.stay[at + k] = 0;
        a.fresh[at + k] = (float)(a.alpha[at + k] * beta[k] / total);
    }
}

template <int N>
SLT_DEVICE_INLINE void walk(const slt_chain_args &a, const slt_chain_law *law, const tables *t,
                            int m, int sequence) {
    const int32_t *place = a.sequences + m * a.sequence_step + sequence;
    a.nats[m * a.sequence_room + sequence] = forward<N>(a, law, t, m, place[0], place[1]);
    backward<N>(a, law, t, m, place[0], place[1]);
}

SLT_KERNEL smooth(const slt_chain_args a) {
    slt_begin();
    __shared__ tables t;
    int m = (int)blockIdx.z, sequence = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const slt_chain_law *law = a.law + m;
    if (law->idle) return;
    load_tables(law, &t);
    if (sequence >= law->sequences) return;
    if (law->K == 8)
        walk<8>(a, law, &t, m, sequence);
    else if (law->K == 12)
        walk<12>(a, law, &t, m, sequence);
    else
        walk<0>(a, law, &t, m, sequence);
}

// ---- sums of moves: a thread per pair of laws

SLT_KERNEL chunk_moves(const slt_chain_args a) {
    slt_begin();
    int m = (int)blockIdx.z, j = (int)threadIdx.x / LAWS, k = (int)threadIdx.x % LAWS;
    const slt_chain_law *law = a.law + m;
    int K = law->K;
    int64_t row = (int64_t)blockIdx.x * SLT_CHAIN_CHUNK, end = row + SLT_CHAIN_CHUNK;
    double change = 0, fresh = 0;
    if (law->idle) return;
    if (end > law->rows) end = law->rows;
    for (; row < end && j < K && k < K; row++) {
        bool first;
        slt_chain_step(a, m, row, &first);
        if (first) continue;
        int64_t at = slt_chain_row(a, m, row, K);
        double before = a.alpha[at - K + j];
        change += before * a.back_p[at + k];
        fresh += before * a.back_f[at + k];
    }
    double *out = a.part + ((int64_t)m * a.chunks + blockIdx.x) * 2 * PAIRS + threadIdx.x;
    out[0] = change;
    out[PAIRS] = fresh;
}

SLT_KERNEL all_moves(const slt_chain_args a) {
    slt_begin();
    int m = (int)blockIdx.z, i = (int)threadIdx.x, j = i / LAWS, k = i % LAWS;
    const slt_chain_law *law = a.law + m;
    slt_chain_sums *out = a.moves + m;
    double change = 0, fresh = 0, sum = 0;
    if (law->idle) return;
    for (int c = 0; c < a.chunks; c++) {
        const double *part = a.part + ((int64_t)m * a.chunks + c) * 2 * PAIRS + i;
        change += part[0];
        fresh += part[PAIRS];
    }
    out->change[j][k] = change;
    out->fresh[j][k] = fresh;
    const int32_t *place = a.sequences + m * a.sequence_step;
    for (int s = 0; s < law->sequences && i < law->K; s++)
        sum += a.fresh[slt_chain_row(a, m, place[s], law->K) + i];
    if (i < law->K) out->start[i] = sum;
    for (int s = 0; s < law->sequences && i == LAWS; s++) sum += a.nats[m * a.sequence_room + s];
    if (i == LAWS) out->nats = sum;
}

extern "C" void slt_cuda_chain_smooth(const slt_chain_args *args) {
    dim3 grid((unsigned)slt_pieces(args->sequence_room, WALKERS), 1, (unsigned)args->count);
    SLT_LAUNCH(args, smooth, grid, WALKERS, 0);
}
extern "C" void slt_cuda_chain_moves(const slt_chain_args *args) {
    dim3 grid((unsigned)args->chunks, 1, (unsigned)args->count);
    SLT_LAUNCH(args, chunk_moves, grid, PAIRS, 0);
    SLT_LAUNCH(args, all_moves, dim3(1, 1, (unsigned)args->count), PAIRS, 0);
}
