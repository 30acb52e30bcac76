// Packed, padded and sorted batches: the same loss and gradients but for rounding, and the same
// noise for every trajectory.
#include <math.h>
#include "ops/common/dropout.h"
#include "slottar_rig.h"
#include "group_context.h"

static double dropout; // its rate

static void open_rig(rig *r, rig_shape shape, slt_decoder_pairing pairing) {
    rig_defaults(r, shape);
    r->options.dropout = dropout;
    r->options.decoder_pairing = pairing;
    rig_build(r, context);
    rig_start(r, 0, 3);
    rig_feed(r, 0, 17);
    rig_poison(r);
    rig_gradients(r);
}

static double largest(const slt_real *x, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs((double)x[i]) > most) most = fabs((double)x[i]);
    return most;
}

static double global_norm(const rig *r) {
    double sum = 0;
    for (size_t i = 0; i < r->store->size; i++)
        sum += (double)r->store->gradient[i] * (double)r->store->gradient[i];
    return sqrt(sum);
}

static void same_gradients(const rig *a, const rig *b) {
    double least = 1e-4 * global_norm(a);
    assert_true(least > 0);
    for (int i = 0; i < a->store->count; i++) {
        const slt_real *x = slt_store_at(a->store, a->store->gradient, i, 0);
        const slt_real *y = slt_store_at(b->store, b->store->gradient, i, 0);
        double scale = fmax(largest(x, rig_size(a, i)), least);
        for (size_t k = 0; k < rig_size(a, i); k++)
            if (!(fabs((double)x[k] - (double)y[k]) <= 1e-5 * scale))
                fail_msg("'%s'[%zu]: %.9g and %.9g", a->store->parameters[i].part[0].name, k,
                         (double)x[k], (double)y[k]);
    }
    assert_true(fabs((double)(rig_loss(a, 0) - rig_loss(b, 0))) < 1e-5);
}

static void compare_packed(rig_shape shape, slt_decoder_pairing pairing) {
    rig packed, padded;
    open_rig(&packed, shape, pairing);
    shape.padded = true;
    open_rig(&padded, shape, pairing);
    const slt_batch *one = &packed.tape->frames[0].batch, *two = &padded.tape->frames[0].batch;
    assert_true(one->offset[one->count] < two->offset[two->count]);
    same_gradients(&packed, &padded);
    rig_destroy(&packed);
    rig_destroy(&padded);
}

static void packed_equals_padded(void **state) {
    (void)state;
    compare_packed(rig_small(), SLT_PAIRING_NONE);
    compare_packed(rig_small(), SLT_PAIRING_OWN);
}

// a companion may be longer than what a packed sequence computes; its keys end there (engine.md),
// so the two agree where no companion is longer than the first position after the end
static void packed_equals_padded_with_companions(void **state) {
    (void)state;
    rig_shape shape = rig_small();
    shape.shortest = 8;
    shape.longest = 9;
    compare_packed(shape, SLT_PAIRING_REFERENCE);
}

static void the_order_of_a_batch_changes_nothing(void **state) {
    (void)state;
    for (int pairing = SLT_PAIRING_NONE; pairing <= SLT_PAIRING_REFERENCE; pairing++) {
        rig plain, sorted;
        rig_shape shape = rig_small();
        open_rig(&plain, shape, (slt_decoder_pairing)pairing);
        shape.sorted = true;
        open_rig(&sorted, shape, (slt_decoder_pairing)pairing);
        const int32_t *index = sorted.tape->frames[0].batch.index;
        size_t width = (size_t)(plain.options.slots * plain.options.slot_size), moved = 0;
        const slt_real *noise = slt_tape_value(plain.tape, 0, plain.model.noise);
        const slt_real *other = slt_tape_value(sorted.tape, 0, sorted.model.noise);
        for (size_t b = 0; b < (size_t)shape.B; b++) {
            moved += (size_t)index[b] != b;
            assert_memory_equal(other + b * width, noise + (size_t)index[b] * width,
                                width * sizeof *noise);
        }
        assert_true(moved > 0);
        same_gradients(&plain, &sorted);
        rig_destroy(&plain);
        rig_destroy(&sorted);
    }
}

// numbers are dropped by their place in the unsorted batch
static void dropout_depends_on_neither(void **state) {
    dropout = 0.3;
    packed_equals_padded(state);
    packed_equals_padded_with_companions(state);
    the_order_of_a_batch_changes_nothing(state);
    dropout = 0;
}

// at test time, rate 0, nothing is dropped; in training other numbers in every step
static void dropout_is_for_training(void **state) {
    (void)state;
    rig plain, dropped;
    open_rig(&plain, rig_small(), SLT_PAIRING_OWN);
    dropout = 0.3;
    open_rig(&dropped, rig_small(), SLT_PAIRING_OWN);
    dropout = 0;
    slt_real without = rig_loss(&plain, 0), first = rig_loss(&dropped, 0);
    slt_step *step = &slt_tape_frame(dropped.tape, 0)->step;
    step->step++;
    CHECK_OK(slt_tape_forward(dropped.tape));
    assert_true(rig_loss(&dropped, 0) != first && first != without);
    step->step--;
    CHECK_OK(slt_tape_forward(dropped.tape));
    assert_true(rig_loss(&dropped, 0) == first);
    step->dropout = 0;
    CHECK_OK(slt_tape_forward(dropped.tape));
    assert_true(rig_loss(&dropped, 0) == without);
    rig_destroy(&plain);
    rig_destroy(&dropped);
}

// the share that is dropped is the rate, and the expectation stays
static void dropout_keeps_the_mean(void **state) {
    (void)state;
    enum { ROWS = 2000, WIDTH = 7 };
    int zeros = 0;
    double sum = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < WIDTH; c++) {
            float factor = slt_dropout_factor(3, 1, 0.25f, 1, (uint64_t)r, WIDTH, c);
            zeros += factor == 0;
            sum += (double)factor;
            assert_true(factor == 0 || fabs((double)factor - 1 / 0.75) < 1e-6);
        }
    assert_true(fabs(zeros / (double)(ROWS * WIDTH) - 0.25) < 0.02); // 5 standard deviations
    assert_true(fabs(sum / (ROWS * WIDTH) - 1) < 0.03);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_equals_padded),
        cmocka_unit_test(packed_equals_padded_with_companions),
        cmocka_unit_test(the_order_of_a_batch_changes_nothing),
        cmocka_unit_test(dropout_depends_on_neither),
        cmocka_unit_test(dropout_is_for_training),
        cmocka_unit_test(dropout_keeps_the_mean),
    };
    return cmocka_run_group_tests(tests, two_threads, no_context);
}
