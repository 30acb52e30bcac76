// OMPN's recurrence against the equations written down one by one, a trajectory at a time, in
// double: no groups, no time-major rows, nothing shared between steps. Any depth, ragged batches in
// any order, both memory rules; and what the truncated gradient must and must not change.
#include <math.h>
#include "check.h"
#include "engine/tape_impl.h"
#include "ops/ompn/ompn_layout.h"
#include "ops/common/ops.h"
#include "ops/common/probe.h"

enum { MOST = 6, WIDTH = 8 }; // depth and width of the oracle

static slt_context *context;

// ---- the oracle

typedef struct {
    int n, d;
    const double *w;
    double epsilon, slope;
    bool alias;
    double m[MOST][WIDTH], p_hat[MOST + 1];
} oracle;

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static void norm(double *x, int count, double epsilon) {
    double mean = 0, variance = 0;
    for (int i = 0; i < count; i++) mean += x[i] / count;
    for (int i = 0; i < count; i++) variance += (x[i] - mean) * (x[i] - mean) / count;
    for (int i = 0; i < count; i++) x[i] = (x[i] - mean) / sqrt(variance + epsilon);
}

static void dense(const double *x, int in, int out, const double *w, const double *c, double *y) {
    for (int k = 0; k < out; k++) {
        y[k] = c[k];
        for (int i = 0; i < in; i++) y[k] += x[i] * w[i * out + k];
    }
}

// inputs: k·d numbers, then x and the task, which is zero
static void cell(const oracle *o, slt_ompn_cell at, const double *inputs, const double *x,
                 double *out) {
    int d = o->d, k = at.inputs;
    double in[4 * WIDTH] = {0}, hidden[4 * WIDTH], second[4 * WIDTH];
    for (int i = 0; i < k * d; i++) in[i] = inputs[i];
    for (int i = 0; i < d; i++) in[k * d + i] = x[i];
    dense(in, (k + 2) * d, 4 * d, o->w + at.w1, o->w + at.c1, hidden);
    for (int i = 0; i < 4 * d; i++) hidden[i] = fmax(hidden[i], 0);
    dense(hidden, 4 * d, (k + 2) * d, o->w + at.w2, o->w + at.c2, second);
    norm(second, (k + 1) * d, o->epsilon);
    for (int i = 0; i < (k + 1) * d; i++)
        second[i] = sigmoid(o->w[at.gamma + (size_t)i] * second[i] + o->w[at.beta + (size_t)i]);
    for (int i = 0; i < d; i++) {
        out[i] = second[k * d + i] * second[(k + 1) * d + i];
        for (int j = 0; j < k; j++) out[i] += second[j * d + i] * inputs[j * d + i];
    }
    norm(out, d, o->epsilon);
}

static double gate(const oracle *o, const double *x, const double *memory, const double *cand) {
    int d = o->d;
    slt_ompn_gate at = slt_ompn_gate_at(o->n, d);
    double in[4 * WIDTH] = {0}, hidden[WIDTH], logit;
    for (int i = 0; i < d; i++) {
        in[i] = x[i];
        in[2 * d + i] = memory[i];
        in[3 * d + i] = cand[i];
    }
    dense(in, 4 * d, d, o->w + at.w1, o->w + at.c1, hidden);
    for (int i = 0; i < d; i++) hidden[i] *= hidden[i] > 0 ? 1 : o->slope;
    dense(hidden, d, 1, o->w + at.w2, o->w + at.c2, &logit);
    return sigmoid(logit);
}

static void combine(oracle *o, const double *x, double cand[MOST][WIDTH]) {
    int n = o->n, d = o->d;
    double h[2 * WIDTH], beta[MOST];
    for (int c = 0; c < d; c++) h[c] = x[c];
    for (int i = n - 1; i >= 0; i--) {
        for (int c = 0; c < d; c++) h[d + c] = o->m[i][c];
        cell(o, slt_ompn_com(d, i), h, x, cand[i]);
        for (int c = 0; c < d; c++) h[c] = cand[i][c];
        beta[i] = gate(o, x, o->m[i], cand[i]);
    }
    for (int j = 0; j <= n; j++) {
        o->p_hat[j] = j ? beta[j - 1] : 1;
        for (int i = j; i < n; i++) o->p_hat[j] *= 1 - beta[i];
    }
}

static void oracle_step(oracle *o, const double *x, bool first) {
    int n = o->n, d = o->d;
    double cand[MOST][WIDTH] = {{0}}, ch[MOST][WIDTH] = {{0}}, parent[WIDTH];
    double sum = 1e-12; // the guard of the original
    for (int j = 0; j <= n; j++) o->p_hat[j] = j == 1;
    if (!first) combine(o, x, cand);
    for (int i = 0; i < n; i++) sum += o->p_hat[i + 1];
    for (int i = 0; i < n; i++) {
        double p = o->p_hat[i + 1] / sum, cp = 0, rcp = 0;
        for (int j = 0; j <= i; j++) cp += o->p_hat[j + 1] / sum;
        for (int j = i; j < n; j++) rcp += o->p_hat[j + 1] / sum;
        for (int c = 0; c < d; c++) parent[c] = rcp * cand[i][c] + (1 - rcp) * ch[i][c];
        if (i + 1 < n) cell(o, slt_ompn_decom(n, d, i), parent, x, ch[i + 1]);
        for (int c = 0; c < d; c++) {
            double before = o->alias ? cand[i][c] : o->m[i][c];
            o->m[i][c] = before * (1 - cp) + cand[i][c] * p + ch[i][c] * (1 - rcp);
        }
    }
}

