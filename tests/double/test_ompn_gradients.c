// The whole of OMPN against central differences of its own loss, in double: depths, both memory
// rules, numbers and bits, packed and padded.
#include "model_differences.h"
#include "ompn_rig.h"
#include "group_context.h"

static const struct {
    const char *settings;
    bool padded, bits, vectors;
} VARIANTS[] = {
    {"depth=2", false, false, false},
    {"depth=3", true, false, false},
    {"depth=4 leaky_slope=0.01", false, true, false},
    {"depth=3 ompn_alias=on ln_eps=1e-2", false, false, false},
    {"depth=2", false, false, true},
    {"depth=3", true, false, true},
};

static void open_variant(ompn_rig *r, int v) {
    rig_defaults(r, VARIANTS[v].settings);
    r->B = 4;
    r->padded = VARIANTS[v].padded;
    r->bits = VARIANTS[v].bits;
    r->vectors = VARIANTS[v].vectors;
    rig_open(r, context);
    // constant initial values would leave parts of the equations out
    for (size_t i = 0; i < r->store->size; i++)
        r->store->value[i] += 0.4 * rig_unit(7, (int)i, 3) - 0.2;
    rig_gradients(r);
}

static void gradients_agree_with_differences(void **state) {
    (void)state;
    for (int v = 0; v < (int)(sizeof VARIANTS / sizeof *VARIANTS); v++) {
        ompn_rig r;
        open_variant(&r, v);
        int parts = differences_agree(r.tape, VARIANTS[v].settings);
        // of vectors the spread as well
        assert_int_equal(parts, 12 * (int)r.options.depth - 6 + 4 + 4 + r.vectors);
        rig_close(&r);
    }
}

static void a_wrong_gradient_is_found(void **state) {
    (void)state;
    ompn_rig r;
    open_variant(&r, 0);
    differences_fail(r.tape, "com0.l1.kernel");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(a_wrong_gradient_is_found),
        cmocka_unit_test(rows_of_the_task_have_no_gradient),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
