// The whole of slottar-mdl against central differences of its own loss, in double: every head, free
// and paid cuts, packed and padded.
#include "mdl_rig.h"
#include "model_differences.h"
#include "group_context.h"

static const struct {
    const char *settings;
    bool padded;
} VARIANTS[] = {
    {"boundary_input=action code=2", false},
    {"boundary_input=context code=2", true},
    {"boundary_input=action", false},
    {"boundary_input=action boundaries=coded", true},
    {"boundary_input=joint", false},
    {"boundary_input=joint", true},
    {"boundary_input=context boundaries=coded", false},
    {"boundary_input=context gamma=0", true},
    {"boundary_input=joint exception_cost=1", false},
    {"boundary_input=context exception_cost=2", true},
};

static void open_both_ways(mdl_rig *r, const char *settings, bool padded) {
    mdl_open(r, context, settings, padded);
    CHECK_OK(slt_tape_forward(r->tape));
    CHECK_OK(slt_tape_backward(r->tape));
}

static void gradients_agree_with_differences(void **state) {
    (void)state;
    for (size_t v = 0; v < sizeof VARIANTS / sizeof *VARIANTS; v++) {
        mdl_rig r;
        open_both_ways(&r, VARIANTS[v].settings, VARIANTS[v].padded);
        assert_true(differences_agree(r.tape, VARIANTS[v].settings) > 10);
        mdl_close(&r);
    }
}

static void a_wrong_gradient_is_found(void **state) {
    (void)state;
    mdl_rig r;
    open_both_ways(&r, "boundary_input=action", false);
    differences_fail(r.tape, "end.embedding");
    mdl_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(a_wrong_gradient_is_found),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
