// y = relu(x·SLT_MLP_W1 + c1)·SLT_MLP_W2 + c2. One block of rows goes through both products, so
// that the wide middle stays in the caches; it is kept (aux) where a backward follows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_inputs.h"
#include "ops/common/activation.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape x = rule->in[SLT_MLP_X], w1 = rule->in[SLT_MLP_W1], w2 = rule->in[SLT_MLP_W2];
    slt_shape_type(rule, SLT_MLP_X, SLT_NUMBERS);
    if (w1.space != SLT_FIXED || w1.rows != x.width)
        slt_shape_reject_pair(rule, SLT_MLP_X, SLT_MLP_W1,
                              "the width of the first is the rows of the second");
    if (w2.space != SLT_FIXED || w2.rows != w1.width)
        slt_shape_reject_pair(rule, SLT_MLP_W1, SLT_MLP_W2,
                              "the width of the first is the rows of the second");
    slt_shape_want(rule, SLT_MLP_C1, SLT_FIXED, 1, w1.width);
    slt_shape_want(rule, SLT_MLP_C2, SLT_FIXED, 1, w2.width);
    rule->out[0] = (slt_shape){x.space, x.rows, w2.width};
}

static size_t middle(const slt_sizes *sizes) {
    return (size_t)sizes->in[SLT_MLP_X].rows * (size_t)sizes->in[SLT_MLP_W1].width;
}

// dh, the sums of dh and of dy per block of rows, then weights as the products want them
static size_t own_size(int rows, int wide, int out) {
    return (size_t)rows * (size_t)wide +
           (size_t)slt_blocks(rows, SLT_ROW_BLOCK) * (size_t)(wide + out);
}
static size_t shared(const slt_sizes *sizes) {
    int rows = sizes->in[SLT_MLP_X].rows, in = sizes->in[SLT_MLP_X].width;
    int wide = sizes->in[SLT_MLP_W1].width, out = sizes->out[0].width;
    size_t forward = slt_factor_size(rows, wide, in) + slt_factor_size(rows, out, wide);
    size_t backward = slt_factor_size(rows, wide, out) + slt_factor_size(rows, in, wide);
    return own_size(rows, wide, out) + (forward > backward ? forward : backward);
}

static size_t scratch(const slt_sizes *sizes) {
    return (size_t)SLT_ROW_BLOCK * (size_t)sizes->in[SLT_MLP_W1].width;
}

static double flops(const slt_sizes *sizes) {
    double wide = sizes->in[SLT_MLP_W1].width;
    return 2.0 * sizes->in[SLT_MLP_X].rows * wide *
           (sizes->in[SLT_MLP_X].width + sizes->out[0].width);
}

// W1 and W2 of forward, W2ᵀ and W1ᵀ of backward
typedef struct {
    slt_factor first, second;
} layers;

static layers layers_of(const slt_args *args, bool backward) {
    int in = args->in_width[SLT_MLP_X], wide = args->in_width[SLT_MLP_W1], out = args->out_width[0];
    int rows = args->in_rows[SLT_MLP_X];
    slt_real *packed = args->shared + own_size(rows, wide, out);
    const slt_real *w1 = args->in[SLT_MLP_W1], *w2 = args->in[SLT_MLP_W2];
    const slt_gemm_kernel *bf16 = args->bf16;
    layers x = {{false, bf16, wide, in, w1, packed}, {false, bf16, out, wide, w2, NULL}};
    if (backward)
        x = (layers){{true, bf16, wide, out, w2, packed}, {true, bf16, in, wide, w1, NULL}};
    x.second.packed = packed + slt_factor_size(rows, x.first.n, x.first.k);
    return x;
}

static void pack_layers(const slt_args *args, bool backward) {
    layers w = layers_of(args, backward);
    slt_factor_pack(&w.first, args->in_rows[SLT_MLP_X]);
    slt_factor_pack(&w.second, args->in_rows[SLT_MLP_X]);
}

