// Weight gradients of OMPN's recurrence: products and sums over the rows of all steps, on the side.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/column_sums.cuh"
#include "cuda/ops/ompn/ompn.cuh"

enum { X = SLT_OMPN_X, W = SLT_OMPN_W };

// everything is added to zeros; the kernels of the task, which is always zero, stay so
SLT_KERNEL clear(const slt_cuda_args a) {
    slt_begin();
    float *dw = slt_at(a.in_grad[W]);
    for (int i = (int)slt_thread(); i < a.in_width[W]; i += (int)slt_stride()) dw[i] = 0;
}

static slt_cuda_view weights_at(const slt_cuda_args *args, size_t place) {
    slt_cuda_view view = {args->in_grad[W].at + place, args->in_grad[W].stride};
    return view;
}
static slt_cuda_view kept_at(const slt_cuda_args *args, int64_t place) {
    slt_cuda_view view = {args->aux.at + place, args->aux.stride};
    return view;
}
static slt_cuda_view work_at(const slt_cuda_args *args, int64_t place) {
    slt_cuda_view view = {args->shared.at + place, args->shared.stride};
    return view;
}

// dγ = Σ ds·hat, dβ = Σ ds. At the first step there is no hat, and ds is 0
struct norm_term {
    int64_t gates, hats, kept;
    int width;
    enum { SUMS = 2, WIDTH = 1 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        float ds = slt_at(a.shared)[gates + (int64_t)r * width + c];
        if (ds == 0) return;
        sum[0] += ds * slt_at(a.aux)[r * kept + hats + c];
        sum[1] += ds;
    }
};

// the gate's second layer, its bias in the last column
struct gate_term {
    int64_t logits, hidden, kept;
    int n, d;
    enum { SUMS = 1, WIDTH = 1 };
    __device__ void add(const slt_cuda_args &a, int r, int c, float *sum) const {
        for (int i = 0; i < n; i++) {
            float dlogit = slt_at(a.shared)[logits + (int64_t)r * n + i];
            if (dlogit == 0) continue;
            sum[0] += c < d ? dlogit * slt_at(a.aux)[r * kept + hidden + i * d + c] : dlogit;
        }
    }
};

static void cell_weights(const slt_cuda_args *side, slt_ompn_dims o, int number) {
    slt_ompn_cell cell = slt_ompn_cell_number(o, number);
    int d = o.d, inputs = cell.inputs, kept = (int)slt_ompn_kept_width(o), out = (inputs + 2) * d;
    bool com = number < o.n;
    int64_t in =
        com ? slt_ompn_state(o) + slt_ompn_pair_place(o, number) : slt_ompn_family(o, number - o.n);
    slt_cuda_view dhidden = work_at(side, slt_ompn_dhidden(o, number));
    slt_cuda_view dsecond = work_at(side, slt_ompn_dsecond(o, number));
    size_t seen = cell.w1 + (size_t)inputs * 4 * (size_t)d * (size_t)d;
    slt_cuda_gemm(side, true, false, inputs * d, 4 * d, o.rows, kept_at(side, in), kept, dhidden,
                  4 * d, true, weights_at(side, cell.w1), 4 * d);
    slt_cuda_gemm(side, true, false, d, 4 * d, o.rows, side->in[X], d, dhidden, 4 * d, true,
                  weights_at(side, seen), 4 * d);
    slt_cuda_gemm(side, true, false, 4 * d, out, o.rows, kept_at(side, slt_ompn_hidden(o, number)),
                  kept, dsecond, out, true, weights_at(side, cell.w2), out);
    slt_cuda_bias_gradient(side, dhidden, o.rows, 4 * d, weights_at(side, cell.c1), true);
    slt_cuda_bias_gradient(side, dsecond, o.rows, out, weights_at(side, cell.c2), true);
    norm_term term = {slt_ompn_dgates(o, number), slt_ompn_record(o, number), kept,
                      (inputs + 1) * d};
    slt_column_sums sums = {
        SLT_TOKENS,       o.rows,
        (inputs + 1) * d, {weights_at(side, cell.gamma), weights_at(side, cell.beta)},
        {true, true},     0};
    slt_launch_sums(side, term, sums);
}

static void gate_weights(const slt_cuda_args *side, slt_ompn_dims o) {
    slt_ompn_gate gate = slt_ompn_gate_at(o.n, o.d);
    int d = o.d, n = o.n, kept = (int)slt_ompn_kept_width(o);
    slt_cuda_view dgate_x = work_at(side, slt_ompn_dgate_x(o));
    slt_cuda_gemm(side, true, false, d, d, o.rows, side->in[X], d, dgate_x, d, true,
                  weights_at(side, gate.w1), d);
    for (int i = 0; i < n; i++)
        slt_cuda_gemm(side, true, false, 2 * d, d, o.rows,
                      kept_at(side, slt_ompn_state(o) + slt_ompn_pair_place(o, i) + d), kept,
                      work_at(side, slt_ompn_dgate_hidden(o) + (int64_t)i * d), n * d, true,
                      weights_at(side, gate.w1 + 2 * (size_t)d * (size_t)d), d);
    slt_cuda_bias_gradient(side, dgate_x, o.rows, d, weights_at(side, gate.c1), true);
    gate_term term = {slt_ompn_dlogit(o), slt_ompn_gate_hidden(o, 0), kept, n, d};
    slt_column_sums sums = {SLT_TOKENS,    o.rows, d + 1, {weights_at(side, gate.w2), {NULL, 0}},
                            {true, false}, 0};
    slt_launch_sums(side, term, sums);
}

void slt_cuda_ompn_weights(const slt_cuda_args *args) {
    slt_ompn_dims o = slt_ompn_dims_of(*args);
    if (!args->in_grad[W].at) return;
    slt_cuda_args side = slt_cuda_on_weight_stream(args);
    if (!args->add[W])
        SLT_LAUNCH(&side, clear, slt_grid(args, args->in_width[W], 4 * SLT_THREADS), SLT_THREADS,
                   0);
    for (int i = 0; i < slt_ompn_cells(o); i++) cell_weights(&side, o, i);
    gate_weights(&side, o);
}
