// From what models say, and from what demonstrations show, to ids; and Access.
#include "check.h"
#include "metrics/access.h"
#include "metrics/ground_truth.h"
#include "models/ompn_model.h"
#include "models/slot_ids.h"

enum { LONGEST = 16 };

static void check_ids(const char *want, const int32_t *ids, int T) {
    char got[LONGEST + 1] = "";
    for (int t = 0; t < T; t++) got[t] = ids[t] < 0 ? '-' : (char)('0' + ids[t]);
    assert_string_equal(want, got);
}

static void ids_between_ends(void **state) {
    (void)state;
    int32_t ids[LONGEST];
    assert_int_equal(3, slt_ids_from_ends(ids, (uint8_t[]){0, 1, 0, 1, 0, 0}, 6));
    check_ids("001122", ids, 6);
    // the last step ends a segment, marked or not
    assert_int_equal(3, slt_ids_from_ends(ids, (uint8_t[]){0, 1, 0, 1, 0, 1}, 6));
    check_ids("001122", ids, 6);
    assert_int_equal(1, slt_ids_from_ends(ids, (uint8_t[]){0}, 1));
    assert_int_equal(1, slt_ids_from_ends(ids, (uint8_t[]){1}, 1));
    check_ids("0", ids, 1);
}

static void craft_truth(void **state) {
    (void)state;
    int32_t ids[LONGEST];
    uint8_t is_end[LONGEST];
    slt_craft_ends(is_end, (int32_t[]){3, 3, 4, 0, 4, 1, 1, 4, 2, 4}, 10);
    assert_int_equal(4, slt_ids_from_ends(ids, is_end, 10));
    check_ids("0001122233", ids, 10);
    slt_truth_done(ids, 11);
    check_ids("0001122233-", ids, 11);
}

static void minigrid_truth(void **state) {
    (void)state;
    enum { T = 10 };
    int32_t ids[T];
    uint8_t is_end[T];
    // pickup of nothing, of a key; toggle that unlocks; toggle of a closed door; pickup of a box
    const int32_t actions[T] = {3, 3, 2, 5, 5, 4, 3, 2, 3, 5};
    const int32_t own[T] = {1, 1, 5, 5, 5, 5, 1, 7, 5, 6};
    const int32_t front[T] = {0, 0, 0, 2, 0, 1, 0, 0, 0, 2};
    slt_minigrid_ends(is_end, actions, own, front, T);
    const uint8_t want[T] = {0, 1, 0, 1, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(want, is_end, T);
    assert_int_equal(3, slt_ids_from_ends(ids, is_end, T));
    check_ids("0011222222", ids, T);
    // a pickup in the last step counts unseen, in mid-episode only with a key or a ball in hand
    slt_minigrid_ends(is_end, actions, own, front, 9);
    assert_int_equal(1, is_end[8]);
    assert_int_equal(0, is_end[6]);
}

static void masks(void **state) {
    (void)state;
    enum { K = 3, T = 5 };
    int32_t ids[T];
    // a tie goes to the lowest slot, as does a step without any mask
    const slt_real by_slot[K * T] = {0.1f, 0.5f, 0, 0, 0.2f, 0.9f, 0.5f, 0,
                                     0.3f, 0.2f, 0, 0, 0,    0.4f, 0.3f};
    slt_slot_ids(by_slot, T, NULL, K, T, ids);
    check_ids("10022", ids, T);
    slt_slot_ids(by_slot, T, (bool[]){true, true, false}, K, T, ids); // a slot that is off
    check_ids("10010", ids, T);
}

static void compile(void **state) {
    (void)state;
    static const struct {
        int32_t boundaries[4];
        int T;
        const char *ids;
    } table[] = {
        {{3, 5, 8, 10}, 11, "00011222330"}, {{2, 4, 7, 10}, 11, "00112223330"},
        {{5, 3, 8, 10}, 11, "00000222330"}, {{3, 5, 30, 10}, 11, "00011222222"},
        {{3, 5, 8, 10}, 10, "0001122233"},  {{2, 4, 7, 10}, 10, "0011222333"},
        {{3, 5, 30, 10}, 10, "0001122222"}, {{0, 0, 0, 0}, 3, "000"},
    };
    int32_t ids[LONGEST];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        slt_real shares[4 * LONGEST];
        for (int k = 0; k < 4; k++)
            for (int t = 0; t < table[i].T; t++) {
                slt_real share = t < table[i].boundaries[k];
                for (int j = 0; j < k; j++) share *= (t >= table[i].boundaries[j]) + 1e-17f;
                shares[k * LONGEST + t] = share;
            }
        slt_slot_ids(shares, LONGEST, NULL, 4, table[i].T, ids);
        check_ids(table[i].ids, ids, table[i].T);
    }
}

