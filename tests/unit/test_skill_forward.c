// The network of skills made for acting: sums that follow an observation are those of a fresh
// start, bit for bit, and logits are those of the plain network, whose first layer is rounded.
#include <math.h>
#include "check.h"
#include "core/philox.h"
#include "skills/flag_bits.h"
#include "skills/skill_forward.h"
#include "skills/skills_impl.h"

enum { SIZE = 333, HIDDEN = 72, HEADS = 3, MOST_OUTPUTS = HEADS * 21, STEPS = 200 };

static slt_arena arena;

static int open_arena(void **state) {
    (void)state;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    return 0;
}

static int close_arena(void **state) {
    (void)state;
    slt_arena_deinit(&arena);
    return 0;
}

static uint32_t word(uint64_t index, uint32_t step) {
    return slt_random_words(1, SLT_RANDOM_TEST, index, step).word[0];
}

// numbers with 1 to 4 levels
static slt_skill_code make_code(void) {
    slt_skill_code code = {.size = SIZE};
    CHECK_OK(SLT_NEW(&arena, &code.levels, SIZE));
    for (int i = 0; i < SIZE; i++) code.levels[i] = (uint16_t)(1 + i % 4);
    CHECK_OK(slt_skill_code_lay(&code, &arena));
    return code;
}

static slt_skill_net make_net(int inputs, int outputs, double scale) {
    slt_skill_net net;
    CHECK_OK(slt_skill_net_init(&net, &arena, (slt_skill_shape){inputs, HIDDEN, outputs}));
    for (int part = 0; part < SLT_SKILL_PARTS; part++) {
        slt_skill_matrix m = slt_skill_part(net.shape, part);
        for (int k = 0; k < m.rows * m.columns; k++)
            net.part[part][k] =
                (float)(scale * ((double)slt_random_unit(word((uint64_t)k, (uint32_t)part)) - 0.5));
    }
    return net;
}

// some numbers change, beyond their levels, too
static void change(uint8_t *numbers, int step) {
    for (int i = 0; i < SIZE; i++) {
        uint32_t drawn = word((uint64_t)i, (uint32_t)(step + 100));
        if (drawn % 10 == 0) numbers[i] = (uint8_t)((drawn >> 8) % 6);
    }
}

// heads of some outputs
static void follow(int head) {
    slt_skill_code code = make_code();
    slt_skill_net net = make_net(code.width, HEADS * head, 0.4);
    slt_skill_packed packed;
    slt_skill_sums fresh, sums;
    slt_skill_change differ;
    uint8_t before[SIZE] = {0}, after[SIZE] = {0};
    uint16_t ones[SIZE];
    float logits[SLT_SKILL_HEAD], plain[MOST_OUTPUTS];
    slt_skill_net_round(&net);
    CHECK_OK(slt_skill_pack(&packed, &arena, &net, head));
    slt_skill_sums_begin(&packed, &sums);
    for (int t = 0; t < STEPS; t++) {
        change(after, t);
        slt_skill_changes(&code, before, after, &differ);
        assert_memory_equal(before, after, SIZE);
        slt_skill_sums_change(&packed, differ.came, differ.came_count, differ.went,
                              differ.went_count, &sums);
        int64_t count = slt_skill_encode(&code, after, ones);
        slt_skill_sums_begin(&packed, &fresh);
        slt_skill_sums_change(&packed, ones, count, NULL, 0, &fresh);
        assert_memory_equal(sums.of, fresh.of, packed.hidden * sizeof *sums.of);
        slt_skill_decide(&packed, &sums, t % HEADS, logits);
        slt_skill_think(&net, ones, count, plain);
        for (int k = 0; k < head; k++) {
            float wanted = plain[t % HEADS * head + k];
            if (!(fabsf(logits[k] - wanted) < 1e-4f * (1 + fabsf(wanted))))
                fail_msg("step %d, output %d of %d: %g, plain %g", t, k, head, (double)logits[k],
                         (double)wanted);
        }
    }
    assert_true(differ.came_count > 5 && differ.went_count > 5);
}

static void follows_the_view(void **state) {
    (void)state;
    static const int heads[] = {3, 8, 12, 14, 21};
    for (int i = 0; i < 5; i++) follow(heads[i]);
}

// rounded weights are near, and stay as they are when rounded again
static void rounds_once(void **state) {
    (void)state;
    enum { INPUTS = 50 };
    slt_skill_net net = make_net(INPUTS, HEADS, 3), rounded = make_net(INPUTS, HEADS, 3);
    float again[INPUTS * HIDDEN];
    slt_skill_net_round(&rounded);
    memcpy(again, rounded.part[0], sizeof again);
    slt_skill_net_round(&rounded);
    assert_memory_equal(again, rounded.part[0], sizeof again);
    int different = 0;
    for (int k = 0; k < INPUTS * HIDDEN; k++) {
        assert_true(fabsf(again[k] - net.part[0][k]) <= 0x1p-15f);
        different += again[k] != net.part[0][k];
    }
    assert_true(different > INPUTS * HIDDEN / 2);
}

// few and many numbers, the last ones too
static void finds_differences(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 63, 64, 65, 200, 256};
    uint8_t before[256] = {0}, after[256];
    for (int s = 0; s < 6; s++)
        for (int64_t at = 0; at < sizes[s]; at++) {
            memcpy(after, before, sizeof after);
            after[at] = 3;
            for (int64_t i = 0; i < sizes[s]; i += SLT_FLAGS) {
                uint64_t wanted = at / SLT_FLAGS == i / SLT_FLAGS ? UINT64_C(1) << at % 64 : 0;
                assert_true(slt_differences(before, after, i, sizes[s]) == wanted);
            }
        }
}

// a file may hold any finite weights: sums do not overflow, small ones do not vanish
static void any_weights(void **state) {
    (void)state;
    static const double scales[] = {1e-25, 1e-3, 1e6, 1e30};
    slt_skill_code code = make_code();
    uint16_t all[1024];
    for (int i = 0; i < code.width; i++) all[i] = (uint16_t)i;
    for (int s = 0; s < 4; s++) {
        slt_skill_net net = make_net(code.width, HEADS, scales[s]);
        slt_skill_packed packed;
        slt_skill_sums sums;
        slt_skill_net_round(&net);
        CHECK_OK(slt_skill_pack(&packed, &arena, &net, 1));
        slt_skill_sums_begin(&packed, &sums);
        slt_skill_sums_change(&packed, all, code.width, NULL, 0, &sums);
        for (int k = 0; k < HIDDEN; k++) {
            double sum = (double)net.part[1][k], size = fabs(sum);
            for (int i = 0; i < code.width; i++) {
                sum += (double)net.part[0][i * HIDDEN + k];
                size += fabs((double)net.part[0][i * HIDDEN + k]);
            }
            assert_true(fabs((double)sums.of[k] * (double)packed.unit[k] - sum) < 1e-6 * size);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_view),
        cmocka_unit_test(rounds_once),
        cmocka_unit_test(finds_differences),
        cmocka_unit_test(any_weights),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
