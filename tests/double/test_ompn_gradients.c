// The whole of OMPN against central differences of its own loss, in double: depths, both memory
// rules, numbers and bits, packed and padded. A few entries of every part are tried.
#include <math.h>
#include "ompn_rig.h"

enum { TRIES = 12 }; // entries of a part

static slt_context *context;

static const struct {
    const char *settings;
    bool padded, bits;
} VARIANTS[] = {
    {"depth=2", false, false},
    {"depth=3", true, false},
    {"depth=4 leaky_slope=0.01", false, true},
    {"depth=3 ompn_alias=on ln_eps=1e-2", false, false},
};

static void open_variant(ompn_rig *r, int v) {
    rig_defaults(r, VARIANTS[v].settings);
    r->B = 4;
    r->padded = VARIANTS[v].padded;
    r->bits = VARIANTS[v].bits;
    rig_open(r, context);
    // constant initial values would leave parts of the equations out
    for (size_t i = 0; i < r->store->size; i++)
        r->store->value[i] += 0.4 * rig_unit(7, (int)i, 3) - 0.2;
    rig_gradients(r);
}

static double loss_at(ompn_rig *r, slt_real *entry, double value) {
    *entry = value;
    CHECK_OK(slt_tape_forward(r->tape));
    return rig_loss(r);
}

// the worst of some entries of a part, relative to its largest gradient
static double part_error(ompn_rig *r, size_t first, size_t count, const slt_real *gradients) {
    const double h = 2e-6;
    double scale = 1e-3, worst = 0;
    for (size_t i = 0; i < count; i++) scale = fmax(scale, fabs(gradients[first + i]));
    for (int i = 0; i < TRIES; i++) {
        size_t k = first + (size_t)(rig_unit(9, i, (int)(first % 99991)) * (double)count);
        slt_real *entry = r->store->value + k, before = *entry;
        double difference = loss_at(r, entry, before + h) - loss_at(r, entry, before - h);
        *entry = before;
        double error = fabs(difference / (2 * h) - gradients[k]) / scale;
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static slt_real *copy_gradients(const ompn_rig *r) {
    slt_real *copy = test_malloc(r->store->size * sizeof *copy);
    memcpy(copy, r->store->gradient, r->store->size * sizeof *copy);
    return copy;
}

// parts of a parameter with more than one row are not cut apart: there is one
static size_t part_size(const slt_parameter *p, int k) {
    return p->parts > 1 ? (size_t)p->part[k].columns : (size_t)p->rows * (size_t)p->columns;
}

static void gradients_agree_with_differences(void **state) {
    (void)state;
    for (int v = 0; v < (int)(sizeof VARIANTS / sizeof *VARIANTS); v++) {
        ompn_rig r;
        open_variant(&r, v);
        slt_real *gradients = copy_gradients(&r);
        int parts = 0;
        for (int i = 0; i < r.store->count; i++) {
            const slt_parameter *p = &r.store->parameters[i];
            size_t first = p->offset;
            for (int k = 0; k < p->parts; first += part_size(p, k++), parts++) {
                double error = part_error(&r, first, part_size(p, k), gradients);
                if (!(error < 1e-6))
                    fail_msg("%s: '%s': error %.3g", VARIANTS[v].settings, p->part[k].name, error);
            }
        }
        assert_int_equal(parts, 12 * (int)r.options.depth - 6 + 4 + 4);
        test_free(gradients);
        rig_close(&r);
    }
}

// the check itself must be able to fail
static void a_wrong_gradient_is_found(void **state) {
    (void)state;
    ompn_rig r;
    open_variant(&r, 0);
    slt_real *gradients = copy_gradients(&r);
    size_t first = r.store->parameters[slt_store_find(r.store, "com0.l1.kernel")].offset;
    assert_true(part_error(&r, first, 50, gradients) < 1e-6);
    for (size_t i = 0; i < 50; i++) gradients[first + i] *= 1.001;
    assert_true(part_error(&r, first, 50, gradients) > 1e-6);
    test_free(gradients);
    rig_close(&r);
}

// the task is always zero: its rows never learn
static void rows_of_the_task_have_no_gradient(void **state) {
    (void)state;
    ompn_rig r;
    open_variant(&r, 1);
    int d = (int)r.options.hidden, actor = slt_store_find(r.store, "actor.kernel");
    const slt_real *g = slt_store_at(r.store, r.store->gradient, actor, 0);
    const slt_real *com =
        slt_store_at(r.store, r.store->gradient, slt_store_find(r.store, "com0.l1.kernel"), 0);
    for (int i = d * (RIG_A - 1); i < 2 * d * (RIG_A - 1); i++) assert_true(g[i] == 0);
    for (int i = 3 * d * 4 * d; i < 4 * d * 4 * d; i++) assert_true(com[i] == 0);
    assert_true(com[0] != 0 && g[0] != 0);
    rig_close(&r);
}

static int setup(void **state) {
    (void)state;
    return slt_context_create(&(slt_context_options){.threads = 1}, &context);
}

static int teardown(void **state) {
    (void)state;
    slt_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(a_wrong_gradient_is_found),
        cmocka_unit_test(rows_of_the_task_have_no_gradient),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
