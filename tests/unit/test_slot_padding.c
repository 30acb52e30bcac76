// Padded positions in slot attention, as the float32 reference has them: -1e9 is added to their
// logits before the softmax over slots. Small logits become equal, large ones a hard choice.
#include <math.h>
#include "check.h"
#include "engine/tape_impl.h"
#include "ops/common/ops.h"
#include "ops/common/probe.h"

enum { SLOTS = 3, WIDTH = 4, LENGTH = 6 };

static double spread; // of queries and keys
static slt_var queries, keys, update;

static slt_var make(slt_probe *probe) {
    queries = slt_probe_numbers(probe, SLT_SLOTS, 0, WIDTH, -spread, spread);
    keys = slt_probe_numbers(probe, SLT_TOKENS, 0, 2 * WIDTH, -spread, spread);
    update = slt_slot_attention(slt_probe_tape(probe), queries, keys, true);
    slt_tape_keep(slt_probe_tape(probe), update + 1);
    return update;
}

// the reference's own arithmetic
static void reference(const float *q, const float *key, float *p) {
    float z[SLOTS], most, sum = 0;
    for (int k = 0; k < SLOTS; k++) {
        z[k] = 0;
        for (int c = 0; c < WIDTH; c++) z[k] += q[k * WIDTH + c] * key[c];
        volatile float shifted = z[k] / sqrtf(WIDTH) + -1e9f;
        z[k] = shifted;
    }
    most = fmaxf(z[0], fmaxf(z[1], z[2]));
    for (int k = 0; k < SLOTS; k++) sum += p[k] = expf(z[k] - most);
    for (int k = 0; k < SLOTS; k++) p[k] = p[k] / sum + 1e-8f;
}

// largest difference on padded positions, and the largest weight there
static float compare(double chosen, float *largest) {
    slt_context *context;
    slt_probe probe;
    CHECK_OK(slt_context_create(NULL, &context));
    slt_probe_batch batch = {.trajectories = 4,
                             .slots = SLOTS,
                             .length = LENGTH,
                             .padded = true,
                             .mean = 2,
                             .sd = 1,
                             .seed = 5};
    spread = chosen;
    CHECK_OK(slt_probe_init(&probe, context, batch, make));
    CHECK_OK(slt_tape_forward(probe.tape));
    const slt_batch *b = &slt_tape_frame(probe.tape, 0)->batch;
    const float *q = slt_tape_value(probe.tape, 0, queries);
    const float *kv = slt_tape_value(probe.tape, 0, keys);
    const float *attention = slt_tape_value(probe.tape, 0, update + 1);
    float worst = 0;
    *largest = 0;
    for (int i = 0; i < b->count; i++)
        for (int l = b->length[i]; l < LENGTH; l++) {
            float p[SLOTS];
            int row = i * LENGTH + l;
            reference(q + i * SLOTS * WIDTH, kv + row * 2 * WIDTH, p);
            for (int k = 0; k < SLOTS; k++) {
                worst = fmaxf(worst, fabsf(p[k] - attention[row * SLOTS + k]));
                *largest = fmaxf(*largest, attention[row * SLOTS + k]);
            }
        }
    slt_probe_deinit(&probe);
    slt_context_destroy(context);
    return worst;
}

static void small_logits_are_shared_out_evenly(void **state) {
    (void)state;
    float largest;
    assert_true(compare(1, &largest) < 1e-6f);
    assert_true(fabsf(largest - 1.0f / SLOTS) < 1e-6f);
}

static void large_logits_are_a_hard_choice(void **state) {
    (void)state;
    float largest;
    assert_true(compare(20, &largest) < 1e-6f);
    assert_true(largest > 0.99f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_logits_are_shared_out_evenly),
        cmocka_unit_test(large_logits_are_a_hard_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
