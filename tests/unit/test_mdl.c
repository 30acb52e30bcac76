// slottar-mdl: packed and padded batches agree, rounded ends, no look across a cut, answers.
#include <math.h>
#include "mdl_rig.h"
#include "group_context.h"

extern const slt_model_kind slt_model_mdl;

static void packed_and_padded_agree(void **state) {
    (void)state;
    const char *inputs[] = {"boundary_input=action",
                            "boundary_input=joint",
                            "boundary_input=context boundaries=coded",
                            "boundary_input=action code=3",
                            "boundary_input=joint exception_cost=1",
                            "boundary_input=auto exception_cost=0.5"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        mdl_rig packed, padded;
        mdl_open(&packed, context, inputs[i], false);
        mdl_open(&padded, context, inputs[i], true);
        assert_true(packed.offset[MDL_B] < padded.offset[MDL_B]);
        assert_true(fabs(mdl_loss(&packed) - mdl_loss(&padded)) < 1e-6);
        CHECK_OK(slt_tape_backward(packed.tape));
        CHECK_OK(slt_tape_backward(padded.tape));
        for (size_t k = 0; k < packed.store->size; k++)
            assert_true(fabsf(packed.store->gradient[k] - padded.store->gradient[k]) < 1e-5f);
        mdl_close(&packed);
        mdl_close(&padded);
    }
}

// ends of the symbols in `set`, far from the middle
static void set_ends(mdl_rig *r, unsigned set) {
    int own = slt_store_find(r->store, "end.symbol");
    slt_real *logit = slt_store_at(r->store, r->store->value, own, 0);
    for (int a = 0; a < MDL_SYMBOLS; a++) logit[a] = set >> a & 1 ? 60 : -60;
}

// what the decoder says after a cut does not depend on what was before it
static void nothing_is_seen_across_a_cut(void **state) {
    (void)state;
    mdl_rig r;
    slt_real before[2 * (MDL_SYMBOLS - 1)];
    size_t size = sizeof before / sizeof *before;
    mdl_open(&r, context, "window=6", false);
    set_ends(&r, 1u << 2);
    slt_tape_frame(r.tape, 0)->step.weight[SLT_MDL_ROUND] = 1;
    int C = r.length[0];
    assert_true(C >= 4);
    for (int l = 0; l < C; l++) r.actions[l] = l == 1 ? 2 : 0;
    // step 2, right after the cut: with rounded ends every step has one live row
    mdl_loss(&r);
    const slt_real *logits = slt_tape_value(r.tape, 0, r.model.logits);
    memcpy(before, logits + 2 * size, sizeof before);
    r.actions[0] = 1;
    mdl_loss(&r);
    for (size_t i = 0; i < size; i++) assert_true(fabsf(before[i] - logits[2 * size + i]) < 1e-4f);
    // without the cut it does
    r.actions[1] = 0;
    mdl_loss(&r);
    memcpy(before, logits + 2 * size, sizeof before);
    r.actions[0] = 0;
    mdl_loss(&r);
    slt_real most = 0;
    for (size_t i = 0; i < size; i++) most = fmaxf(most, fabsf(before[i] - logits[2 * size + i]));
    assert_true(most > 1e-3f);
    mdl_close(&r);
}

static void settled_ends_leave_one_row_per_step(void **state) {
    (void)state;
    mdl_rig r;
    mdl_open(&r, context, "boundary_input=action", true);
    mdl_loss(&r);
    int soft = slt_tape_frame(r.tape, 0)->live, steps = 0;
    for (int b = 0; b < MDL_B; b++) steps += r.length[b];
    set_ends(&r, 0);
    mdl_loss(&r);
    assert_true(soft > steps);
    assert_int_equal(slt_tape_frame(r.tape, 0)->live, steps);
    mdl_close(&r);
}

static void the_answer_counts_ends(void **state) {
    (void)state;
    mdl_rig r;
    int32_t ids[MDL_L];
    double counts[MDL_K];
    float confidence[MDL_L], ends[MDL_L];
    slt_segmentation s = {.ids = ids, .counts = counts, .confidence = confidence, .ends = ends};
    mdl_open(&r, context, "boundary_input=action", false);
    set_ends(&r, 1u << 2);
    for (int l = 0; l < r.length[0]; l++) r.actions[l] = l == 1 ? 2 : 0;
    mdl_loss(&r);
    slt_model_mdl.segment(r.tape, 0, &r.options, &r.model, 0, &s);
    assert_int_equal(s.length, r.length[0]);
    assert_true(counts[1] > 0.999);
    for (int l = 0; l < s.length; l++) assert_int_equal(ids[l], l > 1);
    assert_true(confidence[1] > 0.999f && confidence[0] == 0);
    assert_true(ends[0] < 1e-3f && ends[1] > 0.999f && ends[s.length - 1] > 0.999f);
    mdl_close(&r);
}

// rounding changes the loss of ends in the middle, and nothing where they are settled
static void rounding_is_for_unsettled_ends(void **state) {
    (void)state;
    mdl_rig r;
    mdl_open(&r, context, "boundary_input=action", false);
    slt_step *step = &slt_tape_frame(r.tape, 0)->step;
    double soft = mdl_loss(&r);
    step->weight[SLT_MDL_ROUND] = 1;
    assert_true(fabs(mdl_loss(&r) - soft) > 1e-3);
    set_ends(&r, 1u << 2);
    double settled = mdl_loss(&r);
    step->weight[SLT_MDL_ROUND] = 0;
    assert_true(fabs(mdl_loss(&r) - settled) < 1e-6);
    mdl_close(&r);
}

