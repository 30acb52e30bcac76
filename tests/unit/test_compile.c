// CompILE: packed, padded and sorted batches, threads, test mode, the number of segments.
#include <math.h>
#include "compile_rig.h"
#include "models/compile_segment.h"

static const rig_shape SMALL = {.B = 37, .L = 14, .D = 7, .shortest = 2, .longest = 14};
static const char SETTINGS[] = "hidden=24 segments=4";

static void open_rig(rig *r, int threads, rig_shape shape, const char *settings) {
    slt_context *context;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = threads}, &context));
    rig_open(r, context, shape, settings);
    rig_start(r);
    rig_feed(r);
    rig_gradients(r);
}

static void close_rig(rig *r) {
    slt_context *context = r->context;
    rig_close(r);
    slt_context_destroy(context);
}

static void same_gradients(const rig *a, const rig *b) {
    double global = 0;
    for (size_t i = 0; i < a->store->size; i++)
        global += (double)a->store->gradient[i] * (double)a->store->gradient[i];
    global = sqrt(global);
    assert_true(global > 0.1);
    assert_true(fabs((double)(rig_loss(a) / rig_loss(b) - 1)) < 1e-5);
    for (int i = 0; i < a->store->count; i++) {
        const slt_real *x = slt_store_at(a->store, a->store->gradient, i, 0);
        const slt_real *y = slt_store_at(b->store, b->store->gradient, i, 0);
        for (size_t k = 0; k < rig_size(a, i); k++)
            if (!(fabs((double)(x[k] - y[k])) < 2e-6 * global))
                fail_msg("'%s'[%zu]: %.9g and %.9g", a->store->parameters[i].part[0].name, k,
                         (double)x[k], (double)y[k]);
    }
}

// without padding in boundaries and loss, padded positions change nothing
static void packed_equals_padded(void **state) {
    (void)state;
    static const char *const settings[] = {"hidden=24 segments=4",
                                           "hidden=24 segments=4 latent=concrete count=oracle",
                                           "hidden=24 segments=3 compile_enc=masked"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        rig packed, padded;
        rig_shape shape = SMALL;
        open_rig(&packed, 1, shape, settings[i]);
        shape.padded = true;
        open_rig(&padded, 1, shape, settings[i]);
        same_gradients(&packed, &padded);
        close_rig(&packed);
        close_rig(&padded);
    }
}

static void the_order_of_a_batch_changes_nothing(void **state) {
    (void)state;
    rig plain, sorted;
    rig_shape shape = SMALL;
    open_rig(&plain, 1, shape, SETTINGS);
    shape.sorted = true;
    open_rig(&sorted, 1, shape, SETTINGS);
    const slt_batch *batch = &slt_tape_frame(sorted.tape, 0)->batch;
    assert_true(batch->index[0] != 0);
    same_gradients(&plain, &sorted);
    close_rig(&plain);
    close_rig(&sorted);
}

static void padding_takes_part_when_asked(void **state) {
    (void)state;
    rig without, with;
    rig_shape shape = SMALL;
    shape.padded = true;
    open_rig(&without, 1, shape, SETTINGS);
    open_rig(&with, 1, shape, "hidden=24 segments=4 boundary_pad=include");
    assert_true(fabs((double)(rig_loss(&with) / rig_loss(&without) - 1)) > 1e-2);
    close_rig(&without);
    close_rig(&with);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    rig alone, many;
    open_rig(&alone, 1, SMALL, SETTINGS);
    for (int threads = 2; threads <= 3; threads++) {
        open_rig(&many, threads, SMALL, SETTINGS);
        assert_memory_equal(alone.store->gradient, many.store->gradient,
                            alone.store->size * sizeof(slt_real));
        close_rig(&many);
    }
    close_rig(&alone);
}

// ---- test mode

// shares of every position and segment of trajectory b
static const slt_real *shares_of(const rig *r, int b) {
    const slt_batch *batch = &slt_tape_frame(r->tape, 0)->batch;
    return slt_tape_value(r->tape, 0, r->model.shares) +
           (size_t)r->options.segments * (size_t)batch->offset[b];
}

