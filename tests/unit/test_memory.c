// Allocator and arenas.
#include "check.h"
#include "core/memory.h"

static void pieces_are_zeroed_aligned_and_apart(void **state) {
    (void)state;
    slt_arena arena;
    slt_arena_init(&arena, &slt_system_allocator, 1024);
    unsigned char *last = NULL;
    for (size_t i = 1; i < 200; i++) {
        unsigned char *piece;
        CHECK_OK(SLT_NEW(&arena, &piece, i * 7));
        assert_int_equal((uintptr_t)piece % SLT_ALIGN, 0);
        for (size_t k = 0; k < i * 7; k++) assert_int_equal(piece[k], 0);
        memset(piece, (int)i, i * 7);
        if (last) assert_int_equal(last[0], i - 1);
        last = piece;
    }
    slt_arena_deinit(&arena);
}

static void reset_goes_back_to_the_mark(void **state) {
    (void)state;
    slt_arena arena;
    slt_arena_init(&arena, &slt_system_allocator, 4096);
    char *first, *second, *again;
    CHECK_OK(SLT_NEW(&arena, &first, 100));
    slt_arena_mark mark = slt_arena_now(&arena);
    CHECK_OK(SLT_NEW(&arena, &second, 100));
    char *large;
    CHECK_OK(SLT_NEW(&arena, &large, 100000));
    slt_arena_reset(&arena, mark);
    CHECK_OK(SLT_NEW(&arena, &again, 100));
    assert_ptr_equal(second, again);
    slt_arena_deinit(&arena);
}

static void sizes_that_overflow_are_refused(void **state) {
    (void)state;
    slt_arena arena;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    double *piece;
    CHECK_FAILS(SLT_NOMEM, "out of memory", SLT_NEW(&arena, &piece, SIZE_MAX / 4));
    CHECK_FAILS(SLT_NOMEM, "out of memory", SLT_ALLOC(&slt_system_allocator, &piece, SIZE_MAX / 2));
    slt_arena_deinit(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
        cmocka_unit_test(reset_goes_back_to_the_mark),
        cmocka_unit_test(sizes_that_overflow_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
