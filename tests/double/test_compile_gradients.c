// The whole of CompILE against central differences of its own loss, in double: every switch that
// changes the equations, packed and padded.
#include "compile_rig.h"
#include "model_differences.h"
#include "group_context.h"

static const rig_shape PACKED = {.B = 3, .L = 7, .D = 4, .shortest = 2, .longest = 7};
static const rig_shape PADDED = {
    .B = 3, .L = 6, .D = 4, .shortest = 3, .longest = 6, .padded = true};
static const rig_shape BLIND = {.B = 3, .L = 6, .D = 0, .shortest = 2, .longest = 6};

static const rig_shape VECTORS = {
    .B = 3, .L = 7, .D = 4, .shortest = 2, .longest = 7, .vectors = true};
static const rig_shape PADDED_VECTORS = {
    .B = 3, .L = 6, .D = 4, .shortest = 3, .longest = 6, .padded = true, .vectors = true};

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
    {"", &VECTORS},
    {"boundary_pad=include count=oracle", &PADDED_VECTORS},
};

static void open_variant(rig *r, int variant) {
    char settings[160];
    snprintf(settings, sizeof settings, "hidden=5 segments=3 %s", VARIANTS[variant].settings);
    rig_open(r, context, *VARIANTS[variant].shape, settings);
    rig_start(r);
    rig_feed(r);
    rig_gradients(r);
}

static void gradients_agree_with_differences(void **state) {
    (void)state;
    for (int v = 0; v < (int)(sizeof VARIANTS / sizeof *VARIANTS); v++) {
        rig r;
        open_variant(&r, v);
        assert_true(differences_agree(r.tape, VARIANTS[v].settings) > 10);
        rig_close(&r);
    }
}

static void a_wrong_gradient_is_found(void **state) {
    (void)state;
    rig r;
    open_variant(&r, 0);
    differences_fail(r.tape, "lstm.recurrent");
    rig_close(&r);
}

// a shift of all boundary logits changes nothing: Adam must not be fed with noise
static void the_boundary_bias_has_no_gradient(void **state) {
    (void)state;
    for (int v = 0; v < (int)(sizeof VARIANTS / sizeof *VARIANTS); v++) {
        rig r;
        open_variant(&r, v);
        const slt_parameter *bias = &r.store->parameters[slt_store_find(r.store, "b2.bias")];
        assert_int_equal(bias->part[0].zero_columns, 1);
        assert_true(fabs(r.store->gradient[bias->offset]) < 1e-14);
        rig_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(a_wrong_gradient_is_found),
        cmocka_unit_test(the_boundary_bias_has_no_gradient),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