// ---- the operation on the same numbers

static struct {
    int n, d;
    bool alias;
    int bptt;
} wanted;

static slt_var make(slt_probe *probe) {
    int count = (int)slt_ompn_gate_at(wanted.n, wanted.d).end;
    slt_var x = slt_probe_numbers(probe, SLT_TOKENS, 0, wanted.d, -1, 1);
    slt_var w = slt_probe_parameter(probe, 1, count, -0.8, 0.8);
    slt_var leaf = slt_ompn_sequence(slt_probe_tape(probe), x, w, wanted.n, 1e-3, 0.3, wanted.alias,
                                     wanted.bptt);
    slt_tape_keep(slt_probe_tape(probe), leaf + 1);
    slt_tape_keep(slt_probe_tape(probe), leaf + 2);
    return leaf;
}

static void near(double a, double b, const char *what, int b_index, int t) {
    if (!(fabs(a - b) < 1e-11))
        fail_msg("depth %d, %s of trajectory %d at %d: %.15g and %.15g", wanted.n, what, b_index, t,
                 a, b);
}

static void compare_trajectory(slt_probe *probe, int b) {
    const slt_batch *batch = &slt_tape_frame(probe->tape, 0)->batch;
    int n = wanted.n, d = wanted.d;
    oracle o = {.n = n,
                .d = d,
                .w = probe->leaf[1].data,
                .epsilon = 1e-3,
                .slope = 0.3,
                .alias = wanted.alias};
    for (int t = 0; t < slt_batch_computed(batch, b); t++) {
        int row = batch->offset[b] + t;
        oracle_step(&o, (const double *)probe->leaf[0].data + row * d, t == 0);
        const slt_real *leaf = slt_tape_value(probe->tape, 0, probe->result) + row * d;
        const slt_real *p = slt_tape_value(probe->tape, 0, probe->result + 1) + row * (n + 1);
        const slt_real *memory = slt_tape_value(probe->tape, 0, probe->result + 2) + row * n * d;
        for (int j = 0; j <= n; j++) near(p[j], o.p_hat[j], "p", b, t);
        for (int c = 0; c < d; c++) near(leaf[c], o.m[n - 1][c], "leaf", b, t);
        for (int i = 0; i < n * d; i++) near(memory[i], o.m[i / d][i % d], "memory", b, t);
    }
}

static void check(int n, int d, bool alias, slt_probe_batch shape) {
    slt_probe probe;
    wanted.n = n, wanted.d = d, wanted.alias = alias, wanted.bptt = 0;
    CHECK_OK(slt_probe_init(&probe, context, shape, make));
    memset(probe.tape->block, 0xff, slt_tape_bytes(probe.tape));
    CHECK_OK(slt_tape_forward(probe.tape));
    for (int b = 0; b < shape.trajectories; b++) compare_trajectory(&probe, b);
    slt_probe_deinit(&probe);
}

static void every_depth_is_its_equations(void **state) {
    (void)state;
    for (int n = 2; n <= MOST; n++)
        for (int alias = 0; alias < 2; alias++) {
            slt_probe_batch packed = {.trajectories = 7,
                                      .slots = 1,
                                      .length = 9,
                                      .mean = 5,
                                      .sd = 3,
                                      .seed = (uint64_t)n};
            slt_probe_batch padded = packed;
            padded.padded = true;
            check(n, 3 + n % 3, alias, packed);
            check(n, 3 + n % 3, alias, padded);
        }
}

// more trajectories than a group holds, in no order of length
static void groups_do_not_mix(void **state) {
    (void)state;
    check(3, 4, false,
          (slt_probe_batch){
              .trajectories = 71, .slots = 1, .length = 12, .mean = 6, .sd = 4, .seed = 5});
}

// ---- the truncated gradient

static double *gradient_of(int bptt, int length, size_t *count) {
    slt_probe probe;
    wanted.n = 3, wanted.d = 4, wanted.alias = false, wanted.bptt = bptt;
    slt_probe_batch shape = {
        .trajectories = 1, .slots = 1, .length = length, .mean = length, .sd = 0, .seed = 8};
    CHECK_OK(slt_probe_init(&probe, context, shape, make));
    CHECK_OK(slt_tape_forward(probe.tape));
    CHECK_OK(slt_tape_backward(probe.tape));
    slt_probe_values(&probe, 0, count);
    double *copy = test_malloc(*count * sizeof *copy);
    memcpy(copy, slt_probe_gradient(&probe, 0), *count * sizeof *copy);
    slt_probe_deinit(&probe);
    return copy;
}

// what comes from after the cut is missing before it, and nothing else
static void truncation_cuts_where_it_says(void **state) {
    (void)state;
    size_t count, same;
    double *full = gradient_of(0, 9, &count), *late = gradient_of(9, 9, &same);
    assert_int_equal(count, same);
    assert_memory_equal(full, late, count * sizeof *full);
    double *cut = gradient_of(5, 9, &same);
    size_t following = 5 * 4; // numbers of x before step 5
    assert_memory_equal(full + following, cut + following, (count - following) * sizeof *full);
    assert_memory_not_equal(full, cut, following * sizeof *full);
    test_free(full);
    test_free(late);
    test_free(cut);
}

static int setup(void **state) {
    (void)state;
    return slt_context_create(&(slt_context_options){.threads = 2}, &context);
}

static int teardown(void **state) {
    (void)state;
    slt_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_depth_is_its_equations),
        cmocka_unit_test(groups_do_not_mix),
        cmocka_unit_test(truncation_cuts_where_it_says),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
