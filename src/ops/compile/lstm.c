// An LSTM over whole sequences, whose states are scaled by a mask on their way to the next step
// (CompILE, models.md section 5.2). Gates in the order i, f, g, o, gx = x·W + c for all steps:
//     pre = gx_t + s·U;  cell' = f∘cell + i∘g;  out = o∘tanh(cell');  s, cell <- M_t·out, M_t·cell'
//     enc_t = out, or M_t·out where the masked state is stored
// Backward, with ds, dc the gradients of the masked states: dM_t = out·ds + cell'·dc, and both
// enter the cell times M_t; enc's gradient joins after the mask, or before it where that is
// stored.
//
// Trajectories walk in groups, longest first, and drop out when they end. Only s·U is inside the
// loop: gx is one product for all steps (and for all passes), and so is the gradient of U.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/compile/gates.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { GX, U, MASK };
enum { GROUP = 32 };                          // trajectories that walk together
enum { STORES_MASKED };                       // attribute: enc is the masked state
enum { GATES = 4, CELL = 4, TANH, KEPT = 6 }; // of a row of aux, in widths: i f g o cell' tanh

static void shape(slt_shape_check *rule) {
    slt_shape u = rule->in[U];
    slt_shape_want(rule, U, SLT_FIXED, u.rows, GATES * u.rows);
    slt_shape_want(rule, GX, SLT_TOKENS, 0, GATES * u.rows);
    slt_shape_want(rule, MASK, SLT_TOKENS, 0, 1);
    rule->out[0] = (slt_shape){SLT_TOKENS, 0, u.rows};
}

// ---- groups

typedef struct {
    int b[GROUP], count;
} group;

static int crews(const slt_args *args) { return slt_blocks(args->batch->count, GROUP); }

// every n-th trajectory: batches are sorted by length, so that groups are alike
static group crew_of(const slt_args *args, int task) {
    const slt_batch *batch = args->batch;
    group c = {.count = 0};
    for (int b = task; b < batch->count; b += crews(args)) {
        int place = c.count++, length = slt_batch_computed(batch, b);
        for (; place > 0 && slt_batch_computed(batch, c.b[place - 1]) < length; place--)
            c.b[place] = c.b[place - 1];
        c.b[place] = b;
    }
    return c;
}

// how many have a step t
static int alive(const slt_batch *batch, const group *c, int t) {
    int count = 0;
    while (count < c->count && slt_batch_computed(batch, c->b[count]) > t) count++;
    return count;
}

static size_t row_of(const slt_args *args, int b, int t) {
    return (size_t)args->batch->offset[b] + (size_t)t;
}
static slt_real mask_at(const slt_args *args, size_t row) {
    return args->in[MASK] ? ((const slt_real *)args->in[MASK])[row] : 1;
}
static bool stores_masked(const slt_args *args) {
    return args->node->attributes.n[STORES_MASKED] && args->in[MASK];
}

// ---- forward

// gates and cell of one row from its sums; s and cell become the states that continue
static void cell_forward(const slt_real *restrict pre, slt_real *restrict kept,
                         slt_real *restrict out, slt_real *restrict s, slt_real *restrict cell,
                         slt_real mask, slt_real stored, int d) {
    slt_real *restrict i = kept, *restrict f = kept + d, *restrict g = kept + 2 * d;
    slt_real *restrict o = kept + 3 * d, *restrict c = kept + CELL * d, *restrict h = c + d;
    for (int k = 0; k < 2 * d; k++) i[k] = slt_gate_sigmoid(pre[k]);
    for (int k = 0; k < d; k++) g[k] = slt_gate_tanh(pre[2 * d + k]);
    for (int k = 0; k < d; k++) o[k] = slt_gate_sigmoid(pre[3 * d + k]);
    for (int k = 0; k < d; k++) c[k] = f[k] * cell[k] + i[k] * g[k];
    for (int k = 0; k < d; k++) h[k] = slt_gate_tanh(c[k]);
    for (int k = 0; k < d; k++) {
        slt_real value = o[k] * h[k];
        out[k] = stored * value;
        s[k] = mask * value;
        cell[k] = mask * c[k];
    }
}