static void forward_rows(const slt_args *args, int task, slt_real *once) {
    layers w = layers_of(args, false);
    int all = args->in_rows[SLT_MLP_X], in = w.first.k, wide = w.first.n, out = w.second.n;
    slt_rows rows = slt_row_block(all, task);
    for (int r = rows.first, count; r < rows.first + rows.count; r += count) {
        count = slt_min(slt_row_piece(all), rows.first + rows.count - r);
        const slt_real *x = (const slt_real *)args->in[SLT_MLP_X] + (size_t)r * (size_t)in;
        slt_real *h = args->keep ? args->aux + (size_t)r * (size_t)wide : once;
        slt_real *y = args->out[0] + (size_t)r * (size_t)out;
        slt_factor_multiply(&w.first, all, count, x, false, h);
        slt_bias_activate(h, count, wide, args->in[SLT_MLP_C1], SLT_RELU);
        slt_factor_multiply(&w.second, all, count, h, false, y);
        slt_bias_activate(y, count, out, args->in[SLT_MLP_C2], SLT_LINEAR);
    }
}

static void forward(const slt_args *args) {
    pack_layers(args, false);
    slt_args_run(args, slt_blocks(args->in_rows[SLT_MLP_X], SLT_ROW_BLOCK), forward_rows);
}

static slt_real *bias_sums(const slt_args *args) {
    return args->shared + (size_t)args->in_rows[SLT_MLP_X] * (size_t)args->in_width[SLT_MLP_W1];
}

// dh = dh∘[h>0], sum += Σ_r dh
static void middle_gradient(slt_real *restrict dh, const slt_real *restrict h, int width, int rows,
                            slt_real *restrict sum) {
    for (int r = 0; r < rows; r++, dh += width, h += width)
        for (int i = 0; i < width; i++) {
            dh[i] = slt_where(h[i] > 0, dh[i]);
            sum[i] += dh[i];
        }
}
SLT_WIDE(middle_gradient,
         (slt_real *restrict dh, const slt_real *restrict h, int width, int rows,
          slt_real *restrict sum),
         (dh, h, width, rows, sum));

// dh = (dy·W2ᵀ)∘[h>0] into shared, dx = dh·W1ᵀ; sums of dh and dy while they are in the cache
static void backward_piece(const slt_args *args, slt_real *sums, int first, int count) {
    layers w = layers_of(args, true);
    int all = args->in_rows[SLT_MLP_X], in = w.second.n, wide = w.first.n, out = w.first.k;
    size_t at = (size_t)first;
    const slt_real *dy = args->out_grad[0] + at * (size_t)out;
    slt_real *dh = args->shared + at * (size_t)wide;
    slt_factor_multiply(&w.first, all, count, dy, false, dh);
    SLT_WIDEST(middle_gradient)(dh, args->aux + at * (size_t)wide, wide, count, sums);
    slt_sum_rows(dy, out, count, sums + wide);
    if (args->in_grad[SLT_MLP_X])
        slt_factor_multiply(&w.second, all, count, dh, args->add[SLT_MLP_X],
                            args->in_grad[SLT_MLP_X] + at * (size_t)in);
}

static void backward_rows(const slt_args *args, int task, slt_real *unused) {
    (void)unused;
    int all = args->in_rows[SLT_MLP_X], piece = slt_row_piece(all);
    slt_rows rows = slt_row_block(all, task);
    size_t width = (size_t)(args->in_width[SLT_MLP_W1] + args->out_width[0]);
    slt_real *sums = bias_sums(args) + (size_t)task * width;
    memset(sums, 0, width * sizeof *sums);
    for (int r = 0; r < rows.count; r += piece)
        backward_piece(args, sums, rows.first + r, slt_min(piece, rows.count - r));
}

// first the blocks of SLT_MLP_W1, then those of SLT_MLP_W2
static void backward_weights(const slt_args *args, int task, slt_real *unused) {
    (void)unused;
    int in = args->in_width[SLT_MLP_X], wide = args->in_width[SLT_MLP_W1], out = args->out_width[0];
    int rows = args->in_rows[SLT_MLP_X], first = slt_weight_tasks(in, wide);
    if (task < first)
        slt_weight_gradient(args->bf16, args->in[SLT_MLP_X], in, args->shared, wide, rows, task,
                            args->in_grad[SLT_MLP_W1], args->add[SLT_MLP_W1]);
    else
        slt_weight_gradient(args->bf16, args->aux, wide, args->out_grad[0], out, rows, task - first,
                            args->in_grad[SLT_MLP_W2], args->add[SLT_MLP_W2]);
}

