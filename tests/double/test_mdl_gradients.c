// The whole of slottar-mdl against central differences of its own loss, in double: every head, free
// and paid cuts, packed and padded. Some entries of every parameter are tried.
#include <math.h>
#include "mdl_rig.h"

enum { TRIES = 16 };

static slt_context *context;

static const struct {
    const char *settings;
    bool padded;
} VARIANTS[] = {
    {"head=action code=2", false},     {"head=context code=2", true},  {"head=action", false},
    {"head=action cuts=paid", true},   {"head=joint", false},          {"head=joint", true},
    {"head=context cuts=paid", false}, {"head=context gamma=0", true}, {"head=joint toll=1", false},
    {"head=context toll=2", true},
};

static double difference(mdl_rig *r, slt_real *entry) {
    const double h = 2e-6, before = *entry;
    *entry = before + h;
    double above = mdl_loss(r);
    *entry = before - h;
    double below = mdl_loss(r);
    *entry = before;
    return (above - below) / (2 * h);
}

// the worst of some entries, relative to the parameter's largest gradient
static double parameter_error(mdl_rig *r, int number, const slt_real *gradients) {
    const slt_parameter *p = &r->store->parameters[number];
    size_t count = (size_t)p->rows * (size_t)p->columns;
    double scale = 1e-3, worst = 0;
    for (size_t i = 0; i < count; i++) scale = fmax(scale, fabs(gradients[p->offset + i]));
    for (uint64_t i = 0; i < TRIES; i++) {
        size_t at = p->offset + mdl_word(i, 100 + (uint32_t)number) % count;
        double error = fabs(difference(r, r->store->value + at) - gradients[at]) / scale;
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static slt_real *gradients_of(mdl_rig *r) {
    CHECK_OK(slt_tape_forward(r->tape));
    CHECK_OK(slt_tape_backward(r->tape));
    slt_real *copy = test_malloc(r->store->size * sizeof *copy);
    memcpy(copy, r->store->gradient, r->store->size * sizeof *copy);
    return copy;
}

static void gradients_agree_with_differences(void **state) {
    (void)state;
    for (size_t v = 0; v < sizeof VARIANTS / sizeof *VARIANTS; v++) {
        mdl_rig r;
        mdl_open(&r, context, VARIANTS[v].settings, VARIANTS[v].padded);
        slt_real *gradients = gradients_of(&r);
        for (int i = 0; i < r.store->count; i++) {
            double error = parameter_error(&r, i, gradients);
            if (!(error < 1e-6))
                fail_msg("%s: '%s': error %.3g", VARIANTS[v].settings,
                         r.store->parameters[i].part[0].name, error);
        }
        test_free(gradients);
        mdl_close(&r);
    }
}

// the check itself must be able to fail
static void a_wrong_gradient_is_found(void **state) {
    (void)state;
    mdl_rig r;
    mdl_open(&r, context, "head=action", false);
    slt_real *gradients = gradients_of(&r);
    int number = slt_store_find(r.store, "end.embedding");
    const slt_parameter *p = &r.store->parameters[number];
    assert_true(parameter_error(&r, number, gradients) < 1e-6);
    for (int i = 0; i < p->rows * p->columns; i++) gradients[p->offset + (size_t)i] *= 1.001;
    assert_true(parameter_error(&r, number, gradients) > 1e-6);
    test_free(gradients);
    mdl_close(&r);
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
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