static void forward_group(const slt_args *args, int task, slt_real *scratch) {
    group c = crew_of(args, task);
    int d = args->out_width[0], wide = GATES * d;
    size_t D = (size_t)d;
    slt_real *s = scratch, *cell = s + GROUP * D, *pre = cell + GROUP * D;
    memset(s, 0, 2 * GROUP * D * sizeof *s);
    for (int t = 0, n; (n = alive(args->batch, &c, t)) > 0; t++) {
        for (int j = 0; j < n; j++)
            memcpy(pre + (size_t)j * GATES * D,
                   (const slt_real *)args->in[GX] + row_of(args, c.b[j], t) * GATES * D,
                   GATES * D * sizeof *pre);
        if (t) slt_gemm(false, false, n, wide, d, s, d, args->in[U], wide, true, pre, wide);
        for (int j = 0; j < n; j++) {
            size_t row = row_of(args, c.b[j], t), lane = (size_t)j * D;
            slt_real mask = mask_at(args, row);
            cell_forward(pre + GATES * lane, args->aux + row * KEPT * D, args->out[0] + row * D,
                         s + lane, cell + lane, mask, stores_masked(args) ? mask : 1, d);
        }
    }
}

static void forward(const slt_args *args) { slt_args_run(args, crews(args), forward_group); }

// ---- backward

// what backward writes for all rows: sums' gradients, states before the step; and Uᵀ
typedef struct {
    slt_real *dpre, *before, *turned;
} work;

static work work_of(const slt_args *args) {
    size_t rows = (size_t)args->out_rows[0], D = (size_t)args->out_width[0];
    slt_real *dpre = args->shared, *before = dpre + rows * GATES * D;
    return (work){dpre, before, before + rows * D};
}

// one row: ds and dc arrive at the states that continued, dc leaves for the step before
static slt_real cell_backward(const slt_args *args, size_t row, bool first, const slt_real *denc,
                              slt_real *restrict ds, slt_real *restrict dc,
                              slt_real *restrict dpre) {
    int d = args->out_width[0];
    const slt_real *restrict kept = args->aux + row * KEPT * (size_t)d;
    const slt_real *i = kept, *f = kept + d, *g = kept + 2 * d, *o = kept + 3 * d;
    const slt_real *c = kept + CELL * d, *h = c + d, *earlier = c - KEPT * (first ? 0 : d);
    slt_real mask = mask_at(args, row), before = first ? 0 : mask_at(args, row - 1), dmask = 0;
    if (stores_masked(args))
        for (int k = 0; k < d; k++) ds[k] += denc[k];
    if (args->in[MASK]) {
        for (int k = 0; k < d; k++) dpre[k] = o[k] * h[k];
        dmask = slt_dot(dpre, ds, d) + slt_dot(c, dc, d);
    }
    slt_real direct = stores_masked(args) ? 0 : 1;
    for (int k = 0; k < d; k++) {
        slt_real dout = mask * ds[k] + direct * denc[k];
        slt_real dcell = dout * o[k] * (1 - h[k] * h[k]) + mask * dc[k];
        dpre[k] = dcell * g[k] * i[k] * (1 - i[k]);
        dpre[d + k] = dcell * before * earlier[k] * f[k] * (1 - f[k]);
        dpre[2 * d + k] = dcell * i[k] * (1 - g[k] * g[k]);
        dpre[3 * d + k] = dout * h[k] * o[k] * (1 - o[k]);
        dc[k] = dcell * f[k];
    }
    return dmask;
}

// copies a row's gradient to where the products find it, and adds it to gx
static void hand_out(const slt_args *args, work w, size_t row, bool first, const slt_real *dpre,
                     slt_real dmask) {
    int d = args->out_width[0];
    size_t D = (size_t)d, at = row * GATES * D;
    memcpy(w.dpre + at, dpre, GATES * D * sizeof *dpre);
    slt_real *restrict to = w.before + row * D;
    slt_real mask = first ? 0 : stores_masked(args) ? 1 : mask_at(args, row - 1);
    const slt_real *restrict from = args->out[0] + (first ? row : row - 1) * D;
    for (int k = 0; k < d; k++) to[k] = mask * from[k];
    slt_real *dgx = args->in_grad[GX] ? args->in_grad[GX] + at : NULL;
    if (dgx && args->add[GX])
        for (int k = 0; k < GATES * d; k++) dgx[k] += dpre[k];
    else if (dgx)
        memcpy(dgx, dpre, GATES * D * sizeof *dpre);
    if (args->in[MASK] && args->in_grad[MASK])
        slt_put(&args->in_grad[MASK][row], args->add[MASK], dmask);
}

