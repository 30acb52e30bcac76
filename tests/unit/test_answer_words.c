// What sets answers of a vote apart, in words: actions where they tell, else numbers.
#include <string.h>
#include "check.h"
#include "segmenter/segmenter_impl.h"

enum { STEPS = 40, LENGTH = 10 };

static const char *const names[] = {"left", "toggle", "drop"};
static const int64_t offsets[] = {0, 10, 20, 30, STEPS};
static uint16_t symbol[STEPS];
static uint8_t first[STEPS], other[STEPS];
static slt_segmenter s;
static slt_recording r;

// toggle at step 3 and drop at step 6 of every episode, left elsewhere
static void begin(bool effects) {
    memset(first, 0, sizeof first);
    memset(other, 0, sizeof other);
    s = (slt_segmenter){.actions = 3, .names = names};
    r = (slt_recording){.episodes = 4, .steps = STEPS, .offsets = offsets};
    for (int t = 0; t < STEPS; t++) symbol[t] = t % LENGTH == 3 ? 1 : t % LENGTH == 6 ? 2 : 0;
    r.symbols[effects] = (slt_symbols){.A = 3, .Q = effects ? 6 : 3, .symbol = symbol};
    for (int t = 0; effects && t < STEPS; t++)
        if (t % 20 < LENGTH) symbol[t] += 3; // every other episode: everything has an effect
}

static void end_after(uint8_t *cut, int step) {
    for (int t = step; t < STEPS; t += LENGTH) cut[t] = 1;
}

static void says(const char *wanted, bool alone) {
    slt_arena arena;
    char words[SLT_ANSWER_WORDS];
    slt_arena_init(&arena, &slt_system_allocator, 0);
    CHECK_OK(slt_answer_describe(&s, &arena, &r, first, alone ? NULL : other, words));
    assert_string_equal(words, wanted);
    slt_arena_deinit(&arena);
}

static void test_actions(void **state) {
    (void)state;
    begin(false);
    end_after(first, 3);
    says("ends after toggle", true);
    end_after(other, 6);
    says("ends after drop instead of toggle", false);
    end_after(other, 3);
    says("also ends after drop", false);
    memset(other, 0, sizeof other);
    says("does not end after toggle", false);
}

static void test_effects(void **state) {
    (void)state;
    begin(true);
    end_after(first, 3);
    says("ends after toggle", true); // both ways: said once
    for (int t = 6; t < STEPS; t += 2 * LENGTH) other[t] = 1;
    says("ends after drop instead of toggle", false);
    memset(other, 0, sizeof other);
    for (int t = LENGTH + 3; t < STEPS; t += 2 * LENGTH) other[t] = 1;
    says("does not end after toggle", false);
    memset(first, 0, sizeof first);
    says("also ends after toggle without effect", false);
}

static void test_names_that_are_none(void **state) {
    (void)state;
    static const char *const odd[] = {"left", "\xff", "a\nb"};
    begin(false);
    s.names = odd;
    end_after(first, 3);
    end_after(other, 6);
    says("ends after action 2 instead of action 1", false);
    s.names = NULL;
    says("ends after action 2 instead of action 1", false);
}

// without symbols, or where none is an end
static void test_numbers(void **state) {
    (void)state;
    begin(false);
    r.symbols[0] = (slt_symbols){.Q = 3};
    end_after(first, 3);
    says("1.0 boundaries per episode", true);
    end_after(other, 5);
    says("boundaries 2 steps later", false);
    end_after(other, 8);
    says("2.0 boundaries per episode instead of 1.0, boundaries 4 steps later", false);
    memset(other, 0, sizeof other);
    end_after(other, 2);
    says("boundaries 1 step earlier", false);
    memcpy(other, first, sizeof other);
    other[3] = 0;
    other[9 - 1] = 1;
    says("boundaries 1 step later", false);
    memcpy(other, first, sizeof other);
    says("0 % of the boundaries elsewhere", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_actions),
        cmocka_unit_test(test_effects),
        cmocka_unit_test(test_names_that_are_none),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
