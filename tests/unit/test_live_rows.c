// Rows that are kept as floats: more of them than a float can count are refused.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "check.h"
#include "ops/common/ops.h"
#include "group_context.h"

enum { MOST = 1 << 24, SLOTS = 4 };

static slt_status write_tape(int tokens) {
    slt_store *store;
    slt_tape *tape;
    CHECK_OK(slt_store_create(context, 1, &store));
    CHECK_OK(slt_tape_create(store, (slt_limits){1, tokens, SLOTS, tokens}, &tape));
    slt_shape shape = {SLT_TOKENS, 0, SLOTS};
    slt_var live = slt_live_rows(tape, slt_tape_input(tape, SLT_NUMBERS, shape, "masks"), 0.5);
    slt_status status = slt_tape_finish(tape, live, false);
    slt_tape_destroy(tape);
    slt_store_destroy(store);
    return status;
}

static void too_many_are_refused(void **state) {
    (void)state;
    CHECK_FAILS(SLT_RANGE, "16777220 slot tokens", write_tape(MOST / SLOTS + 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(too_many_are_refused)};
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