static void backward(const slt_args *args) {
    int wide = args->in_width[SLT_MLP_W1], out = args->out_width[0];
    int tasks = slt_weight_tasks(args->in_width[SLT_MLP_X], wide) + slt_weight_tasks(wide, out);
    pack_layers(args, true);
    slt_args_run(args, slt_blocks(args->in_rows[SLT_MLP_X], SLT_ROW_BLOCK), backward_rows);
    slt_args_run(args, tasks, backward_weights);
    int blocks = slt_blocks(args->in_rows[SLT_MLP_X], SLT_ROW_BLOCK), stride = wide + out;
    if (args->in_grad[SLT_MLP_C1])
        slt_add_partials(args->in_grad[SLT_MLP_C1], args->add[SLT_MLP_C1], bias_sums(args), blocks,
                         wide, stride);
    if (args->in_grad[SLT_MLP_C2])
        slt_add_partials(args->in_grad[SLT_MLP_C2], args->add[SLT_MLP_C2], bias_sums(args) + wide,
                         blocks, out, stride);
}

static slt_var make_case(slt_probe *probe, slt_space space, int in, int wide, int out) {
    slt_var x = slt_probe_numbers(probe, space, 3, in, -1, 1);
    slt_var w1 = slt_probe_parameter(probe, in, wide, -1, 1);
    slt_var c1 = slt_probe_parameter(probe, 1, wide, -1, 1);
    slt_var w2 = slt_probe_parameter(probe, wide, out, -1, 1);
    slt_var c2 = slt_probe_parameter(probe, 1, out, -1, 1);
    return slt_mlp(slt_probe_tape(probe), x, w1, c1, w2, c2);
}
static slt_var case_tokens(slt_probe *p) { return make_case(p, SLT_TOKENS, 3, 7, 4); }
static slt_var case_slots(slt_probe *p) { return make_case(p, SLT_SLOTS, 4, 5, 4); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_TOKENS, 128, 512, 128); }

// the middle, then its signs: two rows of words for a block, which has 32 rows at least and columns
// in 128s; or, where the middle is in bf16, weights that are rounded
static size_t kernel_aux(const slt_sizes *sizes) {
    size_t rows = (size_t)sizes->in[SLT_MLP_X].rows, wide = (size_t)sizes->in[SLT_MLP_W1].width;
    size_t sides = (size_t)sizes->in[SLT_MLP_X].width + (size_t)sizes->out[0].width;
    size_t weights = sizes->bf16 ? (sides * wide + wide) / 2 + 64 : 0;
    size_t signs = 2 * ((rows + 31) / 32) * ((wide + 127) / 128 * 128);
    return rows * wide + signs + weights;
}

static unsigned bf16_rows(const slt_sizes *sizes) {
    int in = sizes->in[SLT_MLP_X].width, wide = sizes->in[SLT_MLP_W1].width;
    bool eights = in % 8 == 0 && wide % 8 == 0 && sizes->out[0].width % 8 == 0;
    return eights ? 1u << SLT_MLP_X | 1u << SLT_BF16_OUT : 0;
}

const slt_op slt_op_mlp = {.name = "mlp",
                           .sentence = "y = relu(x·SLT_MLP_W1 + c1)·SLT_MLP_W2 + c2",
                           .least = 5,
                           .most = 5,
                           .shape = shape,
                           .saves_in = 1u << SLT_MLP_X | 1u << SLT_MLP_W1 | 1u << SLT_MLP_W2,
                           .aux = middle,
                           .shared = shared,
                           .scratch = scratch,
                           .flops = flops,
                           .kernel_aux = kernel_aux,
                           .bf16_rows = bf16_rows,
                           .bf16_alike = true,
                           .forward = forward,
                           .backward = backward,
                           .cases = {case_tokens, case_slots},
                           .bench = bench};

slt_var slt_mlp(slt_tape *tape, slt_var x, slt_var w1, slt_var c1, slt_var w2, slt_var c2) {
    slt_var inputs[] = {x, w1, c1, w2, c2};
    return slt_tape_apply(tape, &slt_op_mlp, inputs, 5, NULL);
}
