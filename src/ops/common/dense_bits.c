// y = bits·W + c, where a row of bits is a list of ones: y_r = c + Σ_{i in r} W_i.
// Cost follows the ones: a Craft observation has 25 to 45 of them in 1075.
// Backward: dW_i += dy_r for every one; blocks of columns walk all rows in order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { BITS, W, C };

static void shape(slt_shape_check *rule) {
    slt_shape bits = rule->in[BITS], w = rule->in[W];
    slt_shape_type(rule, BITS, SLT_BITS);
    if (w.space != SLT_FIXED || w.rows != bits.width)
        slt_shape_reject_pair(rule, BITS, W, "the width of the first is the rows of the second");
    slt_shape_want(rule, C, SLT_FIXED, 1, w.width);
    rule->out[0] = (slt_shape){bits.space, bits.rows, w.width};
}

// a few columns at a time: their sums stay in registers while the ones go by
#ifdef __x86_64__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
enum { VECTORS = 4, CHUNK = LANES * VECTORS };
typedef slt_real lanes
    __attribute__((vector_size(LANES * sizeof(slt_real)), aligned(sizeof(slt_real)), may_alias));

static inline void sum_chunk(slt_real *y, const slt_real *c, const slt_real *w, size_t stride,
                             const uint16_t *one, int64_t ones) {
    lanes sum[VECTORS] = {{0}};
    for (int v = 0; c && v < VECTORS; v++) sum[v] = ((const lanes *)c)[v];
    for (int64_t i = 0; i < ones; i++) {
        const lanes *row = (const lanes *)(w + one[i] * stride);
        for (int v = 0; v < VECTORS; v++) sum[v] += row[v];
    }
    for (int v = 0; v < VECTORS; v++) ((lanes *)y)[v] = sum[v];
}

static inline slt_real sum_column(slt_real c, const slt_real *w, size_t stride, const uint16_t *one,
                                  int64_t ones) {
    for (int64_t i = 0; i < ones; i++) c += w[one[i] * stride];
    return c;
}

static void forward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    const slt_bits *bits = args->in[BITS];
    const slt_real *w = args->in[W], *c = args->in[C];
    size_t out = (size_t)args->out_width[0];
    slt_rows rows = slt_row_block(args->in_rows[BITS], task);
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        slt_real *y = args->out[0] + (size_t)r * out;
        const uint16_t *one = bits->index + bits->offset[r];
        int64_t ones = bits->offset[r + 1] - bits->offset[r];
        size_t k = 0;
        for (; k + CHUNK <= out; k += CHUNK)
            sum_chunk(y + k, c ? c + k : NULL, w + k, out, one, ones);
        for (; k < out; k++) y[k] = sum_column(c ? c[k] : 0, w + k, out, one, ones);
    }
}
SLT_WIDE_TASK(forward_rows);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[BITS], SLT_ROW_BLOCK), SLT_WIDEST(forward_rows));
}

static void backward_columns(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    const slt_bits *bits = args->in[BITS];
    int out = args->out_width[0];
    slt_rows columns = slt_columns(out, task);
    size_t stride = (size_t)out, first = (size_t)columns.first;
    slt_real *dw = args->in_grad[W];
    if (args->in_grad[C])
        slt_bias_gradient(args->out_grad[0], out, args->in_rows[BITS], columns, args->in_grad[C],
                          args->add[C]);
    if (!dw) return;
    for (int i = 0; i < args->in_rows[W] && !args->add[W]; i++)
        memset(dw + (size_t)i * stride + first, 0, (size_t)columns.count * sizeof *dw);
    for (int r = 0; r < args->in_rows[BITS]; r++) {
        const slt_real *restrict dy = args->out_grad[0] + (size_t)r * stride + first;
        for (int64_t i = bits->offset[r]; i < bits->offset[r + 1]; i++) {
            slt_real *restrict row = dw + bits->index[i] * stride + first;
            for (int k = 0; k < columns.count; k++) row[k] += dy[k];
        }
    }
}
SLT_WIDE_TASK(backward_columns);

static void backward(const slt_args *args) {
    slt_args_run(args, slt_column_tasks(args->out_width[0]), SLT_WIDEST(backward_columns));
}

// an estimate before the data is known: 43 ones in 1075
static double flops(const slt_sizes *sizes) {
    return 0.04 * sizes->in[BITS].rows * sizes->in[BITS].width * sizes->out[0].width;
}

static slt_var make_case(slt_probe *probe, int in, int out, double share) {
    slt_var bits = slt_probe_bits(probe, in, share);
    slt_var w = slt_probe_parameter(probe, in, out, -1, 1);
    slt_var c = slt_probe_parameter(probe, 1, out, -1, 1);
    return slt_dense_bits(slt_probe_tape(probe), bits, w, c);
}
static slt_var case_some(slt_probe *p) { return make_case(p, 9, 4, 0.4); }
static slt_var case_none(slt_probe *p) { return make_case(p, 5, 3, 0); }
static slt_var bench(slt_probe *p) { return make_case(p, 1075, 128, 0.04); }

// marks of rows, 32 in a word
static size_t kernel_aux(const slt_sizes *sizes) {
    return ((size_t)sizes->in[BITS].rows / 32 + 1) * (size_t)sizes->in[BITS].width;
}

const slt_op slt_op_dense_bits = {.name = "dense_bits",
                                  .sentence = "y = bits·W + c, by the ones",
                                  .least = 2,
                                  .most = 3,
                                  .shape = shape,
                                  .no_gradient_in = 1u << BITS,
                                  .saves_in = 1u << BITS,
                                  .flops = flops,
                                  .backward_flops = 1,
                                  .kernel_aux = kernel_aux,
                                  .forward = forward,
                                  .backward = backward,
                                  .cases = {case_some, case_none},
                                  .bench = bench};

slt_var slt_dense_bits(slt_tape *tape, slt_var bits, slt_var w, slt_var c) {
    slt_var inputs[] = {bits, w, c};
    return slt_tape_apply(tape, &slt_op_dense_bits, inputs, 3, NULL);
}
