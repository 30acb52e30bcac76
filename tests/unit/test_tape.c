// Building a tape: the first mistake is kept with the operation and both shapes; frames that do not
// fit are refused; a tape can be looked at and measured.
#include <stdlib.h>
#include "core/file.h"
#include "ops/common/ops.h"
#include "slottar_rig.h"
#include "group_context.h"

static const slt_limits LIMITS = {.trajectories = 4, .tokens = 20, .slots = 2, .length = 8};

// a tape and its store; every test builds something wrong on it
typedef struct {
    slt_store *store;
    slt_tape *tape;
} bench_tape;

static bench_tape open_tape(void) {
    bench_tape t;
    CHECK_OK(slt_store_create(context, 1, &t.store));
    CHECK_OK(slt_tape_create(t.store, LIMITS, &t.tape));
    return t;
}

static void close_tape(bench_tape *t) {
    slt_tape_destroy(t->tape);
    slt_store_destroy(t->store);
}

static slt_var numbers(slt_tape *tape, slt_space space, int rows, int width) {
    return slt_tape_input(tape, SLT_NUMBERS, (slt_shape){space, rows, width}, "x");
}

static void a_wrong_shape_names_operation_and_shapes(void **state) {
    (void)state;
    bench_tape t = open_tape();
    slt_var x = numbers(t.tape, SLT_TOKENS, 0, 3), w = numbers(t.tape, SLT_FIXED, 4, 5);
    assert_int_equal(slt_dense(t.tape, x, w, 0, SLT_LINEAR), 0);
    assert_true(slt_tape_failed(t.tape));
    // what follows does nothing and changes no message
    assert_int_equal(slt_add(t.tape, x, w), 0);
    CHECK_OK(slt_store_finish(t.store));
    CHECK_FAILS(SLT_SHAPE, "dense: inputs 0 [tokens, 3] and 1 [4, 5] do not fit",
                slt_tape_finish(t.tape, 0, false));
    close_tape(&t);
}

static void other_mistakes_are_named(void **state) {
    (void)state;
    bench_tape t = open_tape();
    slt_var x = numbers(t.tape, SLT_TOKENS, 0, 3);
    slt_embed(t.tape, x, numbers(t.tape, SLT_FIXED, 4, 5));
    CHECK_OK(slt_store_finish(t.store));
    CHECK_FAILS(SLT_SHAPE, "embed: input 0 holds numbers, wanted integers",
                slt_tape_finish(t.tape, 0, false));
    close_tape(&t);

    t = open_tape();
    slt_softmax(t.tape, 0);
    CHECK_OK(slt_store_finish(t.store));
    CHECK_FAILS(SLT_INVALID, "softmax: input 0 is missing", slt_tape_finish(t.tape, 0, false));
    close_tape(&t);

    t = open_tape();
    x = numbers(t.tape, SLT_TOKENS, 0, 3);
    CHECK_OK(slt_store_finish(t.store));
    CHECK_FAILS(SLT_SHAPE, "the loss has shape [tokens, 3], not [1, 1]",
                slt_tape_finish(t.tape, x, false));
    close_tape(&t);
}

static void parts_of_a_parameter_must_not_overlap(void **state) {
    (void)state;
    bench_tape t = open_tape();
    slt_part part = {"joint.kernel", 3, {SLT_INIT_CONSTANT, 0}, 0};
    int number = slt_tape_number(t.tape, 6, &part, 1);
    slt_var top = slt_tape_parameter_rows(t.tape, number, 0, 4);
    assert_int_equal(slt_tape_parameter_rows(t.tape, number, 0, 4), top);
    assert_true(slt_tape_parameter_rows(t.tape, number, 4, 2) > 0);
    assert_int_equal(slt_tape_parameter_rows(t.tape, number, 3, 2), 0);
    CHECK_OK(slt_store_finish(t.store));
    CHECK_FAILS(SLT_SHAPE, "parameter 'joint.kernel': two uses overlap",
                slt_tape_finish(t.tape, 0, false));
    close_tape(&t);

    t = open_tape();
    number = slt_tape_number(t.tape, 6, &part, 1);
    slt_tape_parameter_rows(t.tape, number, 4, 3);
    CHECK_OK(slt_store_finish(t.store));
    CHECK_FAILS(SLT_SHAPE, "has 6 rows, not 3 from row 4", slt_tape_finish(t.tape, 0, false));
    close_tape(&t);
}

// ---- frames

