// Texts in quotes: the letters of jansson, for every character.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <jansson.h>
#include <stdlib.h>
#include "check.h"
#include "core/text.h"

// jansson's word for a text; NULL when it is no UTF-8
static char *quoted_by_jansson(const char *plain) {
    json_t *string = json_string(plain);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    return quoted;
}

static void compare(const char *plain) {
    slt_text text;
    char *wanted = quoted_by_jansson(plain);
    slt_text_init(&text, &slt_system_allocator);
    slt_text_quote(&text, plain);
    assert_int_equal(text.status, wanted ? SLT_OK : SLT_FORMAT);
    if (wanted) assert_string_equal(text.bytes, wanted);
    slt_text_deinit(&text);
    free(wanted);
}

static void every_character_is_quoted_as_by_jansson(void **state) {
    (void)state;
    char plain[8];
    for (int a = 1; a < 256; a++) {
        snprintf(plain, sizeof plain, "%c", a);
        compare(plain);
        for (int b = 1; b < 256; b++) {
            snprintf(plain, sizeof plain, "%c%c", a, b);
            compare(plain);
        }
    }
}

// what the first two bytes allow decides; the others are 0x80 or 0xbf, or a letter, or missing
static void long_characters_too(void **state) {
    (void)state;
    static const char tails[][3] = {"", "\x80", "\xbf", "\x80\x80", "\xbf\xbf", "x", "\x80x"};
    char plain[32];
    for (int a = 0xe0; a < 256; a++)
        for (int b = 0x7f; b < 0xc1; b++)
            for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
                snprintf(plain, sizeof plain, "%c%c%s", a, b, tails[i]);
                compare(plain);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_quoted_as_by_jansson),
        cmocka_unit_test(long_characters_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
