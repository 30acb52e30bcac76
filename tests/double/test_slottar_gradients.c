// The whole of SloTTAr against central differences of its own loss, in double: every switch that
// changes the equations, packed and padded.
//
// Not here: slot_pad=reference on a padded batch, whose forward is deliberately not what its
// backward differentiates (slot_attention.c).
#include "slottar_rig.h"
#include "model_differences.h"
#include "group_context.h"

static const rig_shape PACKED = {.B = 3, .L = 7, .K = 3, .D = 4, .shortest = 3, .longest = 7};
static const rig_shape PADDED = {
    .B = 3, .L = 6, .K = 2, .D = 4, .shortest = 3, .longest = 6, .padded = true};
static const rig_shape BITS = {
    .B = 2, .L = 5, .K = 2, .D = 9, .shortest = 3, .longest = 5, .bits = true};
static const rig_shape BLIND = {.B = 3, .L = 6, .K = 2, .D = 0, .shortest = 2, .longest = 6};

static const rig_shape VECTORS = {
    .B = 3, .L = 7, .K = 3, .D = 4, .shortest = 3, .longest = 7, .vectors = true};
static const rig_shape BLIND_VECTORS = {
    .B = 3, .L = 6, .K = 2, .D = 0, .shortest = 2, .longest = 6, .padded = true, .vectors = true};

static const struct {
    const char *settings; // of the options, one after the other
    const rig_shape *shape;
} VARIANTS[] = {
    {"decoder_pairing=none", &PACKED},
    {"decoder_pairing=own", &PACKED},
    {"decoder_pairing=reference", &PACKED},
    {"decoder_pairing=own joint_norm=off", &PADDED},
    {"decoder_pairing=reference end_pad=include", &PADDED},
    {"pre_slot_mlp=off pe_scale=one", &PACKED},
    {"slot_mlp_mult=one iterations=2", &PACKED},
    {"layers=2 decoder_pairing=own", &PADDED},
    {"layers=2 decoder_pairing=own dropout=0.4", &PADDED},
    {"decoder_pairing=own", &BITS},
    {"decoder_pairing=own", &BLIND},
    {"decoder_pairing=own", &VECTORS},
    {"decoder_pairing=none", &BLIND_VECTORS},
};

static void set_options(rig *r, const char *settings) {
    const slt_options tables[] = {{slt_slottar_rows(), &r->options}, {NULL, NULL}};
    char text[128], *rest = text;
    snprintf(text, sizeof text, "hidden=6 heads=2 slot_size=5 %s", settings);
    for (char *one; (one = strsep(&rest, " "));) CHECK_OK(slt_options_set(tables, one));
}

// constant initial values would leave parts of the equations out
static void shake(rig *r) {
    for (size_t i = 0; i < r->store->size; i++) {
        uint32_t word = slt_random_words(1, SLT_RANDOM_TEST, i, 77).word[0];
        r->store->value[i] += 0.3 * (2 * (double)slt_random_unit(word) - 1);
    }
}

static void open_variant(rig *r, int variant) {
    rig_defaults(r, *VARIANTS[variant].shape);
    set_options(r, VARIANTS[variant].settings);
    rig_build(r, context);
    rig_start(r, 0, 3);
    rig_feed(r, 0, 6);
    slt_tape_frame(r->tape, 0)->step.weight[SLT_SLOTTAR_BETA] = 0.7;
    shake(r);
    rig_poison(r);
    rig_gradients(r);
}

static void gradients_agree_with_differences(void **state) {
    (void)state;
    for (int v = 0; v < (int)(sizeof VARIANTS / sizeof *VARIANTS); v++) {
        rig r;
        open_variant(&r, v);
        assert_true(differences_agree(r.tape, VARIANTS[v].settings) > 30);
        rig_destroy(&r);
    }
}

static void a_wrong_gradient_is_found(void **state) {
    (void)state;
    rig r;
    open_variant(&r, 0);
    differences_fail(r.tape, "slot.mu");
    rig_destroy(&r);
}

// columns kept at zero have a gradient of zero but for rounding: Adam must not be fed with noise
static void zero_columns_have_no_gradient(void **state) {
    (void)state;
    for (int v = 0; v < (int)(sizeof VARIANTS / sizeof *VARIANTS); v++) {
        rig r;
        open_variant(&r, v);
        int seen = 0;
        for (int i = 0; i < r.store->count; i++) {
            const slt_parameter *p = &r.store->parameters[i];
            const slt_real *gradient = r.store->gradient + p->offset;
            for (int k = 0, end = 0; k < p->parts; k++) {
                end += p->part[k].columns;
                for (int c = end - p->part[k].zero_columns; c < end; c++, seen++)
                    assert_true(fabs(gradient[c]) < 1e-14);
            }
        }
        assert_true(seen > 10);
        rig_destroy(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(a_wrong_gradient_is_found),
        cmocka_unit_test(zero_columns_have_no_gradient),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
