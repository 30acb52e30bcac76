// The likeliest path of every sequence: a thread walks one, its member's logs of moves lie in
// shared memory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/chains/chain_view.cuh"

enum { WALKERS = 64, LAWS = SLT_CHAIN_LAWS, PAIRS = LAWS * LAWS, CUT = 128 };

typedef struct {
    double stay[LAWS], change[PAIRS], fresh[PAIRS]; // logs; [law][law before], packed
} tables;

// N laws; 0: as many as the member has
template <int N>
SLT_DEVICE_INLINE void walk(const slt_chain_args &a, const slt_chain_law *law, const tables *t,
                            int m, int first, int end) {
    int K = N ? N : law->K, best = 0;
    double value[N ? N : LAWS], next[N ? N : LAWS];
    int64_t at = slt_chain_row(a, m, first, K), flat = (int64_t)m * a.room;
    for (int k = 0; k < K; k++) value[k] = law->start[k] + a.p_fresh[at + k];
    for (int row = first + 1; row < end; row++) {
        slt_chain_read_again();
        at = slt_chain_row(a, m, row, K);
        for (int k = 0; k < K; k++) {
            double p = a.p_stay[at + k], f = a.p_fresh[at + k], most = value[k] + t->stay[k] + p;
            int from = k;
            for (int j = 0; j < K; j++) {
                double enter = value[j] + fmax(t->change[k * K + j] + p, t->fresh[k * K + j] + f);
                if (enter > most) {
                    most = enter;
                    from = j | CUT;
                }
            }
            next[k] = most;
            a.back[at + k] = (uint8_t)from;
        }
        for (int k = 0; k < K; k++) value[k] = next[k];
    }
    for (int k = 1; k < K; k++)
        if (value[k] > value[best]) best = k;
    a.cut[flat + end - 1] = 0;
    for (int row = end - 1; row >= first; row--) {
        a.path[flat + row] = (uint8_t)best;
        if (row == first) break;
        uint8_t from = a.back[slt_chain_row(a, m, row, K) + best];
        a.cut[flat + row - 1] = from >> 7;
        best = from & (CUT - 1);
    }
}

SLT_KERNEL paths(const slt_chain_args a) {
    slt_begin();
    __shared__ tables t;
    int m = (int)blockIdx.z, sequence = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const slt_chain_law *law = a.law + m;
    int K = law->K;
    for (int i = (int)threadIdx.x; i < K * K; i += (int)blockDim.x) {
        t.change[i] = law->change[i % K][i / K];
        t.fresh[i] = law->fresh[i % K][i / K];
    }
    for (int i = (int)threadIdx.x; i < K; i += (int)blockDim.x) t.stay[i] = law->stay[i];
    __syncthreads();
    if (law->idle || sequence >= law->sequences) return;
    const int32_t *place = a.sequences + m * a.sequence_step + sequence;
    if (K == 8)
        walk<8>(a, law, &t, m, place[0], place[1]);
    else if (K == 12)
        walk<12>(a, law, &t, m, place[0], place[1]);
    else
        walk<0>(a, law, &t, m, place[0], place[1]);
}

extern "C" void slt_cuda_chain_paths(const slt_chain_args *args) {
    dim3 grid((unsigned)slt_pieces(args->sequence_room, WALKERS), 1, (unsigned)args->count);
    SLT_LAUNCH(args, paths, grid, WALKERS, 0);
}