// p_hat says "end" at the steps given, the deepest level elsewhere
static void ompn_case(const int *minima, int count, int T, int G, const char *want) {
    enum { LEVELS = 4 };
    slt_real p_hat[LONGEST * LEVELS] = {0};
    int32_t ids[LONGEST];
    for (int t = 0; t < LONGEST; t++) p_hat[t * LEVELS + LEVELS - 1] = 1;
    for (int i = 0; i < count; i++) {
        p_hat[minima[i] * LEVELS] = 1;
        p_hat[minima[i] * LEVELS + LEVELS - 1] = 0;
    }
    slt_ompn_ids_counted(p_hat, LEVELS - 1, T, G, ids);
    check_ids(want, ids, T);
}

static void ompn(void **state) {
    (void)state;
    ompn_case((int[]){2, 4, 7, 9}, 4, 11, 4, "00011222334");
    ompn_case((int[]){2, 4, 7, 10}, 4, 11, 4, "00011222333");
    ompn_case((int[]){3, 5, 8, 10}, 4, 11, 4, "00001122233");
    ompn_case((int[]){0, 2, 4, 7}, 4, 11, 4, "01122333444");
    ompn_case(NULL, 0, 11, 4, "01234444444");
    // without DONE
    ompn_case((int[]){2, 4, 7, 9}, 4, 10, 4, "0001122233");
    ompn_case((int[]){3, 5, 8, 10}, 4, 10, 4, "0111223334");
    // shorter than the number of segments
    ompn_case(NULL, 0, 1, 4, "0");
    ompn_case(NULL, 0, 3, 9, "012");
}

static void access_by_hand(void **state) {
    (void)state;
    enum { T = 8, L = 10 };
    // slot 0 explains steps 3 and 4 and attends to 0, 2, 6 and 9; slot 1 explains nothing
    float mask[2 * L] = {[3] = 0.9f, [4] = 0.81f, [5] = 0.8f};
    float attention[2 * L] = {[0] = 0.9f, [2] = 0.95f, [6] = 0.85f, [7] = 0.8f, [9] = 1};
    slt_access_case c = {.attention = {attention, L, 1},
                         .mask = {mask, L, 1},
                         .T = T,
                         .L = L,
                         .K = 2,
                         .G = 1,
                         .threshold = 0.8f,
                         .form = SLT_ACCESS_REFERENCE};
    slt_access slot = slt_access_slot(&c, 0);
    assert_true(slot.forward == 1. / (8 - 4 + 1)); // step 6, of steps 5..7
    assert_true(slot.backward == 1. / (3 - 1));    // step 0; step 2 is left out
    slt_access mean = slt_access_mean(&c);         // over the first G = 1 slots
    assert_true(mean.forward == slot.forward && mean.backward == slot.backward);

    c.form = SLT_ACCESS_PAPER;
    slot = slt_access_slot(&c, 0);
    assert_true(slot.forward == 1. / (8 - 4));
    assert_true(slot.backward == 2. / 3);
    mean = slt_access_mean(&c); // over K = 2 slots
    assert_true(mean.forward == slot.forward / 2 && mean.backward == slot.backward / 2);
}

static void access_at_the_edges(void **state) {
    (void)state;
    enum { T = 4, L = 6 };
    float attention[L] = {1, 1, 1, 1, 1, 1};
    for (int on = 0; on < L; on++)
        for (int form = 0; form < 2; form++) {
            float mask[L] = {0};
            mask[on] = 1; // also in the padding
            slt_access_case c = {.attention = {attention, L, 1},
                                 .mask = {mask, L, 1},
                                 .T = T,
                                 .L = L,
                                 .K = 1,
                                 .G = 1,
                                 .threshold = 0.8f,
                                 .form = form};
            slt_access slot = slt_access_slot(&c, 0);
            int at = on < T ? on : T, after = at + 1 < T ? T - at - 1 : 0;
            double forward = form == SLT_ACCESS_PAPER ? (at < T ? (double)after / (T - at) : 0)
                                                      : (double)after / (T - at + 1);
            bool before = form == SLT_ACCESS_PAPER ? at > 0 : at > 1;
            assert_true(slot.forward == forward);
            assert_true(slot.backward == before);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_between_ends), cmocka_unit_test(craft_truth),
        cmocka_unit_test(minigrid_truth),   cmocka_unit_test(masks),
        cmocka_unit_test(compile),          cmocka_unit_test(ompn),
        cmocka_unit_test(access_by_hand),   cmocka_unit_test(access_at_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