static void a_start_cuts_behind_its_symbols(void **state) {
    (void)state;
    mdl_rig r;
    const int32_t symbols[] = {1, 3};
    mdl_open(&r, context, "boundary_input=action spread=0.1", false);
    slt_model_mdl.start(r.store, 0, symbols, 2);
    mdl_loss(&r);
    const slt_real *ends = slt_tape_value(r.tape, 0, r.model.ends);
    for (int l = 0; l + 1 < r.length[0]; l++) {
        bool is_end = r.actions[l] == 1 || r.actions[l] == 3;
        assert_true((ends[l] > 0.5f) == is_end);
    }
    mdl_close(&r);
}

// ends that the action decides cost nothing, others do
static void exceptions_cost(void **state) {
    (void)state;
    mdl_rig r;
    mdl_open(&r, context, "boundary_input=joint exception_cost=1", false);
    slt_step *step = &slt_tape_frame(r.tape, 0)->step;
    double with = mdl_loss(&r);
    step->weight[SLT_MDL_EXCEPTIONS] = 0;
    assert_true(with - mdl_loss(&r) > 1e-3);
    set_ends(&r, 1u << 2);
    double without = mdl_loss(&r);
    step->weight[SLT_MDL_EXCEPTIONS] = 1;
    assert_true(fabs(mdl_loss(&r) - without) < 1e-5);
    mdl_close(&r);
}

// ends that see no effects
static void forget_effects(mdl_rig *r) {
    int out = slt_store_find(r->store, "end.effect.kernel");
    slt_real *w = slt_store_at(r->store, r->store->value, out, 0);
    for (int i = 0; i < r->store->parameters[out].rows; i++) w[i] = 0;
}

// nor do those that the effect decides: what ends say is less where effects tell them apart
static void effects_are_free(void **state) {
    (void)state;
    mdl_rig r;
    mdl_open(&r, context, "boundary_input=joint exception_cost=1", false);
    forget_effects(&r);
    memcpy(r.effects, r.actions, sizeof r.effects);
    double by_action = mdl_loss(&r);
    const slt_real *ends = slt_tape_value(r.tape, 0, r.model.ends);
    for (int i = 0; i < r.offset[MDL_B]; i++)
        r.effects[i] = r.actions[i] + (ends[i] > (slt_real)0.3 ? MDL_SYMBOLS : 0);
    assert_true(by_action - mdl_loss(&r) > 1e-3);
    mdl_close(&r);
}

// an effect moves the end of its step
static void ends_see_effects(void **state) {
    (void)state;
    const char *inputs[] = {"boundary_input=joint", "boundary_input=context",
                            "boundary_input=auto"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        mdl_rig r;
        mdl_open(&r, context, inputs[i], false);
        memcpy(r.effects, r.actions, sizeof r.effects);
        mdl_loss(&r);
        slt_real before = *slt_tape_value(r.tape, 0, r.model.ends);
        r.effects[0] += MDL_SYMBOLS;
        mdl_loss(&r);
        assert_true(fabsf(*slt_tape_value(r.tape, 0, r.model.ends) - before) > 1e-4f);
        mdl_close(&r);
    }
}

// without observations neither observation nor effect makes a difference, and nobody opens them in
// training
static void eyes_can_be_shut(void **state) {
    (void)state;
    mdl_rig r;
    mdl_open(&r, context, "boundary_input=auto exception_cost=1", false);
    for (int head = 0; head < 2; head++) {
        slt_model_mdl.set_input(r.store, 0, head);
        double before = mdl_loss(&r);
        for (int i = 0; i < MDL_D; i++) r.observations[i] += 1;
        assert_true((fabs(mdl_loss(&r) - before) > 1e-6) == (head == 1));
        double changed = mdl_loss(&r);
        r.effects[0] = r.actions[0] + (r.effects[0] < MDL_SYMBOLS ? MDL_SYMBOLS : 0);
        assert_true((fabs(mdl_loss(&r) - changed) > 1e-6) == (head == 1));
        CHECK_OK(slt_tape_backward(r.tape));
        int eyes = slt_store_find(r.store, "joint.eyes");
        assert_true(*slt_store_at(r.store, r.store->gradient, eyes, 0) == 0);
        assert_int_equal(slt_model_mdl.get_input(r.store, 0), head);
    }
    mdl_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_and_padded_agree),
        cmocka_unit_test(nothing_is_seen_across_a_cut),
        cmocka_unit_test(settled_ends_leave_one_row_per_step),
        cmocka_unit_test(the_answer_counts_ends),
        cmocka_unit_test(rounding_is_for_unsettled_ends),
        cmocka_unit_test(a_start_cuts_behind_its_symbols),
        cmocka_unit_test(exceptions_cost),
        cmocka_unit_test(effects_are_free),
        cmocka_unit_test(ends_see_effects),
        cmocka_unit_test(eyes_can_be_shut),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
