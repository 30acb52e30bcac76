// The LSTM over sequences against one written step by step from its equations, trajectory by
// trajectory; groups of many lengths, more than one group.
#include <math.h>
#include "check.h"
#include "engine/tape_impl.h"
#include "ops/common/ops.h"
#include "ops/common/probe.h"

enum { D = 8 };

static slt_context *context;

static slt_var make(slt_probe *probe, bool mask, bool masked) {
    slt_var gx = slt_probe_numbers(probe, SLT_TOKENS, 0, 4 * D, -1, 1);
    slt_var u = slt_probe_parameter(probe, D, 4 * D, -1, 1);
    slt_var m = mask ? slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0, 1) : 0;
    return slt_lstm(slt_probe_tape(probe), gx, u, m, masked);
}
static slt_var make_plain(slt_probe *p) { return make(p, false, false); }
static slt_var make_masked(slt_probe *p) { return make(p, true, false); }
static slt_var make_stored(slt_probe *p) { return make(p, true, true); }

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

// one step: pre = gx + s·U, then the cell; gives the unmasked output
static void step(const slt_real *gx, const slt_real *u, double *s, double *cell, double *out) {
    double pre[4 * D];
    for (int c = 0; c < 4 * D; c++) {
        pre[c] = (double)gx[c];
        for (int k = 0; k < D; k++) pre[c] += s[k] * (double)u[k * 4 * D + c];
    }
    for (int k = 0; k < D; k++) {
        cell[k] = sigmoid(pre[D + k]) * cell[k] + sigmoid(pre[k]) * tanh(pre[2 * D + k]);
        out[k] = sigmoid(pre[3 * D + k]) * tanh(cell[k]);
    }
}

static void compare(slt_probe *probe, bool mask, bool masked) {
    const slt_batch *batch = &slt_tape_frame(probe->tape, 0)->batch;
    size_t count;
    const slt_real *gx = slt_probe_values(probe, 0, &count),
                   *u = slt_probe_values(probe, 1, &count);
    const slt_real *m = mask ? slt_probe_values(probe, 2, &count) : NULL;
    const slt_real *got = slt_tape_value(probe->tape, 0, probe->result);
    for (int b = 0; b < batch->count; b++) {
        double s[D] = {0}, cell[D] = {0}, out[D];
        for (int row = batch->offset[b]; row < batch->offset[b + 1]; row++) {
            double scale = m ? (double)m[row] : 1;
            step(gx + row * 4 * D, u, s, cell, out);
            for (int k = 0; k < D; k++) {
                s[k] = scale * out[k];
                cell[k] *= scale;
                double want = masked ? s[k] : out[k], found = (double)got[row * D + k];
                if (!(fabs(want - found) < 2e-6))
                    fail_msg("trajectory %d, row %d, channel %d: %.9g, not %.9g", b, row, k, found,
                             want);
            }
        }
    }
}

static void it_equals_the_equations(void **state) {
    (void)state;
    static const struct {
        slt_var (*make)(slt_probe *);
        bool mask, masked;
    } forms[] = {{make_plain, false, false}, {make_masked, true, false}, {make_stored, true, true}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int padded = 0; padded < 2; padded++) {
            slt_probe_batch shape = {71, 2, 13, padded, 7, 4, 9, 0};
            slt_probe probe;
            CHECK_OK(slt_probe_init(&probe, context, shape, forms[i].make));
            CHECK_OK(slt_tape_forward(probe.tape));
            compare(&probe, forms[i].mask, forms[i].masked);
            slt_probe_deinit(&probe);
        }
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_equals_the_equations)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