static void frames_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const int32_t offset[] = {0, 6, 11, 21, 22, 23}, length[] = {6, 5, 8, 1, 1};
    static const int32_t short_offset[] = {0, 6}, index[] = {0, 1, 2, 3, 4};
    static const int32_t long_offset[] = {0, 9}, none[] = {-1, -1, -1, -1}, far[] = {0, 4};
    bench_tape t = open_tape();
    slt_var slots = slt_tape_input(t.tape, SLT_NUMBERS, (slt_shape){SLT_SLOTS, 0, 3}, "slots");
    slt_join_slots(t.tape, slots, 0);
    CHECK_OK(slt_store_finish(t.store));
    CHECK_OK(slt_tape_finish(t.tape, 0, false));

    slt_batch *batch = &slt_tape_frame(t.tape, 0)->batch;
    *batch = (slt_batch){1, short_offset, length, index, none, 6};
    CHECK_FAILS(SLT_INVALID, "input 'slots' was not fed", slt_tape_forward(t.tape));
    float values[2 * 3] = {0};
    slt_tape_feed(t.tape, 0, slots, values);
    CHECK_OK(slt_tape_forward(t.tape));
    CHECK_FAILS(SLT_INVALID, "no loss", slt_tape_backward(t.tape));

    *batch = (slt_batch){5, offset, length, index, none, 21};
    CHECK_FAILS(SLT_RANGE, "5 trajectories on a tape for 4", slt_tape_forward(t.tape));
    *batch = (slt_batch){3, offset, length, index, none, 19};
    CHECK_FAILS(SLT_RANGE, "21 tokens on a tape for 20", slt_tape_forward(t.tape));
    *batch = (slt_batch){1, long_offset, length, index, none, 6};
    CHECK_FAILS(SLT_RANGE, "9 positions, 6 true, on a tape for 8", slt_tape_forward(t.tape));
    *batch = (slt_batch){1, short_offset, length, index, far, 6};
    CHECK_FAILS(SLT_RANGE, "companion 4 of 1", slt_tape_forward(t.tape));
    *batch = (slt_batch){1, short_offset, length, index, NULL, 6};
    CHECK_FAILS(SLT_INVALID, "without companions", slt_tape_forward(t.tape));
    *batch = (slt_batch){1, short_offset, length, index, none, 0};
    CHECK_FAILS(SLT_RANGE, "0 true tokens", slt_tape_forward(t.tape));
    close_tape(&t);
}

// ---- looking at a tape

static int lines_with(const char *path, const char *words) {
    char line[1024];
    int count = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) count += strstr(line, words) != NULL;
    fclose(file);
    return count;
}

static void a_tape_can_be_read(void **state) {
    (void)state;
    rig r;
    rig_defaults(&r, rig_small());
    rig_build(&r, context);
    CHECK_OK(slt_tape_dump(r.tape, "tape.txt", false));
    CHECK_OK(slt_tape_dump(r.tape, "tape.dot", true));
    assert_int_equal(lines_with("tape.txt", " = "), r.tape->node_count);
    assert_int_equal(lines_with("tape.txt", "[slot tokens, 72] = spread_slots("), 1);
    assert_int_equal(lines_with("tape.txt", "forward only"), 1); // the noise
    assert_int_equal(lines_with("tape.txt", " = prefix_xent("), 1);
    assert_true(lines_with("tape.dot", " -> ") > r.tape->node_count);
    assert_int_equal(lines_with("tape.dot", "label=\"prefix_xent"), 1);
    if (system("command -v dot >/dev/null") == 0) {
        assert_int_equal(system("dot -Tsvg tape.dot -o tape.svg"), 0);
        assert_true(lines_with("tape.svg", ">prefix_xent<") > 0);
    }
    CHECK_FAILS(SLT_IO, "no/such/folder", slt_tape_dump(r.tape, "no/such/folder/tape", false));
    rig_destroy(&r);
}

static void a_tape_can_be_measured(void **state) {
    (void)state;
    enum { ROOM = 64 };
    slt_profile_row rows[ROOM];
    rig r;
    rig_defaults(&r, rig_small());
    rig_build(&r, context);
    rig_start(&r, 0, 3);
    rig_feed(&r, 0, 1);
    assert_int_equal(slt_tape_profile_rows(r.tape, rows, ROOM), 0);
    CHECK_OK(slt_tape_profile_start(r.tape));
    rig_step(&r);
    int count = slt_tape_profile_rows(r.tape, rows, ROOM), nodes = 0;
    double flops = 0;
    for (int i = 0; i < count; i++) {
        nodes += rows[i].nodes;
        flops += rows[i].flops;
        assert_true(rows[i].forward > 0);
        assert_true(rows[i].backward > 0 || strcmp(rows[i].op, "noise") == 0);
        if (i)
            assert_true(rows[i].forward + rows[i].backward <=
                        rows[i - 1].forward + rows[i - 1].backward);
    }
    assert_int_equal(nodes, r.tape->node_count);
    double want = slt_tape_flops(r.tape, false) + slt_tape_flops(r.tape, true);
    assert_true(want > 1e6 && flops > 0.999999 * want && flops < 1.000001 * want);
    CHECK_OK(slt_tape_profile_start(r.tape));
    slt_tape_profile_rows(r.tape, rows, ROOM);
    assert_true(rows[0].forward == 0);
    rig_destroy(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_shape_names_operation_and_shapes),
        cmocka_unit_test(other_mistakes_are_named),
        cmocka_unit_test(parts_of_a_parameter_must_not_overlap),
        cmocka_unit_test(frames_that_do_not_fit_are_refused),
        cmocka_unit_test(a_tape_can_be_read),
        cmocka_unit_test(a_tape_can_be_measured),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
