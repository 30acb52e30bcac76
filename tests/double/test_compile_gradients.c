// The whole of CompILE against central differences of its own loss, in double: every switch that
// changes the equations, packed and padded. A few entries of every parameter are tried.
#include <math.h>
#include "compile_rig.h"

enum { TRIES = 12 }; // entries of a parameter

static slt_context *context;

static const rig_shape PACKED = {.B = 3, .L = 7, .D = 4, .shortest = 2, .longest = 7};
static const rig_shape PADDED = {
    .B = 3, .L = 6, .D = 4, .shortest = 3, .longest = 6, .padded = true};
static const rig_shape BLIND = {.B = 3, .L = 6, .D = 0, .shortest = 2, .longest = 6};

static const struct {
    const char *settings;
    const rig_shape *shape;
} VARIANTS[] = {
    {"", &PACKED},
    {"latent=concrete temp_z=0.7", &PACKED},
    {"compile_enc=masked temp_b=1.4", &PACKED},
    {"count=oracle", &PACKED},
    {"count=oracle compile_last=oracle", &PACKED},
    {"boundary_pad=include compile_prior=reference", &PADDED},
    {"boundary_pad=include latent=concrete count=oracle compile_enc=masked", &PADDED},
    {"", &PADDED},
    {"", &BLIND},
};

static double loss_at(rig *r, slt_real *entry, double value) {
    *entry = value;
    CHECK_OK(slt_tape_forward(r->tape));
    return rig_loss(r);
}

// the worst of some entries, relative to the parameter's largest gradient
static double parameter_error(rig *r, int parameter, const slt_real *gradients) {
    const double h = 2e-6;
    size_t count = rig_size(r, parameter), at = r->store->parameters[parameter].offset;
    double scale = 1e-3, worst = 0;
    for (size_t i = 0; i < count; i++) scale = fmax(scale, fabs(gradients[at + i]));
    for (uint64_t i = 0; i < TRIES; i++) {
        size_t k = slt_random_words(2, SLT_RANDOM_TEST, i, (uint32_t)parameter).word[0] % count;
        slt_real *entry = r->store->value + at + k, before = *entry;
        double difference = loss_at(r, entry, before + h) - loss_at(r, entry, before - h);
        *entry = before;
        double error = fabs(difference / (2 * h) - gradients[at + k]) / scale;
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static slt_real *open_variant(rig *r, int variant) {
    char settings[160];
    snprintf(settings, sizeof settings, "hidden=5 segments=3 %s", VARIANTS[variant].settings);
    rig_open(r, context, *VARIANTS[variant].shape, settings);
    rig_start(r);
    rig_feed(r);
    rig_gradients(r);
    slt_real *copy = test_malloc(r->store->size * sizeof *copy);
    memcpy(copy, r->store->gradient, r->store->size * sizeof *copy);
    return copy;
}

static void gradients_agree_with_differences(void **state) {
    (void)state;
    for (int v = 0; v < (int)(sizeof VARIANTS / sizeof *VARIANTS); v++) {
        rig r;
        slt_real *gradients = open_variant(&r, v);
        for (int i = 0; i < r.store->count; i++) {
            double error = parameter_error(&r, i, gradients);
            if (!(error < 1e-6))
                fail_msg("%s: '%s': error %.3g", VARIANTS[v].settings,
                         r.store->parameters[i].part[0].name, error);
        }
        test_free(gradients);
        rig_close(&r);
    }
}

// the check itself must be able to fail
static void a_wrong_gradient_is_found(void **state) {
    (void)state;
    rig r;
    slt_real *gradients = open_variant(&r, 0);
    int number = slt_store_find(r.store, "lstm.recurrent");
    size_t at = r.store->parameters[number].offset;
    assert_true(parameter_error(&r, number, gradients) < 1e-6);
    for (size_t i = 0; i < rig_size(&r, number); i++) gradients[at + i] *= 1.001;
    assert_true(parameter_error(&r, number, gradients) > 1e-6);
    test_free(gradients);
    rig_close(&r);
}

// a shift of all boundary logits changes nothing: Adam must not be fed with noise
static void the_boundary_bias_has_no_gradient(void **state) {
    (void)state;
    for (int v = 0; v < (int)(sizeof VARIANTS / sizeof *VARIANTS); v++) {
        rig r;
        slt_real *gradients = open_variant(&r, v);
        int number = slt_store_find(r.store, "b2.bias");
        assert_int_equal(r.store->parameters[number].part[0].zero_columns, 1);
        assert_true(fabs(gradients[r.store->parameters[number].offset]) < 1e-14);
        test_free(gradients);
        rig_close(&r);
    }
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
        cmocka_unit_test(the_boundary_bias_has_no_gradient),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