static void backward_group(const slt_args *args, int task, slt_real *scratch) {
    group c = crew_of(args, task);
    work w = work_of(args);
    int d = args->out_width[0], wide = GATES * d;
    size_t D = (size_t)d;
    slt_real *ds = scratch, *dc = ds + GROUP * D, *dpre = dc + GROUP * D;
    memset(ds, 0, 2 * GROUP * D * sizeof *ds);
    for (int t = slt_batch_computed(args->batch, c.b[0]) - 1; t >= 0; t--) {
        int n = alive(args->batch, &c, t);
        for (int j = 0; j < n; j++) {
            size_t row = row_of(args, c.b[j], t), lane = (size_t)j * D;
            slt_real *sums = dpre + GATES * lane;
            slt_real dmask = cell_backward(args, row, t == 0, args->out_grad[0] + row * D,
                                           ds + lane, dc + lane, sums);
            hand_out(args, w, row, t == 0, sums, dmask);
        }
        if (t) slt_gemm(false, false, n, d, wide, dpre, wide, w.turned, d, false, ds, d);
    }
}

static void backward_weights(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    work w = work_of(args);
    int d = args->out_width[0];
    slt_weight_gradient(args->bf16, w.before, d, w.dpre, GATES * d, args->out_rows[0], task,
                        args->in_grad[U], args->add[U]);
}

static void turn(const slt_args *args) {
    int d = args->out_width[0], wide = GATES * d;
    const slt_real *u = args->in[U];
    slt_real *turned = work_of(args).turned;
    for (int r = 0; r < d; r++)
        for (int c = 0; c < wide; c++)
            turned[(size_t)c * (size_t)d + (size_t)r] = u[(size_t)r * (size_t)wide + (size_t)c];
}

static void backward(const slt_args *args) {
    turn(args);
    slt_args_run(args, crews(args), backward_group);
    if (args->in_grad[U])
        slt_args_run(args, slt_weight_tasks(args->out_width[0], GATES * args->out_width[0]),
                     backward_weights);
}

static size_t aux(const slt_sizes *sizes) {
    return KEPT * (size_t)sizes->out[0].rows * (size_t)sizes->out[0].width;
}
static size_t shared(const slt_sizes *sizes) {
    size_t D = (size_t)sizes->out[0].width;
    return (GATES + 1) * (size_t)sizes->out[0].rows * D + GATES * D * D;
}
static size_t scratch(const slt_sizes *sizes) { return GROUP * KEPT * (size_t)sizes->out[0].width; }
static double flops(const slt_sizes *sizes) {
    double d = sizes->out[0].width;
    return sizes->out[0].rows * (2 * d * GATES * d + 60 * d);
}

// ---- cases

static slt_var make_case(slt_probe *probe, int width, bool mask, bool stored) {
    slt_var gx = slt_probe_numbers(probe, SLT_TOKENS, 0, GATES * width, -1, 1);
    slt_var u = slt_probe_parameter(probe, width, GATES * width, -1, 1);
    slt_var m = mask ? slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0.1, 1) : 0;
    return slt_lstm(slt_probe_tape(probe), gx, u, m, stored);
}
static slt_var case_plain(slt_probe *p) { return make_case(p, 3, false, false); }
static slt_var case_masked(slt_probe *p) { return make_case(p, 3, true, false); }
static slt_var case_stored(slt_probe *p) { return make_case(p, 2, true, true); }
static slt_var bench(slt_probe *p) { return make_case(p, 128, true, false); }

const slt_op slt_op_lstm = {.name = "lstm",
                            .sentence = "LSTM over sequences, states times a mask",
                            .least = 2,
                            .most = 3,
                            .shape = shape,
                            .saves_in = 1u << U | 1u << MASK,
                            .saves_out = 1,
                            .aux = aux,
                            .shared = shared,
                            .scratch = scratch,
                            .flops = flops,
                            .forward = forward,
                            .backward = backward,
                            .cases = {case_plain, case_masked, case_stored},
                            .bench = bench};

slt_var slt_lstm(slt_tape *tape, slt_var gx, slt_var u, slt_var mask, bool masked) {
    slt_var inputs[] = {gx, u, mask};
    slt_attributes attributes = {.n = {masked}};
    return slt_tape_apply(tape, &slt_op_lstm, inputs, 3, &attributes);
}
