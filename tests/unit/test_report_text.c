// Texts of the report: HTML, JSON inside of a page, fixed decimals, packed arrays.
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <zlib.h>
#include "core/json.h"
#include "report/report_text.h"

static void check_html(const char *plain, const char *wanted) {
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    slt_html_text(&text, plain);
    assert_string_equal(text.length ? text.bytes : "", wanted);
    slt_text_deinit(&text);
}

static void html_is_harmless(void **state) {
    (void)state;
    check_html("", "");
    check_html("plain", "plain");
    check_html("<b a='1' c=\"2\">&", "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;");
    check_html("caf\xC3\xA9 \xE2\x86\x92 \xF0\x9F\x94\x91",
               "caf\xC3\xA9 \xE2\x86\x92 \xF0\x9F\x94\x91");
    check_html("a\xE2\x80\xAE"
               "b\xE2\x80\x8B"
               "c\n\x7F\xEF\xBB\xBF",
               "aU+202EbU+200BcU+000AU+007FU+FEFF");
    check_html("\xF3\xA0\x81\x81", "U+E0041"); // tags
}

// bytes that are no UTF-8: cut, overlong, surrogates, beyond the last code point
static void bad_bytes_are_replaced(void **state) {
    (void)state;
#define BAD "\xEF\xBF\xBD"
    check_html("a\x80"
               "b",
               "a" BAD "b");
    check_html("\xC3", BAD);
    check_html("\xE2\x86", BAD BAD);
    check_html("\xC0\xBC", BAD BAD);
    check_html("\xE0\x80\xBC", BAD BAD BAD);
    check_html("\xED\xA0\x80", BAD BAD BAD);
    check_html("\xF4\x90\x80\x80", BAD BAD BAD BAD);
    check_html("\xFF<", BAD "&lt;");
}

// what is written is read back by a JSON reader, and is plain ASCII without marks of HTML
static void check_json(const char *plain, const char *meant) {
    slt_text text;
    json_t *list;
    slt_text_init(&text, &slt_system_allocator);
    slt_text_add(&text, "[");
    slt_json_text(&text, plain);
    slt_text_add(&text, "]");
    assert_int_equal(text.status, SLT_OK);
    for (size_t i = 0; i < text.length; i++) {
        assert_true(text.bytes[i] >= ' ' && text.bytes[i] <= '~');
        assert_null(strchr("<>&'", text.bytes[i]));
    }
    CHECK_OK(slt_json_parse("test", text.bytes, text.length, 4, &list));
    if (meant)
        assert_string_equal(json_string_value(json_array_get(list, 0)), meant);
    else
        assert_true(json_is_null(json_array_get(list, 0)));
    json_decref(list);
    slt_text_deinit(&text);
}

static void json_is_read_back(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "plain",
                                        "</script>",
                                        "quote\" back\\ 'x'",
                                        "tab\t line\n \x01",
                                        "\xE2\x80\xAE \xF0\x9F\x94\x91 \xC3\xA9"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_json(texts[i], texts[i]);
    check_json("\xC3(", BAD "(");
    check_json(NULL, NULL);
}

static void check_number(double value, const char *wanted) {
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    slt_json_number(&text, value);
    assert_string_equal(text.bytes, wanted);
    slt_text_deinit(&text);
}

static void numbers(void **state) {
    (void)state;
    char text[SLT_FIXED_TEXT];
    check_number(0.25, "0.25");
    check_number((double)NAN, "null");
    check_number((double)INFINITY, "null");
    assert_string_equal(slt_fixed(91.594, 2, text), "91.59");
    assert_string_equal(slt_fixed(0.05, 2, text), "0.05");
    assert_string_equal(slt_fixed(-2.766, 2, text), "-2.77");
    assert_string_equal(slt_fixed(-0.001, 2, text), "0.00");
    assert_string_equal(slt_fixed(99.999, 2, text), "100.00");
    assert_string_equal(slt_fixed(12.6, 0, text), "13");
    assert_string_equal(slt_fixed((double)NAN, 1, text), "0.0");
    assert_string_equal(slt_fixed(1e300, 1, text), "0.0");
}

// ---- packed arrays

static size_t from_base64(const char *text, unsigned char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t count = 0;
    unsigned bits = 0, filled = 0;
    assert_int_equal(strlen(text) % 4, 0);
    for (; *text && *text != '='; text++) {
        assert_non_null(strchr(digits, *text));
        bits = bits << 6 | (unsigned)(strchr(digits, *text) - digits);
        filled += 6;
        if (filled >= 8) out[count++] = (unsigned char)(bits >> (filled -= 8) & 255);
    }
    return count;
}

static void check_pack(slt_dtype type, const char *name, const void *values, size_t count) {
    slt_text text;
    json_t *packed;
    slt_text_init(&text, &slt_system_allocator);
    slt_json_pack(&text, type, values, count);
    assert_int_equal(text.status, SLT_OK);
    CHECK_OK(slt_json_parse("test", text.bytes, text.length, 4, &packed));
    assert_string_equal(json_string_value(json_object_get(packed, "type")), name);
    assert_int_equal(json_integer_value(json_object_get(packed, "count")), count);
    size_t bytes = count * slt_dtype_size(type);
    unsigned char *deflated = malloc(text.length), *back = malloc(bytes + 1);
    size_t length = from_base64(json_string_value(json_object_get(packed, "zlib")), deflated);
    uLongf room = bytes + 1;
    assert_int_equal(uncompress(back, &room, deflated, length), Z_OK);
    assert_int_equal(room, bytes);
    if (bytes) assert_memory_equal(back, values, bytes);
    free(deflated);
    free(back);
    json_decref(packed);
    slt_text_deinit(&text);
}

static void arrays_are_unpacked_again(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    static uint8_t bytes[COUNT];
    static int32_t words[COUNT];
    uint16_t halves[] = {1, 65535, 0};
    float floats[] = {0.5f, -1, 3e-9f};
    for (int i = 0; i < COUNT; i++) {
        bytes[i] = (uint8_t)(i * i >> 3);
        words[i] = i * 7919;
    }
    for (size_t count = 0; count < 9; count++) check_pack(SLT_DTYPE_U8, "u8", bytes, count);
    check_pack(SLT_DTYPE_U8, "u8", bytes, COUNT);
    check_pack(SLT_DTYPE_I32, "i32", words, COUNT);
    check_pack(SLT_DTYPE_U16, "u16", halves, 3);
    check_pack(SLT_DTYPE_F32, "f32", floats, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_is_harmless),          cmocka_unit_test(bad_bytes_are_replaced),
        cmocka_unit_test(json_is_read_back),         cmocka_unit_test(numbers),
        cmocka_unit_test(arrays_are_unpacked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