static void without_noise_segments_are_hard(void **state) {
    (void)state;
    rig r;
    open_rig(&r, 1, SMALL, SETTINGS);
    slt_tape_frame(r.tape, 0)->step.noise = 0;
    CHECK_OK(slt_tape_forward(r.tape));
    const slt_batch *batch = &slt_tape_frame(r.tape, 0)->batch;
    int N = (int)r.options.segments, several = 0;
    for (int b = 0; b < batch->count; b++) {
        int C = slt_batch_computed(batch, b), T = batch->length[b];
        const slt_real *shares = shares_of(&r, b);
        for (int l = 0; l < T; l++) {
            double sum = 0;
            for (int k = 0; k < N; k++) {
                double share = (double)shares[k * C + l];
                assert_true(share < 1e-15 || share == 1);
                sum += share;
                several += k > 0 && share == 1;
            }
            // every real step belongs to somebody, DONE to nobody
            assert_true(fabs(sum - (l + 1 < T)) < 1e-15);
        }
    }
    assert_true(several > 0);
    close_rig(&r);
}

// with compile_last=oracle no segment after the true number has a share
static void the_oracle_ends_the_last_segment(void **state) {
    (void)state;
    rig r;
    open_rig(&r, 1, SMALL, "hidden=24 segments=4 count=oracle compile_last=oracle");
    const slt_frame *frame = slt_tape_frame(r.tape, 0);
    const slt_batch *batch = &frame->batch;
    const int32_t *counts = frame->feed[r.model.counts];
    int fewer = 0;
    for (int b = 0; b < batch->count; b++) {
        int C = slt_batch_computed(batch, b), T = batch->length[b];
        for (int l = 0; l + 1 < T; l++) {
            double sum = 0;
            for (int k = 0; k < counts[b]; k++) sum += (double)shares_of(&r, b)[k * C + l];
            assert_true(fabs(sum - 1) < 1e-5);
        }
        fewer += counts[b] < 4;
    }
    assert_true(fewer > 0);
    close_rig(&r);
}

// ---- numbers of segments

static void counts_by_hand(void **state) {
    (void)state;
    // five steps and DONE; two passes choose, the third is the last. Weights of softmax as powers
    double half = log(0.5), none = -40;
    slt_real logits[12] = {0, 0, 0, 0, 0, 0, /* */ 0, 0, 0, 0, 0, 0};
    for (int l = 0; l < 12; l++) logits[l] = (slt_real)none;
    // pass 1: position 2 with 2/3, DONE (5) with 1/3; pass 2: position 1 and 4 with 1/2 each
    logits[2] = 0;
    logits[5] = (slt_real)half;
    logits[6 + 1] = logits[6 + 4] = 0;
    slt_compile_scores scores = {logits, 6, 6, 3};
    double counts[3];
    slt_compile_counts(&scores, 5, counts);
    // 1: the first pass halts. 2: it opens, the second goes back. 3: both open
    assert_true(fabs(counts[0] - 1.0 / 3) < 1e-6);
    assert_true(fabs(counts[1] - 1.0 / 3) < 1e-6);
    assert_true(fabs(counts[2] - 1.0 / 3) < 1e-6);
    assert_true(fabs((double)slt_compile_confidence(&scores, 0, 3) - 2.0 / 3) < 1e-6);
    assert_true(fabs((double)slt_compile_confidence(&scores, 1, 3) - 0.5) < 1e-6);
    assert_true(slt_compile_confidence(&scores, 2, 3) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_equals_padded),
        cmocka_unit_test(the_order_of_a_batch_changes_nothing),
        cmocka_unit_test(padding_takes_part_when_asked),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(without_noise_segments_are_hard),
        cmocka_unit_test(the_oracle_ends_the_last_segment),
        cmocka_unit_test(counts_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
